"""`torch.diff`, PyTorch's function, whose attributes compare programs: `compare`, `across`, ..."""

from torchlike._api.differences import diff as diff
from torchlike._diff import asserting
from torchlike._diff.deep import compare

vars(diff).update(compare=compare, across=asserting.across, assert_same=asserting.assert_same,
                  assert_same_gradients=asserting.assert_same_gradients, assert_same_training=asserting.assert_same_training)
