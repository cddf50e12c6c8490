"""Convolutions in all forms, and the gradients as the rows make them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax import lax

from tests.compile.plans.agreement import assert_agrees, planned
from torchlike._compile.plans import convolution
from torchlike._compile.plans.plan import Plan
from torchlike._compile.plans.table import Declined
from torchlike._ops.nn.convolution import _apply, _input_gradient, _weight_gradient


def normal(shape, dtype="float32", seed=0):
    return (3 * np.random.default_rng(seed).normal(size=shape)).astype(jnp.dtype(dtype))


# (input, weight, what lax.conv_general_dilated takes)
FORMS = {
    "one dimension": ((2, 3, 9), (4, 3, 3), {"window_strides": (2,), "padding": [(1, 2)]}),
    "three dimensions": ((2, 2, 5, 6, 7), (3, 2, 2, 1, 3), {"window_strides": (1, 2, 1), "padding": [(0, 1)] * 3}),
    "no space": ((2, 3), (4, 3), {"window_strides": (), "padding": []}),
    "all dilations": ((2, 2, 6, 6), (3, 2, 3, 2), {"window_strides": (2, 1), "padding": [(2, 3), (0, 1)],
                                                   "lhs_dilation": (2, 3), "rhs_dilation": (2, 1)}),
    "negative padding": ((1, 2, 9, 9), (2, 2, 3, 3), {"window_strides": (1, 1), "padding": [(-2, 1), (1, -3)]}),
    "negative padding of a dilated input": ((1, 2, 9), (2, 2, 2), {"window_strides": (1,), "padding": [(-3, -2)],
                                                                   "lhs_dilation": (2,)}),
    "groups": ((2, 6, 12, 16), (4, 3, 3, 3), {"window_strides": (1, 1), "padding": "SAME", "feature_group_count": 2}),
    "depthwise": ((2, 5, 9, 32), (5, 1, 3, 5), {"window_strides": (2, 1), "padding": [(1, 1), (2, 2)],
                                                "feature_group_count": 5}),
    "depthwise, a row of a prime length": ((2, 3, 8, 37), (3, 1, 3, 3), {
        "window_strides": (1, 1), "padding": "SAME", "rhs_dilation": (1, 2), "feature_group_count": 3}),
    "depthwise, strides and dilations": ((2, 3, 31), (3, 1, 4), {
        "window_strides": (3,), "padding": [(2, 1)], "rhs_dilation": (2,), "feature_group_count": 3}),
    "depthwise, a large kernel": ((2, 3, 9, 9), (3, 1, 8, 8), {"window_strides": (1, 1), "padding": "VALID",
                                                               "feature_group_count": 3}),
    "groups of the batch": ((6, 2, 8, 8), (9, 2, 6, 6), {"window_strides": (1, 1), "padding": "VALID",
                                                         "batch_group_count": 3}),
    "one element": ((2, 6, 12, 12), (4, 6, 1, 1), {"window_strides": (1, 1), "padding": "VALID"}),
    "one element and strides": ((2, 6, 30, 30), (4, 6, 1, 1), {"window_strides": (2, 2), "padding": "VALID"}),
    "channels last": ((2, 12, 13, 3), (3, 3, 3, 5), {"window_strides": (1, 1), "padding": "SAME",
                                                     "dimension_numbers": ("NHWC", "HWIO", "NHWC")}),
    "several chunks": ((5, 16, 40, 40), (3, 16, 3, 3), {"window_strides": (1, 1), "padding": "SAME"}),
    "no batch": ((0, 3, 8), (4, 3, 3), {"window_strides": (1,), "padding": "SAME"}),
    "no channels": ((2, 0, 8), (4, 0, 3), {"window_strides": (1,), "padding": "SAME"}),
    "no space inside": ((2, 3, 0), (4, 3, 3), {"window_strides": (1,), "padding": [(3, 3)]}),
    "no places": ((2, 3, 2), (4, 3, 3), {"window_strides": (1,), "padding": "VALID"}),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms(form):
    x, w, params = FORMS[form]
    assert_agrees(lambda x, w: lax.conv_general_dilated(x, w, **params), normal(x), normal(w, seed=1))


@pytest.mark.parametrize("dtype", ["float64", "bfloat16", "float16", "complex64", "int32", "int64", "uint8"])
def test_dtypes(dtype):
    x, w = normal((2, 4, 12, 12), dtype), normal((6, 2, 3, 3), dtype, 1)
    assert_agrees(lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", feature_group_count=2), x, w)


def test_wider_result():
    x, w = normal((2, 4, 12), "int8"), normal((6, 4, 3), "int8", 1)
    assert_agrees(lambda x, w: lax.conv_general_dilated(x, w, (1,), "SAME", preferred_element_type=np.int32), x, w)


@st.composite
def convolutions(draw):
    """Shapes and parameters, dimensions in any order."""
    n = draw(st.integers(1, 3))
    small, groups = st.integers(1, 3), draw(st.sampled_from([(1, 1), (2, 1), (3, 1), (1, 2)]))
    per_group, features = draw(small), draw(small)
    x = [draw(small) * groups[1], per_group * groups[0], *(draw(st.integers(1, 12)) for _ in range(n))]
    w = [features * groups[0] * groups[1], per_group, *(draw(st.integers(1, 9)) for _ in range(n))]
    orders = [tuple(draw(st.permutations(range(n + 2)))) for _ in range(3)]

    def each(strategy):
        return [draw(strategy) for _ in range(n)]

    pads = st.tuples(st.integers(-2, 9), st.integers(-2, 9)).filter(lambda pads: sum(pads) >= -1)  # of a size of 1 or more
    params = {"window_strides": each(small), "padding": each(pads), "lhs_dilation": each(small), "rhs_dilation": each(small),
              "dimension_numbers": lax.ConvDimensionNumbers(*orders), "feature_group_count": groups[0],
              "batch_group_count": groups[1]}
    return [tuple(np.array(shape)[np.argsort(order)]) for shape, order in zip((x, w), orders, strict=False)], params


@settings(max_examples=40, deadline=None)
@given(convolutions())
@pytest.mark.slow
def test_any_convolution(drawn):
    (x, w), params = drawn
    assert_agrees(lambda x, w: lax.conv_general_dilated(x, w, **params), normal(x), normal(w, seed=1))


ROWS = {  # input, weight, stride, padding, dilation, transposed, output padding, groups
    "plain": ((2, 3, 12, 12), (5, 3, 3, 3), (1, 1), (1, 1), (1, 1), False, (0, 0), 1),
    "many channels": ((2, 32, 12, 12), (9, 32, 3, 3), (1, 1), (1, 1), (1, 1), False, (0, 0), 1),
    "strides": ((2, 9, 13, 13), (5, 9, 3, 3), (2, 2), (1, 1), (1, 1), False, (0, 0), 1),
    "depthwise": ((2, 4, 12, 20), (4, 1, 5, 5), (2, 2), (2, 2), (1, 1), False, (0, 0), 4),
    "transposed": ((2, 4, 6, 6), (4, 3, 3, 3), (2, 2), (1, 1), (2, 1), True, (1, 1), 2),
}


@pytest.mark.parametrize("row", ROWS)
def test_rows_and_their_gradients(row):
    x, w, *rest = ROWS[row]
    x, w = normal(x), normal(w, seed=1)
    g = normal(jax.eval_shape(lambda x, w: _apply(x, w, *rest), x, w).shape, seed=2)
    assert_agrees(lambda x, w: _apply(x, w, *rest), x, w)
    assert_agrees(lambda g, w: _input_gradient(g, w, jax.ShapeDtypeStruct(x.shape, x.dtype), *rest), g, w)
    assert_agrees(lambda g, x: _weight_gradient(g, x, jax.ShapeDtypeStruct(w.shape, w.dtype), *rest), g, x)


def test_declined():
    x, w = np.ones((8, 16, 32, 32), np.int64), np.ones((9, 16, 3, 3), np.int64)
    with pytest.raises(Declined, match="integers"):
        planned(lambda x, w: lax.conv(x, w, (1, 1), "SAME"), x, w)
    x, w = jax.ShapeDtypeStruct((64, 3, 230, 230), np.float32), jax.ShapeDtypeStruct((64, 3, 224, 224), np.float32)
    with pytest.raises(Declined, match="large windows"):
        Plan(jax.make_jaxpr(lambda x, w: lax.conv(x, w, (1, 1), "VALID"))(x, w))


def test_a_planted_error_is_seen(monkeypatch):
    monkeypatch.setattr(convolution, "_windows", lambda x, sizes, true=convolution._windows: true(x, sizes)[..., ::-1])
    x, w, params = FORMS["all dilations"]
    with pytest.raises(AssertionError):
        assert_agrees(lambda x, w: lax.conv_general_dilated(x, w, **params), normal(x), normal(w, seed=1))
