"""`torch.testing`: https://pytorch.org/docs/stable/testing.html"""

from torchlike.testing._comparison import assert_allclose as assert_allclose
from torchlike.testing._comparison import assert_close as assert_close
from torchlike.testing._creation import make_tensor as make_tensor
