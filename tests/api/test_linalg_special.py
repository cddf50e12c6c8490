"""torch.linalg and its older forms of matrices that are singular, indefinite or not finite, and of wrong arguments, against
torch: whether numbers are nan, infinite or finite, whole results of other dtypes, and the errors with their texts."""

import math
import warnings

import numpy as np
import pytest
import torch

import torchlike
from tests.speed import every, sampled

NAN, INF = math.nan, math.inf
MATRICES = {
    "negative": [[-1.0, 0], [0, -1]], "zero": [[0.0, 0], [0, 0]], "singular": [[1.0, 2], [2, 4]],
    "nan": [[NAN, 1.0], [1, 2]], "nan below": [[2.0, NAN], [1.0, 2.0]], "infinite": [[INF, 1.0], [1, 2]],
    "indefinite": [[4.0, 2, 1], [2, -3, 0], [1, 0, 5]],
    "batch": [[[1.0, 0], [0, 1]], [[0, 0], [0, 0]]], "negative in a batch": [[[1.0, 0], [0, 1]], [[-1, 0], [0, 1]]]}
ONE = ["cholesky", "linalg.cholesky", "linalg.cholesky_ex", "inverse", "linalg.inv", "linalg.inv_ex", "linalg.eigvalsh",
       "linalg.svdvals", "linalg.svd", "svd", "pinverse", "linalg.pinv", "linalg.matrix_rank", "linalg.lu_factor",
       "linalg.lu", "lu", "linalg.lu_factor_ex", "det", "logdet", "slogdet", "linalg.slogdet", "cholesky_inverse",
       "matrix_exp"]
TWO = ["linalg.solve", "linalg.solve_ex", "linalg.lstsq", "cholesky_solve", "triangular_solve", "linalg.tensorsolve",
       "lu_solve"]
MORE = {
    "norms": lambda t, a: [t.linalg.matrix_norm(a, ord=o) for o in (-2, "nuc", "fro", 2)],
    "conditions": lambda t, a: [t.linalg.cond(a, p=p) for p in (-2, 1, "fro", "nuc")],
    "condition": lambda t, a: t.linalg.cond(a),
    "tensorinv": lambda t, a: t.linalg.tensorinv(a, ind=a.ndim - 1),
    "power": lambda t, a: t.linalg.matrix_power(a, -2),
    "upper": lambda t, a: t.linalg.cholesky_ex(a, upper=True),
    "checked cholesky": lambda t, a: t.linalg.cholesky_ex(a, check_errors=True),
    "checked inverse": lambda t, a: t.linalg.inv_ex(a, check_errors=True),
    "checked solution": lambda t, a: t.linalg.solve_ex(a, a, check_errors=True),
    "checked LU": lambda t, a: t.linalg.lu_factor_ex(a, check_errors=True),
}
# What MKL makes of nan and infinities there is no rule for: compat/gaps.toml
ODD = {("cholesky_inverse", "nan"), ("cholesky_inverse", "nan below"), ("linalg.lstsq", "infinite")}


def named(t, name):
    for part in name.split("."):
        t = getattr(t, part)
    return t


def applied(t, name, a):
    if name in MORE:
        return MORE[name](t, a)
    if name in ONE:
        return named(t, name)(a)
    b = t.ones(*a.shape[:-1], 1, dtype=a.dtype)
    if name == "lu_solve":
        return t.lu_solve(b, *t.linalg.lu_factor_ex(a)[:2])
    if name == "linalg.tensorsolve":
        return t.linalg.tensorsolve(a, b[..., 0])
    return named(t, name)(*((b, a) if name in ("cholesky_solve", "triangular_solve") else (a, b)))


def kinds(x):
    """nan, infinite or finite for each number; integers themselves."""
    if isinstance(x, tuple | list):
        return [kinds(each) for each in x]
    x = x.detach().numpy()
    if x.dtype.kind not in "fc":
        return x.tolist()
    return np.where(np.isnan(x), "nan", np.where(np.isfinite(x), "finite", "infinite")).tolist()


