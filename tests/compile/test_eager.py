"""What numpy computes of the primitives that a transform hands over, and what it leaves to XLA."""

import weakref

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import torchlike
from torchlike._compile import eager
from torchlike._compile.jax_private import current_trace, set_current_trace


@pytest.fixture
def watched(monkeypatch):
    """The names of the primitives that XLA has computed, of a block of JAX's under `Eager`."""
    assert eager.compiler.wait(60)  # for what other tests have used
    asked = []
    by_xla = eager.Eager._by_xla

    def noted(self, primitive, args, params):
        asked.append(params.get("name", primitive.name))
        return by_xla(self, primitive, args, params)

    monkeypatch.setattr(eager.Eager, "_by_xla", noted)
    monkeypatch.setattr(eager, "USES", 1 << 60)
    monkeypatch.setattr(eager, "_primitives", {})  # what other tests have compiled
    monkeypatch.setattr(eager, "_jitted", weakref.WeakKeyDictionary())
    with torchlike.configure(compile="background"), jax.enable_x64(True), set_current_trace(eager.around(current_trace())):
        yield asked


def test_numpy_computes(watched):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = jax.lax.transpose(jax.lax.sin(x), (1, 0))
    assert isinstance(y, jax.Array) and y.dtype == np.float32 and not y.committed
    np.testing.assert_allclose(y, np.sin(x).T, 1e-6)
    np.testing.assert_array_equal(jax.jit(lambda a: (a + 1, a > 2))(x)[1], x > 2)
    assert not watched


def test_results_are_committed_as_xlas(watched):
    there = jax.device_put(np.ones(3, np.float32), jax.devices("cpu")[0])
    assert jax.lax.neg(there).committed and not jax.lax.neg(np.ones(3, np.float32)).committed
    assert watched == ["device_put"]


def test_results_have_their_own_memory(watched):
    x = np.arange(64, dtype=np.float32)
    for y in (jax.lax.reshape(x, (8, 8)), jax.lax.slice(x, (3,), (60,)), jax.lax.broadcast_in_dim(x, (2, 64), (1,))):
        assert not np.shares_memory(np.asarray(y), x)
    assert not watched


@pytest.mark.parametrize(("name", "function"), [
    ("mul", lambda: jax.lax.mul(jnp.asarray(2.0), jnp.asarray(3.0))),  # weak types
    ("cumprod", lambda: jax.lax.cumprod(np.ones(eager.LARGEST // 4, np.float32))),
    ("random_bits", lambda: jax.random.bits(jax.random.key(0), (3,)))], ids=["weak", "large", "keys"])
def test_what_is_left_to_xla(watched, name, function):
    function()
    assert name in watched


@pytest.mark.parametrize("setting", ["now", "kernels"])
def test_settings_that_compile_everything(watched, setting):
    with torchlike.configure(compile=setting):
        jax.lax.sin(np.ones(3, np.float32))
    assert watched == ["sin"]


def test_what_is_used_again_is_compiled(watched, monkeypatch):
    monkeypatch.setattr(eager, "USES", 2)
    x = np.linspace(0, 1, 23, dtype=np.float32)
    for _ in range(2):
        first = jax.lax.tan(x)
    assert eager.compiler.wait(60)
    assert watched == ["tan"]
    np.testing.assert_allclose(jax.lax.tan(x), first, 1e-6)
    assert watched == ["tan", "tan"]


def test_only_jaxs_own_trace_is_replaced():
    trace = current_trace()
    assert eager.around(trace) is eager.around(trace) is not trace
    assert eager.around(eager.around(trace)) is eager.around(trace)
    with jax.default_device(jax.devices("cpu")[0]):
        assert eager.around(trace) is trace
