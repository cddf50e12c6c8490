"""`repr` against real torch: values, widths, summaries, wrapping, suffixes."""

import ml_dtypes
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torchlike import _printing

DTYPES = {"float32": np.float32, "float64": np.float64, "int64": np.int64, "int32": np.int32, "bool": np.bool_,
          "complex64": np.complex64, "float16": np.float16, "uint8": np.uint8}


def ours(array, name, suffixes=()):
    return _printing.tensor_str(array, dtype_name=name, default_dtype_name="float32", suffixes=list(suffixes))


@pytest.mark.parametrize("values", [
    [], [[]], 1.0, 0.5, float("nan"), float("inf"), [1.0, 2.0], [1.5, -2.25], [1e-5, 1.0], [1e9, 1.0], [0.0, 0.0],
    [1.0, float("nan"), float("-inf")], [[1.0, 2.0], [3.0, 4.0]], list(range(30)), [[0.1] * 30] * 3, [1e-10], [12345.678],
    [[[1.0]]], [1000.0, 1.0], [1001.0, 1.0], [0.00011], [-0.0],
])
def test_values(values):
    array = np.asarray(values, np.float32)
    assert ours(array, "float32") == repr(torch.tensor(array))


@pytest.mark.parametrize("shape", [(1001,), (2000, 2), (2, 2000), (11, 11, 11), (40, 40), (1, 1, 1, 5), (0, 3)])
@pytest.mark.parametrize("name", sorted(DTYPES))
def test_shapes(shape, name):
    array = (np.random.default_rng(0).standard_normal(shape) * 100).astype(DTYPES[name])
    assert ours(array, name) == repr(torch.tensor(array))


def test_bfloat16():
    array = np.asarray([1.5, 2.25, 1e-3], ml_dtypes.bfloat16)
    assert ours(array, "bfloat16") == repr(torch.tensor([1.5, 2.25, 1e-3], dtype=torch.bfloat16))


def test_suffixes_wrap():
    x = torch.ones(11, requires_grad=True)
    for y, tail in ((x, "requires_grad=True"), (x * 1.5, "grad_fn=<MulBackward0>")):
        assert ours(y.detach().numpy(), "float32", [tail]) == repr(y)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(width=32), min_size=1, max_size=12), st.sampled_from(["float32", "float64"]))
def test_any_floats(values, name):
    array = np.asarray(values, DTYPES[name])
    assert ours(array, name) == repr(torch.tensor(array))


@settings(max_examples=50, deadline=None)
@given(st.lists(st.complex_numbers(max_magnitude=1e6), min_size=1, max_size=8))
def test_any_complex(values):
    array = np.asarray(values, np.complex64)
    assert ours(array, "complex64") == repr(torch.tensor(array))


def test_options():
    array = np.linspace(0, 1, 50, dtype=np.float32)
    try:
        for options in ({"precision": 2}, {"threshold": 10, "edgeitems": 2}, {"linewidth": 40}, {"sci_mode": True},
                        {"profile": "full"}, {"profile": "short"}, {"profile": "default"}):
            torch.set_printoptions(**options)
            _printing.set_printoptions(**options)
            assert ours(array, "float32") == repr(torch.tensor(array))
    finally:
        torch.set_printoptions(profile="default")
        _printing.set_printoptions(profile="default")
