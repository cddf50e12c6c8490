"""Pooling over windows: max with indices, average, and their adaptive forms, in two and three dimensions.

https://pytorch.org/docs/stable/nn.functional.html#pooling-functions. One-dimensional pooling goes through
the two-dimensional rows, as in PyTorch. A window is a set of strided slices, one for each kernel position:
on a CPU core XLA fuses these into one vectorised loop, whereas its reduce_window is scalar and
select-and-scatter slower still. (32, 32, 32, 32) float32, 2x2, ms, torch / slices / XLA's windows: max
forward 5.3 / 0.4 / 1.0, backward 0.45 / 0.33 / 8.1, average forward 1.9 / 0.24 / 1.8, backward 2.0 / 0.35 / 1.7.
"""

import itertools
import math

import jax.numpy as jnp
from jax import lax

from torchlike._base.errors import no_memory
from torchlike._ops.rules import is_half, scalar_name
from torchlike._ops.table import op

_MOST = 1 << 40  # bytes of a result: with more of them the list of its windows alone would fill the memory
_WORDS = {2: "two ints", 3: "three ints"}

_LAYOUTS = {1: "contiguous", 2: "channels", 3: "contiguous"}  # by dimensions of the windows


def _full(v, n, word, row, default=None):
    """A list with one number for each of n dimensions; `default` where it is empty."""
    v = tuple(v)
    if not v and default is not None:
        return default
    if len(v) not in (1, n):
        either = "be omitted, " if default is not None else "be "
        raise RuntimeError(f"{row}: {word} must either {either}a single int, or a tuple of {_WORDS[n]}")
    return v * n if len(v) == 1 else v


def _out_size(size, kernel, stride, padding, dilation, ceil_mode):
    out = (size + 2 * padding - dilation * (kernel - 1) - 1 + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (out - 1) * stride >= size + padding:
        out -= 1
    return out


class _Geometry:
    """The windows of one pooling: kernel, stride, padding, dilation and output size by dimension."""

    def __init__(self, shape, n, row, kernel, stride, padding, dilation, ceil_mode):
        self.n, self.size = n, tuple(shape[len(shape) - n:])
        self.kernel = _full(kernel, n, "kernel_size", row)
        self.stride = _full(stride, n, "stride", row, self.kernel)
        self.padding = _full(padding, n, "padding", row)
        self.dilation = _full(dilation, n, "dilation", row)
        if min(self.stride) > 0 and min(self.dilation) > 0:
            self.out = tuple(_out_size(*args, ceil_mode) for args in zip(
                self.size, self.kernel, self.stride, self.padding, self.dilation, strict=True))
        else:
            self.out = ()

    def positions(self):
        """Every position in the kernel, in row-major order."""
        return itertools.product(*map(range, self.kernel))

    def starts(self, dim):
        """The first input coordinate of each window along `dim` (negative in the padding)."""
        return [o * self.stride[dim] - self.padding[dim] for o in range(self.out[dim])]

    def padded(self, x, fill):
        """x with what the windows reach outside of it."""
        config = [(0, 0, 0)] * (x.ndim - self.n)
        for s, k, t, p, d, o in zip(self.size, self.kernel, self.stride, self.padding, self.dilation, self.out,
                                    strict=True):
            config.append((p, (o - 1) * t + d * (k - 1) + 1 - s - p, 0))
        return lax.pad(x, jnp.asarray(fill, x.dtype), config)

    def slices(self, x):
        """For each kernel position its element of each window; x is padded already."""
        lead = (slice(None),) * (x.ndim - self.n)
        for at in self.positions():
            yield x[lead + tuple(slice(a * d, a * d + (o - 1) * t + 1, t) for a, d, o, t in zip(
                at, self.dilation, self.out, self.stride, strict=True))]


def _check_pool(x, geo, n):
    if min(geo.stride) == 0 or (min(geo.kernel) == 0 and min(geo.stride) <= 0):
        raise RuntimeError("stride should not be zero")
    if min(geo.kernel) <= 0:
        raise RuntimeError("kernel size should be greater than zero, but got " + _axes("k", geo.kernel))
    if min(geo.stride) < 0:
        raise RuntimeError("stride should be greater than zero, but got " + _axes("d", geo.stride))
    if min(geo.dilation) <= 0:
        raise RuntimeError("dilation should be greater than zero, but got " + _axes("dilation", geo.dilation))
    for p, k, d in zip(geo.padding, geo.kernel, geo.dilation, strict=True):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > ((k - 1) * d + 1) // 2:
            raise RuntimeError(f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} "
                               f"and dilation={d}")
    planes = x.shape[x.ndim - n - 1:]
    if n == 3 and 0 in planes:
        raise RuntimeError("max_pool3d_with_indices_out_cpu_template(): Expected input's non-batch dimensions to have "
                           f"positive length, but input has a shape of {list(x.shape)} and non-batch dimension "
                           f"{planes.index(0)} has length zero!")
    if 0 in planes:
        raise RuntimeError(f"Expected {n + 1}D or {n + 2}D (batch mode) tensor with optional 0 dim batch size for input, "
                           f"but got:{list(x.shape)}")
    if min(geo.out) < 1:
        sizes = ["x".join(map(str, (planes[0], *v))) for v in (geo.size, geo.out)]
        raise RuntimeError(f"Given input size: ({sizes[0]}). Calculated output size: ({sizes[1]}). Output size is too "
                           "small")


