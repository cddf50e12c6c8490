"""Running sums, products and extrema along one dimension.

https://pytorch.org/docs/stable/generated/torch.cumsum.html
"""

import functools
import math

import jax
import jax.numpy as jnp

from torchlike._base import dtypes as dt
from torchlike._base.errors import wrap_dim
from torchlike._ops.numerics import complexes, sums
from torchlike._ops.reduction.aggregates import accumulator
from torchlike._ops.rules import doubled, is_complex, is_float, is_half, like, refuse, wide
from torchlike._ops.table import op

_MANY_ROWS = 64  # from here on a loop along the dimension, over all rows at once, is faster on CPU
_SMALL = 16384  # elements up to which the few instructions of XLA's own scans count most


def _along(fn, x, axis):
    return fn(x, axis) if x.ndim else x


def _step_by_step(combine, rows, start):
    """Along the first dimension. `start` None: the first row, which combined with itself stays the same."""
    def step(carry, row):
        carry = combine(carry, row)
        return carry, carry

    first = tuple(a[0] if start is None else jnp.full_like(a[0], start) for a in rows)
    return jax.lax.scan(step, first, rows)[1]


def _in_blocks(combine, rows, start):
    """The same for few elements a row: blocks side by side, then what comes before each of them."""
    size = rows[0].shape[0]
    length = math.isqrt(size)
    blocks = -(-size // length)
    padding = blocks * length - size

    def cut(a):
        a = jnp.concatenate([a, jnp.broadcast_to(a[-1:], (padding, *a.shape[1:]))])
        return a.reshape(blocks, length, *a.shape[1:]).swapaxes(0, 1)

    within = _step_by_step(combine, tuple(map(cut, rows)), start)
    whole = _step_by_step(combine, tuple(a[-1] for a in within), start)
    before = tuple(jnp.concatenate([a[:1] if start is None else jnp.full_like(a[:1], start), b[:-1]])
                   for a, b in zip(rows, whole, strict=True))
    found = combine(tuple(jnp.broadcast_to(a, b.shape) for a, b in zip(before, within, strict=True)), within)
    return tuple(a.swapaxes(0, 1).reshape(-1, *a.shape[2:])[:size] for a in found)


def _scan(combine, arrays, axis, start=None, elsewhere=None):
    """The arrays, combined along the axis, each with all before it. `start`: what changes nothing when it comes first;
    None where an element combined with itself stays the same. `elsewhere`: what to call but on the CPU."""
    many = arrays[0].size // arrays[0].shape[axis] >= _MANY_ROWS

    def on_cpu(*arrays):
        rows = tuple(jnp.moveaxis(a, axis, 0) for a in arrays)
        found = (_step_by_step if many else _in_blocks)(combine, rows, start)
        return tuple(jnp.moveaxis(a, 0, axis) for a in found)

    def tree(*arrays):
        return tuple(jax.lax.associative_scan(combine, arrays, axis=axis))

    return jax.lax.platform_dependent(*arrays, cpu=on_cpu, default=elsewhere or tree)


def _fast_on_cpu(scan, combine, start):
    """``scan(x, axis)``, which is `combine` along the axis, so that large arrays are fast on the CPU, too."""
    def function(x, axis):
        if x.size <= _SMALL:
            return scan(x, axis)

        return _scan(lambda a, b: (combine(a[0], b[0]),), (x,), axis, start, lambda x: (scan(x, axis),))[0]

    return function


def _running(name, fn):
    def running(x, *, dim, dtype):
        axis = wrap_dim(dim, x.ndim)
        if dtype is dt.bool_ and x.ndim and x.size:
            raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")
        x, out = accumulator(x, dtype)
        return _along(fn, doubled(x.astype(out)), axis).astype(out)

    return running


def _sums_from_zero(x, axis):
    """XLA takes a sum of one element for the element, also -0.0."""
    return sums.from_zero(x) if x.shape[axis] == 1 else jax.lax.cumsum(x, axis)


# jax.numpy's are jitted: JAX keeps what they are, and what their derivatives are, for thousands of shapes.
_products, _sums = _fast_on_cpu(jax.lax.cumprod, jnp.multiply, 1), _fast_on_cpu(_sums_from_zero, jnp.add, 0)
_cumprod, _cumsum = _running("cumprod", _products), _running("cumsum", _sums)


def _cumprod_gradient(g, self, result, dim, dtype):
    """By quotients of the result, as PyTorch does where nothing is zero: a product with a zero has no quotients."""
    axis = wrap_dim(dim, self.ndim)
    if self.size <= 1 or self.shape[axis] == 1:
        return like(g, self)

    def by_quotients(g, self):
        return like(_quotients(g, self, result, axis), self)

    @jax.custom_jvp
    def beside_zeros(g, self):
        return like(_beside_zeros(g, self, result, axis), self)

    @beside_zeros.defjvp
    def of_products(given, moved):  # beside zeros the formula is right, and its derivative is not
        def by_products(g, self):
            return jax.vjp(functools.partial(_cumprod, dim=dim, dtype=dtype), self)[1](g.conj())[0].conj()

        return jax.jvp(by_products, given, moved)

    return jax.lax.cond(jnp.any(_zeros(self)), beside_zeros, by_quotients, g, self)


def _zeros(x):
    """Where nothing can be divided by x: of bfloat16 XLA compares subnormal numbers that it computes with as with 0."""
    return jnp.abs(wide(x)) < jnp.finfo(jnp.bfloat16).tiny if x.dtype == jnp.bfloat16 else x == 0


def _divisor(self, result):
    """The numbers in the dtype of the results; of complex ones, of which real results were asked for, PyTorch's formula has
    the imaginary parts, too."""
    return wide(self).astype(jnp.promote_types(result.dtype, self.dtype) if is_complex(self) else result.dtype)


def _quotients(g, self, result, axis, counts=True):
    """What moves with each element: the sum of g times the results from it on, those that count, over the element."""
    x = _divisor(self, result)
    parts = jnp.where(counts, wide(g * result.conj()), 0)
    return _along(functools.partial(jax.lax.cumsum, reverse=True), parts, axis) / x.conj()


def _beside_zeros(g, self, result, axis):
    """PyTorch's, in each row: before the first zero by quotients of what is before it, at the first zero by the products
    without it up to the second, 0 after it."""
    x, zeros = _divisor(self, result).conj(), _zeros(self)
    count = _sums(zeros.astype(jnp.int64), axis)
    up_to_second, first = count == 1, zeros & (count == 1)
    products = _products(jnp.where(up_to_second & ~first, x, 1), axis)
    at_first = (products * jnp.where(up_to_second, wide(g), 0)).sum(axis, keepdims=True)
    ahead = jnp.concatenate([jnp.ones_like(jax.lax.slice_in_dim(result, 0, 1, axis=axis)),
                             jax.lax.slice_in_dim(result, 0, -1, axis=axis)], axis).conj()
    before = count == 0
    return jnp.where(before, _quotients(g, self, result, axis, before), jnp.where(first, at_first * ahead, 0))


for _name, _function, _gradient, _word in (("cumsum", _cumsum, "", "sums"),
                                           ("cumprod", _cumprod, _cumprod_gradient, "products")):
    op(f"{_name}(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", _function, grads={"self": _gradient},
       inplace=True, autocast={"cuda": "fp32_dtype"}, doc=f"The running {_word} along `dim`.")


def _logcumsumexp_gradient(g, self, result, dim):
    """Sums of exponentials in the logarithm, once over the positive and once over the negative gradients."""
    if not self.ndim:
        return g
    axis, scan = wrap_dim(dim, self.ndim), _real_logcumsumexp if is_float(self) else _complex_logcumsumexp

    def backwards(x, axis):
        return jnp.flip(scan(jnp.flip(x, axis), axis), axis)

    if is_half(self):  # a rounded logarithm is not the one of the sum
        result = scan(sums.from_zero(wide(self)), axis)

    if not is_float(self):
        return jnp.exp(_along(backwards, jnp.log(g.conj()) - result, axis) + self).conj()
    lowest = jnp.finfo(wide(g).dtype).min

    def share(chosen):
        logs = jnp.where(chosen, jnp.log(jnp.where(chosen, jnp.abs(wide(g)), 1)), lowest)
        return jnp.exp(_along(backwards, logs - wide(result), axis) + wide(self))

    return like(share(g > 0) - share(g < 0), self)


@op("logcumsumexp(Tensor self, int dim) -> Tensor", grads={"self": _logcumsumexp_gradient},
    doc="The logarithms of the running sums of exponentials along `dim`.")
def _logcumsumexp(x, *, dim):
    axis = wrap_dim(dim, x.ndim)
    refuse(x, "logcumsumexp_out_cpu", (dt.BOOL, dt.INT))
    scan = _complex_logcumsumexp if not is_float(x) else _real_logcumsumexp
    return like(_along(lambda x, axis: scan(sums.from_zero(x), axis), wide(x), axis), x)


_real_logcumsumexp = _fast_on_cpu(jax.lax.cumlogsumexp, jnp.logaddexp, -jnp.inf)


def _complex_logcumsumexp(x, axis):
    return _scan(lambda a, b: (complexes.log_of_sum(a[0], b[0]),), (x,), axis, -jnp.inf)[0] if x.size else x


# -- running extrema: the latest of equal elements, and NaN once there is one


def _later(better):
    def combine(left, right):
        (a, i), (b, j) = left, right
        take = better(b, a)
        if is_float(a):
            take = jnp.isnan(b) | (~jnp.isnan(a) & take)
        return jnp.where(take, b, a), jnp.where(take, j, i)

    return combine


def _extreme(name, better, doc):
    def extreme(x, *, dim):
        axis = wrap_dim(dim, x.ndim)
        refuse(x, f"{name}_cpu", (dt.COMPLEX,))
        if x.ndim == 0:
            return x, jnp.zeros((), jnp.int64)
        places = jax.lax.broadcasted_iota(jnp.int64, x.shape, axis)
        return _scan(_later(better), (x, places), axis) if x.size else (x, places)

    op(f"{name}(Tensor self, int dim) -> (Tensor values, Tensor indices)", extreme,
       grads={"self": _added_back}, doc=doc)


def _added_back(g0, self, result1, dim):
    """Every gradient is added at the index that gave the value. Names `self` as PyTorch saves it."""
    shape = self.shape
    if not shape:
        return g0
    axis = wrap_dim(dim, len(shape))
    g, index = jnp.moveaxis(g0, axis, -1), jnp.moveaxis(result1, axis, -1)
    rows = jax.vmap(lambda row, at: jnp.zeros_like(row).at[at].add(row))
    flat = rows(g.reshape(-1, shape[axis]), index.reshape(-1, shape[axis])) if g.size else g
    return jnp.moveaxis(flat.reshape(g.shape), -1, axis)


_extreme("cummax", lambda new, old: new >= old, doc="The running maxima along `dim`, and where they are.")
_extreme("cummin", lambda new, old: new <= old, doc="The running minima along `dim`, and where they are.")
