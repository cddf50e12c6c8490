"""Fourier transforms."""

import jax.numpy as jnp
import numpy as np
import pytest

from tests.compile.plans.agreement import assert_agrees
from torchlike._compile.plans import fourier

TRANSFORMS = {"fft": jnp.fft.fft, "ifft": jnp.fft.ifft, "rfft": jnp.fft.rfft, "irfft": jnp.fft.irfft, "fft2": jnp.fft.fft2,
              "rfftn": jnp.fft.rfftn, "irfftn": jnp.fft.irfftn, "odd irfft": lambda x: jnp.fft.irfft(x, 7),
              "ifftn": jnp.fft.ifftn}


def signal(shape, dtype):
    rng = np.random.default_rng(0)
    real = rng.normal(size=shape)
    return (real + 1j * rng.normal(size=shape) if dtype.startswith("complex") else real).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms(name, dtype):
    if "rfft" in name and "irfft" not in name and dtype.startswith("complex"):
        dtype = "float" + str(int(dtype[7:]) // 2)
    assert_agrees(TRANSFORMS[name], signal((3, 6, 10), dtype))


@pytest.mark.parametrize("length", [1, 2, 13, 97, 1000])
def test_lengths(length):
    assert_agrees(jnp.fft.fft, signal((2, length), "complex64"))
    assert_agrees(lambda x: jnp.fft.irfft(jnp.fft.rfft(x), length), signal((2, length), "float32"))


def test_empty():
    assert_agrees(jnp.fft.rfft, signal((0, 8), "float32"))


def test_a_planted_error_is_seen(monkeypatch):
    monkeypatch.setitem(fourier._TRANSFORMS, "FFT", np.fft.ifftn)
    with pytest.raises(AssertionError):
        assert_agrees(jnp.fft.fft, signal((2, 8), "complex64"))
