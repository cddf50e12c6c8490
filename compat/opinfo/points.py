"""One elementwise operator or reduction at special points: values and gradients, number by number.

The points of a dtype are nan, infinities, zeros, the least and the largest numbers, and ordinary ones; of integers the
limits and their neighbours; of complex numbers finite ones, and for functions of one operand those with an infinite part.
Operators of two operands get all pairs. PyTorch's vectorized loops and its others do not always agree: what differs is
asked again of one element alone. Numbers below the least normal one are zeros, as XLA's code on the CPU has them, and zeros
of gradients have no sign. Of complex results that are not finite only that is asked whether a part is infinite, of such
gradients nothing: C++ computes there by formulas for finite numbers.
"""

import itertools
import math

import numpy as np
import torch
from torch.testing._internal.opinfo.core import BinaryUfuncInfo, ReductionOpInfo, UnaryUfuncInfo

import torchlike
from compat.opinfo import checks
from compat.opinfo.translate import function, ours, shared_memory

DTYPES = ("float32", "float64", "float16", "bfloat16", "complex64", "int64", "int32", "uint8", "bool")
_ROUNDING = {torch.float64: 1e-7, torch.complex64: 2e-3, torch.float16: 2e-2, torch.bfloat16: 5e-2}
_OTHERWISE = 2e-4
_PARTS = (0.0, -0.0, 1.0, -2.0, 0.5, 1e-3, 30.0)


def points(dtype) -> list:
    """The special numbers of a dtype."""
    if dtype is torch.bool:
        return [False, True]
    if dtype.is_complex:
        return [complex(a, b) for a in _PARTS for b in _PARTS]
    if dtype.is_floating_point:
        info = torch.finfo(dtype)
        return [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.5, 3.0, 20.0, -20.0, math.inf, -math.inf, math.nan, info.max,
                info.min, info.tiny, -info.tiny, info.eps]
    info = torch.iinfo(dtype)
    near = [x for x in (-1, -2, -7) if x >= info.min]
    return [0, 1, 2, 3, 7, 31, 63, 64, 100, *near, info.max, info.max - 1, info.min, info.min + 1]


def infinite() -> list:
    """Complex numbers with an infinite part."""
    parts = (math.inf, -math.inf, *_PARTS)
    return [complex(a, b) for a in parts for b in parts if math.isinf(a) or math.isinf(b)]


def applies(op) -> bool:
    """Whether an entry of the database is of this kind."""
    return isinstance(op, UnaryUfuncInfo | BinaryUfuncInfo | ReductionOpInfo)


def cases(op, dtype) -> tuple:
    """(lists of operands that stand side by side, keyword arguments)."""
    values = points(dtype)
    if isinstance(op, BinaryUfuncInfo):
        if dtype.is_complex:
            values = values[::4]
        pairs = [p for p in itertools.product(values, values)
                 if not _ends_the_process(op, dtype, p) and not _takes_minutes(op, dtype, p)]
        return tuple(map(list, zip(*pairs, strict=True))), {}
    if isinstance(op, UnaryUfuncInfo):
        values = values + infinite() if dtype.is_complex else values
        return (values,), op.sample_kwargs("cpu", dtype, torch.ones(2, dtype=dtype))[0]
    return (values,), {}


def _ends_the_process(op, dtype, pair) -> bool:
    """Whether PyTorch divides the least integer by -1, which the processor does not survive; its lcm does with any."""
    if dtype.is_floating_point or dtype.is_complex or dtype is torch.bool:
        return False
    least = torch.iinfo(dtype).min
    return least < 0 and least in pair and (-1 in pair or op.name == "lcm")


def _takes_minutes(op, dtype, pair) -> bool:
    """Whether PyTorch goes through the polynomials of all degrees up to the largest int32."""
    return dtype is torch.int32 and "polynomial" in op.name and pair[1] > 2 ** 24


