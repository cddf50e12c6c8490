"""Handlers of a thread: their order, what they pass on, what they cost where there are none, and that they always go."""

import threading

import pytest

import torchlike
from torchlike._modes.intercept import Interceptor, intercepting, unintercepted
from torchlike._record.dispatch import Handler, install, installed, removed, trace_for, undisturbed, uninstall
from torchlike._record.trace import state


class Notes(Handler):
    """Notes the operations that it is asked about, and passes them on."""

    def __init__(self, notes, name="", rows=None, precedence=0):
        self.notes, self.name, self.rows, self.precedence = notes, name, rows, precedence

    def wants(self, row):
        return self.rows is None or (row is not None and row.name in self.rows)

    def handle(self, operation):
        self.notes.append(self.name + operation.name)
        return NotImplemented


@pytest.fixture(autouse=True)
def none_left():
    yield
    assert state.thread.handlers == () and state.open is state.trace


def test_what_a_handler_passes_on_is_recorded():
    notes = []
    with installed(Notes(notes)):
        x = torchlike.ones(2, 3)
        y = (x * 2).t()
        y.add_(x.t().exp())
    assert y.tolist() == [[pytest.approx(2 + 2.718281828)] * 2] * 3
    assert notes == ["ones.default", "mul.Tensor", "t.default", "t.default", "exp.default", "add_.Tensor"]


def test_several_views_are_one_operation():
    notes = []
    with installed(Notes(notes)):
        a, b = torchlike.arange(4.0).split(2)
    assert (a + b).tolist() == [2, 4] and notes[-1] == "split.Tensor"


def test_the_innermost_comes_first_and_a_higher_precedence_before_it():
    notes = []
    x = torchlike.ones(2)
    with installed(Notes(notes, "key ", precedence=1)), installed(Notes(notes, "outer ")), installed(Notes(notes, "inner ")):
        x.exp()
    assert notes == ["key exp.default", "inner exp.default", "outer exp.default"]


def test_rows_that_no_handler_wants_stay_on_the_short_path():
    notes = []
    x = torchlike.ones(2)
    with installed(Notes(notes, rows={"exp"})) as handler:
        assert state.open is None and trace_for(None) is state.trace
        (x * 2).exp()
        with removed(handler):
            x.exp()
        with undisturbed():
            x.exp()
    assert notes == ["exp.default"]


def test_a_handler_goes_with_an_exception():
    with pytest.raises(ZeroDivisionError), installed(Notes([])):
        raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError), intercepting(lambda operation: 1 / 0):
        torchlike.ones(2) + 1


def test_handlers_that_overlap_without_nesting():
    first, second = Notes([]), Notes([])
    install(first)
    install(second)
    uninstall(first)
    assert state.thread.handlers == (second,)
    uninstall(first)
    uninstall(second)


def test_an_interceptor_sees_no_operation_that_it_does_itself():
    seen = []

    def double(operation):
        seen.append(operation.name)
        return operation.run() * 2

    x = torchlike.ones(2)
    with intercepting(double):
        assert x.exp().tolist() == pytest.approx([2 * 2.718281828] * 2)
        with unintercepted():
            assert x.add(1).tolist() == [2, 2]
    assert seen == ["exp.default"]


def test_the_outer_interceptor_sees_what_the_inner_one_does():
    seen = []

    def note(name):
        def function(operation):
            seen.append((name, operation.name))
            return operation.run()
        return function

    with intercepting(note("outer")), intercepting(note("inner")):
        torchlike.ones(2) * 3
    assert seen == [(who, what) for what in ("ones.default", "mul.Tensor") for who in ("inner", "outer")]


def test_autocast_comes_before_interceptors_whichever_was_entered_last():
    seen = []

    def note(operation):
        seen.append((operation.name, operation.args[0].dtype))
        return operation.run()

    x = torchlike.ones(2, 2)
    with torchlike.autocast("cpu"), intercepting(note):
        x.mm(x)
    with intercepting(note), torchlike.autocast("cpu"):
        x.mm(x)
    assert [each for each in seen if each[0] == "mm.default"] == [("mm.default", torchlike.bfloat16)] * 2


def test_other_threads_have_handlers_of_their_own():
    results = []
    with installed(Notes([])):
        thread = threading.Thread(target=lambda: results.append((state.thread.handlers, state.open is state.trace)))
        thread.start()
        thread.join()
    assert results == [((), True)]


def test_a_dual_tensor_brings_its_handler():
    with torchlike.autograd.forward_ad.dual_level():
        x = torchlike.autograd.forward_ad.make_dual(torchlike.ones(2), torchlike.full((2,), 3.0))
        assert x._cell.handler is not None and state.open is state.trace
        y = x.exp().unsqueeze(0)[0]
        assert torchlike.autograd.forward_ad.unpack_dual(y).tangent.tolist() == pytest.approx([3 * 2.718281828] * 2)


def test_a_handler_that_wants_nothing_is_not_asked():
    class Never(Interceptor):
        def wants(self, row):
            return False

    with installed(Never(lambda operation: 1 / 0)):
        assert (torchlike.ones(2) + 1).tolist() == [2, 2]
