"""Convolution: windows of the input as a view, copied to a matrix, and a matrix product.

Input and weight are seen as (N, G, C, *space) and (G, O, C, *kernel) with G groups; groups of the batch are groups as well.
What depends on shapes alone is worked out in the rule.

No size is XLA's for its speed. Measured with one thread of BLAS, batch 8 (ms; numpy / XLA on two cores / what XLA compiles):
64 -> 64 channels 3x3 on 16x16: 2.9 / 2.8 / 340, its gradients 2.9 / 3.2 / 690 and 3.6 / 3.4 / 1090; on 56x56: 55 / 40 / 650,
52 / 38 / 460, 51 / 126 / 880; the worst, to the input from 7x7 kernels with stride 2: 30 / 7.6 / 830. Depthwise 7x7 of 40
channels on 56x56: 16 / 166 / 1050, its gradients 15 / 164 / 880 and 20 / 194 / 850.
"""

import dataclasses
import math

import numpy as np
from numpy.lib.stride_tricks import as_strided

from torchlike._compile.plans.table import Equation, Fresh, is_half, rule

_CHUNK = 1 << 20  # bytes of windows that are copied at a time: they stay in the cache for the product
_MOST = 1 << 28  # bytes of windows: where they cannot be cut up and are more, XLA, which makes no copy, needs less memory
_FEW = 128  # places: products of fewer columns than that are made for the whole batch at once
_SHORT = 4  # elements of a row: copies of shorter ones are slow
_BLOCK = 16  # elements of a row of the result that one banded product makes
_INTEGERS = 1 << 20  # products of numbers: numpy multiplies integers without BLAS


@dataclasses.dataclass(slots=True, frozen=True)
class _Sizes:
    """Of a convolution: ``space``, ``kernel`` and ``out`` have one number for each dimension of space, as have the strides
    ``step`` of the windows, ``dilation`` of the kernel, ``spread`` of the input, and ``pads`` (before, after)."""

    batch: int
    groups: int
    channels: int
    features: int
    space: tuple
    kernel: tuple
    out: tuple
    step: tuple
    dilation: tuple
    spread: tuple
    pads: tuple

    @property
    def depth(self) -> int:
        """How many products are summed for each element of the result."""
        return self.channels * math.prod(self.kernel)


@rule("conv_general_dilated")
def _convolution(equation: Equation):
    p = equation.params
    lhs_order, rhs_order, out_order = p["dimension_numbers"]
    x, w = equation.ins
    (out,) = equation.outs
    x_shape, w_shape = ([form.shape[i] for i in order] for form, order in ((x, lhs_order), (w, rhs_order)))
    groups, batch_groups = p["feature_group_count"], p["batch_group_count"]
    count = groups * batch_groups
    sizes = _Sizes(
        batch=x_shape[0] // batch_groups, groups=count, channels=w_shape[1], features=w_shape[0] // count,
        space=tuple(x_shape[2:]), kernel=tuple(w_shape[2:]), out=tuple(out.shape[i] for i in out_order[2:]),
        step=tuple(p["window_strides"]), dilation=tuple(p["rhs_dilation"]), spread=tuple(p["lhs_dilation"]),
        pads=tuple(p["padding"]))
    if out.dtype.kind in "iu" and out.size * sizes.depth > _INTEGERS:
        raise equation.declined("integers")
    inside = np.dtype(np.float32) if is_half(out.dtype) else out.dtype
    if out.size == 0 or sizes.depth == 0:
        return Fresh(lambda x, w: np.zeros(out.shape, out.dtype))
    if _is_one_product(sizes) and sizes.depth * sizes.batch * math.prod(sizes.out) * inside.itemsize > _MOST:
        raise equation.declined("large windows")
    prepare, multiply = _prepared(sizes, inside), _product(sizes, inside)
    weight_shape = (count, sizes.features, sizes.channels, *sizes.kernel)
    back = tuple(np.argsort(out_order))
    found_shape = tuple(out.shape[i] for i in out_order)

    def convolve(x, w):
        x = x.transpose(lhs_order)
        if batch_groups > 1:
            x = x.reshape(batch_groups, sizes.batch, *x.shape[1:]).swapaxes(0, 1)
        else:
            x = x.reshape(sizes.batch, count, sizes.channels, *sizes.space)
        found = multiply(prepare(x), w.transpose(rhs_order).reshape(weight_shape).astype(inside, copy=False))
        return found.reshape(found_shape).transpose(back).astype(out.dtype, copy=False)

    return Fresh(convolve)


