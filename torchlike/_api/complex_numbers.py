"""Complex numbers from parts, their parts and conjugates; and what has no complex gradient.

https://pytorch.org/docs/stable/complex_numbers.html
"""

from __future__ import annotations

from torchlike._api.creation import ones_like
from torchlike._api.generated import ops
from torchlike._api.out import written
from torchlike._base import dtypes as dt
from torchlike._modes.composite import composite
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike._record.wrong_calls import checked


def complex(real: Tensor, imag: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex numbers of these real and imaginary parts.
    https://pytorch.org/docs/stable/generated/torch.complex.html"""
    if out is not None:
        return written(out, "complex", (), _of_dtype_of, out, ops.complex, real, imag)
    return ops.complex(real, imag)


def polar(abs: Tensor, angle: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex numbers of these absolute values and angles.
    https://pytorch.org/docs/stable/generated/torch.polar.html"""
    if out is not None:
        return written(out, "polar", (), _of_dtype_of, out, ops.polar, abs, angle)
    return ops.polar(abs, angle)


def _of_dtype_of(out, function, *operands):
    """What the function gives; RuntimeError if `out` has another dtype."""
    made = function(*operands)
    want, got = made._cell.aval.dtype, out._cell.aval.dtype
    if want is not got:
        raise RuntimeError(f"Expected object of scalar type {want.scalar_name} but got scalar type {got.scalar_name} "
                           "for argument 'out'")
    return made


view_as_complex = composite("view_as_complex")(ops.view_as_complex)


def refuse_complex(name, *tensors):
    """RuntimeError where PyTorch's autograd has no complex formula."""
    if state.thread.grad and any(t._cell.aval.dtype.is_complex and t.requires_grad for t in tensors):
        raise RuntimeError(f"{name} does not support automatic differentiation for outputs with complex dtype.")


@checked
def conj_physical(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The complex conjugate, computed at once. A real tensor is returned itself."""
    if out is not None:
        return written(out, "conj_physical", (), conj_physical, input)
    return ops.conj_physical(input) if input.dtype.is_complex else input


@checked
def isreal(input: Tensor) -> Tensor:
    """Where the imaginary part is zero. https://pytorch.org/docs/stable/generated/torch.isreal.html"""
    return input.imag == 0 if input.dtype.is_complex else ones_like(input, dtype=dt.bool_)


FUNCTIONS: dict = {"complex": complex, "polar": polar, "view_as_complex": view_as_complex, "conj_physical": conj_physical,
                   "isreal": isreal}
METHODS: dict = {"view_as_complex": view_as_complex, "conj_physical": conj_physical, "isreal": isreal}
