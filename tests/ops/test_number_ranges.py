"""Python numbers that do not fit, and integers divided by 0, against PyTorch: the same results, errors and texts."""

import math

import numpy as np
import pytest
import torch as theirs

import torchlike as ours
from tests.speed import sampled
from torchlike._ops import number_ranges
from torchlike._ops.all import ROWS

DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64")
NUMBERS = (300, -300, -1, 2**31, 2**40, 2**63 - 1, -2**63, 1e10, 1e39, 1e300, math.inf, -math.inf, math.nan, 2.5)
MASK, FIRST = [True, False, True], [0]


def vector(m, dtype):
    return m.tensor([1, 2, 3]).to(getattr(m, dtype))


def matrix(m, dtype):
    return m.tensor([[1, 2], [3, 4]]).to(getattr(m, dtype))


def assigned(x, index, number):
    x[index] = number
    return x


OPERATIONS = {
    "fill_": lambda m, d, n: vector(m, d).fill_(n),
    "fill": lambda m, d, n: m.fill(vector(m, d), n),
    "full": lambda m, d, n: m.full((2,), n, dtype=getattr(m, d)),
    "full_like": lambda m, d, n: m.full_like(matrix(m, d).t(), n),
    "new_full": lambda m, d, n: vector(m, d).new_full((2,), n),
    "scalar_tensor": lambda m, d, n: m.scalar_tensor(n, dtype=getattr(m, d)),
    "tensor": lambda m, d, n: m.tensor([n], dtype=getattr(m, d)),
    "masked_fill": lambda m, d, n: vector(m, d).masked_fill(m.tensor(MASK), n),
    "index_fill": lambda m, d, n: vector(m, d).index_fill(0, m.tensor(FIRST), n),
    "scatter": lambda m, d, n: vector(m, d).scatter(0, m.tensor(FIRST), n),
    "scatter_ add": lambda m, d, n: vector(m, d).scatter_(0, m.tensor(FIRST), n, reduce="add"),
    "fill_diagonal_": lambda m, d, n: matrix(m, d).fill_diagonal_(n),
    "x[0] =": lambda m, d, n: assigned(vector(m, d), 0, n),
    "x[mask] =": lambda m, d, n: assigned(vector(m, d), m.tensor(MASK), n),
    "x[index] =": lambda m, d, n: assigned(vector(m, d), m.tensor(FIRST), n),
    "+": lambda m, d, n: vector(m, d) + n,
    "add_": lambda m, d, n: vector(m, d).add_(n),
    "* ": lambda m, d, n: vector(m, d) * n,
    "//": lambda m, d, n: vector(m, d) // n,
    "%": lambda m, d, n: vector(m, d) % n,
    "fmod": lambda m, d, n: m.fmod(vector(m, d), n),
    "div trunc": lambda m, d, n: m.div(vector(m, d), n, rounding_mode="trunc"),
    "==": lambda m, d, n: vector(m, d) == n,
    "&": lambda m, d, n: vector(m, d) & n,
    "add alpha": lambda m, d, n: m.add(vector(m, d), vector(m, d), alpha=n),
    "add_ alpha": lambda m, d, n: vector(m, d).add_(vector(m, d), alpha=n),
    "**": lambda m, d, n: vector(m, d) ** n,
    "clamp": lambda m, d, n: vector(m, d).clamp(min=n),
    "clamp both": lambda m, d, n: vector(m, d).clamp(n, n),
    "clamp_max": lambda m, d, n: m.clamp_max(vector(m, d), n),
    "where": lambda m, d, n: m.where(m.tensor(MASK), vector(m, d), n),
    "threshold": lambda m, d, n: m.nn.functional.threshold(vector(m, d), 5, n),
    "hardshrink": lambda m, d, n: m.nn.functional.hardshrink(vector(m, d), n),
    "leaky_relu": lambda m, d, n: m.nn.functional.leaky_relu(vector(m, d), n),
    "softplus": lambda m, d, n: m.nn.functional.softplus(vector(m, d), n),
    "pad": lambda m, d, n: m.nn.functional.pad(vector(m, d), (1, 1), value=n),
    "linspace": lambda m, d, n: m.linspace(0, n, 3, dtype=getattr(m, d)),
    "addcmul": lambda m, d, n: m.addcmul(vector(m, d), vector(m, d), vector(m, d), value=n),
    "addmm": lambda m, d, n: m.addmm(matrix(m, d), matrix(m, d), matrix(m, d), alpha=n),
    "addmv": lambda m, d, n: m.addmv(matrix(m, d)[0], matrix(m, d), matrix(m, d)[0], beta=n),
    "index_add": lambda m, d, n: vector(m, d).index_add(0, m.tensor(FIRST), vector(m, d)[:1], alpha=n),
    "lerp": lambda m, d, n: m.lerp(vector(m, d), vector(m, d), n),
    "bucketize": lambda m, d, n: m.bucketize(n, vector(m, d)),
    "isin": lambda m, d, n: m.isin(vector(m, d), n),
}


