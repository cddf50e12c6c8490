"""Bounds and dtypes of random numbers, against PyTorch: the same errors, and numbers where there is none."""

import pytest
import torch as theirs

import torchlike as ours

DTYPES = ("bool", "uint8", "int8", "int32", "int64", "float16", "bfloat16", "float32", "complex64")
CALLS = {
    **{f"random_{bounds}": lambda m, x, b=bounds: x.random_(*b)
       for bounds in ((), (2,), (3,), (0, 2), (-1, 1), (0, 129), (0, 257), (-1, 5), (5, 5), (5, 4), (0,), (-3,), (0, 70000),
                      (-70000, 1), (0, 2**24 + 3), (2.5,), (0, 2.5), (True,))},
    "randint": lambda m, x: m.randint(0, 300, (2,), dtype=x.dtype),
    "randint below": lambda m, x: m.randint(-1, 3, (2,), dtype=x.dtype),
    "randint of a float": lambda m, x: m.randint(0, 2.5, (2,), dtype=x.dtype),
    "randint_like": lambda m, x: m.randint_like(x, 300),
    "bernoulli_": lambda m, x: x.bernoulli_(0.5),
    "bernoulli_ by integers": lambda m, x: x.bernoulli_(m.tensor([1, 1])),
    "bernoulli_ by floats": lambda m, x: x.bernoulli_(m.tensor([1.0, 0.0])),
    "uniform_": lambda m, x: x.uniform_(),
    "uniform_ the wrong way": lambda m, x: x.uniform_(1, 0),
    "normal_": lambda m, x: x.normal_(300, 0),
    "exponential_": lambda m, x: x.exponential_(1).isfinite(),
    "exponential_ of 0": lambda m, x: x.exponential_(0),
    "cauchy_": lambda m, x: x.cauchy_().isfinite(),
    "log_normal_": lambda m, x: x.log_normal_().isfinite(),
    "geometric_": lambda m, x: x.geometric_(0.5),
}


def outcome(m, call, dtype):
    """(values, dtype) or (error, the first words of its text)."""
    m.manual_seed(0)
    try:
        made = call(m, m.ones(2, dtype=getattr(m, dtype)))
        wide = made.to(m.complex128 if made.is_complex() else m.float64)
        return wide.tolist(), str(made.dtype).rpartition(".")[2]
    except (RuntimeError, NotImplementedError, TypeError) as error:
        words = 2 if isinstance(error, TypeError) else None
        return type(error).__name__, str(error).partition("\n")[0].split()[:words]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_bounds_and_dtypes(name):
    outcomes = {dtype: [outcome(m, CALLS[name], dtype) for m in (theirs, ours)] for dtype in DTYPES}
    assert {dtype: found for dtype, found in outcomes.items() if found[0] != found[1]} == {}


def test_floats_that_cannot_tell_integers_apart():
    for m in (theirs, ours):
        with pytest.warns(UserWarning, match=r"to - 1 is out of bounds \[-\(2\^11\), 2\^11\]"):
            m.ones(2, dtype=m.float16).random_(0, 3000)


@pytest.mark.parametrize("call", ["m.flip(x, 0)", "m.flip(x, None)", "m.flip(x, [True])", "m.flip(x, (0.5,))",
                                  "x.flip(0.0)", "x.flip(True)", "x.flip(dims=0)", "x.flip([0.5])"])
def test_what_flip_refuses(call):
    texts = []
    for m in (theirs, ours):
        with pytest.raises(TypeError) as error:
            eval(call, {"m": m, "x": m.ones(2)})
        texts.append(str(error.value))
    assert texts[0] == texts[1]


def test_what_flip_takes():
    for m in (theirs, ours):
        x = m.arange(4).view(2, 2)
        for made in (x.flip(0, 1), x.flip([0, 1]), x.flip(dims=(0, 1)), m.flip(x, [m.tensor(0), 1]), m.flip(x, dims=(0, 1))):
            assert made.tolist() == [[3, 2], [1, 0]]


def test_where_nonzero_writes_to():
    for m in (theirs, ours):
        with pytest.raises(RuntimeError, match="Expected out tensor to have scalar type Long but got scalar typeFloat"):
            m.nonzero(m.ones(2), out=m.ones(2, 1))
