"""Python's operators on Tensors."""

from collections.abc import Callable

import numpy as np

from torchlike._api import pointwise
from torchlike._api.from_data import from_numpy
from torchlike._api.generated import ops
from torchlike._api.generated import pointwise as generated_pointwise
from torchlike._api.linear import matmul
from torchlike._api.types import Number
from torchlike._record.tensor import Tensor
from torchlike._record.torch_function import takes_over

_TAKEN = (Tensor, int, float, complex, np.generic)


def _operator(method: Callable) -> Callable[[Tensor, Tensor | Number], Tensor]:
    """The operator of a method: NotImplemented where that does not take the other operand, so that this one's own operator
    (`__radd__`, or that of a numpy array) has its turn."""
    def face(self: Tensor, other: Tensor | Number) -> Tensor:
        try:
            return method(self, other)
        except (TypeError, AttributeError, RuntimeError):
            if isinstance(other, _TAKEN):
                raise
            return NotImplemented
    return _dispatched(face)


def _dispatched(face, taken=_TAKEN):
    """The operator, of which no ``__torch_function__`` hears where it does not take the other operand."""
    face.refuses = lambda self, other: not isinstance(other, taken) and not takes_over(type(other))
    return face


_equal = _operator(ops.eq)


class Operators:
    """What `torchlike._api.attach` puts on Tensor."""

    __add__ = __radd__ = _operator(ops.add)
    __mul__ = __rmul__ = _operator(ops.mul)
    __sub__, __truediv__, __floordiv__ = _operator(ops.sub), _operator(ops.div), _operator(ops.floor_divide)
    __mod__, __pow__ = _operator(generated_pointwise.remainder), _operator(pointwise._pow)
    __neg__ = ops.neg
    __ne__ = _operator(ops.ne)  # pyrefly: ignore[bad-override] - object's says bool
    __lt__, __le__, __gt__, __ge__ = _operator(ops.lt), _operator(ops.le), _operator(ops.gt), _operator(ops.ge)
    __and__ = __rand__ = _operator(ops.bitwise_and)
    __or__ = __ror__ = _operator(ops.bitwise_or)
    __xor__ = __rxor__ = _operator(ops.bitwise_xor)
    __lshift__, __rshift__ = _operator(ops.bitwise_left_shift), _operator(ops.bitwise_right_shift)
    __iadd__, __isub__, __imul__ = _operator(ops.add_), _operator(ops.sub_), _operator(ops.mul_)
    __itruediv__, __ifloordiv__ = _operator(pointwise.div_), _operator(ops.floor_divide_)
    __imod__, __ipow__ = _operator(generated_pointwise.remainder_), _operator(pointwise.pow_)
    __iand__, __ior__, __ixor__ = _operator(ops.bitwise_and_), _operator(ops.bitwise_or_), _operator(ops.bitwise_xor_)
    __ilshift__, __irshift__ = _operator(ops.bitwise_left_shift_), _operator(ops.bitwise_right_shift_)

    def __pos__(self: Tensor) -> Tensor:
        return self

    def __abs__(self: Tensor) -> Tensor:
        return self.abs()

    def __invert__(self: Tensor) -> Tensor:
        if self.is_floating_point() or self.is_complex():
            raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
        return self.bitwise_not()

    def __eq__(self: Tensor, other) -> Tensor:  # pyrefly: ignore[bad-override]
        if other.__class__ is np.ndarray and other.dtype.kind in "biufc":  # which no other operator takes
            other = from_numpy(other)
        return _equal(self, other)

    _dispatched(__eq__, (*_TAKEN, np.ndarray)).asks_self = True  # the other operand's class is not asked

    @_dispatched
    def __matmul__(self: Tensor, other: Tensor) -> Tensor:
        return matmul(self, other) if isinstance(other, Tensor) else NotImplemented

    @_dispatched
    def __rmatmul__(self: Tensor, other: Tensor) -> Tensor:
        return matmul(other, self) if isinstance(other, Tensor) else NotImplemented

    @_operator
    def __rsub__(self: Tensor, other: Tensor | Number) -> Tensor:
        return ops.rsub_Scalar(self, other) if not isinstance(other, Tensor) else ops.sub(other, self)

    def __rtruediv__(self: Tensor, other: Tensor | Number) -> Tensor:
        return ops.reciprocal(self) * other  # as PyTorch computes it

    _dispatched(__rtruediv__, object)  # whatever the product takes

    __rdiv__ = __rtruediv__

    @_operator
    def __rpow__(self: Tensor, other: Tensor | Number) -> Tensor:
        return (ops.pow_Tensor_Tensor if isinstance(other, Tensor) else ops.pow_Scalar)(other, self)

    @_operator
    def __rfloordiv__(self: Tensor, other: Tensor | Number) -> Tensor:
        return ops.floor_divide(other, self)

    @_operator
    def __rlshift__(self: Tensor, other: Tensor | Number) -> Tensor:
        return ops.bitwise_left_shift(other, self)

    @_operator
    def __rrshift__(self: Tensor, other: Tensor | Number) -> Tensor:
        return ops.bitwise_right_shift(other, self)

    @_operator
    def __rmod__(self: Tensor, other: Tensor | Number) -> Tensor:
        return (ops.remainder_Tensor if isinstance(other, Tensor) else ops.remainder_Scalar_Tensor)(other, self)


CLASS = Operators
