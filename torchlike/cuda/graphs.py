"""`torch.cuda`'s captured graphs, which there are none of: https://pytorch.org/docs/stable/notes/cuda.html#cuda-graphs

What is recorded is compiled as a whole anyway. Without a GPU the errors are those of PyTorch's builds for the CPU.
"""

from torchlike._base.errors import UnsupportedError
from torchlike._compile.backends.registry import accelerators as _accelerators

__all__ = ["CUDAGraph", "graph", "graph_pool_handle", "is_current_stream_capturing", "make_graphed_callables"]


def _refusal(name: str, without_gpu: str) -> Exception:
    if _accelerators():
        return UnsupportedError(f"torch.cuda.{name} is not supported: JAX orders the work itself, without captured graphs")
    return RuntimeError(without_gpu)


class CUDAGraph:
    """Refused: there are no captured graphs.
    https://pytorch.org/docs/stable/generated/torch.cuda.CUDAGraph.html

    Args:
        keep_graph: not looked at.

    Raises:
        UnsupportedError: always; without a GPU PyTorch's RuntimeError.
    """

    def __new__(cls, keep_graph=False):
        raise _refusal("CUDAGraph", "Tried to instantiate dummy base class CUDAGraph")


class graph:  # noqa: N801 - PyTorch's name
    """Refused: there are no captured graphs.
    https://pytorch.org/docs/stable/generated/torch.cuda.graph.html

    Args:
        cuda_graph, pool, stream, capture_error_mode, enable_annotations, check_input_liveness: not looked at.

    Raises:
        UnsupportedError: always; without a GPU PyTorch's RuntimeError.
    """

    def __new__(cls, cuda_graph, pool=None, stream=None, capture_error_mode="global", enable_annotations=False,
                check_input_liveness=False):
        raise _refusal("graph", "torch.cuda.Stream requires CUDA support")


def graph_pool_handle():
    """Refused: there are no captured graphs.
    https://pytorch.org/docs/stable/generated/torch.cuda.graph_pool_handle.html

    Raises:
        UnsupportedError: always; without a GPU PyTorch's RuntimeError.
    """
    raise _refusal("graph_pool_handle", "Tried to instantiate dummy base class _graph_pool_handle")


def make_graphed_callables(callables, sample_args, num_warmup_iters=3, allow_unused_input=False, pool=None,
                           capture_error_mode="global", enable_annotations=False):
    """Refused: there are no captured graphs.
    https://pytorch.org/docs/stable/generated/torch.cuda.make_graphed_callables.html

    Args:
        callables, sample_args, num_warmup_iters, allow_unused_input, pool, capture_error_mode, enable_annotations: not
            looked at.

    Raises:
        UnsupportedError: always; without a GPU PyTorch's RuntimeError.
    """
    raise _refusal("make_graphed_callables", "Tried to instantiate dummy base class CUDAGraph")


def is_current_stream_capturing() -> bool:
    """False: there are no captured graphs."""
    return False
