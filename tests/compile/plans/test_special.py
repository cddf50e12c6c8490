"""The error and gamma functions against their true values and XLA's special ones."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax import lax

from tests.compile.plans.agreement import assert_agrees, planned
from torchlike._compile.plans import special

TRUE = {"erf": torch.special.erf, "erfc": torch.special.erfc, "erf_inv": torch.special.erfinv,
        "lgamma": torch.special.gammaln, "digamma": torch.special.digamma}
ULPS = {"erf": 5, "erfc": 2, "erf_inv": 2, "lgamma": 2, "digamma": 2}  # of float32


def inputs(name):
    rng = np.random.default_rng(0)
    if name == "erf_inv":
        return np.concatenate([rng.uniform(-1, 1, 3000), 1 - 10 ** rng.uniform(-7, 0, 1000)])
    if name in ("lgamma", "digamma"):
        return np.concatenate([rng.uniform(-9.9, 20, 3000), 10 ** rng.uniform(-20, 20, 1000)])
    return np.concatenate([rng.uniform(-6, 6, 3000), 10 ** rng.uniform(-20, 1, 1000)])


def ulps(name, dtype):
    """The largest error, in units of the last place of the true value (of 1 where it is smaller, and it has zeros)."""
    x = inputs(name).astype(dtype)
    (found,) = planned(getattr(lax, name), x)
    true = TRUE[name](torch.tensor(x, dtype=torch.float64)).numpy()
    scale = np.abs(true).astype(dtype)
    if name in ("lgamma", "digamma"):
        scale = np.maximum(scale, 1)
    normal = np.isfinite(true) & (np.abs(true) > np.finfo(dtype).tiny)
    return (np.abs(found.astype(np.float64) - true) / np.spacing(scale).astype(np.float64))[normal].max()


@pytest.mark.parametrize("name", TRUE)
def test_float32(name):
    assert ulps(name, np.float32) <= ULPS[name]


def test_erf_in_float64_against_math():
    x = np.concatenate([np.linspace(-6, 6, 2001), np.linspace(-1e-3, 1e-3, 101)])
    (found,) = planned(lax.erf, x)
    np.testing.assert_allclose(found, [math.erf(v) for v in x], rtol=1e-15)


def test_erfc_in_float64_against_math():
    x = np.linspace(-6, 26, 2001)
    (found,) = planned(lax.erfc, x)
    np.testing.assert_allclose(found, [math.erfc(v) for v in x], rtol=2e-15)


def test_erf_inv_in_float64_inverts():
    x = np.concatenate([np.linspace(-5, 5, 1001), np.linspace(-1e-3, 1e-3, 11)])
    (found,) = planned(lax.erf_inv, np.array([math.erf(v) for v in x[np.abs(x) < 2]]))
    np.testing.assert_allclose(found, x[np.abs(x) < 2], rtol=2e-14)


def test_lgamma_in_float64_against_math():
    x = np.concatenate([np.linspace(0.01, 30, 1001), np.linspace(-5.95, -0.05, 60)])
    (found,) = planned(lax.lgamma, x)
    np.testing.assert_allclose(found, [math.lgamma(v) for v in x], rtol=1e-13, atol=1e-13)


def test_digamma_in_float64_against_torch():
    x = np.concatenate([np.linspace(0.01, 30, 1001), np.linspace(-3.95, -0.05, 40)])
    (found,) = planned(lax.digamma, x)
    np.testing.assert_allclose(found, TRUE["digamma"](torch.tensor(x)).numpy(), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("name", TRUE)
def test_special_values_and_dtypes(name, dtype):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, -2, 0.5, -0.5, 4.5, -4.5, 30, -30, 0.9], jnp.dtype(dtype))
    if name == "digamma" and np.isnan(lax.digamma(0.0)):  # before jax 0.11
        assert planned(lax.digamma, x[:2])[0].tolist() == [-math.inf, -math.inf]
        x = x[2:]
    assert_agrees(getattr(lax, name), x)
    with jax.enable_x64(True):
        want = np.asarray(getattr(lax, name)(x[:2]))
    (found,) = planned(getattr(lax, name), x[:2])
    assert np.signbit(found).tolist() == np.signbit(want).tolist()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (2, 3), (5, 20_000)])
@pytest.mark.parametrize("name", TRUE)
def test_shapes(name, shape):
    x = np.random.default_rng(0).uniform(0.1, 0.8, shape).astype(np.float32)
    assert_agrees(getattr(lax, name), x if shape else x[()])


def test_strided_and_in_place():
    x = np.random.default_rng(0).normal(size=(300, 200)).astype(np.float32)
    assert_agrees(lambda x: lax.erf(x.T) + lax.erf(lax.erf(x + 1).T), x)


def test_a_planted_error_is_seen(monkeypatch):
    monkeypatch.setattr(special, "_ERF32_TOP", (*special._ERF32_TOP[:-1], np.array(1.12838, np.float32)))
    assert ulps("erf", np.float32) > ULPS["erf"]