def outcome(t, function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return kinds(function(t))
        except (RuntimeError, IndexError, TypeError, ValueError) as error:
            text = str(error).split("please report a bug to PyTorch. ")[-1]  # what PyTorch takes for a mistake of its own
            return type(error).__name__, text.partition("\n")[0]


def differing(functions):
    """{name: (torch's, torchlike's)} of functions of the package that do not agree."""
    found = {name: [outcome(t, function) for t in (torch, torchlike)] for name, function in functions.items()}
    return {name: (want, got) for name, (want, got) in found.items() if want != got}


@pytest.mark.parametrize("name", sampled([*ONE, *TWO, *MORE], fast=8, ci=every(4, 2)))
def test_matrices_that_fail(name):
    assert differing({kind: lambda t, a=a: applied(t, name, t.tensor(a)) for kind, a in MATRICES.items()
                      if (name, kind) not in ODD}) == {}


@pytest.mark.parametrize("name", sampled([*ONE, *TWO, *MORE], ci=every(8, 1)))
@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_of_other_dtypes(name, dtype):
    assert differing({kind: lambda t, a=a: applied(t, name, t.tensor(a, dtype=getattr(t, dtype)))
                      for kind, a in MATRICES.items() if "nan" not in kind and kind != "infinite"}) == {}


@pytest.mark.parametrize("name", ["logdet", "slogdet", "det", "linalg.inv_ex", "linalg.cholesky_ex", "linalg.lu_factor_ex",
                                  "linalg.svdvals", "linalg.eigvalsh"])
def test_gradients(name):
    def gradient(t, a):
        x = t.tensor(a, requires_grad=True)
        made = applied(t, name, x)
        ends = [y for y in (made if isinstance(made, tuple) else [made]) if y.requires_grad]
        return t.autograd.grad(ends, x, [t.ones_like(y) for y in ends])

    assert differing({kind: lambda t, a=a: gradient(t, a) for kind, a in MATRICES.items() if kind in (
        "zero", "singular", "batch", "negative")}) == {}


def test_what_was_factored_is_kept():
    for a in (MATRICES["indefinite"], MATRICES["singular"], MATRICES["negative in a batch"]):
        for upper in (False, True):
            want, got = (t.linalg.cholesky_ex(t.tensor(a, dtype=t.float64), upper=upper) for t in (torch, torchlike))
            np.testing.assert_allclose(got.L.numpy(), want.L.numpy(), atol=1e-12)
            assert got.info.tolist() == want.info.tolist()


SHAPES = {"0-D": (), "1-D": (3,), "2x3": (2, 3), "3x2": (3, 2), "0x0": (0, 0), "0x3": (0, 3), "2x0x0": (2, 0, 0)}
CALLS = {
    **{name: lambda t, a, b, name=name: named(t, name)(a) for name in (
        *ONE, "linalg.eig", "linalg.eigvals", "linalg.eigh", "linalg.qr", "qr", "geqrf", "linalg.ldl_factor_ex")},
    **{name: lambda t, a, b, name=name: named(t, name)(a, b) for name in (
        "linalg.solve", "linalg.solve_ex", "linalg.lstsq", "linalg.cross", "orgqr")},
    "addmm": lambda t, a, b: t.addmm(a, a, b), "addbmm": lambda t, a, b: t.addbmm(a, a, b),
    "cholesky_solve": lambda t, a, b: t.cholesky_solve(b, a),
    "triangular_solve": lambda t, a, b: t.triangular_solve(b, a),
    "solve_triangular": lambda t, a, b: t.linalg.solve_triangular(a, b, upper=True),
    "lu_solve": lambda t, a, b: t.lu_solve(b, a, t.ones(a.shape[:-1], dtype=t.int32)),
    "ldl_solve": lambda t, a, b: t.linalg.ldl_solve(a, t.ones(a.shape[:-1], dtype=t.int32), b),
    "ormqr": lambda t, a, b: t.ormqr(a, b, a), "chain_matmul": lambda t, a, b: t.chain_matmul(a, b),
    "lu_unpack": lambda t, a, b: t.lu_unpack(a, t.ones(2, dtype=t.int32)) if a.ndim < 2 else [],
}
UNLIKE = {  # compat/gaps.toml: LAPACK gets nothing to do there, whatever the dtype; `cholesky` looks at no shapes then
    "0x0": ("float32",), "2x0x0": ("float32",), "0x3": ()}


@pytest.mark.parametrize("name", sampled(CALLS, fast=8, ci=every(4, 2)))
def test_wrong_arguments(name):
    def called(sizes, dtype, others, other):
        return lambda t: CALLS[name](t, t.ones(sizes, dtype=getattr(t, dtype)), t.ones(others, dtype=getattr(t, other)))

    assert differing({
        (shape, dtype, others, other): called(sizes, dtype, others, other)
        for shape, sizes in SHAPES.items() for dtype in ("float32", "int64", "float16")
        if dtype in UNLIKE.get(shape, (dtype,))
        for others, other in ((sizes, dtype), (sizes, "float64"), ((2, 1), dtype))}) == {}


@pytest.mark.parametrize("name", ["inverse", "slogdet", "linalg.inv", "matrix_power", "chain_matmul", "linalg.svd"])
def test_out_of_other_dtypes(name):
    def written(t, dtype):
        a = t.tensor([[4.0, 1], [1, 3]])
        arguments = {"matrix_power": (a, 3), "chain_matmul": (a, a)}.get(name, (a,))
        made = named(t, name)(*arguments)
        out = tuple(t.empty(x.shape, dtype=getattr(t, dtype)) for x in (made if isinstance(made, tuple) else [made]))
        return named(t, name)(*arguments, out=out if len(out) > 1 else out[0])

    assert differing({dtype: lambda t, dtype=dtype: written(t, dtype) for dtype in ("float64", "int64", "complex64")}) == {}
