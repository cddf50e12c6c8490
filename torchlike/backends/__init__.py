"""`torch.backends`: switches that programs set. https://pytorch.org/docs/stable/backends.html

JAX and XLA choose their libraries and kernels themselves, so nearly all switches are kept and reported without an effect.
The exception is TensorFloat32 (`_tf32.py`), which chooses the precision of float32 matrix products on a GPU.

One file for each of PyTorch's backends; a file on which nothing depends says so in its first line. Start with `_tf32.py`.
"""

import contextlib as _contextlib

from torchlike.backends import cpu as cpu
from torchlike.backends import cuda as cuda
from torchlike.backends import cudnn as cudnn
from torchlike.backends import mkl as mkl
from torchlike.backends import mkldnn as mkldnn
from torchlike.backends import mps as mps
from torchlike.backends import openmp as openmp
from torchlike.backends import opt_einsum as opt_einsum
from torchlike.backends import quantized as quantized


@_contextlib.contextmanager
def __allow_nonbracketed_mutation():
    """``with``: switches may be set one by one, as they always may here."""
    yield