def _prepared(sizes, dtype):
    """A function that spreads the input and pads it (or cuts, where padding is negative), and converts it."""
    plain = all(s == 1 for s in sizes.spread) and all(low == high == 0 for low, high in sizes.pads)
    shape, to, of = [], [], []
    for size, spread, (low, high) in zip(sizes.space, sizes.spread, sizes.pads, strict=True):
        total = low + max((size - 1) * spread + 1, 0) + high
        first = max(0, -(low // spread))  # the first element that is inside
        last = max(first, min(size, -(-(total - low) // spread)))
        start = low + first * spread
        shape.append(total)
        of.append(slice(first, last))
        to.append(slice(start, start + max(last - first - 1, 0) * spread + (last > first), spread))
    lead = (sizes.batch, sizes.groups, sizes.channels)
    to, of = (..., *to), (..., *of)

    def prepare(x):
        if plain:
            return x.astype(dtype, copy=False)
        padded = np.zeros((*lead, *shape), dtype)
        padded[to] = x[of]
        return padded

    return prepare


def _windows(x, sizes):
    """The view (N, G, C, *kernel, *out)."""
    space = x.strides[3:]
    kernel = tuple(s * d for s, d in zip(space, sizes.dilation, strict=True))
    out = tuple(s * d for s, d in zip(space, sizes.step, strict=True))
    return as_strided(x, (*x.shape[:3], *sizes.kernel, *sizes.out), (*x.strides[:3], *kernel, *out), writeable=False)


def _is_pointwise(sizes):
    return math.prod(sizes.kernel) == 1 and set(sizes.step) <= {1} and math.prod(sizes.out) >= _FEW


def _is_depthwise(sizes):
    return sizes.channels == sizes.features == 1 and sizes.kernel and sizes.kernel[-1] <= sizes.out[-1]


def _is_one_product(sizes):
    """Whether each group is one product: the results are few, or their rows so short that copies of them are slow."""
    if _is_pointwise(sizes) or _is_depthwise(sizes):
        return False
    return math.prod(sizes.out) < _FEW or sizes.out[-1] < _SHORT


def _product(sizes, dtype):
    """The function of prepared input and weight that returns (N, G * O, *out)."""
    if _is_pointwise(sizes):
        return _pointwise(sizes)
    if _is_depthwise(sizes):
        return _by_bands(sizes, dtype)
    if _is_one_product(sizes):
        return _for_whole_batch(sizes, dtype)
    return _for_each_sample(sizes, dtype)


def _pointwise(sizes):
    """A kernel of one element: the input is the matrix."""
    places = math.prod(sizes.out)

    def multiply(x, w):
        x = x.reshape(sizes.batch, sizes.groups, sizes.channels, places)
        return np.matmul(w.reshape(sizes.groups, sizes.features, sizes.channels), x)

    return multiply


def _for_each_sample(sizes, dtype):
    """(G, O, C * kernel) @ (N, G, C * kernel, out), some samples at a time."""
    places = math.prod(sizes.out)
    one = sizes.groups * sizes.depth * places * dtype.itemsize
    at_once = min(sizes.batch, max(1, _CHUNK // one))

    def multiply(x, w):
        w, windows = w.reshape(sizes.groups, sizes.features, sizes.depth), _windows(x, sizes)
        found = np.empty((sizes.batch, sizes.groups, sizes.features, places), dtype)
        copied = np.empty((at_once, *windows.shape[1:]), dtype)
        matrix = copied.reshape(at_once, sizes.groups, sizes.depth, places)
        for start in range(0, sizes.batch, at_once):
            count = min(at_once, sizes.batch - start)
            copied[:count] = windows[start:start + count]
            np.matmul(w, matrix[:count], out=found[start:start + count])
        return found

    return multiply


def _for_whole_batch(sizes, dtype):
    """One product for each group, where places are few. The longer of kernel and places is innermost in the copy."""
    n, places = len(sizes.kernel), math.prod(sizes.out)
    kernel, out = tuple(range(3, 3 + n)), tuple(range(3 + n, 3 + 2 * n))
    by_kernel = sizes.kernel[-1:] > sizes.out[-1:]
    order = (1, 0, *out, 2, *kernel) if by_kernel else (1, 2, *kernel, 0, *out)
    at_once = max(1, _CHUNK // (sizes.depth * sizes.batch * places * dtype.itemsize))

    def multiply(x, w):
        w = w.reshape(sizes.groups, sizes.features, sizes.depth)
        windows = _windows(x, sizes).transpose(order)
        found = np.empty((sizes.groups, sizes.features, sizes.batch * places), dtype)
        for start in range(0, sizes.groups, at_once):
            some = slice(start, start + at_once)
            matrix = np.ascontiguousarray(windows[some])
            if by_kernel:
                matrix = matrix.reshape(-1, sizes.batch * places, sizes.depth).swapaxes(1, 2)
            else:
                matrix = matrix.reshape(-1, sizes.depth, sizes.batch * places)
            np.matmul(w[some], matrix, out=found[some])
        return found.reshape(sizes.groups, sizes.features, sizes.batch, places).transpose(2, 0, 1, 3)

    return multiply


def _by_bands(sizes, dtype):
    """One channel for each group: rows of the input times banded matrices that hold the kernel's rows along their diagonals.

    Rows are cut into blocks, lest the bands be mostly zeros. Each block is a product of (N * rows * blocks, kernel rows *
    span) and (kernel rows * span, block), where the span is what of a row a block of the result depends on.
    """
    *kernel, taps = sizes.kernel
    *rows, width = sizes.out
    step, dilation = sizes.step[-1], sizes.dilation[-1]
    block = max(b for b in range(1, min(width, _BLOCK) + 1) if width % b == 0)
    block = width if block < _BLOCK // 4 else block
    span = (block - 1) * step + (taps - 1) * dilation + 1
    depth, lines = math.prod(kernel) * span, sizes.batch * math.prod(rows) * (width // block)
    at_once = min(sizes.groups, max(1, _CHUNK // (lines * depth * dtype.itemsize)))
    diagonal = np.arange(block)
    shape = (sizes.groups, sizes.batch, *rows, width // block, *kernel, span)

    def multiply(x, w):
        bands = np.zeros((sizes.groups, *kernel, span, block), dtype)
        for tap in range(taps):
            bands[..., tap * dilation + step * diagonal, diagonal] = w[:, 0, 0, ..., tap, None]
        bands = bands.reshape(sizes.groups, depth, block)
        batch, group, _, *space, last = x.strides
        strides = (group, batch, *(s * d for s, d in zip(space, sizes.step[:-1], strict=True)), last * step * block,
                   *(s * d for s, d in zip(space, sizes.dilation[:-1], strict=True)), last)
        windows = as_strided(x, shape, strides, writeable=False)
        found = np.empty((sizes.groups, lines, block), dtype)
        for start in range(0, sizes.groups, at_once):
            some = slice(start, start + at_once)
            np.matmul(windows[some].reshape(-1, lines, depth), bands[some], out=found[some])
        return found.reshape(sizes.groups, sizes.batch, -1).swapaxes(0, 1)

    return multiply
