"""Python's operators on Tensors, each by the face of its row."""

from torchlike._api.generated import ops
from torchlike._record.tensor import Tensor


def rsub(self, other):
    """``other - self``."""
    return ops.rsub_Scalar(self, other) if not isinstance(other, Tensor) else ops.sub(other, self)


def rmul(self, other):
    """``other * self``, where `other` may also be a sequence to repeat."""
    try:
        return ops.mul(self, other)
    except TypeError:
        if isinstance(other, str | list | tuple):
            return NotImplemented
        raise


def rdiv(self, other):
    """``other / self``: PyTorch computes ``self.reciprocal() * other``."""
    return ops.mul(ops.reciprocal(self), other)


def matmul(self, other):
    """``self @ other``."""
    return self.matmul(other)


def rmatmul(self, other):
    """``other @ self``."""
    return other.matmul(self)


def invert(self):
    """``~self``."""
    if self.is_floating_point() or self.is_complex():
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return self.bitwise_not()


def _forward(name):
    def face(self, *args):
        try:
            return getattr(self, name)(*args)
        except TypeError:
            if args and not isinstance(args[0], Tensor | int | float | complex):
                return NotImplemented
            raise
    return face


METHODS: dict = {
    "__add__": ops.add, "__radd__": ops.add, "__mul__": ops.mul, "__rmul__": rmul, "__sub__": ops.sub,
    "__rsub__": rsub, "__truediv__": ops.div, "__rtruediv__": rdiv, "__rdiv__": rdiv, "__neg__": ops.neg,
    "__pos__": lambda self: self, "__matmul__": matmul, "__rmatmul__": rmatmul,
    "__floordiv__": _forward("floor_divide"), "__mod__": _forward("remainder"), "__pow__": _forward("pow"),
    "__abs__": lambda self: self.abs(), "__invert__": invert,
    "__rpow__": lambda self, other: (ops.pow_Tensor_Tensor if isinstance(other, Tensor) else ops.pow_Scalar)(other, self),
    "__rfloordiv__": lambda self, other: ops.floor_divide(
        other if isinstance(other, Tensor) else self.new_tensor(other), self),
    "__rmod__": lambda self, other: (ops.remainder_Tensor if isinstance(other, Tensor) else ops.remainder_Scalar_Tensor)(
        other, self),
    "__iadd__": lambda self, other: self.add_(other), "__isub__": lambda self, other: self.sub_(other),
    "__imul__": lambda self, other: self.mul_(other), "__itruediv__": lambda self, other: self.div_(other),
    "__ifloordiv__": lambda self, other: self.floor_divide_(other), "__imod__": lambda self, other: self.remainder_(other),
    "__ipow__": lambda self, other: self.pow_(other),
    "__iand__": lambda self, other: self.bitwise_and_(other), "__ior__": lambda self, other: self.bitwise_or_(other),
    "__ixor__": lambda self, other: self.bitwise_xor_(other),
    "__lshift__": _forward("bitwise_left_shift"), "__rshift__": _forward("bitwise_right_shift"),
    **{f"__{name}__": _forward(name) for name in ("lt", "le", "gt", "ge")},
    **{f"__{name}__": _forward(f"bitwise_{name}") for name in ("and", "or", "xor")},
    **{f"__r{name}__": _forward(f"bitwise_{name}") for name in ("and", "or", "xor")},
    "__eq__": lambda self, other: self.eq(other) if isinstance(other, Tensor | int | float | complex) else NotImplemented,
    "__ne__": lambda self, other: self.ne(other) if isinstance(other, Tensor | int | float | complex) else NotImplemented,
}