def outcome(m, operation, dtype, number):
    """(dtype, values) or (error, text)."""
    try:
        made = operation(m, dtype, number)
        wide = m.complex128 if made.dtype.is_complex else m.float64 if made.dtype.is_floating_point else made.dtype
        return str(made.dtype).rpartition(".")[2], made.to(wide).numpy()
    except Exception as error:  # noqa: BLE001 - whatever PyTorch raises
        return type(error).__name__, str(error).partition("\n")[0]


def differences(operation):
    """The dtypes and numbers with different outcomes."""
    found = []
    for dtype in DTYPES:
        for number in NUMBERS:
            (kind, want), (our_kind, got) = (outcome(m, operation, dtype, number) for m in (theirs, ours))
            same = kind == our_kind and (want == got if isinstance(want, str) else
                                         np.allclose(want, got, rtol=1e-6, equal_nan=True))
            fits = isinstance(want, str) and "overflow" not in want and "Zero" not in want
            if not same and not fits:  # other errors have tests of their own
                found.append((dtype, number, want, got))
    return found


@pytest.mark.parametrize("name", sampled(OPERATIONS, fast=4))
def test_numbers(name):
    assert differences(OPERATIONS[name]) == []


def test_planted_error_is_seen(monkeypatch):
    monkeypatch.setattr(number_ranges.Range, "check", lambda self, value: None)
    assert len(differences(OPERATIONS["index_add"])) > 30


def test_later_numbers_are_looked_at():
    x = ours.zeros(3, dtype=ours.int8)
    for number in (1, 2, 3):
        assert x.fill_(number).tolist() == [number] * 3
    with pytest.raises(RuntimeError, match="int8_t without overflow"):
        x.fill_(300)
    assert x.tolist() == [3] * 3


def test_names_of_rows():
    """A misspelt name would let all numbers through."""
    for row in ROWS.values():
        assert set(row.fits) <= {*row.operands, *row.numbers}, row


@pytest.mark.parametrize("number", [127.5, -128.5, -1.0, 255.5, 127.0])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64"])
def test_fractions(dtype, number):
    for name in ("fill_", "tensor", "scalar_tensor"):
        want, got = (outcome(m, OPERATIONS[name], dtype, number) for m in (theirs, ours))
        assert str(want) == str(got), name


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8"])
def test_powers(dtype):
    base, exponent = [7, 3, 2, 0, 1, 255 if dtype == "uint8" else -3], [100, 65, 64, 0, 127, 33]

    def power(m):
        return (m.tensor(base, dtype=getattr(m, dtype)) ** m.tensor(exponent, dtype=getattr(m, dtype))).tolist()

    assert power(ours) == power(theirs)


DIVISIONS = {"//": lambda m, x, y: x // y, "%": lambda m, x, y: x % y, "fmod": lambda m, x, y: m.fmod(x, y),
             "trunc": lambda m, x, y: m.div(x, y, rounding_mode="trunc"), "//=": lambda m, x, y: x.floor_divide_(y)}


@pytest.mark.parametrize("name", DIVISIONS)
@pytest.mark.parametrize("kind", ["number", "known", "later"])
def test_integers_by_zero(name, kind):
    def divided(m):
        divisor = 0 if kind == "number" else m.tensor([1, 0, 2])
        made = DIVISIONS[name](m, m.tensor([4, 5, 6]), divisor + 0 if kind == "later" else divisor)
        return made.tolist()

    for m in (theirs, ours):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            divided(m)


@pytest.mark.parametrize("name", DIVISIONS)
def test_nothing_by_zero(name):
    """Of no elements, and of those that have no values."""
    for m in (theirs, ours):
        assert DIVISIONS[name](m, m.empty(0, dtype=m.int64), 0).tolist() == []
        assert DIVISIONS[name](m, m.ones(2, dtype=m.int64, device="meta"), 0).shape == (2,)


def test_other_divisors():
    x, later = ours.tensor([4, 5, 6]), ours.tensor([1, 2, 3]) + 1
    assert (x // later).tolist() == [2, 1, 1] and (x % later).tolist() == [0, 2, 2]
    assert (x / ours.tensor([0, 1, 2])).tolist() == [math.inf, 5, 3]
    assert ours.func.vmap(ours.floor_divide)(x, later).tolist() == [2, 1, 1]
