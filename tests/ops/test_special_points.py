"""Values and gradients at infinities, nan, zeros of both signs and without elements, against PyTorch."""

import cmath
import math

import numpy as np
import pytest
import torch as theirs

import torchlike as ours
from compat.compare import check
from compat.compare.tolerances import ROWS

INF, NAN = math.inf, math.nan
POINTS = [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, -0.5, INF, -INF, 1e-30, 1e30, 20.0, -20.0]
UNARY = {
    "sinc": lambda m, x: m.sinc(x),
    "gelu": lambda m, x: m.nn.functional.gelu(x),
    "erf": lambda m, x: m.erf(x),
    "digamma": lambda m, x: m.digamma(x[x != 1e30]),
    "softplus": lambda m, x: m.nn.functional.softplus(x),
    "relu": lambda m, x: m.relu(x),
    "hardshrink": lambda m, x: m.nn.functional.hardshrink(x),
    "softshrink": lambda m, x: m.nn.functional.softshrink(x),
    "threshold": lambda m, x: m.nn.functional.threshold(x, 0.5, 7.0),
    **{f"** {p}": lambda m, x, p=p: x ** p for p in (2, 0.5, -1, 0, 2.5, INF, -INF, NAN)},
    **{f"{b} **": lambda m, x, b=b: b ** x for b in (2, 0, 1, INF)},
}
BINARY = ("pow", "fmax", "fmin", "logaddexp", "atan2", "copysign", "xlogy", "hypot")


def outcome(m, function, *values, each):
    """[values, gradients], computed of each element alone: PyTorch's vectorized kernels differ from its others."""
    found = []
    for numbers in zip(*values, strict=True) if each else [values]:
        xs = [m.tensor([v] if each else v, requires_grad=True) for v in numbers]
        made = function(m, *xs)
        grads = m.autograd.grad(made.sum(), xs, allow_unused=True)
        found.append([made.tolist(), *(None if g is None else g.tolist() for g in grads)])
    return found


def same(want, got) -> bool:
    if isinstance(want, list):
        return len(want) == len(got) and all(map(same, want, got))
    if want is None or got is None:
        return want is got
    if want == 0 or got == 0:
        return abs(want - got) < 1e-12 and (want != got or math.copysign(1, want) == math.copysign(1, got))
    return bool(np.isclose(want, got, rtol=1e-5, equal_nan=True))


@pytest.mark.parametrize("name", UNARY)
def test_of_one(name):
    want, got = (outcome(m, UNARY[name], POINTS, each=True) for m in (theirs, ours))
    assert [(x, a, b) for x, a, b in zip(POINTS, want, got, strict=True) if not same(a, b)] == []


@pytest.mark.parametrize("name", BINARY)
def test_of_two(name):
    pairs = [(a, b) for a in POINTS[:9] for b in (*POINTS[:9], NAN)]
    want, got = (outcome(m, lambda m, x, y: getattr(m, name)(x, y), *zip(*pairs, strict=True), each=True)
                 for m in (theirs, ours))
    assert [(x, a, b) for x, a, b in zip(pairs, want, got, strict=True) if not same(a, b)] == []


@pytest.mark.parametrize("values", [
    [complex(INF, 0), 1 + 1j, 2j], [1 + 1j, complex(INF, 0), 2j], [1 + 1j, complex(-INF, 0), 2j],
    [complex(-INF, 0), complex(-INF, 0), 1j], [complex(1, NAN), 1 + 0j], [1 + 2j, -3 + 0.5j, 2 - 1j]])
def test_complex_logcumsumexp(values):
    want, got = (m.view_as_real(m.logcumsumexp(m.tensor(values), 0)).numpy() for m in (theirs, ours))
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-7)


PARTS = (NAN, INF, -INF, 0.0, -0.0, 1.0, -2.0)
COMPLEX = [complex(a, b) for a in PARTS for b in PARTS]


def same_complex(want, got) -> bool:
    """As PyTorch's tests have it, nan in either part is nan; but whether the other is infinite counts, and not its sign."""
    if want != want:
        return got != got and cmath.isinf(want) == cmath.isinf(got)
    return same([want.real, want.imag], [got.real, got.imag])


