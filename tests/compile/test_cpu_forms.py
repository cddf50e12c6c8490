"""What is compiled for the CPU in another form than its row's computes the same."""

import itertools

import jax
import numpy as np
import pytest
from jax import lax

from tests.speed import sampled
from torchlike._compile.backends import cpu_convolutions, cpu_forms

# (input, weight, stride, padding, dilation, groups, dilation of the input): the convolution and its two gradients are met
CASES = {
    "depthwise": ((2, 6, 13, 12), (6, 1, 3, 2), (1, 2), (1, 0), (2, 1), 6, (1, 1)),
    "wide depthwise": ((2, 3, 17, 19), (3, 1, 6, 5), (2, 1), (3, 2), (1, 2), 3, (1, 1)),
    "depthwise on a line": ((1, 4, 40), (4, 1, 30), (1,), (3,), (1,), 4, (1,)),
    "pointwise": ((2, 3, 16, 20), (5, 3, 1, 1), (2, 3), (0, 0), (1, 1), 1, (1, 1)),
    "padded pointwise": ((2, 3, 16, 20), (5, 3, 1, 1), (1, 1), (1, 2), (1, 1), 1, (1, 1)),
    "few channels": ((2, 3, 12, 9), (4, 3, 3, 2), (2, 1), (2, 0), (1, 2), 1, (1, 1)),
    "larger than the input": ((2, 4, 2, 3), (5, 4, 3, 5), (1, 1), (1, 2), (1, 1), 1, (1, 1)),
    "patches": ((2, 4, 12, 9), (5, 4, 3, 3), (3, 3), (0, 0), (1, 1), 1, (1, 1)),
    "patches and a rest": ((2, 4, 13, 11), (5, 4, 3, 2), (3, 2), (0, 0), (1, 1), 1, (1, 1)),
    "patches of a line": ((2, 4, 13), (5, 4, 3), (3,), (0,), (1,), 1, (1,)),
    "few windows of a volume": ((1, 3, 4, 5, 6), (4, 3, 2, 3, 2), (1, 2, 1), (0, 1, 1), (2, 1, 1), 1, (1, 1, 1)),
    "transposed": ((2, 4, 9, 10), (5, 4, 2, 3), (1, 1), (1, 2), (1, 2), 1, (2, 3)),
}
FORMS = ("_depthwise", "_depthwise_gradient", "_depthwise_gradient_by_bands", "_pointwise", "_windows", "_patches",
         "_exchanged")


def _functions(case):
    """(function, its arguments): the convolution, its gradient to the input, that to the weight."""
    x_shape, w_shape, stride, padding, dilation, groups, spread = CASES[case]
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal(x_shape, np.float32), rng.standard_normal(w_shape, np.float32)

    def convolve(x, w):
        return lax.conv_general_dilated(x, w, stride, [(p, p) for p in padding], spread, dilation,
                                        feature_group_count=groups)

    g = rng.standard_normal(convolve(x, w).shape, np.float32)
    return [(convolve, (x, w)), (lambda g, w: jax.linear_transpose(lambda v: convolve(v, w), x)(g)[0], (g, w)),
            (lambda g, x: jax.linear_transpose(lambda v: convolve(x, v), w)(g)[0], (g, x))]


def _rewritten(function, arguments):
    return cpu_forms.rewritten(jax.jit(function).trace(*arguments).jaxpr)


def _differs(case) -> bool:
    """Whether a form computes something else than the convolution."""
    for function, arguments in _functions(case):
        other = _rewritten(function, arguments)
        if other is not None and not np.allclose(jax.jit(other)(*arguments)[0], function(*arguments), atol=1e-4):
            return True
    return False


@pytest.mark.parametrize("case", sampled(CASES, fast=4))
def test_same_values(case):
    assert not _differs(case)


def test_each_form_is_met(monkeypatch):
    met = set()

    def noting(form):
        def noted(*arguments):
            met.add(form.__name__)
            return form(*arguments)

        return noted

    for name in FORMS:
        monkeypatch.setattr(cpu_convolutions, name, noting(getattr(cpu_convolutions, name)))
    for function, arguments in itertools.chain(*map(_functions, CASES)):
        other = _rewritten(function, arguments)
        if other is not None:
            jax.jit(other).trace(*arguments)
    assert met == set(FORMS)


def test_planted_error(monkeypatch):
    seen = cpu_convolutions._seen
    monkeypatch.setattr(cpu_convolutions, "_seen", lambda x, at, *rest: seen(x, (0,) * len(at), *rest))
    assert _differs("depthwise") and _differs("wide depthwise")
    cut = lax.slice_in_dim
    monkeypatch.setattr(lax, "slice_in_dim", lambda x, low, high, *rest: cut(x, 0, high - low, *rest))
    assert _differs("few channels")


def test_gradient_of_large_matrix():
    rng = np.random.default_rng(0)
    x, g = rng.standard_normal((256, 300), np.float32), rng.standard_normal((256, 1100), np.float32)

    def gradient(x, g):
        return jax.jit(lambda x, g: lax.dot_general(x, g, (((0,), (0,)), ((), ()))))(x, g) + 1

    other = _rewritten(gradient, (x, g))
    assert other is not None and _rewritten(gradient, (x[:, :100], g[:, :100])) is None
    assert "optimization_barrier" in str(jax.jit(other).trace(x, g).jaxpr)
    np.testing.assert_allclose(jax.jit(other)(x, g)[0], x.T @ g + 1, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize(("shape", "axes"), [((1, 1 << 16), (1,)), ((1 << 16, 1), (0,)), ((1, 256, 256), (1, 2))])
def test_a_long_row_is_summed_over_all_dimensions(shape, axes):
    x = np.random.default_rng(0).standard_normal(shape)

    def function(x):
        return x.sum(axes)

    other = _rewritten(function, (x,))
    assert "reduce_sum[axes={}".format(str(tuple(range(len(shape)))).replace(" ", "")) in \
        str(jax.make_jaxpr(other)(x)).replace(" ", "")
    found = other(x)[0]
    assert found.shape == (1,) and np.allclose(found, function(x))


@pytest.mark.parametrize(("shape", "axes"), [((1, 1 << 15), (1,)), ((2, 1 << 16), (1,)), ((1 << 16,), (0,))])
def test_other_sums_stay(shape, axes):
    assert _rewritten(lambda x: x.sum(axes), (np.ones(shape),)) is None
