"""`torch.testing`: https://pytorch.org/docs/stable/testing.html

`_comparison.py` has `assert_close`, with PyTorch's tolerances and texts; it reads the values and compares them in numpy.
`_creation.py` has `make_tensor`, which draws uniform numbers of any dtype.

Tests of users and packages import it; inside torchlike only the torch namespace does. Start with `_comparison.py`.
"""

from torchlike.testing._comparison import assert_allclose as assert_allclose
from torchlike.testing._comparison import assert_close as assert_close
from torchlike.testing._creation import make_tensor as make_tensor
