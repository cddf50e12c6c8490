"""The setting of utils.checkpoint that no program of compat/semantics can show: it is torchlike's report alone."""

import pytest

import torchlike
from torchlike.utils import checkpoint as checkpoints


def test_debug_for_all():
    """set_checkpoint_debug_enabled goes before the argument."""
    x = torchlike.ones(3, requires_grad=True)
    runs = []
    with checkpoints.set_checkpoint_debug_enabled(True):
        def region(a):
            runs.append(1)
            return a.sin() if len(runs) == 1 else a[:2].sin()

        out = checkpoints.checkpoint(region, x, use_reentrant=False, debug=False)
    with pytest.raises(checkpoints.CheckpointError, match="dumping logs of latest computation"):
        out.sum().backward()
