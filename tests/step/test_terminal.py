"""Going through the steps of a backward pass by keys."""

import os
import pty
import subprocess
import sys

import pytest

import torchlike
from torchlike._step.terminal import browse

PROGRAM = """import torchlike
from torchlike._step.terminal import browse
x = torchlike.tensor([2.0], requires_grad=True)
browse(torchlike.step_backward((x * x).sum()))
print("end", x.grad)
"""


def steps():
    x = torchlike.tensor([1.0, 2.0], requires_grad=True)
    return torchlike.step_backward((x.exp() * 3).sum())


def shown(keys):
    """The position at the end, and all that was written."""
    found, written, given = steps(), [], iter([*keys, "q"])
    browse(found, lambda: next(given), written.append)
    return found.position, "".join(written)


@pytest.mark.parametrize(("keys", "position"), [
    ("", 0), ("n", 1), ("nnp", 1), (" j\x1b"[:2], 2), ("G", 3), ("Gg", 0), (["\x1b[C", "\x1b[B", "\x1b[D"], 1),
    ("/Exp\r", 2), ("/Exq\x7fp\r", 2), ("G?Sum\r", 0), (">1000\r", 0), ("h", 0), ("/Nothing\r", 0),
])
def test_keys(keys, position):
    assert shown(keys)[0] == position


def test_what_is_shown():
    _, text = shown("")
    assert "step 0: SumBackward0" in text and "x.grad: None" in text and "so far, 1 of 4 steps" in text and "keys:" in text
    assert "no such step" in shown("/Nothing\r")[1]
    assert "'a' is no number" in shown(":a\r")[1]


def test_end_of_the_input_ends_it():
    browse(steps(), lambda: "", lambda text: None)


def test_without_a_terminal_all_is_printed(capsys):
    browse(steps())
    assert capsys.readouterr().out.count("step ") >= 4


@pytest.mark.skipif(sys.platform == "win32", reason="no pty on Windows")
@pytest.mark.slow
def test_in_a_terminal():
    outer, inner = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", PROGRAM], stdin=inner, stdout=inner, stderr=inner, close_fds=True)
    os.close(inner)
    text = b""

    def until(word):
        nonlocal text
        while word not in text:
            text += os.read(outer, 4096)

    until(b"keys:")
    os.write(outer, b"\x1b[C")
    until(b"step 1: MulBackward0")
    os.write(outer, b"G")
    until(b"step 2: AccumulateGrad of x")
    os.write(outer, b"q")
    until(b"end tensor([4.])")
    assert process.wait(timeout=60) == 0
    os.close(outer)
