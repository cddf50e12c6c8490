"""Kernels that wait under a transform: when JAX gets them, how many at a time, and what is kept."""

import gc
import weakref

import jax
import pytest

import torchlike as torch
from torchlike._compile import deferred, eager
from torchlike._compile.deferred import Deferred
from torchlike._record.trace import state
from torchlike.func import grad, jvp, vmap


@pytest.fixture
def handed(monkeypatch):
    """How many kernels each function had that JAX got, and how many of their results were wanted."""
    found, of = [], deferred._function

    def function(steps, chosen):
        found.append((len(steps), len(chosen)))
        return of(steps, chosen)

    monkeypatch.setattr(deferred, "_function", function)
    return found


def loss(w, x):
    return ((x * w).tanh().exp() - x).square().sum()


W, X = torch.tensor([0.5, -1.0, 2.0]), torch.arange(12.0).reshape(4, 3)


def test_one_function_a_call(handed):
    for _ in range(3):
        handed.clear()
        vmap(grad(loss), in_dims=(None, 0))(W, X)
        assert handed == [(6, 1)]


def test_from_the_second_time_on_jax_gets_one_primitive(monkeypatch):
    with torch.configure(compile="background"):
        vmap(grad(loss), in_dims=(None, 0))(W, X)
        names = []
        process = eager.Eager.process_primitive
        monkeypatch.setattr(eager.Eager, "process_primitive", lambda self, primitive, args, params: (
            names.append(params.get("name", primitive.name)), process(self, primitive, args, params))[1])
        first = vmap(grad(loss), in_dims=(None, 0))(W + 1, X)
        names.clear()
        again = vmap(grad(loss), in_dims=(None, 0))(W + 1, X)
        assert names.count("kernels") == 2 and set(names) <= {"kernels", "convert_element_type", "device_put"}, names
    assert again.tolist() == first.tolist()


def test_looking_at_a_value(handed):
    def branches(x):
        y = x.exp()
        y = y * 2 if y.sum() > 0 else y * 3
        return y.sum()

    for _ in range(2):
        handed.clear()
        assert grad(branches)(torch.zeros(2)).tolist() == [2.0, 2.0]
        assert len(handed) == 2 and handed[0][0] == 3 and handed[1] == (2, 1)  # exp, sum and the comparison; mul and sum


def test_what_nobody_holds_is_no_result(handed):
    with torch.no_grad():
        vmap(lambda x: (x + 1).exp().sum())(X)
    assert handed == [(3, 1)]


def test_many_kernels_are_several_functions(handed):
    def long(x):
        for _ in range(deferred._LONGEST + 20):
            x = x + 0.5
        return x.sum()

    with torch.no_grad():
        value, tangent = jvp(long, (torch.ones(2),), (torch.ones(2),))
    assert value.item() == 2 + deferred._LONGEST + 20 and tangent.item() == 2
    assert [steps for steps, _ in handed] == [deferred._LONGEST, 21]


def test_an_interruption_leaves_what_waits(monkeypatch):
    of, fail = deferred._function, [True]

    def function(steps, chosen):
        if fail.pop():
            raise KeyboardInterrupt
        fail.append(False)
        return of(steps, chosen)

    def interrupted(x):
        y = (x * 3).sin()
        with pytest.raises(KeyboardInterrupt):
            y.sum().item()
        fail.append(False)
        return y.sum()

    monkeypatch.setattr(deferred, "_function", function)
    assert grad(interrupted)(torch.zeros(2)).tolist() == [3.0, 3.0]


def test_operands_are_freed():
    kept = []

    def f(x):
        y = x * 2
        waits = y._cell.array
        assert waits.__class__ is Deferred and waits.call is not None
        kept.append(weakref.ref(waits))
        return y.sum()

    grad(f)(torch.ones(2))
    gc.collect()
    assert kept[0]() is None and not state.thread.frames


def test_nothing_waits_in_a_function_for_jax():
    seen = []

    def f(x):
        y = x * 2
        seen.append(y._cell.array)
        return y

    first, second = (str(jax.make_jaxpr(torch.to_jax(f))(1.0)) for _ in range(2))
    assert first == second and not any(x.__class__ is Deferred for x in seen)


def test_functions_go_with_the_kernels():
    functions = deferred._Functions()
    kernel = torch._compile.kernels.cache
    functions._known[()] = None
    functions._generation = kernel.generation - 1
    functions.of(((None, ()), (None, ())), ())
    assert () not in functions._known


def test_what_has_escaped_is_no_result():
    kept = []
    vmap(lambda x: kept.append(x * 2) or x.sum())(X)
    with pytest.raises(RuntimeError, match="Either your tensor may have escaped"):
        vmap(lambda x: kept[0])(X)
