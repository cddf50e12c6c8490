"""`torch._grouped_mm`, behind `torch.nn.functional.grouped_mm`: what it refuses, as PyTorch's kernel for the CPU does."""

from torchlike._api.generated import ops
from torchlike._base import dtypes as dt
from torchlike._base.errors import type_name
from torchlike._record.tensor import Tensor

_ALIGNMENT = 16  # bytes


def _check_strides(x):
    """A dimension of stride 1 behind or before one whose stride is a multiple of 16 bytes, as the kernels ask for."""
    (rows, columns), (outer, inner) = x.shape[-2:], x.stride()[-2:]
    if outer == 1 and inner >= max(1, rows):
        leading = inner
    elif inner == 1 and outer >= max(1, columns):
        leading = outer
    else:
        raise RuntimeError(f"Invalid strides/sizes, got {list(x.stride())} for strides and {list(x.shape)} for sizes")
    if leading * x.dtype.itemsize % _ALIGNMENT:
        raise RuntimeError("strides should be multiple of 16 bytes")


def _check(a, b, offs, bias, out_dtype):
    for position, (name, x) in enumerate((("input", a), ("mat2", b)), 1):
        if not isinstance(x, Tensor):
            raise TypeError(f"_grouped_mm(): argument '{name}' (position {position}) must be Tensor, not "
                            f"{type_name(type(x))}")
    for name, x in (("a", a), ("b", b)):
        if x.dtype not in (dt.float32, dt.bfloat16, dt.float16):
            raise RuntimeError(f"Expected mat_{name} to be Float32, BFloat16 or Float16 matrix, got {x.dtype.scalar_name}")
    for name, x in (("a", a), ("b", b)):
        if x.dim() not in (2, 3):
            raise RuntimeError(f"mat_{name} has to be 2 or 3d")
    is_inner = a.dim() == b.dim() == 2
    if not is_inner and a.shape[-1] != b.shape[-2]:
        raise RuntimeError("contraction dimension of mat_a and mat_b must match")
    for x in (a, b):
        _check_strides(x)
    if (offs is None) != (a.dim() == b.dim() == 3):
        raise RuntimeError("Have to provide offsets if there is a 2d matrix, or no offset if both matrices are 3d")
    if offs is not None:
        if offs.dim() != 1:
            raise RuntimeError("offs has to be 1D")
        if offs.dtype is not dt.int32:
            raise RuntimeError("Offsets have to be int32")
    if bias is not None:
        raise RuntimeError("Bias not supported yet")
    if out_dtype is not None and out_dtype is not a.dtype:
        raise RuntimeError("Grouped gemm output dtype must match `mat_a` dtype")
    if offs is None and a.shape[0] != b.shape[0]:
        raise RuntimeError("batched dimension has to match")
    batches = [x.shape[0] for x in (a, b) if x.dim() == 3]
    if offs is not None and batches and offs.shape[0] != batches[0]:
        raise RuntimeError("matrix batch sizes have to match")
    if a.dtype is not b.dtype:
        raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {a.dtype.cpp_name} != {b.dtype.cpp_name}")
    if is_inner and a.shape[1] != b.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and "
                           f"{b.shape[0]}x{b.shape[1]})")


def _grouped_mm(self: Tensor, mat2: Tensor, offs: Tensor | None = None, bias: Tensor | None = None,
                out_dtype: dt.dtype | None = None) -> Tensor:
    """The products of matrices by groups: `torch.nn.functional.grouped_mm`, whose arguments these are."""
    _check(self, mat2, offs, bias, out_dtype)
    return ops._grouped_mm(self, mat2, offs)


FUNCTIONS: dict = {"_grouped_mm": _grouped_mm}
