"""`torch.distributed.algorithms._checkpoint.checkpoint_wrapper`: each line that a script prints is PyTorch's."""

import pytest

import torchlike
from tests.c10d.ranks import differing
from torchlike.distributed.algorithms._checkpoint import checkpoint_wrapper as ours


@pytest.mark.slow
@pytest.mark.exhaustive
def test_lines_are_torchs():
    assert [*differing("wrapping.py", 1)] == []


def test_a_wrapped_module_is_computed_again():
    calls = []

    class Block(torchlike.nn.Linear):
        def forward(self, x):
            calls.append(1)
            return super().forward(x).sin()

    model = torchlike.nn.Sequential(Block(2, 2), torchlike.nn.Linear(2, 1))
    names = list(model.state_dict())
    ours.apply_activation_checkpointing(model, check_fn=lambda module: isinstance(module, Block))
    model(torchlike.ones(1, 2)).sum().backward()
    assert len(calls) == 2
    assert list(model.state_dict()) == names
    with pytest.raises(ValueError, match="Expected 3 to be callable"):
        ours.apply_activation_checkpointing(model, auto_wrap_policy=3)


def test_what_refuses():
    for refusing in (ours.offload_wrapper, ours.OffloadWrapper):
        with pytest.raises(torchlike.UnsupportedError, match="save_on_cpu"):
            refusing(torchlike.nn.Linear(1, 1))
    with pytest.raises(ValueError, match="Subclasses should implement forward"):
        ours.ActivationWrapper(torchlike.nn.Linear(1, 1))(torchlike.ones(1, 1))
