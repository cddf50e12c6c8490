"""What packages use of `torch._prims_common`: questions about layouts and dtypes, and a warning that is never due."""

from torchlike._base.dtypes import bool_, complex64, complex128, float32, float64
from torchlike._base.settings import contiguous_format, memory_format
from torchlike._compile.avals import row_major as _by_rows
from torchlike._compile.avals import suggested_format
from torchlike._record.tensor import Tensor

_REAL = {complex64: float32, complex128: float64}
_COMPLEX = {real: whole for whole, real in _REAL.items()}


def alert_not_deterministic(caller: str) -> None:
    """Does nothing: XLA's results on one machine do not vary.

    Args:
        caller: not looked at.
    """


def is_contiguous(a) -> bool:
    """Whether a tensor is contiguous.

    Args:
        a: a Tensor.

    Returns:
        a bool.
    """
    return a.is_contiguous()


is_contiguous_or_false = is_contiguous


def suggest_memory_format(x: Tensor) -> memory_format:
    """The memory format that operators give what they make of a tensor.

    Args:
        x: any.

    Returns:
        `torch.channels_last` or `torch.channels_last_3d` where the strides of 4 or 5 dimensions can mean nothing else;
        `torch.contiguous_format` otherwise.
    """
    return suggested_format(x._cell.aval) or contiguous_format


def make_contiguous_strides_for(shape, row_major: bool = True) -> tuple:
    """The strides of a contiguous tensor.

    Args:
        shape: its sizes.
        row_major: False: the matrices of the last two dimensions go by columns.

    Returns:
        A tuple of ints.
    """
    strides = _by_rows(shape)
    return strides if row_major or len(strides) < 2 else (*strides[:-2], 1, max(shape[-2], 1))


def is_boolean_dtype(dtype) -> bool:
    """Whether it is the dtype of truth values.

    Args:
        dtype: a dtype.

    Returns:
        a bool.
    """
    return dtype is bool_


def is_float_dtype(dtype) -> bool:
    """Whether it is a dtype of floating point numbers.

    Args:
        dtype: a dtype.

    Returns:
        a bool.
    """
    return dtype.is_floating_point


def is_complex_dtype(dtype) -> bool:
    """Whether it is a dtype of complex numbers.

    Args:
        dtype: a dtype.

    Returns:
        a bool.
    """
    return dtype.is_complex


def is_integer_dtype(dtype) -> bool:
    """Whether it is a dtype of integers.

    Args:
        dtype: a dtype.

    Returns:
        a bool.
    """
    return not (dtype is bool_ or dtype.is_floating_point or dtype.is_complex)


def corresponding_real_dtype(dtype):
    """The dtype of the parts of complex numbers.

    Args:
        dtype: a complex dtype.

    Returns:
        a dtype.
    """
    return _REAL[dtype]


def corresponding_complex_dtype(dtype):
    """The dtype of complex numbers with such parts.

    Args:
        dtype: float32 or float64.

    Returns:
        a dtype.
    """
    return _COMPLEX[dtype]
