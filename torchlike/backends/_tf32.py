"""The switches of TensorFloat32. https://pytorch.org/docs/stable/notes/cuda.html#tensorfloat-32-tf32-on-ampere-and-later-devices"""

import warnings

from torchlike._compile import kernels
from torchlike._compile.backends.xla_cuda import PRODUCTS, tf32_allowed
from torchlike._record.trace import run, state

_PRECISIONS = ("highest", "high", "medium")
_UNKNOWN = "{} is not one of 'highest', 'high', or 'medium'; the currentsetFloat32MatmulPrecision call has no effect."


class _Said:
    """The ``word`` that was set last."""

    def __init__(self):
        self.word = _PRECISIONS[0]


_said = _Said()


def set_float32_matmul_precision(precision) -> None:
    """Whether float32 products on a GPU may use TensorFloat32. On the CPU products are float32's.
    https://pytorch.org/docs/stable/generated/torch.set_float32_matmul_precision.html

    Args:
        precision: "highest", no; "high" and "medium", yes. Another word is warned about and changes nothing.

    Raises:
        RuntimeError: it is no str.
    """
    if not isinstance(precision, str):
        raise RuntimeError(f"set_float32_matmul_precision expects a str, but got {type(precision).__name__}")
    if precision not in _PRECISIONS:
        warnings.warn(_UNKNOWN.format(precision), UserWarning, stacklevel=2)
        return
    _said.word = precision
    _change(PRODUCTS, precision != _PRECISIONS[0])


def get_float32_matmul_precision() -> str:
    """What was set last, "highest" to begin with.
    https://pytorch.org/docs/stable/generated/torch.get_float32_matmul_precision.html
    """
    return _said.word


def allow(what, value) -> None:
    """Set the switch of `PRODUCTS` or `CONVOLUTIONS`."""
    if not isinstance(value, bool):
        raise RuntimeError(f"set_allow_tf32_cublas expects a bool, but got {type(value).__name__}")
    if what == PRODUCTS:
        _said.word = "high" if value else "highest"
    _change(what, value)


def _change(what, value) -> None:
    if tf32_allowed[what] != value:
        run(state.trace)  # what is recorded by now goes by what was set by now
        tf32_allowed[what] = value
        kernels.cache.start_anew()
        run(state.trace)  # lets go of them
