"""torch.utils.checkpoint: what is run again and when, early stops, selective policies, errors; one setting of ours."""

import pytest

import torchlike
from tests.programs import same_as_torch
from torchlike.utils import checkpoint as checkpoints

test_programs = same_as_torch("checkpoint", "checkpoint_more", "checkpoint_regions", "checkpoint_selective")


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
