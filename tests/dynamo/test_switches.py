"""Stances, functions of numpy, functions to trace in the place of others: compared with PyTorch's."""

import threading

import numpy as np
import pytest
import torch

import torchlike
from compat.compare import check
from compat.compare.tolerances import EXACT

pytestmark = pytest.mark.filterwarnings("ignore")  # PyTorch's compiler warns of PyTorch
STANCES = ("default", "force_eager", "eager_on_recompile", "eager_then_compile", "aot_eager_then_compile")


@pytest.fixture(autouse=True)
def _default_stance():
    yield
    for lib in (torch, torchlike):
        lib.compiler.set_stance("default")


def compiled(lib, function):
    return lib.compile(function, backend="eager") if lib is torch else lib.compile(function)


def waits(function) -> list:
    """For two calls whether a trace in them is compiled before it runs."""
    found = []
    made = torchlike.compile(lambda: found.append(torchlike._record.trace.state.trace.at_once))
    function(made)
    function(made)
    torchlike.ones(1).tolist()
    return found


# -- stances

@pytest.mark.parametrize("stance", STANCES)
def test_results_are_the_same(stance):
    def outcomes(lib):
        made, x = compiled(lib, lambda x: x * 2 + 1), lib.ones(2)
        with lib.compiler.set_stance(stance) as got:
            return got, made(x), made(x), lib.compiler.set_stance("default") is not None

    check(outcomes, tolerance=EXACT)


def test_what_waits_for_its_program():
    set_stance = torchlike.compiler.set_stance
    torchlike.ones(1).tolist()

    def within(stance, **options):
        def call(made):
            with set_stance(stance, **options):
                made()
            torchlike.ones(3).tolist()
        return call

    assert waits(within("default")) == [True, True]
    assert waits(within("force_eager")) == waits(within("eager_on_recompile")) == [False, False]
    assert waits(within("eager_then_compile")) == waits(within("aot_eager_then_compile")) == [False, True]
    assert waits(within("default", force_backend="eager")) == [False, False]
    assert waits(within("default", force_backend="inductor")) == [True, True]


def test_function_context_and_decorator():
    stance = torchlike._record.compile_request._stance
    torchlike.compiler.set_stance("force_eager")
    assert stance.now.stance == "force_eager"
    with torchlike.compiler.set_stance("eager_then_compile"):
        assert stance.now.stance == "eager_then_compile"
    assert stance.now.stance == "force_eager"
    made = torchlike.compiler.set_stance("eager_on_recompile")(lambda: stance.now.stance)
    assert stance.now.stance == "force_eager"
    assert made() == "eager_on_recompile" and stance.now.stance == "force_eager" and made._dynamo_forbidden
    thread = threading.Thread(target=torchlike.compiler.set_stance)  # of all threads
    thread.start()
    thread.join()
    assert stance.now.stance == "default"


@pytest.mark.parametrize("case", range(3))
def test_errors_of_stances(case):
    def call(lib):
        set_stance = lib.compiler.set_stance
        if case == 0:
            return set_stance("force_eager", force_backend="eager")
        stance = {"force_backend": "nosuch"} if case == 1 else {"stance": "nosuch"}
        with set_stance(**stance):
            return compiled(lib, lambda x: x + 1)(lib.ones(1))

    check(call, tolerance=EXACT)


def test_errors_of_torchlikes_own():
    with pytest.raises(torchlike.UnsupportedError, match="fail_on_recompile"):
        torchlike.compiler.set_stance("fail_on_recompile")
    with pytest.raises(RuntimeError, match=r"attempted to set_stance in a torch\.compile region"):
        torchlike.compile(lambda: torchlike.compiler.set_stance("default"))()


# -- functions of numpy

WRAPPED = {
    "tensors": lambda lib: lib.compiler.wrap_numpy(lambda x: (np.sin(x), x @ x.T, x.sum()))(lib.ones(2, 2)),
    "containers": lambda lib: lib.compiler.wrap_numpy(lambda x, y: {"a": [x["x"][0] + y, 3]})(
        {"x": [lib.ones(2)]}, y=lib.ones(2)),
    "arrays": lambda lib: lib.compiler.wrap_numpy(np.add)(np.ones(2), 3.0),
    "integers": lambda lib: lib.compiler.wrap_numpy(lambda x: x // 2)(lib.arange(4)),
    "named": lambda lib: [*lib.compiler.wrap_numpy(lambda x: np.linalg.slogdet(x))(lib.eye(2))],
    "requires grad": lambda lib: lib.compiler.wrap_numpy(np.sin)(lib.ones(1, requires_grad=True)),
    "texts": lambda lib: lib.compiler.wrap_numpy(lambda x: np.array(["a"]))(lib.ones(1)),
}


@pytest.mark.parametrize("name", WRAPPED)
def test_wrap_numpy(name):
    check(WRAPPED[name], tolerance=EXACT)


def test_wrap_numpy_shares_memory():
    for lib in (torch, torchlike):
        x = lib.zeros(2)
        made = lib.compiler.wrap_numpy(lambda a: a)
        made(x)[0] = 5
        assert x.tolist() == [5.0, 0.0] and made.__name__ == "<lambda>"


# -- substitution

def test_substitution_calls_the_original():
    def outcomes(lib):
        def original(a, b=2):
            return a + b

        def other(a, b=2):
            return "other"

        made = lib.compiler.substitute_in_graph(original, can_constant_fold_through=True)(other)
        return (made(1), made.__name__, made.__torch_dynamo_original__ is original, made.__torch_dynamo_polyfill__ is other,
                made.__torch_dynamo_can_constant_fold_through__, original(1))

    check(outcomes, tolerance=EXACT)


def outcome_of(lib, original, other, **options):
    try:
        return lib.compiler.substitute_in_graph(original, **options)(other)(1)
    except Exception as error:  # noqa: BLE001 - compared
        return type(error), str(error)


def unary(a):
    return a


SUBSTITUTIONS = {
    "no function": lambda: (3, unary), "no other": lambda: (lambda a: a, 3), "other name": lambda: (unary, lambda b: b),
    "other default": lambda: (lambda a=1: a, lambda a=2: a), "keyword": lambda: (lambda a: a, lambda *, a: a),
    "wildcard": lambda: (lambda a: a, lambda *args, **kwargs: 0), "of C": lambda: (divmod, lambda b: b),
    "a class": lambda: (int, unary), "of numpy": lambda: (np.sin, unary),
}


@pytest.mark.parametrize("name", SUBSTITUTIONS)
def test_substitutions(name):
    functions = SUBSTITUTIONS[name]()
    assert outcome_of(torch, *functions) == outcome_of(torchlike, *functions)


def test_substitution_without_check_and_twice():
    def original(a):
        return a

    for lib in (torch, torchlike):
        assert outcome_of(lib, original, lambda b: b, skip_signature_check=True) == 1
    found = [outcome_of(lib, original, unary) for lib in (torch, torchlike)]
    assert found[0] == found[1] and found[0][0] is ValueError
