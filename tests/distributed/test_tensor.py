"""`torch.distributed.tensor`: names that refuse when they are called, and placements."""

import pytest
import torch.distributed.tensor as theirs

import torchlike
import torchlike.distributed.tensor as ours

PLACEMENTS = ("Shard(1)", "Replicate()", "Partial()", "Partial('avg')")


@pytest.mark.parametrize("text", PLACEMENTS)
def test_placements(text):
    found = []
    for space in (theirs, ours):
        x = eval(text, vars(space))
        found.append((x.is_shard(), x.is_shard(1), x.is_shard(0), x.is_replicate(), x.is_partial(), x.is_partial("sum"),
                      x == eval(text, vars(space)), x == space.Shard(0), isinstance(x, space.Placement)))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", theirs.__all__)
def test_names(name):
    if name in ("Shard", "Replicate", "Partial", "Placement"):
        return
    with pytest.raises(torchlike.UnsupportedError, match=r"torch\.distributed\.tensor is not supported"):
        getattr(ours, name)()
    assert not isinstance(torchlike.ones(1), ours.DTensor)
