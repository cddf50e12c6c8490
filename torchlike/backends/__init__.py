"""`torch.backends`: switches that programs set; JAX decides these things itself.
https://pytorch.org/docs/stable/backends.html"""

from torchlike.backends import cuda as cuda
from torchlike.backends import cudnn as cudnn
from torchlike.backends import mkl as mkl
from torchlike.backends import mps as mps
from torchlike.backends import openmp as openmp
