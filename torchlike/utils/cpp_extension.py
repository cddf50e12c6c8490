"""`torch.utils.cpp_extension`: there is no C++ of torchlike's own, so nothing can be built against it.
https://pytorch.org/docs/stable/cpp_extension.html
"""

import functools

from torchlike._api.homes import name_below
from torchlike._base import absent
from torchlike._base.errors import UnsupportedError

__all__ = [
    "CUDA_HOME",
    "BuildExtension",
    "CUDAExtension",
    "CppExtension",
    "SyclExtension",
    "include_paths",
    "is_ninja_available",
    "library_paths",
    "load",
    "load_inline",
    "verify_ninja_availability",
]

_REASON = "torch.utils.cpp_extension is not supported: there is no C++ of torchlike's own to build against"
_fails = functools.partial(absent.failing, module=__name__, error=UnsupportedError, text=_REASON)
CUDA_HOME = ROCM_HOME = SYCL_HOME = None  # where compilers for GPUs are
BuildExtension = absent.uninstantiable("BuildExtension", __name__, UnsupportedError, _REASON, methods=("with_options",))
CppExtension = _fails("CppExtension")
CUDAExtension = _fails("CUDAExtension")
SyclExtension = _fails("SyclExtension")
include_paths = _fails("include_paths")
library_paths = _fails("library_paths")
load = _fails("load")
load_inline = _fails("load_inline")
verify_ninja_availability = _fails("verify_ninja_availability")


def is_ninja_available() -> bool:
    """False: nothing can be built."""
    return False


name_below(".utils.cpp_extension")