def _axes(word, values) -> str:
    names = ("T", "H", "W")[-len(values):]
    return " ".join(f"{word}{a}: {v}" for a, v in zip(names, values, strict=True))


# --- max ----------------------------------------------------------------------------------------

def _lowest(x):
    if jnp.issubdtype(x.dtype, jnp.floating):
        return -jnp.inf
    return jnp.iinfo(x.dtype).min


def _first_inside(geo, shape):
    """The first kernel position of each window that is not padding: the index of a window of -inf."""
    flat = jnp.zeros(shape, jnp.int32)
    for dim in range(geo.n):
        inside = [max(0, -(s // geo.dilation[dim])) if s < 0 else 0 for s in geo.starts(dim)]
        along = jnp.asarray(inside, jnp.int32).reshape([-1 if i == dim else 1 for i in range(geo.n)])
        flat = flat * geo.kernel[dim] + along
    return flat


def _max_pool(x, geo):
    """Maxima and their flat positions. A NaN wins, and of equal values the first, as in PyTorch's loop."""
    values = geo.slices(geo.padded(x, _lowest(x)))
    best = next(values)
    at = _first_inside(geo, best.shape) if any(geo.padding) else jnp.zeros(best.shape, jnp.int32)
    for number, value in enumerate(values, 1):
        better = (value > best) | (value != value)
        best, at = jnp.where(better, value, best), jnp.where(better, number, at)
    flat, rest = jnp.zeros(best.shape, jnp.int32), at
    weight = 1
    for dim in reversed(range(geo.n)):
        place = lax.broadcasted_iota(jnp.int32, best.shape, best.ndim - geo.n + dim) * geo.stride[dim] - geo.padding[dim]
        flat = flat + (place + rest % geo.kernel[dim] * geo.dilation[dim]) * weight
        rest, weight = rest // geo.kernel[dim], weight * geo.size[dim]
    return best, flat.astype(jnp.int64)


def put_flat(g, indices, shape, n):
    """Zeros of `shape` with each g added at its flat position among the last n dimensions."""
    lead, space = math.prod(shape[:len(shape) - n]), math.prod(shape[len(shape) - n:])
    rows = jnp.arange(lead, dtype=jnp.int32)[:, None]
    where = indices.astype(jnp.int32).reshape(lead, math.prod(g.shape[len(shape) - n:]))
    return jnp.zeros((lead, space), g.dtype).at[rows, where].add(g.reshape(where.shape)).reshape(shape)


def _put_tiles(g, indices, geo, shape):
    """`put_flat` for windows that tile the input: each input compares its window's index with its own place."""
    lead = shape[:len(shape) - geo.n]
    tiled = tuple(o * k for o, k in zip(geo.out, geo.kernel, strict=True))
    m = len(lead)

    def spread(t):
        t = jnp.expand_dims(t, tuple(m + 2 * i + 1 for i in range(geo.n)))
        target = lead + tuple(itertools.chain.from_iterable(zip(geo.out, geo.kernel, strict=True)))
        return jnp.broadcast_to(t, target).reshape(lead + tiled)

    place = jnp.zeros(lead + tiled, jnp.int32)
    for dim in range(geo.n):
        place = place * geo.size[dim] + lax.broadcasted_iota(jnp.int32, lead + tiled, m + dim)
    inside = [lax.broadcasted_iota(jnp.int32, lead + tiled, m + dim) < geo.size[dim] for dim in range(geo.n)
              if tiled[dim] > geo.size[dim]]
    hit = spread(indices.astype(jnp.int32)) == place
    for ok in inside:  # beyond the edge flat places repeat those of the next row
        hit = hit & ok
    config = [(0, 0, 0)] * m + [(0, s - t, 0) for s, t in zip(geo.size, tiled, strict=True)]
    return lax.pad(jnp.where(hit, spread(g), 0), jnp.zeros((), g.dtype), config)


def _max_rows(n):
    name = f"max_pool{n}d_with_indices"

    def gradient(g0, self, result1, kernel_size, stride, padding, dilation, ceil_mode):
        if g0 is None:
            return None
        geo = _Geometry(self.shape, n, name, kernel_size, stride, padding, dilation, ceil_mode)
        g = g0.astype(jnp.float32) if is_half(g0) else g0
        if geo.kernel == geo.stride and not any(geo.padding) and set(geo.dilation) == {1}:
            return _put_tiles(g, result1, geo, self.shape)
        return put_flat(g, result1, self.shape, n)

    @op(f"{name}(Tensor self, int[{n}] kernel_size, int[{n}] stride=[], int[{n}] padding=0, int[{n}] dilation=1, "
        "bool ceil_mode=False) -> (Tensor, Tensor)", node=f"MaxPool{n}DWithIndicesBackward0", method=False,
        function=False, grads={"self": gradient}, layout="channels")
    def function(x, *, kernel_size, stride, padding, dilation, ceil_mode):
        """(N, C, *) or (C, *) to the maxima of windows and their flat positions in each plane."""
        _full(kernel_size, n, "kernel_size", f"max_pool{n}d")
        if x.ndim not in (n + 1, n + 2):
            raise RuntimeError(f"non-empty {n + 1}D or {n + 2}D (batch mode) tensor expected for input")
        geo = _Geometry(x.shape, n, f"max_pool{n}d", kernel_size, stride, padding, dilation, ceil_mode)
        _check_pool(x, geo, n)
        if x.dtype == jnp.bool_ or jnp.issubdtype(x.dtype, jnp.complexfloating):
            raise NotImplementedError(f"\"max_pool{n}d\" not implemented for '{scalar_name(x)}'")
        return _max_pool(x, geo)

    return function


_max_rows(2)
_max_rows(3)


def take_flat(x, indices, n):
    """The elements of `x` at flat positions among the last n dimensions: the transpose of `put_flat`."""
    lead = x.shape[:x.ndim - n]
    where = indices.astype(jnp.int32).reshape(*lead, math.prod(indices.shape[len(lead):]))
    return jnp.take_along_axis(x.reshape(*lead, math.prod(x.shape[len(lead):])), where, -1).reshape(indices.shape)


@op("max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, "
    "int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor", method=False, function=False,
    node="MaxPool2DWithIndicesBackwardBackward0",
    grads={"grad_output": lambda g, indices: take_flat(g, indices, 2),
           "self": lambda g, self_aval: jnp.zeros(self_aval.shape, self_aval.dtype)},
    layout="channels", gradient="contiguous")
def max_pool2d_with_indices_backward(g, x, indices, *, kernel_size, stride, padding, dilation, ceil_mode):
    """The gradient of the maxima put back in their places: (N, C, OH, OW) to the shape of `self`."""
    _full(kernel_size, 2, "kernel_size", "max_pool2d")
    if x.ndim not in (3, 4):
        raise RuntimeError("non-empty 3D or 4D (batch mode) tensor expected for input")
    if g.dtype != x.dtype:
        raise RuntimeError(f"expected dtype {scalar_name(x).lower()} for `gradOutput` but got dtype "
                           f"{scalar_name(g).lower()}")
    geo = _Geometry(x.shape, 2, "max_pool2d", kernel_size, stride, padding, dilation, ceil_mode)
    _check_pool(x, geo, 2)
    for t in (g, indices):
        for dim, size in enumerate(geo.out, x.ndim - 2):
            if t.ndim != x.ndim or t.shape[dim] != size:
                raise RuntimeError(f"Expected a tensor of dimension {x.ndim} and tensor.size[{dim}] == {size} but got: "
                                   f"dimension {t.ndim} and tensor.size[{dim}] = {t.shape[dim]}")
    if not jnp.issubdtype(x.dtype, jnp.floating):
        raise NotImplementedError(f"\"max_pool2d_backward\" not implemented for '{scalar_name(x)}'")
    return put_flat(g.astype(jnp.float32) if is_half(g) else g, indices, x.shape, 2).astype(g.dtype)


# --- average ------------------------------------------------------------------------------------

def _divisors(geo, count_include_pad, divisor_override):
    """What each window's sum is divided by: an int, or floats shaped as the windows."""
    if divisor_override is not None:
        return divisor_override
    total, uniform = None, True
    for dim in range(geo.n):
        size, kernel, pad = geo.size[dim], geo.kernel[dim], geo.padding[dim]
        counts = []
        for start in geo.starts(dim):
            end = min(start + kernel, size + pad)
            counts.append(end - start if count_include_pad else min(end, size) - max(start, 0))
        along = jnp.asarray(counts).reshape([-1 if i == dim else 1 for i in range(geo.n)])
        total = along if total is None else total * along
        uniform = uniform and set(counts) == {kernel}
    return math.prod(geo.kernel) if uniform else total


def _window_sums(x, geo):
    total = None
    for value in geo.slices(geo.padded(x, 0)):
        total = value if total is None else total + value
    return total


def _divide(total, divisor):
    if jnp.issubdtype(total.dtype, jnp.integer):
        return lax.div(total, jnp.broadcast_to(jnp.asarray(divisor, total.dtype), total.shape))
    return total / jnp.asarray(divisor, total.dtype)


def _average_rows(n, autocast):
    name = f"avg_pool{n}d"

    @op(f"{name}(Tensor self, int[{n}] kernel_size, int[{n}] stride=[], int[{n}] padding=0, bool ceil_mode=False, "
        "bool count_include_pad=True, int? divisor_override=None) -> Tensor", node=f"AvgPool{n}DBackward0",
        method=False, function=False, grads={"self": "self"}, autocast=autocast,
        layout=_LAYOUTS[n])
    def function(x, *, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
        """(N, C, *) or (C, *) to the means of windows."""
        _full(kernel_size, n, "kernel_size", name)
        if divisor_override == 0:
            raise RuntimeError("divisor must be not zero")
        if n == 2 and x.ndim < n + 1:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{x.ndim}, {x.ndim - 1}], but got "
                             f"-{n + 1})")
        if x.ndim not in (n + 1, n + 2):
            raise RuntimeError(f"non-empty {n + 1}D or {n + 2}D (batch mode) tensor expected for input")
        geo = _Geometry(x.shape, n, name, kernel_size, stride, padding, (1,), ceil_mode)
        _check_pool(x, geo, n)
        if (x.dtype != jnp.int64 and not jnp.issubdtype(x.dtype, jnp.floating)) or (n == 3 and is_half(x)):
            kernel = name if n == 2 else f"{name}_out_frame"
            raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(x)}'")
        wide = x.astype(jnp.float32) if is_half(x) else x
        return _divide(_window_sums(wide, geo), _divisors(geo, count_include_pad, divisor_override)).astype(x.dtype)

    return function


_average_rows(2, autocast={})
_average_rows(3, autocast={"cpu": "fp32"})


# --- adaptive -----------------------------------------------------------------------------------

def _regions(size, out):
    """The slice of each adaptive window along one dimension."""
    return [(i * size // out, -(-(i + 1) * size // out)) for i in range(out)]


def _check_adaptive(x, output_size, n, name, colon):
    """`colon`: of the maxima, whose sizes are checked by what makes the result."""
    if x.ndim not in (n + 1, n + 2):
        raise RuntimeError(f"{name}(): Expected {n + 1}D or {n + 2}D tensor, but got{colon} {list(x.shape)}")
    if len(output_size) != n:
        raise RuntimeError(f"{name}: output_size must be {n}" if not colon else
                           f"{name}(): internal error: output_size.size() must be {n}")
    nbytes = math.prod(x.shape[:x.ndim - n]) * math.prod(output_size) * x.dtype.itemsize
    if nbytes > _MOST:
        raise no_memory(nbytes)
    negative = [o for o in output_size if o < 0]
    if negative and colon:
        raise RuntimeError(f"Trying to create tensor with negative dimension {negative[0]}: "
                           f"{[*x.shape[:x.ndim - n], *output_size]}")
    if negative:
        raise RuntimeError(f"{name}: elements of output_size must be greater than or equal to 0 but received "
                           f"{{{', '.join(map(str, output_size))}}}")
    for i in range(n):
        if x.shape[x.ndim - n + i] == 0:
            raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input has "
                               f"sizes {list(x.shape)} with dimension {x.ndim - n + i} being empty")


def _adaptive_average(x, output_size):
    n = len(output_size)
    size = x.shape[x.ndim - n:]
    if all(o and s % o == 0 for s, o in zip(size, output_size, strict=True)):
        kernel = tuple(s // o for s, o in zip(size, output_size, strict=True))
        geo = _Geometry(x.shape, n, "", kernel, kernel, (0,), (1,), False)
        if math.prod(kernel) <= 64:
            return _window_sums(x, geo) / math.prod(kernel)
    for dim, out in zip(range(x.ndim - n, x.ndim), output_size, strict=True):
        parts = [lax.slice_in_dim(x, a, b, axis=dim).mean(dim) for a, b in _regions(x.shape[dim], out)]
        x = jnp.stack(parts, dim) if parts else x[(slice(None),) * dim + (slice(0, 0),)]
    return x


def _adaptive_max(x, output_size):
    """Maxima and flat positions: along the last dimension first, so that the first of equals wins."""
    n, flat, weight, size = len(output_size), None, 1, 1
    for dim, out in zip(reversed(range(x.ndim - n, x.ndim)), reversed(output_size), strict=True):
        weight *= size
        size = x.shape[dim]
        values, places = [], []
        for a, b in _regions(size, out):
            part = lax.slice_in_dim(x, a, b, axis=dim)
            at = jnp.expand_dims(part.argmax(dim), dim)
            values.append(jnp.take_along_axis(part, at, dim))
            below = 0 if flat is None else jnp.take_along_axis(lax.slice_in_dim(flat, a, b, axis=dim), at, dim)
            places.append((at + a) * weight + below)
        if not values:
            x = x[(slice(None),) * dim + (slice(0, 0),)]
            flat = jnp.zeros(x.shape, jnp.int64)
        else:
            x, flat = jnp.concatenate(values, dim), jnp.concatenate(places, dim)
    return x, flat.astype(jnp.int64)


def _adaptive_rows(n, autocast):
    """The rows of means and of maxima, which have this policy of autocast."""
    average, largest = f"adaptive_avg_pool{n}d", f"adaptive_max_pool{n}d"

    @op(f"_{average}(Tensor self, int[{n}] output_size) -> Tensor", node=f"AdaptiveAvgPool{n}DBackward0", method=False,
        function=False, grads={"self": "self"}, layout=_LAYOUTS[n])
    def mean(x, *, output_size):
        _check_adaptive(x, output_size, n, average, "")
        if not jnp.issubdtype(x.dtype, jnp.floating):
            raise NotImplementedError(f"\"adaptive_avg_pool{n}d\" not implemented for '{scalar_name(x)}'")
        wide = x.astype(jnp.float32) if is_half(x) else x
        return _adaptive_average(wide, output_size).astype(x.dtype)

    def gradient(g0, self, result1):
        if g0 is None:
            return None
        return put_flat(g0.astype(jnp.float32) if is_half(g0) else g0, result1, self.shape, n)

    @op(f"{largest}(Tensor self, int[{n}] output_size) -> (Tensor, Tensor)", node=f"AdaptiveMaxPool{n}DBackward0",
        method=False, function=False, grads={"self": gradient}, autocast=autocast, layout=_LAYOUTS[n])
    def maxima(x, *, output_size):
        """(N, C, *) or (C, *) to maxima over windows that make the output `output_size`, and their positions."""
        output_size = output_size * n if len(output_size) == 1 else output_size
        _check_adaptive(x, output_size, n, largest, ":")
        if not jnp.issubdtype(x.dtype, jnp.floating):
            kernel = largest if n == 2 else f"{largest}_cpu"
            raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(x)}'")
        return _adaptive_max(x, output_size)

    return mean, maxima


_adaptive_rows(2, autocast={})
_adaptive_rows(3, autocast={"cpu": "fp32"})


# --- unpooling ----------------------------------------------------------------------------------

def _unpool_row(rank):
    def gradient(g, indices):
        return take_flat(g, indices, rank)

    @op(f"max_unpool{rank}d(Tensor self, Tensor indices, int[{rank}] output_size) -> Tensor",
        node=f"MaxUnpool{rank}DBackward0", method=False, function=False, grads={"self": gradient}, autocast={"cpu": "fp32"},
        layout=_LAYOUTS[rank], gradient="contiguous", by_hand="function", tangent="fn apart")
    def max_unpool(x, indices, *, output_size):
        """Each value at its flat position in a block of zeros of `output_size`; out of bounds is dropped."""
        if indices.dtype != jnp.int64:
            raise RuntimeError(f"elements in indices should be type int64 but got: {scalar_name(indices)}")
        if x.shape != indices.shape:
            raise RuntimeError(f"Expected shape of indices to be same as that of the input tensor ({list(x.shape)}) but got "
                               f"indices tensor with shape: {list(indices.shape)}")
        if not jnp.issubdtype(x.dtype, jnp.floating):
            raise NotImplementedError(f"\"max_unpool{rank}d\" not implemented for '{scalar_name(x)}'")
        lead = x.shape[:-rank]
        rows, where = math.prod(lead), indices.reshape(math.prod(lead), -1)
        flat = jnp.zeros((rows, math.prod(output_size)), x.dtype)
        flat = flat.at[jnp.arange(rows)[:, None], where].set(x.reshape(where.shape), mode="drop")
        return flat.reshape(*lead, *output_size)


_unpool_row(2)
_unpool_row(3)
