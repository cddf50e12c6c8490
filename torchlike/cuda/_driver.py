"""`torch.cuda`'s way to CUDA's runtime: error codes, handles of its libraries, debugging of waits, architectures.

JAX has the runtime to itself, so what hands out parts of it refuses. Without a GPU the errors are those of PyTorch's builds
for the CPU, or, where such a build stumbles over its own missing parts, the one that it has for all of this.
"""

from torchlike._base.errors import UnsupportedError
from torchlike._compile.backends.registry import accelerators as _accelerators

__all__ = ["CudaError", "DeferredCudaCallError", "ExternalStream", "GreenContext", "check_error", "cudaStatus", "cudart",
           "current_blas_handle", "current_solver_handle", "get_arch_list", "get_gencode_flags", "get_stream_from_external",
           "get_sync_debug_mode", "set_sync_debug_mode"]

_DEBUG_MODES = {"default": 0, "warn": 1, "error": 2}


def need_gpu() -> None:
    """PyTorch's AssertionError where JAX has no GPU."""
    if not _accelerators():
        raise AssertionError("Torch not compiled with CUDA enabled")


def refused(name: str, reason: str) -> UnsupportedError:
    """The error of a part of `torch.cuda` where there is a GPU; AssertionError where there is none."""
    need_gpu()
    return UnsupportedError(f"torch.cuda.{name} is not supported: {reason}")


# -- errors

class DeferredCudaCallError(Exception):
    """What PyTorch raises where work that waited for CUDA's start fails. Nothing waits for it here."""


class CudaError(RuntimeError):
    """A call of CUDA's runtime that failed. Differs from PyTorch: the text is the number alone, and it needs no GPU.

    Args:
        code: what the call returned.
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"CUDA error ({code})")


class cudaStatus:  # noqa: N801 - PyTorch's name
    """Two of the numbers that calls of CUDA's runtime return."""

    SUCCESS: int = 0
    ERROR_NOT_READY: int = 34


def check_error(res: int) -> None:
    """Raises what a call of CUDA's runtime has returned, unless that is 0. Differs from PyTorch: it needs no GPU.

    Args:
        res: the number.

    Raises:
        CudaError: the call failed.
    """
    if int(res) != cudaStatus.SUCCESS:
        raise CudaError(res)


# -- handles

def cudart():
    """Refused: CUDA's runtime is JAX's.
    https://pytorch.org/docs/stable/generated/torch.cuda.cudart.html

    Raises:
        UnsupportedError: always; without a GPU PyTorch's AssertionError.
    """
    raise refused("cudart", "CUDA's runtime is JAX's")


def current_blas_handle():
    """Refused: cuBLAS is XLA's.
    https://pytorch.org/docs/stable/generated/torch.cuda.current_blas_handle.html

    Raises:
        UnsupportedError: always; without a GPU PyTorch's AssertionError.
    """
    raise refused("current_blas_handle", "cuBLAS is XLA's")


def current_solver_handle():
    """Refused: cuSOLVER is XLA's.

    Raises:
        UnsupportedError: always; without a GPU PyTorch's AssertionError.
    """
    raise refused("current_solver_handle", "cuSOLVER is XLA's")


def get_stream_from_external(data_ptr: int, device=None):
    """Refused: JAX puts no work on streams of others.

    Args:
        data_ptr, device: not looked at.

    Raises:
        UnsupportedError: always; without a GPU PyTorch's AssertionError.
    """
    raise refused("get_stream_from_external", "JAX puts no work on streams of others")


class ExternalStream:
    """Refused: JAX puts no work on streams of others.
    https://pytorch.org/docs/stable/generated/torch.cuda.ExternalStream.html

    Args:
        stream_ptr, device, kwargs: not looked at.

    Raises:
        UnsupportedError: always; without a GPU PyTorch's RuntimeError.
    """

    def __new__(cls, stream_ptr, device=None, **kwargs):
        if not _accelerators():
            raise RuntimeError("PyTorch was compiled without CUDA support")
        raise refused("ExternalStream", "JAX puts no work on streams of others")


class GreenContext:
    """A part of a GPU, which JAX cannot have to itself: there are objects of this class, as in PyTorch, but none that
    stands for anything.
    """

    @staticmethod
    def create(*, num_sms=None, workqueue_scope=None, workqueue_concurrency_limit=None, device_id=None):
        """Raises what PyTorch raises where it was built without them.

        Args:
            num_sms, workqueue_scope, workqueue_concurrency_limit, device_id: not looked at.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError("PyTorch was not built with Green Context support!")


# -- debugging of waits

def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Accepts the default, which is to say nothing where the program waits for a GPU.
    https://pytorch.org/docs/stable/generated/torch.cuda.set_sync_debug_mode.html

    Args:
        debug_mode: "default" or 0.

    Raises:
        RuntimeError: `debug_mode` is an unknown text.
        UnsupportedError: "warn", "error" or their numbers. Without a GPU PyTorch's AssertionError.
    """
    need_gpu()
    if isinstance(debug_mode, str) and debug_mode not in _DEBUG_MODES:
        raise RuntimeError("invalid value of debug_mode, expected one of `default`, `warn`, `error`")
    if (_DEBUG_MODES[debug_mode] if isinstance(debug_mode, str) else debug_mode) != 0:
        raise refused(f"set_sync_debug_mode({debug_mode!r})", "what waits for a GPU is not watched")


def get_sync_debug_mode() -> int:
    """0, the default. Without a GPU PyTorch's AssertionError.
    https://pytorch.org/docs/stable/generated/torch.cuda.get_sync_debug_mode.html
    """
    need_gpu()
    return _DEBUG_MODES["default"]


# -- architectures

def get_arch_list() -> list[str]:
    """The architectures that programs are compiled for: those of the GPUs that are there, since XLA compiles for them.
    https://pytorch.org/docs/stable/generated/torch.cuda.get_arch_list.html

    Returns:
        texts such as ``"sm_90"``; empty without a GPU.
    """
    found = {str(gpu.hardware().compute_capability).replace(".", "") for gpu in _accelerators()}
    return [f"sm_{number}" for number in sorted(found, key=int)]


def get_gencode_flags() -> str:
    """The same as flags of NVIDIA's compiler.
    https://pytorch.org/docs/stable/generated/torch.cuda.get_gencode_flags.html

    Returns:
        a text; empty without a GPU.
    """
    numbers = (name.removeprefix("sm_") for name in get_arch_list())
    return " ".join(f"-gencode compute=compute_{number},code=sm_{number}" for number in numbers)