def outcome(package, call, operands, kwargs, dtype, with_grad):
    """[result, gradients...] as numpy arrays, or what was raised."""
    def run():
        xs = [package.tensor(x, dtype=getattr(package, dtype), requires_grad=with_grad) for x in operands]
        made = call(*xs, **kwargs)
        outs = [y for y in checks.leaves(made) if isinstance(y, package.Tensor)]
        found = list(outs)
        ends = [y for y in outs if y.requires_grad]
        if with_grad and ends:
            found += package.autograd.grad(ends, xs, [package.ones_like(y) for y in ends], allow_unused=True)
        return [None if y is None else _numbers(package, y) for y in found]

    return checks.attempt(run)


def _numbers(package, x):
    x = x.detach()
    if package is torch and x._is_zerotensor():
        x = torch.zeros(x.shape, dtype=x.dtype)
    if x.is_complex():
        return np.array(package.view_as_real(x.resolve_conj()).tolist(), np.float64).reshape(*x.shape, 2)
    return np.array(x.tolist(), np.float64 if x.is_floating_point() else object)


def _same(want, got, kind, is_gradient):
    """For each number whether both are the same."""
    if want.dtype == object:
        return np.asarray(want == got)
    info = torch.finfo(kind) if kind.is_floating_point or kind.is_complex else torch.finfo(torch.float32)
    with np.errstate(all="ignore"):
        want, got = (np.where(np.abs(x) < info.tiny, np.copysign(0, x), x) for x in (want, got))
        near = np.isclose(got, want, _ROUNDING.get(kind, _OTHERWISE), 0, equal_nan=True)
        if kind.is_complex:
            size = np.abs(want).max(-1, keepdims=True)
            near = np.abs(got - want) <= _ROUNDING[kind] * size
            infinite_too = is_gradient | (np.isinf(want).any(-1, keepdims=True) == np.isinf(got).any(-1, keepdims=True))
            return np.where(np.isfinite(want).all(-1, keepdims=True), near, infinite_too)
        zero = (want == 0) & (got == 0) & (is_gradient | (np.signbit(want) == np.signbit(got)))
        return np.where((want == 0) | (got == 0), zero, near)


def examine(op, dtype) -> list:
    """What differs, in words."""
    kind = getattr(torch, dtype)
    operands, kwargs = cases(op, kind)
    with_grad = (kind.is_floating_point or kind.is_complex) and op.supports_autograd
    mine, theirs = function(op.op), op.op
    with shared_memory():
        kwargs = {torch: kwargs, torchlike: ours(kwargs)}
    singly = not isinstance(op, ReductionOpInfo)

    def both(some):
        return (outcome(torch, theirs, some, kwargs[torch], dtype, with_grad),
                outcome(torchlike, mine, some, kwargs[torchlike], dtype, with_grad))

    if not singly:
        found = []
        for some in itertools.combinations(operands[0], 2):
            found += _differences(*both([list(some)]), kind, some)
        return found
    want, got = both(operands)
    if not isinstance(want, checks.Raised) and not isinstance(got, checks.Raised):
        odd = _odd_places(want, got, kind, len(operands[0]))
    else:
        odd = range(len(operands[0]))
    found = []
    for i in odd:
        some = [[x[i]] for x in operands]
        found += _differences(*both(some), kind, tuple(x[i] for x in operands))
    return found


def _odd_places(want, got, kind, count):
    odd: set = set()
    for i, (a, b) in enumerate(zip(want, got, strict=False)):
        if a is None or b is None or a.shape != b.shape:
            if a is not b:
                return range(count)
            continue
        places = np.argwhere(~_same(a, b, kind, i > 0))
        odd |= {int(p[0]) for p in places}
    return sorted(odd)


def _differences(want, got, kind, point) -> list:
    raised = checks.both_raised(want, got) if isinstance(want, checks.Raised) or isinstance(got, checks.Raised) else None
    if raised is not None:
        return [f"at {point}: {raised}"] if raised else []
    if len(want) != len(got):
        return [f"at {point}: {len(want)} results, ours {len(got)}"]
    for i, (a, b) in enumerate(zip(want, got, strict=True)):
        if (a is None) != (b is None) or (a is not None and a.shape != b.shape):
            return [f"at {point}: result {i} {a}, ours {b}"]
        if a is not None and not _same(a, b, kind, i > 0).all():
            return [f"at {point}: {'gradient' if i else 'value'} {a.tolist()}, ours {b.tolist()}"]
    return []
