"""`repr` against real torch: values, notations, widths, summaries, wrapping, suffixes, options."""

import ml_dtypes
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from torchlike._api import printing

REAL = {"float32": np.float32, "float64": np.float64, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16,
        "int64": np.int64, "int32": np.int32, "int16": np.int16, "int8": np.int8, "uint8": np.uint8,
        "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64, "bool": np.bool_}
DTYPES = REAL | {"complex64": np.complex64, "complex128": np.complex128}
# Where notations change: zero, the largest ratio 1000, the limits 1e8 and 1e-4, and what is no number.
SPECIAL = [
    0.0, -0.0, 1.0, -1.5, 0.5, 999.9999, 1000.0, 1001.0, 1e8, 1e8 + 8, 1e9, 1e-4, 9.9999e-5, 1.0001e-4, 1e-10,
    99999.0, 12345.678, 5e-324, 1e300, float("nan"), float("inf"), float("-inf"),
]
OPTIONS = [
    {}, {"precision": 0}, {"precision": 8}, {"threshold": 10, "edgeitems": 2},
    {"threshold": 0, "edgeitems": 1}, {"edgeitems": 0}, {"threshold": 5, "edgeitems": 0},
    {"linewidth": 40}, {"linewidth": 10},
    {"linewidth": 200}, {"sci_mode": True}, {"sci_mode": False}, {"profile": "full"}, {"profile": "short"},
    {"profile": "default"}, {"profile": "short", "precision": 6}, {"profile": "unknown"},
]
SHAPES = [
    (), (1,), (1001,), (1000,), (2000, 2), (2, 2000), (11, 11, 11), (40, 40), (7, 1, 200), (1, 1, 1, 5),
    (2, 3, 2, 3), (0,), (0, 3), (3, 0),
]


@pytest.fixture(autouse=True)
def _restored():
    yield
    torch.set_printoptions(profile="default")
    torch.set_default_dtype(torch.float32)
    printing.set_printoptions(profile="default")


def ours(array, name, suffixes=(), default="float32", **more):
    return printing.tensor_str(array, dtype_name=name, default_dtype_name=default, suffixes=list(suffixes),
                                **more)


def to_torch(array):
    if array.dtype == ml_dtypes.bfloat16:
        return torch.tensor(array.astype(np.float32)).bfloat16()
    return torch.from_numpy(np.array(array))


def check(array, name):
    assert ours(array, name) == repr(to_torch(array))


def filled(shape, name, seed=0, scale=100.0):
    values = np.asarray(np.random.default_rng(seed).standard_normal(shape) * scale)
    if name.startswith("u"):
        values = np.abs(values)
    with np.errstate(invalid="ignore", over="ignore"):
        if "int" in name:
            values = values.astype(np.int64)
        return np.asarray(values, DTYPES[name])


# -- values

@pytest.mark.parametrize("name", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("values", [
    [], [[]], 1.0, 0.5, float("nan"), float("inf"), [1.0, 2.0], [1.5, -2.25], [1e-5, 1.0], [1e9, 1.0],
    [0.0, 0.0], [1.0, float("nan"), float("-inf")], [[1.0, 2.0], [3.0, 4.0]], list(range(30)),
    [[0.1] * 30] * 3, [1e-10], [12345.678], [[[1.0]]], [1000.0, 1.0], [1001.0, 1.0], [0.00011], [-0.0],
    [5e-324, 1e300], [100000008.0],
])
def test_values(values, name):
    with np.errstate(over="ignore"):
        check(np.asarray(values, DTYPES[name]), name)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(shape, name):
    check(filled(shape, name), name)


@pytest.mark.parametrize("name", [n for n in REAL if "int" in n])
def test_limits_of_integers(name):
    limits = np.iinfo(name)
    check(np.array([limits.min, 0, limits.max], name), name)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.floats() | st.sampled_from(SPECIAL), min_size=1, max_size=12),
       st.sampled_from(["float32", "float64", "float16", "bfloat16"]))
@pytest.mark.slow
def test_any_floats(values, name):
    with np.errstate(all="ignore"):
        check(np.asarray(values, np.float64).astype(DTYPES[name]), name)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(SPECIAL), min_size=2, max_size=12),
       st.sampled_from(["complex64", "complex128"]))
def test_any_complex(values, name):
    half = len(values) // 2
    array = np.empty(half, DTYPES[name])
    with np.errstate(all="ignore"):
        array.real, array.imag = values[:half], values[half:2 * half]
    check(array, name)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(1, 9), max_size=4), st.sampled_from(sorted(DTYPES)), st.integers(-9, 9),
       st.integers(0, 99))
def test_any_shape_and_scale(shape, name, scale, seed):
    power = abs(scale) % 2 if "int" in name else scale  # integers stay within int8
    check(filled(tuple(shape), name, seed, 10.0 ** power), name)


def test_transposed_and_strided():
    array = np.arange(60.0, dtype=np.float32).reshape(4, 15).T[::2]
    check(array, "float32")


# -- options

@pytest.mark.parametrize("name", ["float32", "int64", "bool", "complex64", "bfloat16"])
@pytest.mark.parametrize("given_options", OPTIONS, ids=str)
def test_options(given_options, name):
    torch.set_printoptions(**given_options)
    printing.set_printoptions(**given_options)
    for shape in ((), (3,), (0,), (0, 2), (50,), (30, 30), (3, 40, 4)):
        check(filled(shape, name, scale=3.0), name)
        check(np.zeros(shape, DTYPES[name]), name)


def test_options_last():
    for given_options in OPTIONS:
        torch.set_printoptions(**given_options)
        printing.set_printoptions(**given_options)
        assert printing.get_printoptions() == torch._tensor_str.get_printoptions()


# -- suffixes

@pytest.mark.parametrize("length", range(5, 16))
@pytest.mark.parametrize("name", ["float32", "float64", "bfloat16", "complex64", "complex128"])
def test_suffixes_wrap(name, length):
    x = to_torch(filled((length,), name)).requires_grad_()
    for y, tail in ((x, "requires_grad=True"), (x.clone(), "grad_fn=<CloneBackward0>")):
        assert ours(filled((length,), name), name, [tail]) == repr(y)


@pytest.mark.parametrize("default", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("name", DTYPES)
def test_default_dtypes(name, default):
    torch.set_default_dtype(getattr(torch, default))
    for shape in ((2,), (0,), (0, 3)):
        array = filled(shape, name)
        assert ours(array, name, default=default) == repr(to_torch(array))


@pytest.mark.parametrize("name", ["float32", "float64", "int64", "bool", "complex64"])
@pytest.mark.parametrize("shape", [(), (3, 2), (0,)])
def test_without_values(name, shape):
    theirs = torch.ones(shape, device="meta", dtype=getattr(torch, name))
    assert ours(None, name, ["device='meta'"], shape=shape) == repr(theirs)


def test_device_comes_before_dtype():
    text = ours(np.ones(2), "float64", ["device='cuda:0'", "requires_grad=True"])
    assert text == "tensor([1., 1.], device='cuda:0', dtype=torch.float64, requires_grad=True)"


def test_prefix_and_indent():
    text = ours(np.arange(40.0, dtype=np.float32), "float32", prefix="Parameter(", indent=4)
    lines = text.splitlines()
    assert lines[0].startswith("Parameter([ 0.,")
    assert all(line.startswith(" " * 15) for line in lines[1:])
    assert max(map(len, lines)) <= 80
