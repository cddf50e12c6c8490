"""What is noted of a computation: the primitives that depend on a source, and no others."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.speed import sampled
from torchlike._compile.primitive_graph import Noted, Recorder, known, traced_back

X, Y = jnp.arange(1.0, 4.0), jnp.array([0.5, 2.0, -1.0])


def noted(function, *arrays) -> tuple:
    """(what a function of sources gives, the owners of those it depends on, a function that does the same again)."""
    recorder = Recorder()
    with recorder.recording():
        found = function(*(recorder.source(a, i) for i, a in enumerate(arrays)))
    sources, again, _ = traced_back([found])
    return found, [x.owner for x in sources], again


@jax.custom_jvp
def doubled(x):
    return x * 2


doubled.defjvp(lambda primals, tangents: (doubled(*primals), tangents[0] * 7))


@jax.custom_vjp
def tripled(x):
    return x * 3


tripled.defvjp(lambda x: (x * 3, None), lambda kept, g: (g * 11,))

FUNCTIONS = {
    "primitives": lambda x: jnp.sin(x) * x + 1,
    "jit": jax.jit(lambda x: jnp.where(x > 2, x * 3, x)),
    "grad": lambda x: jax.grad(lambda t: (t ** 3).sum())(x),
    "vmap": lambda x: jax.vmap(lambda t: t * x)(x),
    "scan": lambda x: jax.lax.scan(lambda c, t: (c * t, c), 1.0, x)[0],
    "branch": lambda x: x * 2 if x.sum() > 1 else x,
    "custom_jvp": doubled,
    "custom_vjp": tripled,
    "custom_jvp of rows": jax.vmap(doubled),
    "custom_jvp in jit": jax.jit(doubled),
    "linearize": lambda x: jax.linearize(jnp.sin, x)[1](x),
    "checkpoint": jax.checkpoint(lambda x: jnp.sin(jnp.cos(x))),
    "sort": lambda x: jnp.sort(-x),
}


@pytest.mark.parametrize("name", sampled(FUNCTIONS, fast=3))
def test_the_graph_is_the_function(name):
    """The values, and derivatives of the first and second order, custom ones too."""
    function = FUNCTIONS[name]
    found, sources, again = noted(function, X)
    assert sources == [0]
    np.testing.assert_allclose(known(found), function(X), rtol=1e-6)
    for both in ((lambda f: f), (lambda f: jax.grad(lambda x: (f(x) * f(x)).sum())), jax.jacrev):
        np.testing.assert_allclose(both(lambda x: again(x)[0])(X), both(function)(X), rtol=1e-5)


def test_a_graph_goes_on_under_another_recorder():
    middle, _, _ = noted(lambda x: x * x, X)
    recorder = Recorder()
    with recorder.recording():
        found = jax.vmap(jnp.sin)(middle) * recorder.source(Y, "y")
    sources, again, _ = traced_back([found])
    assert sorted(map(str, (x.owner for x in sources))) == ["0", "y"]
    order = [X if x.owner == 0 else Y for x in sources]
    np.testing.assert_allclose(again(*order)[0], jnp.sin(X * X) * Y, rtol=1e-6)


CONSTANTS = {
    "nothing": lambda x: jnp.ones(3),
    "integers": lambda x: x.astype(int),
    "of a comparison": lambda x: (x > 2) * 2.0,
    "in jit": jax.jit(lambda x: jnp.where(x > 2, 1.0, 0.0)),
    "stop_gradient": lambda x: jax.lax.stop_gradient(x) * 2,
    "stop_gradient in jit": jax.jit(lambda x: jax.lax.stop_gradient(x) * 2),
    "argmax": lambda x: jnp.argmax(x),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_what_has_no_derivative_is_not_noted(name):
    recorder = Recorder()
    with recorder.recording():
        found = CONSTANTS[name](recorder.source(X, 0))
    assert not isinstance(found, Noted)
    np.testing.assert_allclose(found, CONSTANTS[name](X))


def test_each_result_of_a_call_by_itself():
    recorder = Recorder()
    with recorder.recording():
        first, second = jax.jit(lambda x, y: (x * 2, y * 3))(recorder.source(X, "x"), Y)
    assert isinstance(first, Noted) and not isinstance(second, Noted)


def test_only_what_is_needed_is_computed_again():
    recorder = Recorder()
    with recorder.recording():
        x = recorder.source(X, 0)
        _, found = jnp.sin(x), x * 2
    _, again, _ = traced_back([found])
    assert "sin" not in str(jax.make_jaxpr(again)(X))


def test_recorders_leave_nothing_in_the_caches_of_jitted_functions():
    function = jax.jit(lambda x: x + 1)
    for _ in range(5):
        with Recorder().recording():
            function(X)
    assert function._cache_size() == 1
