"""The equations of a JAX program: their values, their lines, and the gradients of the values."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tests.speed import case
from torchlike._diff.jax_program import Program


@jax.custom_vjp
def doubled(x):
    return x * 2


doubled.defvjp(lambda x: (x * 2, None), lambda _, g: (g * 7,))


def everything(w, x):
    """Calls, loops, branches, and what has a derivative of its own."""
    y = jax.jit(lambda v: jnp.sin(v) @ w)(x)
    y = doubled(jax.nn.relu(y))
    y = jax.checkpoint(jnp.cos)(y)
    y, steps = lax.scan(lambda c, v: (c * v, c.sum()), y, w, reverse=True)
    y = lax.cond(y.sum() > 0, jnp.tanh, jnp.exp, y)
    return y + steps.sum(), jnp.argmax(y)


def arrays():
    generator = np.random.default_rng(0)
    return generator.standard_normal((3, 3)).astype(np.float32), generator.standard_normal((2, 3)).astype(np.float32)


@pytest.mark.parametrize("is_wide", [case(False, ci=False), case(True)])
def test_values_and_gradients_are_those_of_jax(is_wide):
    program = Program(everything, list(arrays()), is_wide)
    run = program.run()
    cotangent = np.arange(6.0).reshape(2, 3)
    program.gradients(run, [cotangent, None])
    with program.precision():
        (expected, place), pull = jax.vjp(everything, *program.arrays)
        gradients = pull((jnp.asarray(cotangent, expected.dtype), np.zeros((), jax.dtypes.float0)))
        expected, place, gradients = np.asarray(expected), int(place), [np.asarray(g) for g in gradients]
    close = 1e-12 if is_wide else 1e-4
    np.testing.assert_allclose(run.values[0], expected, close)
    assert run.values[1] == place and run.values[0].dtype == expected.dtype
    for event, g in zip(run.events[:2], gradients, strict=True):
        np.testing.assert_allclose(event.grads[0][2], g, close, 1e-5 if not is_wide else 1e-12)
    names = {event.name for event in run.events}
    assert {"sin", "dot_general", "cos", "custom_vjp_call", "custom_jvp_call", "(stacked)"} <= names
    assert not {"jit", "scan", "cond", "remat2"} & names
    assert {"tanh", "exp"} & names and not {"tanh", "exp"} <= names


def test_a_loop_whose_end_the_values_decide():
    def function(x):
        return lax.while_loop(lambda v: v.sum() < 10, lambda v: v * 2, x)

    run = Program(function, [np.ones(3, np.float32)], False).run()
    assert run.values[0].tolist() == [4.0, 4.0, 4.0] and sum(event.name == "mul" for event in run.events) == 2


def test_lines_and_scopes():
    def function(x):
        y = jnp.var(x)
        with jax.named_scope("layer"):
            z = jax.nn.relu(y)
        return jax.jit(lambda v: jnp.cos(v))(z)

    start = function.__code__.co_firstlineno
    events = Program(function, [np.ones(3, np.float32)], False).run().events
    lines = {event.name: event.line - start for event in events}
    assert lines["div"] == 1 and lines["max"] == 3 and lines["cos"] == 4
    assert all(event.file == __file__ for event in events[1:])
    assert {event.name: event.scope for event in events}["max"] == "layer"


@pytest.mark.slow
def test_what_a_program_makes_narrow_is_wide():
    def function(x):
        y = x.astype(jnp.bfloat16) * jnp.float32(0.1)
        return jnp.dot(y, y, preferred_element_type=jnp.float32) + jax.random.uniform(jax.random.key(0), (), jnp.float32)

    x = np.array([1.0, 2.0], np.float32)
    narrow, wide = (Program(function, [x], is_wide).run() for is_wide in (False, True))
    assert wide.values[0].dtype == np.float64 and narrow.values[0].dtype == np.float32
    assert narrow.values[0] == pytest.approx(wide.values[0], rel=1e-2)
    assert any(event.name == "mul" and np.array_equal(event.values[0], [0.1, 0.2]) for event in wide.events)
    assert any(event.drew for event in wide.events)
