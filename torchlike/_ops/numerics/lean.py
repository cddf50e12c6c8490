"""Arrays whose operators are lax's primitives, for rows that are traced often.

jax.numpy promotes dtypes, and most of its functions are jitted: for a shape that they have not seen, tracing one takes 0.1
to 0.5 ms, and the primitive that it stands for 0.03. What these here trace to is the same. Operands of two dtypes, and
dtypes that jax.numpy computes in another one, go to jax.numpy.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax

_DIRECT = {np.dtype(np.float32), np.dtype(np.float64)}  # what a sum of these is summed in


class Lean:
    """An array with operators, of other such, arrays and Python numbers.

    A row makes one of each operand, ``Lean(x)``, and computes with it; what it returns may be one.
    """

    __slots__ = ("array", "dtype", "ndim", "shape")

    def __init__(self, array):
        self.array = array = raw(array)
        self.shape, self.dtype = array.shape, array.dtype
        self.ndim = len(array.shape)

    @property
    def size(self) -> int:
        """How many elements."""
        return self.array.size

    def astype(self, dtype) -> "Lean":
        """In another dtype."""
        return self if self.dtype == dtype else Lean(lax.convert_element_type(self.array, dtype))

    def reshape(self, *shape) -> "Lean":
        """The elements in another shape, which may have one -1."""
        shape = shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape
        if -1 in shape:
            return Lean(self.array.reshape(shape))
        return self if tuple(shape) == self.shape else Lean(lax.reshape(self.array, tuple(shape)))

    def expand(self, axis) -> "Lean":
        """With a dimension of size 1 at `axis`."""
        return Lean(lax.expand_dims(self.array, (axis,)))

    def squeeze(self, axis) -> "Lean":
        """Without the dimension `axis`, of size 1."""
        return Lean(lax.squeeze(self.array, (axis,)))

    def conj(self) -> "Lean":
        """As `jax.numpy.conj`."""
        return Lean(lax.conj(self.array)) if self.dtype.kind == "c" else self

    def sum(self, axis=None, keepdims=False) -> "Lean":
        """As `jax.numpy.sum`."""
        if self.dtype not in _DIRECT:
            return Lean(jnp.sum(self.array, axis, keepdims=keepdims))
        return self._reduced(lax.reduce_sum, axis, keepdims)

    def max(self, axis=None, keepdims=False) -> "Lean":
        """As `jax.numpy.max`, of at least one element."""
        return self._reduced(lax.reduce_max, axis, keepdims)

    def _reduced(self, reduce, axis, keepdims):
        axes = tuple(range(self.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis
        axes = tuple(sorted(a % self.ndim for a in axes))
        found = reduce(self.array, axes)
        return Lean(lax.expand_dims(found, axes) if keepdims and axes else found)

    def __neg__(self):
        return Lean(lax.neg(self.array))

    def __invert__(self):
        return Lean(lax.bitwise_not(self.array))

    def __pow__(self, exponent):
        if isinstance(exponent, int):
            return Lean(lax.integer_pow(self.array, exponent))
        return _binary(lax.pow, jnp.power, self.array, raw(exponent))

    def __rpow__(self, base):
        return _binary(lax.pow, jnp.power, base, self.array)


def raw(x):
    """The array of a Lean; anything else as it is."""
    return x.array if x.__class__ is Lean else x


def _operator(name, by_lax, by_numpy, reflected=True):
    """Gives Lean the binary operator of that name."""
    def forward(self, other):
        return _binary(by_lax, by_numpy, self.array, raw(other))

    def backward(self, other):
        return _binary(by_lax, by_numpy, other, self.array)

    setattr(Lean, f"__{name}__", forward)
    if reflected:
        setattr(Lean, f"__r{name}__", backward)


def _binary(by_lax, by_numpy, a, b):
    a, b = _number(a, b), _number(b, a)
    if a is None or b is None or a.dtype != b.dtype or a.dtype == np.bool_ or (by_lax is lax.div and a.dtype not in _DIRECT):
        return Lean(by_numpy(a, b))
    return Lean(by_lax(*_one_rank(a, b)))


def _number(x, like):
    """A Python number in the dtype of the array beside it; the array itself else."""
    if not isinstance(x, int | float | complex) or isinstance(x, np.generic):
        return x
    if isinstance(x, float) and not jnp.issubdtype(like.dtype, jnp.inexact):
        raise TypeError(f"{x} beside an array of {like.dtype}")
    return like.dtype.type(x)


def _one_rank(*arrays):
    """Arrays of one rank, but for scalars."""
    ranks = {a.ndim for a in arrays if a.ndim}
    if len(ranks) < 2:
        return arrays
    rank = max(ranks)
    return [lax.expand_dims(a, range(rank - a.ndim)) if 0 < a.ndim < rank else a for a in arrays]


for _name, _by_lax, _by_numpy in (("add", lax.add, jnp.add), ("sub", lax.sub, jnp.subtract), ("mul", lax.mul, jnp.multiply),
                                  ("truediv", lax.div, jnp.true_divide), ("and", lax.bitwise_and, jnp.bitwise_and),
                                  ("or", lax.bitwise_or, jnp.bitwise_or)):
    _operator(_name, _by_lax, _by_numpy)
for _name, _by_lax, _by_numpy in (("eq", lax.eq, jnp.equal), ("ne", lax.ne, jnp.not_equal), ("lt", lax.lt, jnp.less),
                                  ("le", lax.le, jnp.less_equal), ("gt", lax.gt, jnp.greater),
                                  ("ge", lax.ge, jnp.greater_equal)):
    _operator(_name, _by_lax, _by_numpy, reflected=False)


def where(condition, x, y) -> Lean:
    """As `jax.numpy.where`. One of `x` and `y` is an array."""
    condition, x, y = raw(condition), raw(x), raw(y)
    x, y = _number(x, y), _number(y, x)
    if x.dtype != y.dtype:
        return Lean(jnp.where(condition, x, y))
    shape = lax.broadcast_shapes(condition.shape, x.shape, y.shape)
    condition = condition if condition.ndim == 0 else _spread(condition, shape)
    return Lean(lax.select_n(condition, _spread(y, shape), _spread(x, shape)))


def _spread(x, shape):
    if x.shape == shape:
        return x
    return lax.broadcast_in_dim(x, shape, range(len(shape) - x.ndim, len(shape)))


def _unary(by_lax):
    def function(x) -> Lean:
        return Lean(by_lax(raw(x)))

    return function


exp, log, rsqrt, sqrt = _unary(lax.exp), _unary(lax.log), _unary(lax.rsqrt), _unary(lax.sqrt)
absolute, sign = _unary(lax.abs), _unary(lax.sign)
erf, tanh, logistic = _unary(lax.erf), _unary(lax.tanh), _unary(lax.logistic)


def maximum(x, y) -> Lean:
    """As `jax.numpy.maximum`. One of both is an array."""
    return _binary(lax.max, jnp.maximum, raw(x), raw(y))


def minimum(x, y) -> Lean:
    """As `jax.numpy.minimum`. One of both is an array."""
    return _binary(lax.min, jnp.minimum, raw(x), raw(y))


def dot(a, b) -> Lean:
    """As `jax.lax.dot`."""
    return Lean(lax.dot(raw(a), raw(b)))


def take_along(x, index, axis) -> Lean:
    """The elements of `x` at places, inside of it, along `axis`; `index` has the other dimensions of `x`, and no such."""
    x, index = raw(x), raw(index)
    others = tuple(i for i in range(x.ndim) if i != axis)
    numbers = lax.GatherDimensionNumbers((), (axis,), (axis,), others, tuple(range(len(others))))
    # A slice of an empty dimension must be empty; then there is nothing to take.
    if not x.shape[axis]:
        return full(index.shape, 0, x.dtype)
    return Lean(lax.gather(x, lax.expand_dims(index, (index.ndim,)), numbers, (1,) * x.ndim, mode="clip"))


def broadcast_to(x, shape):
    """As `jax.numpy.broadcast_to`."""
    return Lean(_spread(raw(x), tuple(shape)))


def number(value, dtype) -> Lean:
    """A number of the row, or Python's, in that dtype."""
    return Lean(np.dtype(dtype).type(value) if isinstance(value, int | float | complex) else value).astype(dtype)


def full(shape, value, dtype):
    """As `jax.numpy.full`, of a Python number."""
    return Lean(lax.broadcast(np.dtype(dtype).type(value), tuple(shape)))
