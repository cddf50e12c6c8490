"""`torch.distributed.checkpoint.state_dict`: each line that a rank prints is PyTorch's."""

import pytest
import torch.distributed.checkpoint.state_dict_saver as theirs

import torchlike
from tests.c10d.ranks import differing
from torchlike.distributed.checkpoint import state_dict_loader, state_dict_saver, stateful
from torchlike.distributed.checkpoint.state_dict import set_model_state_dict


@pytest.mark.slow
@pytest.mark.exhaustive
def test_state_dicts():
    assert [*differing("state_dicts.py", 2)] == []


def test_names_beside_it():
    assert {x.name: x.value for x in theirs.AsyncCheckpointerType} == {
        x.name: x.value for x in state_dict_saver.AsyncCheckpointerType}
    assert isinstance(torchlike.nn.Linear(1, 1), stateful.Stateful)
    assert not isinstance(3, stateful.Stateful)
    for refusing in (state_dict_loader.load_state_dict, state_dict_saver.save_state_dict):
        with pytest.raises(torchlike.UnsupportedError, match="is its successor"):
            refusing()
    model = torchlike.nn.Linear(1, 1)
    with pytest.raises(torchlike.UnsupportedError, match="by modules"):
        set_model_state_dict(model, {model: model.state_dict()})
