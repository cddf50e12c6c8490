"""Rows that go another way with many elements: values, ties, NaN and signs of zero, and gradients, against torch."""

import math

import numpy as np
import pytest
import torch

import torchlike
from tests.speed import case, sampled

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")
SHAPES = [((40, 300), 1), ((300, 40), 0), ((5, 60, 70), 1), ((20000,), 0)]
QUICK = ("float32", "bfloat16", "int64")
TOLERANCE = {"float32": 2e-4, "float64": 1e-9, "bfloat16": 6e-2, "int64": 0.0, "complex64": 2e-4}


def in_shapes(*names):
    """Each shape in each dtype. Fast are the first two shapes in the quick dtypes; CI has each dtype in one shape."""
    return pytest.mark.parametrize(("shape", "dim", "dtype"), [
        case(*shape, name, fast=i < 2 and name in QUICK, ci=(i + k) % len(SHAPES) == 0)
        for i, shape in enumerate(SHAPES) for k, name in enumerate(names)])


def with_ties(shape, dtype):
    """Whole numbers; where there are any, NaN of both signs, both zeros and infinities."""
    x = np.random.default_rng(0).integers(0 if dtype == "uint8" else -9, 9, shape).astype(float)
    if dtype in FLOATS:
        for place, value in enumerate((np.nan, -np.nan, -0.0, np.inf, -np.inf)):
            x.reshape(-1)[place::11 + place] = value
    return x


def both(x, dtype):
    return torch.tensor(x).to(getattr(torch, dtype)), torchlike.tensor(x).to(getattr(torchlike, dtype))


def assert_same(want, got, signs=True):
    """Equal values, NaN and signs of zero."""
    want, got = want.double().numpy(), got.double().numpy()
    np.testing.assert_array_equal(got, want)
    if signs:
        np.testing.assert_array_equal(np.signbit(got) & ~np.isnan(got), np.signbit(want) & ~np.isnan(want))


@pytest.mark.parametrize("descending", [False, True])
@in_shapes(*FLOATS, *INTEGERS, "bool")
def test_sort(shape, dim, dtype, descending):
    want, got = (x.sort(dim=dim, descending=descending, stable=True) for x in both(with_ties(shape, dtype), dtype))
    assert_same(want.values, got.values)
    assert_same(want.indices, got.indices)


@pytest.mark.parametrize("program", ["x.median(dim)", "x.nanmedian(dim)", "x.kthvalue(7, dim)", "x.topk(5, dim)",
                                     "x.topk(5, dim, largest=False)", "x.topk(30, dim)"])
@in_shapes(*FLOATS, "int64", "int16", "uint8")
def test_ranks(shape, dim, dtype, program):
    """The values; any index of such a value will do, once each."""
    theirs, ours = both(with_ties(shape, dtype), dtype)
    want, got = (eval(program, {"x": x, "dim": dim}) for x in (theirs, ours))
    assert_same(want.values, got.values, signs=False)
    indices = torch.tensor(got.indices.numpy())
    if indices.ndim < theirs.ndim:
        indices = indices.unsqueeze(dim)
    assert_same(theirs.gather(dim, indices).reshape(want.values.shape), want.values, signs=False)
    ranked = indices.sort(dim).values
    assert not (ranked.diff(dim=dim) == 0).any()


@pytest.mark.parametrize("dtype", sampled(
    ("float32", "int64", "float64", "float16", "bfloat16"), fast={"float32"}, ci={"int64"}))
def test_whole_medians(dtype):
    for x, y in (both(with_ties(shape, dtype), dtype) for shape, _ in SHAPES):
        assert_same(x.nanmedian(), y.nanmedian(), signs=False)
        assert_same(x.median(), y.median(), signs=False)


LARGE = {
    "x.cumsum({dim})": ("float32", "float64", "bfloat16", "int64", "complex64"),
    "x.cumprod({dim})": ("float32", "float64", "complex64"),
    "x.logcumsumexp({dim})": ("float32", "float64"),
    "x.cummax({dim})[0]": ("float32", "float64"),
}


