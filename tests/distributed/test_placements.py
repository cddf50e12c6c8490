"""`torch.distributed.tensor`'s placements, and names that refuse."""

import pytest
import torch.distributed.tensor as theirs
import torch.distributed.tensor.parallel as their_parallel

import torchlike
import torchlike.distributed.tensor as ours
import torchlike.distributed.tensor.parallel as our_parallel
from torchlike.distributed.tensor import experimental

PLACEMENTS = ("Shard(1)", "Replicate()", "Partial()", "Partial('avg')")


@pytest.mark.parametrize("text", PLACEMENTS)
def test_placements(text):
    found = []
    for space in (theirs, ours):
        x = eval(text, vars(space))
        found.append((x.is_shard(), x.is_shard(1), x.is_shard(0), x.is_replicate(), x.is_partial(), x.is_partial("sum"),
                      x == eval(text, vars(space)), x == space.Shard(0), isinstance(x, space.Placement), repr(x), str(x)))
    assert found[0] == found[1]


@pytest.mark.parametrize("size", [1, 3, 4, 7, 8])
def test_parts(size):
    for count in (1, 2, 3, 5):
        for rank in range(count):
            assert (ours.Shard(0).local_shard_size_and_offset(size, count, rank)
                    == theirs.Shard(0)._local_shard_size_and_offset(size, count, rank))


@pytest.mark.parametrize(("mine", "other"), [(ours, theirs), (our_parallel, their_parallel)])
def test_names(mine, other):
    assert set(other.__all__) <= set(vars(mine))


@pytest.mark.parametrize("name", ["context_parallel", "register_sharding"])
def test_refused(name):
    with pytest.raises(torchlike.UnsupportedError, match=f"experimental.{name} is not supported"):
        getattr(experimental, name)()


def test_a_tensor_is_needed():
    with pytest.raises(TypeError, match=r"argument 'local_tensor' .position 2. must be Tensor, not list"):
        ours.DTensor([1.0], None)
