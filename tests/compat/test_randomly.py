"""Random programs do the same under torch and torchlike: see `python -m compat.semantics.randomly`.

A test that fails shows a plain program and what differs. The 100 000 programs of a long run need that command.
What it found stays as programs: compat/semantics/programs/found_randomly.py.
"""

import hypothesis
import jax
import pytest
import torch
from hypothesis import strategies as st

import torchlike
from compat.semantics.randomly import __main__ as command
from compat.semantics.randomly import running, spoilt, writer
from tests.programs import same_as_torch
from tests.speed import sampled
from torchlike._record import inplace
from torchlike.autograd import accumulate, graph_task

test_what_was_found = same_as_torch("found_randomly", "spoilt")

GENES = st.lists(st.binary(min_size=24, max_size=24), min_size=4, max_size=22)
QUIET = {"database": None, "deadline": None, "suppress_health_check": list(hypothesis.HealthCheck)}


def agree(number, count) -> None:
    """`count` programs that hypothesis draws from the seed `number`; a difference comes as a short program."""
    @hypothesis.seed(number)
    @hypothesis.settings(max_examples=count, **QUIET)
    @hypothesis.given(GENES)
    def same(genes):
        text, found = running.check(genes)
        assert not found, f"{found}\n\n{text}"

    with running.tier("off"):
        same()


@pytest.mark.parametrize("number", sampled(range(10), fast=range(2), ci=range(5)))
def test_programs(number):
    agree(number, 25)


@pytest.mark.parametrize("number", sampled(range(100, 120), ci=range(102)))
def test_many_programs(number):
    agree(number, 100)


def test_the_text_does_what_the_writer_saw():
    """What is compared is the text, which runs by itself."""
    for seed in range(40):
        shown, show = running.recorder()
        text = writer.write(writer.genes(seed), show)
        again = running.run(torch, text)
        assert len(shown) == len(again) and "ended" not in [s[0] for s in again if s], text


# -- what it finds

def find(most=400):
    """A program that differs, made short; None if there is none."""
    with running.tier("off"):
        for seed in range(most):
            text, found = running.check(writer.genes(seed))
            if found:
                return running.shortened(text)
    return None


def uncounted(cell, node=None):
    """A write that does not count."""


PLANTED = {
    "versions": (inplace, "count_write", uncounted), "stale views": (inplace, "mark_stale", lambda *a: None),
    "hooks": (graph_task, "run_tensor_hooks", lambda hooks, g: g),
    "retained gradients": (graph_task, "retain", lambda x, g: None),
    "accumulation": (accumulate, "_add_to", lambda variable, grads: setattr(variable, "_grad", grads[0])),
    "overlap": (inplace, "check_pointwise", lambda row, operands: None),
    "history of a view": (inplace, "repair_saved", lambda node, x, before: None),
    "leaves": (inplace, "_check_history", lambda x, needs_grad: None),
}


@pytest.mark.parametrize("name", sampled(PLANTED, fast=lambda i: i < 2, ci=3))
def test_a_planted_error_is_found(name, monkeypatch):
    monkeypatch.setattr(*PLANTED[name])
    text = find()
    assert text is not None
    with running.tier("off"):
        assert running.compared(text), text
    monkeypatch.undo()
    with running.tier("off"):
        assert not running.compared(text), text


@pytest.mark.slow
def test_a_failure_is_a_short_plain_program(monkeypatch):
    monkeypatch.setattr(graph_task, "run_tensor_hooks", lambda hooks, g: g)
    text = find()
    body = text.partition(writer.START)[2].partition("\nfor name, t in")[0]
    assert body.count("\n") <= 14, text
    shown = []
    exec(text, {"show": lambda *values: shown.append(values)})
    assert [values[0] for values in shown if str(values[0]) in ("x", "w", "c")] == ["x", "w", "c"]


def test_the_command(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["randomly", "15", "--seed", "3"])
    assert command.main() == 0
    assert "15 programs, 0 differ" in capsys.readouterr().out
    monkeypatch.setattr(inplace, "count_write", uncounted)
    monkeypatch.setattr("sys.argv", ["randomly", "400", "--most", "1"])
    assert command.main() == 1
    assert "\nimport torch\n" in capsys.readouterr().out


def test_wide_programs(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["randomly", "12", "--wide"])
    assert command.main() == 0
    texts = [writer.write(writer.genes(seed), running.recorder()[1], wide=True) for seed in range(12)]
    assert any("func." in text for text in texts) and any("np." in text for text in texts)
    assert "12 programs, 0 differ" in capsys.readouterr().out


@pytest.mark.parametrize("planted", [
    [["a", 1.0 + 1e-9]], [["b", 1.0]], [["a", 1]], [["a", 1.0, None]], [["a", 1.0], ["a", 1.0]], [],
    [["raised", "E", "text"]], [["a", 1.0], ["raised", "E", "text"]]])
def test_differences_are_seen(planted):
    assert running.difference([["a", 1.0]], planted)
    assert not running.difference(planted, planted)


# -- spoilt arguments

@pytest.mark.parametrize("number", sampled(range(8), ci=range(2)))
def test_wrong_arguments_are_refused_alike(number):
    """Nothing of JAX's comes through, and both refuse the same statements with the same class."""
    with running.tier("off"):
        for seed in range(40 * number, 40 * number + 40):
            text, found = spoilt.check(writer.genes(seed))
            assert not found, f"{found}\n\n{text}"


def test_a_planted_error_of_jax_is_told_with_a_short_program(monkeypatch):
    def planted(self, *args, **kwargs):
        raise jax.errors.JaxRuntimeError("INTERNAL: planted")

    monkeypatch.setattr(torchlike.Tensor, "tanh", planted)
    with running.tier("off"):
        texts = (spoilt.check(writer.genes(seed)) for seed in range(60))
        text = next(text for text, found in texts if spoilt.THROUGH in found)
        short = spoilt.shortened(text)
        assert "JaxRuntimeError" in spoilt.compared(short) and short.count("settle()") == 1, short


def test_an_error_that_torch_has_not_is_told(monkeypatch):
    def planted(self, *args, **kwargs):
        raise KeyError("planted")

    monkeypatch.setattr(torchlike.Tensor, "narrow", planted)
    with running.tier("off"):
        assert any("KeyError" in spoilt.check(writer.genes(seed))[1] for seed in range(60))


def test_the_command_with_spoilt_arguments(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["randomly", "10", "--spoilt"])
    assert command.main() == 0
    assert "10 programs, 0 differ" in capsys.readouterr().out