@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize("name", ["sqrt", "exp", "exp2", "abs", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "atan",
                                  "asinh", "acosh", "atanh", "log", "log2", "log10", "log1p", "sigmoid", "expm1",
                                  "sgn"])
def test_of_complex_numbers(name, mode):
    """On each side of branch cuts, and where only one part is infinite or nan: each part, with its sign."""
    want = getattr(theirs, name)(theirs.tensor(COMPLEX, dtype=theirs.complex128)).tolist()
    with ours.configure(compile=mode):
        got = getattr(ours, name)(ours.tensor(COMPLEX, dtype=ours.complex128)).tolist()
    assert [(z, a, b) for z, a, b in zip(COMPLEX, want, got, strict=True)
            if not same([a.real, a.imag], [b.real, b.imag])] == []


def test_quotients_of_complex_numbers():
    left, right = zip(*((a, b) for a in COMPLEX for b in COMPLEX), strict=True)
    want, got = ((m.tensor(left) / m.tensor(right)).tolist() for m in (theirs, ours))
    assert [(a, b, x, y) for a, b, x, y in zip(left, right, want, got, strict=True) if not same_complex(x, y)] == []


@pytest.mark.parametrize("shapes", [((1, 0, 4, 4), (2, 0, 3, 3)), ((1, 0, 4), (2, 0, 3)), ((2, 0, 4, 4, 4), (2, 0, 3, 3, 3)),
                                    ((0, 3, 4, 4), (2, 3, 3, 3))])
@pytest.mark.parametrize("padding", [0, 1])
def test_convolutions_without_elements(shapes, padding):
    def convolved(m):
        x, w = (m.ones(shape, requires_grad=True) for shape in shapes)
        made = getattr(m.nn.functional, f"conv{len(shapes[0]) - 2}d")(x, w, padding=padding)
        made.sum().backward()
        return made.shape, x.grad.shape, w.grad.tolist()

    assert convolved(ours) == convolved(theirs)


@pytest.mark.parametrize("factors", [{"beta": 2, "alpha": 3}, {"beta": 2.5}, {"alpha": 2.5}, {"beta": 0, "alpha": -1}])
@pytest.mark.parametrize("dtype", ["int64", "int8", "bool"])
def test_addr_of_integers(factors, dtype):
    def added(m):
        kind = getattr(m, dtype)
        try:
            return m.addr(m.ones(2, 2, dtype=kind), m.tensor([1, 2], dtype=kind), m.tensor([0, 3], dtype=kind),
                          **factors).tolist()
        except RuntimeError as error:
            return str(error)

    assert added(ours) == added(theirs)


EDGES = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 2.0, 0.5, 1e308, 3.0, 1.5, -2.5]
OF_TWO = {"igamma": "special.gammainc", "igammac": "special.gammaincc", "zeta": "special.zeta"}


@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize("name", OF_TWO)
def test_functions_of_the_gamma_family(name, mode):
    """Also where both are huge: JAX's series never ended there."""
    left, right = zip(*((a, b) for a in EDGES for b in EDGES), strict=True)

    def computed(m):
        function = getattr(m.special, OF_TWO[name].removeprefix("special."))
        return function(m.tensor(left, dtype=m.float64), m.tensor(right, dtype=m.float64)).tolist()

    want = computed(theirs)
    with ours.configure(compile=mode):
        got = computed(ours)
    assert [(a, b, x, y) for a, b, x, y in zip(left, right, want, got, strict=True) if not same(x, y)] == []


