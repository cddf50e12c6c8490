"""`torch.utils`: https://pytorch.org/docs/stable/utils.html"""

from torchlike.utils import checkpoint as checkpoint
from torchlike.utils import data as data
from torchlike.utils import dlpack as dlpack
from torchlike.utils import hooks as hooks
from torchlike.utils._swap import swap_tensors as swap_tensors
