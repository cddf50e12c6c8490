"""Functions of the torch namespace with an underscore that packages call: those of integers, softmax, casts and layouts."""

from torchlike._api.checks import _check
from torchlike._api.generated import ops
from torchlike._base import dtypes as dt
from torchlike._base.settings import jagged, sparse_coo, strided
from torchlike._record.tensor import Tensor


def _int_mm(input: Tensor, mat2: Tensor) -> Tensor:
    """A matrix product of small integers.

    Args:
        input: (n, k), int8 or uint8.
        mat2: (k, m), int8.

    Returns:
        An int32 Tensor (n, m).

    Raises:
        RuntimeError: other dtypes or dimensions.
    """
    _check(input.dim() == 2, lambda: f"int_mm_out_cpu: Expected self to be of dimension 2 but got {input.dim()}")
    mat2.size(1)  # an IndexError is PyTorch's for a vector
    _check(mat2.dim() == 2, lambda: f"int_mm_out_cpu: Expected mat2 to be of dimension 2 but got {mat2.dim()}")
    _check(input.shape[1] == mat2.shape[0], lambda: "int_mm_out_cpu: self.size(1) needs to match mat2.size(0) but got "
                                                    f"{input.shape[1]} and {mat2.shape[0]}")
    _check(input.dtype in (dt.int8, dt.uint8),
           lambda: f"int_mm_out_cpu: Expected self dtype to be int8 or uint8 but got {input.dtype.cpp_name}")
    _check(mat2.dtype is dt.int8,
           lambda: f"int_mm_out_cpu: Expected mat2 dtype to be of type int8 but got {mat2.dtype.cpp_name}")
    return ops.mm(input.to(dt.int32), mat2.to(dt.int32))


def _has_compatible_shallow_copy_type(input: Tensor, from_: Tensor) -> bool:
    """Whether one tensor can take the memory of the other, as `nn.Module.to` asks.

    Args:
        input, from_: of any shapes, dtypes, devices and layouts.

    Returns:
        False where one is sparse and the other is not, or one is on the meta device.
    """
    return _kind_of_memory(input) == _kind_of_memory(from_)


def _kind_of_memory(x) -> tuple:
    layout = x.layout
    if layout in (strided, jagged):
        return "dense", layout is strided and x.is_nested, x.is_meta
    return ("COO", x.is_meta) if layout is sparse_coo else ("compressed",)


def _softmax_backward_data(grad_output: Tensor, output: Tensor, dim: int, input_dtype: dt.dtype) -> Tensor:
    """The gradient of a softmax by its input.

    Args:
        grad_output: that by its result.
        output: its result, of the same shape.
        dim: the dimension that sums to one.
        input_dtype: the dtype of its input.

    Returns:
        A Tensor of that shape and dtype.
    """
    found = (grad_output - (grad_output * output).sum(dim, keepdim=True)) * output
    return found.to(input_dtype)


def _cast(name: str, dtype: dt.dtype):
    def cast(input: Tensor, non_blocking: bool = False) -> Tensor:
        return input.to(dtype)

    cast.__name__ = cast.__qualname__ = f"_cast_{name}"
    cast.__doc__ = f"The tensor as {dtype}."
    return cast


_cast_Byte = _cast("Byte", dt.uint8)  # noqa: N816 - PyTorch's names
_cast_Char = _cast("Char", dt.int8)  # noqa: N816
_cast_Double = _cast("Double", dt.float64)  # noqa: N816
_cast_Float = _cast("Float", dt.float32)  # noqa: N816
_cast_Half = _cast("Half", dt.float16)  # noqa: N816
_cast_Int = _cast("Int", dt.int32)  # noqa: N816
_cast_Long = _cast("Long", dt.int64)  # noqa: N816
_cast_Short = _cast("Short", dt.int16)  # noqa: N816