def compared(program, shapes, dtype):
    """Value and gradients, relative to the largest."""
    rng, found = np.random.default_rng(0), []
    drawn = [rng.uniform(-1, 1, shape) * (9 if dtype == "int64" else 1) for shape in shapes]
    for library in (torch, torchlike):
        tensors = [library.tensor(x).to(getattr(library, dtype)) for x in drawn]
        if dtype != "int64":
            [x.requires_grad_() for x in tensors]
        result = eval(program, {"t": library, **dict(zip("xyz", tensors, strict=False))})
        grads = () if dtype == "int64" else library.autograd.grad((result.abs() * result.abs()).sum(), tensors)
        wide = library.complex128 if dtype == "complex64" else library.float64
        found.append([x.detach().to(wide).resolve_conj().numpy() for x in (result, *grads)])
    for want, got in zip(*found, strict=True):
        assert got.shape == want.shape
        assert np.abs(got - want).max() <= TOLERANCE[dtype] * max(1, np.abs(want).max())


def scans():
    """Fast is one shape in float32; CI has that shape in the other dtypes, and another in float32."""
    return [case(shape, dim, program, dtype, fast=not i and dtype == "float32", ci=i + (dtype != "float32") == 1)
            for i, (shape, dim) in enumerate([((200, 300), 1), ((17000,), 0), ((3, 6000), 1)])
            for program, names in LARGE.items() for dtype in names]


@pytest.mark.parametrize(("shape", "dim", "program", "dtype"), scans())
def test_scans(shape, dim, program, dtype):
    compared(program.format(dim=dim), [shape], dtype)


SUMS = {
    "x.sum(0)": [(3, 128, 70)], "x.sum((0, 1), keepdim=True)": [(4, 3, 128, 70)], "x.mean(0)": [(1, 5, 128, 70)],
    "x.sum((1, 2))": [(1, 5, 2, 9000)], "x * y": [(5, 128, 70), (128, 70)], "x.expand(8, 128, 70) * 2": [(128, 70)],
    "x.repeat(2, 3, 1)": [(128, 70)], "x.repeat(2, 3)": [(128, 70)], "x.mean()": [(32, 128, 70)],
}


@pytest.mark.parametrize("program", SUMS)
@pytest.mark.parametrize("dtype", sampled(("float32", "float64", "bfloat16"), fast={"float32"}))
def test_sums(program, dtype):
    compared(program, SUMS[program], dtype)


@pytest.mark.parametrize("p", sampled(("0.0", "2.0", "1.0", "3.5", "float('inf')"), fast={"0.0", "2.0"}))
@pytest.mark.parametrize("shapes", [case([(70, 4), (80, 4)], fast=True), case([(3, 70, 4), (2, 1, 60, 4)])])
def test_distances(p, shapes):
    compared(f"t.cdist(x, y, p={p}).sin()", shapes, "float64")
    if len(shapes[0]) == 2:
        compared(f"t.pdist(x, p={p}).sin() + 0 * y.sum()", shapes, "float64")


@pytest.mark.parametrize("program", ["x.slice_scatter(y, 1, 0, 200, 2)", "x.slice_scatter(y[:, :66], 1, 1, 197, 3)",
                                     "x.index_put((t.arange(0, 100, 7),), y[:15].repeat(1, 2))"])
def test_strided_replacement(program):
    compared(program, [(100, 200), (100, 100)], "float64")


def test_strided_writes():
    def program(t):
        x = t.arange(2000.0).view(40, 50)
        x[:, 1:48:3] = -1
        x[::2] *= 2
        x[5::7, 3:] = t.arange(47.0)
        return x.numpy()

    np.testing.assert_array_equal(program(torchlike), program(torch))


REMAINDERS = [0.0, -0.0, 1.0, -1.0, 0.1, -7.5, 1e30, -1e-3, math.inf, -math.inf, math.nan, 2.0**24, 16777217.0]
POINTS = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 0.5, -0.5, 1e-30, 1e30, 1e-7, 0.99999994, -0.99999994, 2, -2,
                   np.pi / 2, 1e9, 3e9, 1e20, 0.4142135, 0.41421357, 2.4142135], np.float32)


