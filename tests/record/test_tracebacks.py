"""Tracebacks end in the user's line: what Python and IPython print, and what pytest skips."""

import re
import subprocess
import sys
import threading
import traceback

import pytest

import torchlike as torch
from torchlike._record import tracebacks
from torchlike._record.site import is_ours

PROGRAM = """
import threading
import torchlike as torch

class Layer(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.linear(x, torch.ones(4, 5))  # the line

def hook(grad):
    raise KeyError("mine")

def of_thread():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(hook)
    y.sum().backward()

thread = threading.Thread(target=of_thread)
thread.start()
thread.join()
try:
    Layer()(torch.ones(3))
except RuntimeError as error:
    raise ValueError("afterwards") from error
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def own():
    """The setting that users have; tests have another, to see what failed."""
    with torch.configure(tracebacks="own"):
        yield


def printed(path, **environment) -> str:
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, env=environment)
    assert done.returncode == 1 and done.stdout == ""
    return done.stderr


def test_what_python_prints(path):
    text = printed(path)
    assert "/torchlike/" not in text and "/jax/" not in text
    assert text.count(tracebacks.NOTE) == 2  # of the thread and of the program
    lines = text.splitlines()
    assert lines[-1] == "ValueError: afterwards"
    assert "    Layer()(torch.ones(3))" in lines and "Exception in thread Thread-1 (of_thread):" in lines
    where = lines.index("    return torch.nn.functional.linear(x, torch.ones(4, 5))  # the line")
    assert lines[where + 2] == "RuntimeError: mat1 and mat2 shapes cannot be multiplied (1x3 and 5x4)"
    where = lines.index('    raise KeyError("mine")')
    assert lines[where + 1] == "KeyError: 'mine'" and lines[where + 2].startswith("Forward call of MulBackward0")
    assert text.count("y.sum().backward()") == 1


def test_whole_tracebacks(path):
    text = printed(path, TORCHLIKE_TRACEBACKS="whole")
    assert text.count("/torchlike/") > 8 and tracebacks.NOTE not in text
    assert text.splitlines()[-1] == "ValueError: afterwards"


def test_hooks_of_others_stay(tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import sys, threading\nsys.excepthook = threading.excepthook = print\nimport torchlike\n"
                    "assert sys.excepthook is threading.excepthook is print\n")
    subprocess.run([sys.executable, str(path)], check=True)


IN_IPYTHON = r"""
import sys
from IPython.core.interactiveshell import InteractiveShell
CELLS = (
    "import torchlike as torch\n1 / 0",
    "torch.ones(3)[7]",
    "x = torch.ones(3, requires_grad=True)\nx.register_hook(lambda g: {}[g])\n(x * x).sum().backward()",
    "import json; json.loads('')")
shell = InteractiveShell.instance()
if "own" in sys.argv:
    shell.set_custom_exc((KeyError,), lambda shell, kind, error, tb, tb_offset=None: None)
for cell in CELLS:
    shell.run_cell(cell)
    print("cell")
    if "torch.ones(3)[7]" in cell:
        entry, depth = sys.last_traceback, 0
        while entry is not None:
            entry, depth = entry.tb_next, depth + 1
print(depth, shell.custom_exceptions)
"""


def shown_by_ipython(tmp_path, *arguments, **environment) -> tuple:
    """For each cell the files of the frames that are shown; how many frames a debugger sees of the second one; whose errors
    have a hook."""
    environment = {"IPYTHONDIR": str(tmp_path), "HOME": str(tmp_path), **environment}
    done = subprocess.run([sys.executable, "-c", IN_IPYTHON, *arguments], capture_output=True, text=True, env=environment,
                          check=False)
    assert done.returncode == 0, done.stderr
    *cells, last = re.split("^cell$", re.sub("\x1b[^m]*m", "", done.stdout), flags=re.MULTILINE)
    depth, hooked = last.strip().split(maxsplit=1)
    return [re.findall("^(?:File [^:]*|Cell)", cell, re.MULTILINE) for cell in cells], int(depth), hooked


@pytest.mark.slow
def test_what_ipython_prints(tmp_path):
    pytest.importorskip("IPython")
    cells, depth, hooked = shown_by_ipython(tmp_path)
    assert cells[:3] == [["Cell"], ["Cell"], ["Cell", "Cell"]]
    assert [file.rpartition("/")[2] for file in cells[3]] == ["Cell", "__init__.py", "decoder.py", "decoder.py"]
    assert depth > 3 and hooked == "(<class 'Exception'>, <class 'KeyboardInterrupt'>)"


@pytest.mark.slow
def test_ipython_prints_whole_tracebacks(tmp_path):
    cells, _, _ = shown_by_ipython(tmp_path, TORCHLIKE_TRACEBACKS="whole")
    assert any("/torchlike/" in file for file in cells[1])


@pytest.mark.slow
def test_a_hook_of_others_stays_in_ipython(tmp_path):
    cells, _, hooked = shown_by_ipython(tmp_path, "own")
    assert hooked == "(<class 'KeyError'>,)" and cells[2] == []


def linear():
    torch.nn.Linear(3, 4)(torch.ones(2))


def backward():
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    y.add_(1)
    y.sum().backward()


def hidden_lines(act) -> list:
    """Of each frame of the error: (whether it is torchlike's, whether it is to be skipped)."""
    with pytest.raises(RuntimeError) as caught:
        act()
    return [(is_ours(frame.f_code), "__tracebackhide__" in frame.f_locals)
            for frame, _ in traceback.walk_tb(caught.value.__traceback__)]


@pytest.mark.parametrize("act", [linear, backward])
def test_frames_are_marked(own, act):
    found = hidden_lines(act)
    assert all(ours == skipped for ours, skipped in found)
    assert sum(ours for ours, _ in found) > 2


def test_whole_frames_are_not_marked():
    assert not any(skipped for _, skipped in hidden_lines(linear))


def test_an_error_of_torchlikes_alone_is_whole(own, capsys):
    with pytest.raises(RuntimeError) as caught:
        linear()
    inner = caught.value.__traceback__
    while not is_ours(inner.tb_frame.f_code):
        inner = inner.tb_next
    tracebacks.show(RuntimeError, caught.value, inner)
    assert "/torchlike/" in capsys.readouterr().err


def test_without_a_console(own, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    tracebacks.show(ValueError, ValueError(), None)
    tracebacks._show_of_thread(threading.ExceptHookArgs((ValueError, ValueError(), None, None)))
