"""`torch.utils.tensorboard`: logs for TensorBoard. https://pytorch.org/docs/stable/tensorboard.html

The writer is that of the package tensorboardX, which has PyTorch's interface and file format; without it the import raises
ImportError, as PyTorch's does without tensorboard. `writer.py` gives it arrays for tensors.

Programs import this package, nothing inside torchlike does.
"""

from torchlike.utils.tensorboard.writer import FileWriter as FileWriter
from torchlike.utils.tensorboard.writer import RecordWriter as RecordWriter
from torchlike.utils.tensorboard.writer import SummaryWriter as SummaryWriter