@pytest.mark.parametrize("mode", ["off", "now"])
@pytest.mark.parametrize("dtype", ["int64", "int32", "int16", "int8", "uint8"])
@pytest.mark.parametrize("name", ["gcd", "lcm"])
def test_divisors_of_the_least_integer(name, dtype, mode):
    limits = theirs.iinfo(getattr(theirs, dtype))
    numbers = [x for x in (0, 1, -1, 2, -2, 7, limits.min, limits.max, limits.max - 1) if x >= limits.min]
    pairs = [(a, b) for a in numbers for b in numbers if name == "gcd" or not limits.min < 0 or a != limits.min]
    left, right = zip(*pairs, strict=True)  # PyTorch's lcm divides the least integer by -1 and ends the process

    def computed(m):
        return getattr(m, name)(*(m.tensor(x, dtype=getattr(m, dtype)) for x in (left, right))).tolist()

    want = computed(theirs)
    with ours.configure(compile=mode):
        got = computed(ours)
    assert [(p, a, b) for p, a, b in zip(pairs, want, got, strict=True) if a != b] == []


ZEROS = {
    "relu6": lambda m, x: m.nn.functional.relu6(x),
    "hardtanh": lambda m, x: m.nn.functional.hardtanh(x, -1, 0),
    "clamp": lambda m, x: m.clamp(x, 0, 6),
    "clamp(min)": lambda m, x: m.clamp(x, min=0),
    "clamp(max)": lambda m, x: m.clamp(x, max=0),
    "cumsum": lambda m, x: m.cumsum(x, 0),
    "sum of a column": lambda m, x: x[:, None].sum(1),
    "sum of a number": lambda m, x: m.stack([y.sum() for y in x]),
    "mean of a number": lambda m, x: m.stack([y.mean() for y in x]),
    "i1": lambda m, x: m.special.i1(x),
    "i1e": lambda m, x: m.special.i1e(x),
}
BY_NUMPY_ALONE = {"relu6", "hardtanh", "clamp", "clamp(min)", "clamp(max)"}  # XLA's maximum of zeros is the positive one


@pytest.mark.parametrize(("name", "mode"), [(name, mode) for name in ZEROS for mode in ("off", "now")
                                            if mode == "off" or name not in BY_NUMPY_ALONE])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_signs_of_zeros(name, mode, dtype):
    values = [-0.0, 0.0, -0.0, 1.0, -1.0]
    want = ZEROS[name](theirs, theirs.tensor(values, dtype=getattr(theirs, dtype))).tolist()
    with ours.configure(compile=mode):
        got = ZEROS[name](ours, ours.tensor(values, dtype=getattr(ours, dtype))).tolist()
    assert same(want, got), (want, got)


def test_planted_error_is_seen():
    assert not same([0.0], [-0.0]) and not same([NAN], [1.0]) and not same([INF], [-INF]) and same([NAN, 1.0], [NAN, 1.0])


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
@pytest.mark.parametrize("ends", [(-INF, 3.0), (3.0, INF), (NAN, 1.0), (1.0, NAN), (-INF, INF)])
def test_equal_steps(ends, steps):
    check(lambda lib: (lib.linspace(*ends, steps), lib.logspace(*ends, steps)), tolerance=ROWS)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("order", [0, 1])
def test_bessel_functions_of_the_largest_number(order, dtype):
    largest = [np.finfo(dtype).max, np.finfo(dtype).max / 4]
    want, got = (getattr(m.special, f"scaled_modified_bessel_k{order}")(m.tensor(largest, dtype=getattr(m, dtype))).tolist()
                 for m in (theirs, ours))
    np.testing.assert_allclose(got, want, rtol=1e-12 if dtype == "float64" else 1e-6)


def test_slope_of_i1e_at_nan():
    def gradients(lib):
        x = lib.tensor([NAN, 0.0, -0.0, 2.0], requires_grad=True)
        return [lib.autograd.grad(f(x).sum(), x)[0] for f in (lib.special.i1e, lib.special.i1)]

    check(gradients, tolerance=ROWS)


def test_sums_of_complex_exponentials():
    numbers = [complex(a, b) for a in (0.0, 1.0, -2.0, INF, -INF, NAN) for b in (0.0, 1.5, INF, NAN)]

    def values(lib):
        x = lib.tensor(numbers, dtype=lib.complex128)
        return lib.view_as_real(lib.logaddexp(x[:, None], x))

    check(values, tolerance=ROWS)
