"""`torchlike diff` of programs that do not end, read, fork, write, print without end, have no seed, or are no scripts; and
what Ctrl-C leaves.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from tests.speed import case, sampled
from torchlike._diff import compare, program_run, sources
from torchlike._diff.processes import Processes, StoppedError

BEGIN = "import os, sys, time, torch\nx = torch.arange(3.0, requires_grad=True)\n(x * x).sum().backward()\n"
PROGRAMS = {
    "reads stdin": "line = sys.stdin.read()\nn = len(line)\n",
    "asks": "try:\n    input('name? ')\nexcept EOFError:\n    n = 1\n",
    "forks": "if os.fork() == 0:\n    x = x * 2\nelse:\n    os.wait()\n",
    "forks and exits": "if os.fork() == 0:\n    sys.exit(3)\nos.wait()\n",
    "leaves a child": "import subprocess\np = subprocess.Popen(['sleep', '600'])\n",
    "prints bytes": "os.write(1, bytes(range(256)) * 9)\nos.write(2, bytes(range(256)) * 9)\n",
    "surrogates": "print('\\udc80')\n",
    "neighbours": "import neighbour, json, types\ny = neighbour.twice(x)\n",
    "guarded": "def main():\n    y = x * 2\n    return 0\nif __name__ == '__main__':\n    sys.exit(main())\n",
    "status": "def main():\n    y = x * 2\n    return 3\nif __name__ == '__main__':\n    sys.exit(main())\n",
    "random": "import random\nimport numpy as np\na, b, c = random.random(), np.random.rand(), torch.rand(2)\n",
    "sets": "order = [len(word) + ord(word[0]) for word in {'a', 'bb', 'ccc', 'dddd'}]\n",
    "interrupts itself": "raise KeyboardInterrupt\n",
}
# Three processes each: these are in CI.
IN_CI = ("forks and exits", "neighbours")
EXPECTED = {  # the names of rows besides those of every program
    "reads stdin": {"n"}, "asks": {"n", "printed"}, "neighbours": {"y"}, "guarded": {"main.y"},
    "status": {"main.y", "raised"},
    "random": {"a", "b", "c"}, "sets": {"order"}, "surrogates": {"printed"}, "leaves a child": set(),
}


def torchlike(folder, *arguments, **options):
    """The process of a command, run in a folder."""
    root = pathlib.Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root), **options.pop("environment", {})}
    command = [sys.executable, "-P", "-m", "torchlike", *map(str, arguments)]
    return subprocess.Popen(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
                            start_new_session=True, **options)


def diff(folder, *arguments, **options):
    """(exit status, what was printed) of ``torchlike diff --json``."""
    process = torchlike(folder, "diff", "--json", *arguments, **options)
    out, errors = process.communicate(timeout=300)
    assert "Traceback" not in errors, errors
    return process.returncode, json.loads(out)


def written(folder, source, name="program.py"):
    path = folder / name
    path.write_text(source)
    (folder / "neighbour.py").write_text("def twice(x):\n    return 2 * x\n")
    return path


@pytest.mark.parametrize("name", [
    case(name, ci=name in IN_CI) for name in PROGRAMS])
def test_programs_agree(name, tmp_path):
    status, found = diff(tmp_path, written(tmp_path, BEGIN + PROGRAMS[name]))
    program, = found["programs"]
    assert [row for row in program["rows"] if not row["agree"]] == []
    assert (status, found["agree"], program["comparable"]) == (0, True, True)
    if name in EXPECTED:
        assert {row["name"] for row in program["rows"]} == EXPECTED[name] | {"x", "x.grad"}
    else:
        assert program["rows"]
    assert _children_of(tmp_path) == []


def _children_of(folder) -> list:
    """Processes whose current folder is this one."""
    found = []
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if place.joinpath("cwd").resolve() == folder.resolve() and place.joinpath("cmdline").read_bytes():
                found.append(place.joinpath("cmdline").read_bytes())
        except OSError:
            pass
    return found


@pytest.mark.slow
@pytest.mark.exhaustive
def test_without_end(tmp_path):
    other = written(tmp_path, BEGIN, "other.py")
    program = written(tmp_path, BEGIN + "os.fork()\nprint('x', file=sys.stderr)\nwhile True:\n    time.sleep(1)\n")
    status, found = diff(tmp_path, "--timeout", 8, program, other)
    late, quick = found["programs"]
    assert status == 1
    assert {engine["status"] for engine in late["engines"].values()} == {"timed out"}
    assert late["engines"]["torch"]["detail"].startswith("stopped after 8 s\nx")
    assert quick["agree"]
    assert _children_of(tmp_path) == []


@pytest.mark.slow
def test_deep_without_end(tmp_path):
    program = written(tmp_path, BEGIN + "os.fork()\nwhile True:\n    time.sleep(1)\n")
    process = torchlike(tmp_path, "diff", "--deep", "--timeout", "1", program)
    assert f"{program} under torch was stopped after 1 s" in process.communicate(timeout=300)[1]
    assert process.returncode == 2 and _children_of(tmp_path) == []


@pytest.mark.slow
def test_wrong_limits(tmp_path):
    for limit in ("0", "-1", "nan", "soon"):
        process = torchlike(tmp_path, "diff", "--timeout", limit)
        assert "invalid" in process.communicate()[1] and process.returncode == 2


@pytest.mark.slow
@pytest.mark.exhaustive
def test_files_are_written_by_one_engine_after_the_other(tmp_path):
    source = BEGIN + ("import pathlib\nfile = pathlib.Path('count.txt')\ntorch.save(x, 'x.pt')\ny = torch.load('x.pt') * 2\n"
                      "file.write_text('1')\n")
    status, found = diff(tmp_path, written(tmp_path, source))
    assert status == 0
    assert found["programs"][0]["notes"] == [
        "it writes count.txt, x.pt: the engines run one after the other, and find what the one before left"]
    counting = BEGIN + "file = open('count.txt', 'a+')\nfile.seek(0)\nn = len(file.read())\nfile.write('1')\n"
    status, found = diff(tmp_path, written(tmp_path, counting))
    assert (status, found["programs"][0]["comparable"]) == (1, False)


@pytest.mark.slow
@pytest.mark.exhaustive
def test_without_a_seed(tmp_path):
    source = BEGIN + "import numpy\nn = float(numpy.random.default_rng().random())\n"
    status, found = diff(tmp_path, written(tmp_path, source))
    program, = found["programs"]
    assert (status, program["comparable"]) == (1, False)
    note, = program["notes"]
    assert note.startswith("its runs are not comparable: two of them under PyTorch differ in n, so")
    assert "(look at line 5: numpy.random.default_rng())" in note
    process = torchlike(tmp_path, "diff", tmp_path / "program.py")
    out = process.communicate()[0]
    assert "note: its runs are not comparable" in out and "disagrees:" in out


@pytest.mark.slow
@pytest.mark.exhaustive
def test_megabytes(tmp_path):
    source = BEGIN + ("for i in range(300_000):\n    print(i, 'a line that is long enough', float(x[1]) + i % 7)\n"
                      "os.write(1, b'x' * 10**7)\n")
    status, found = diff(tmp_path, written(tmp_path, source))
    assert status == 0
    assert {row["name"] for row in found["programs"][0]["rows"]} >= {"printed", "x", "i"}


def test_what_is_cut_is_compared_as_far_as_it_goes():
    cut = program_run.CUT
    assert compare.printed_gap("1\n2\n" + cut, "1\n2\n3\n" + cut).agree
    assert not compare.printed_gap("1\n2\n" + cut, "1\n7\n3\n" + cut).agree
    assert not compare.printed_gap("1\n2\n" + cut, "1\n2\n").agree
    printed = program_run.Printed()
    for _ in range(3):
        print("x" * 3_000_000, "\nline", file=printed)
    assert printed.told() == "x" * 3_000_000 + " \n" + "line\n" + cut


@pytest.mark.parametrize(("source", "error"), [
    case(b"# caf\xe9\nimport torch\n", "SyntaxError", ci=False),
    case(b"# -*- coding: latin-1 -*-\nimport torch\nname = '\xe9'\nn = len(name)\n", None)])
def test_sources_that_are_not_utf_8(source, error, tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.py"
    with open(path, "wb") as file:
        file.write(source)
    status, found = diff(tmp_path, os.fsdecode(path))
    rows = {row["name"] for row in found["programs"][0]["rows"]}
    assert (status, rows) == (0, {"raised"} if error else {"n"})
    process = torchlike(tmp_path, "diff", os.fsdecode(path), environment={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert "1 of 1 programs agree" in process.communicate()[0]


CELLS = ["import torch\n", ["%matplotlib inline\n", "x = torch.ones(2, requires_grad=True)\n", "if True:\n", "    !ls\n"],
         "%%bash\nls 'x\n", "(x * 3).sum().backward()\ntext = '''\n%kept\n'''\nn = len(text)", "x"]


def notebook(folder, cells):
    made = [{"cell_type": "code", "source": cell} for cell in cells] + [{"cell_type": "markdown", "source": "## {"}]
    path = folder / "book.ipynb"
    path.write_text(json.dumps({"cells": made}))
    return path


@pytest.mark.slow
def test_notebooks(tmp_path):
    path = notebook(tmp_path, CELLS)
    status, found = diff(tmp_path, path)
    assert status == 0
    assert {row["name"] for row in found["programs"][0]["rows"]} == {"x", "x.grad", "n"}
    path = notebook(tmp_path, [*CELLS, "raise ValueError('no')"])
    process = torchlike(tmp_path, "run", path)
    errors = process.communicate()[1].splitlines()
    assert (process.returncode, errors[-2:]) == (1, ["    raise ValueError('no')", "ValueError: no"])


@pytest.mark.slow
def test_folders(tmp_path):
    written(tmp_path, BEGIN + "import neighbour\ny = neighbour.twice(x)\n", "__main__.py")
    status, found = diff(tmp_path.parent, tmp_path)
    assert status == 0 and "y" in {row["name"] for row in found["programs"][0]["rows"]}


@pytest.mark.parametrize(("content", "told"), [
    (None, "is a directory without a __main__.py"), ("{", "is no notebook: Expecting"), ("[]", "is no notebook: list"),
    ('{"cells": [{"cell_type": "code", "source": 3}]}', "is no notebook")])
def test_what_is_no_program(content, told, tmp_path):
    path = tmp_path / "a.ipynb"
    path.mkdir() if content is None else path.write_text(content)
    with pytest.raises(sources.NotAProgramError, match=told):
        sources.program_at(str(path))
    with pytest.raises(sources.NotAProgramError, match="can't open file"):
        sources.program_at(str(tmp_path / "absent.py"))


def test_places_of_chance():
    source = (b"import torch, numpy as np\nnp.random.default_rng(3)\na = np.random.default_rng()\nb = os.urandom(3)\n"
              b"torch.seed()\n")
    assert sources.chances(source) == ["line 3: np.random.default_rng()", "line 4: os.urandom(3)", "line 5: torch.seed()"]
    assert sources.chances(b"x = (") == []


# -- Ctrl-C

@pytest.mark.parametrize(("seconds", "ending"), sampled([0.3, 1.5, 3, 5, 8], [signal.SIGINT, signal.SIGTERM], ci=10))
def test_no_process_is_left(seconds, ending, tmp_path):
    """Whenever it is: while it starts, while engines start, while the program runs; the JSON is whole or was not begun."""
    program = written(tmp_path, BEGIN + "import subprocess\nsubprocess.run(['sleep', '600'])\n")
    process = torchlike(tmp_path, "diff", "--json", written(tmp_path, BEGIN, "quick.py"), program)
    time.sleep(seconds)
    process.send_signal(ending)
    out = process.communicate(timeout=60)[0]
    assert _children_of(tmp_path) == []
    assert process.returncode not in (0, 1) or "Traceback" in out or seconds < 2
    if out:
        found = json.loads(out)
        assert found["interrupted"] and not found["agree"] and process.returncode == 130


def test_nothing_starts_after_the_end():
    processes = Processes()
    ended = processes.run([sys.executable, "-c", "import sys; print('no', file=sys.stderr); sys.exit(4)"], {}, None)
    assert (ended.status, ended.reason, ended.errors, ended.is_late) == (4, "exit status 4", "no\n", False)
    killed = processes.run([sys.executable, "-c", "import os; os.abort()"], {}, None)
    assert killed.reason == "ended by SIGABRT"
    assert processes.run([sys.executable, "-c", "import time; time.sleep(99)"], {}, 0.1).is_late
    processes.stop()
    with pytest.raises(StoppedError):
        processes.run([sys.executable], {}, None)
