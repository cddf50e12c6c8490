"""Python's operators on Tensors."""

from torchlike._api.generated import ops
from torchlike._api.types import Number
from torchlike._record.tensor import Tensor


def _known(other) -> bool:
    return isinstance(other, Tensor | int | float | complex)


def _forward(name):
    """The method `name`, or NotImplemented where it does not take the other operand."""
    def face(self: Tensor, other: Tensor | Number) -> Tensor:
        try:
            return getattr(self, name)(other)
        except TypeError:
            if not _known(other):
                return NotImplemented
            raise
    return face


class Operators:
    """What `torchlike._api.attach` puts on Tensor."""

    __add__ = __radd__ = ops.add
    __sub__ = ops.sub
    __mul__ = ops.mul
    __truediv__ = ops.div
    __neg__ = ops.neg
    __floordiv__, __mod__, __pow__ = _forward("floor_divide"), _forward("remainder"), _forward("pow")
    __lt__, __le__, __gt__, __ge__ = _forward("lt"), _forward("le"), _forward("gt"), _forward("ge")
    __and__, __rand__ = _forward("bitwise_and"), _forward("bitwise_and")
    __or__, __ror__ = _forward("bitwise_or"), _forward("bitwise_or")
    __xor__, __rxor__ = _forward("bitwise_xor"), _forward("bitwise_xor")
    __lshift__, __rshift__ = _forward("bitwise_left_shift"), _forward("bitwise_right_shift")

    def __pos__(self: Tensor) -> Tensor:
        return self

    def __abs__(self: Tensor) -> Tensor:
        return self.abs()

    def __invert__(self: Tensor) -> Tensor:
        if self.is_floating_point() or self.is_complex():
            raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
        return self.bitwise_not()

    def __matmul__(self: Tensor, other: Tensor) -> Tensor:
        return self.matmul(other)

    def __rmatmul__(self: Tensor, other: Tensor) -> Tensor:
        return other.matmul(self)

    def __rsub__(self: Tensor, other: Tensor | Number) -> Tensor:
        return ops.rsub_Scalar(self, other) if not isinstance(other, Tensor) else ops.sub(other, self)

    def __rmul__(self: Tensor, other: Tensor | Number) -> Tensor:
        try:
            return ops.mul(self, other)
        except TypeError:
            if isinstance(other, str | list | tuple):  # which Python repeats
                return NotImplemented
            raise

    def __rtruediv__(self: Tensor, other: Tensor | Number) -> Tensor:
        return ops.mul(ops.reciprocal(self), other)  # as PyTorch computes it

    __rdiv__ = __rtruediv__

    def __rpow__(self: Tensor, other: Tensor | Number) -> Tensor:
        return (ops.pow_Tensor_Tensor if isinstance(other, Tensor) else ops.pow_Scalar)(other, self)

    def __rfloordiv__(self: Tensor, other: Tensor | Number) -> Tensor:
        return ops.floor_divide(other if isinstance(other, Tensor) else self.new_tensor(other), self)

    def __rmod__(self: Tensor, other: Tensor | Number) -> Tensor:
        return (ops.remainder_Tensor if isinstance(other, Tensor) else ops.remainder_Scalar_Tensor)(other, self)

    def __eq__(self: Tensor, other) -> Tensor:  # type: ignore[override] - object's says bool
        return self.eq(other) if _known(other) else NotImplemented

    def __ne__(self: Tensor, other) -> Tensor:  # type: ignore[override]
        return self.ne(other) if _known(other) else NotImplemented

    def __iadd__(self: Tensor, other: Tensor | Number) -> Tensor:
        return self.add_(other)

    def __isub__(self: Tensor, other: Tensor | Number) -> Tensor:
        return self.sub_(other)

    def __imul__(self: Tensor, other: Tensor | Number) -> Tensor:
        return self.mul_(other)

    def __itruediv__(self: Tensor, other: Tensor | Number) -> Tensor:
        return self.div_(other)

    def __ifloordiv__(self: Tensor, other: Tensor | Number) -> Tensor:
        return self.floor_divide_(other)

    def __imod__(self: Tensor, other: Tensor | Number) -> Tensor:
        return self.remainder_(other)

    def __ipow__(self: Tensor, other: Tensor | Number) -> Tensor:
        return self.pow_(other)

    def __iand__(self: Tensor, other: Tensor | Number) -> Tensor:
        return self.bitwise_and_(other)

    def __ior__(self: Tensor, other: Tensor | Number) -> Tensor:
        return self.bitwise_or_(other)

    def __ixor__(self: Tensor, other: Tensor | Number) -> Tensor:
        return self.bitwise_xor_(other)


CLASS = Operators