def assert_rounded(got, exact, want):
    """Within 1.01 units in the last place of the exact value; NaN and signs of zero where torch has them."""
    finite = np.isfinite(exact)
    error = np.abs(got[finite] - exact[finite]) / np.spacing(np.abs(exact[finite]).astype(np.float32))
    assert error.max() < 1.01
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    np.testing.assert_array_equal(np.signbit(got[:len(POINTS)][exact[:len(POINTS)] == 0]),
                                  np.signbit(want[:len(POINTS)][exact[:len(POINTS)] == 0]))


@pytest.mark.parametrize("size", [1.0, 1e3, 1e12])  # of the quotients: beyond 2 ** 28 the C library is asked
@pytest.mark.parametrize("program", ["t.fmod(x, y)", "t.remainder(x, y)", "t.floor_divide(x, y)"])
def test_remainders(program, size):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=20000) * size, np.repeat(REMAINDERS, len(REMAINDERS))]).astype(np.float32)
    y = np.concatenate([rng.normal(size=20000), np.tile(REMAINDERS, len(REMAINDERS))]).astype(np.float32)
    x[:5000], y[:5000] = np.round(x[:5000]), np.round(y[:5000])  # whole quotients, and zeros
    want, got = (eval(program, {"t": t, "x": t.from_numpy(x), "y": t.from_numpy(y)}).numpy() for t in (torch, torchlike))
    kept = ~np.isnan(want)
    assert (np.isnan(got) != kept).all()
    assert got[kept].tobytes() == want[kept].tobytes()


@pytest.mark.parametrize("name", ["tan", "asin", "acos", "atan", "sin", "cos"])
def test_angles(name):
    rng = np.random.default_rng(0)
    x = np.concatenate([POINTS, rng.normal(size=20000), rng.uniform(-1, 1, 20000)]).astype(np.float32)
    if name in ("sin", "cos", "tan"):
        x[np.abs(x) > 1e6] = 1e6  # beyond 2 ** 20 all go to the C library
    with np.errstate(invalid="ignore"):
        exact = getattr(np, {"a": "arc"}.get(name[0], name[0]) + name[1:])(x.astype(np.float64))
    want, got = (getattr(t.tensor(x), name)().numpy() for t in (torch, torchlike))
    assert_rounded(got, exact, want)


def test_atan2():
    y, x = (a.reshape(-1) for a in np.meshgrid(POINTS, POINTS))
    exact = np.arctan2(y.astype(np.float64), x.astype(np.float64))
    want, got = (t.atan2(t.tensor(y), t.tensor(x)).numpy() for t in (torch, torchlike))
    exact[np.abs(exact) < 1e-37] = np.nan  # flushed to zero
    assert_rounded(got, exact, want)
    np.testing.assert_array_equal(np.signbit(got) & ~np.isnan(got), np.signbit(want) & ~np.isnan(want))


REFLECTORS = ["torch.linalg.householder_product(a, tau)", "torch.ormqr(a, tau, c)", "torch.ormqr(a, tau, c, transpose=True)",
              "torch.ormqr(a, tau, c.mT, left=False)"]


@pytest.mark.parametrize(("program", "dtype"), sampled(
    REFLECTORS, ("float64", "complex128"), fast=lambda i, k: i + k == 0, ci=lambda i, k: not k or i == 2))
def test_many_reflectors(program, dtype):
    """More of them than are applied at a time, and not a multiple; gradients, too."""
    random = torch.Generator().manual_seed(0)
    x = torch.randn(2, 80, 70, dtype=getattr(torch, dtype), generator=random)
    given = *torch.geqrf(x), torch.randn(2, 80, 3, dtype=x.dtype, generator=random)
    theirs = [t.requires_grad_() for t in given]
    ours = [torchlike.tensor(t.detach().numpy()).requires_grad_() for t in given]
    results = []
    for library, (a, tau, c) in ((torch, theirs), (torchlike, ours)):
        out = eval(program, {"torch": library, "a": a, "tau": tau, "c": c})
        grads = library.autograd.grad(out.abs().pow(2).cos().sum(), [a, tau, c], allow_unused=True)
        results.append([None if t is None else t.detach().numpy() for t in (out, *grads)])
    for want, got in zip(*results, strict=True):
        assert (want is None) == (got is None)
        if want is not None:
            np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)
