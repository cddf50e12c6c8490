"""`torchlike diff`: what counts as agreement, what is recorded of a program, how it is told."""

import ast
import json
import shlex
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.speed import case
from torchlike import cli
from torchlike._diff import compare, driver, program_run
from torchlike._diff import report as reporting

pytestmark = pytest.mark.oracle

AGREEING = """
import torch
x = torch.arange(3.0, requires_grad=True)
y = (x * x).sum()
y.backward()
"""
# Under torchlike the module's own name is not torch: the two engines take different lines.
DISAGREEING = AGREEING.replace("x * x", "x * (2 if 'torchlike' not in torch.__version__ else 3)")
RAISING = AGREEING + "print('before')\nraise ValueError('on purpose')\n"

numbers = st.floats(width=32, allow_nan=True, allow_infinity=True)


@given(st.lists(numbers, max_size=5))
def test_equal_arrays_have_no_gap(values):
    array = np.array(values, np.float32)
    assert compare.array_gap(array, array.copy(), 0.0, 0.0) == compare.Gap(0.0, 0.0)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=5), st.floats(1e-3, 10), st.data())
def test_a_planted_difference_is_measured(values, shift, data):
    array = np.array(values)
    other = array.copy()
    other[data.draw(st.integers(0, len(values) - 1))] += shift
    gap = compare.array_gap(array, other, 0.0, shift / 2)
    assert gap.problem == f"1 of {len(values)} elements differ"
    assert gap.absolute == pytest.approx(shift, rel=1e-6)


@pytest.mark.parametrize(("expected", "got", "agree"), [
    ([np.nan], [np.nan], True), ([np.inf], [np.inf], True), ([np.inf], [-np.inf], False),
    ([np.inf], [1.0], False), ([1.0], [np.inf], False), ([np.nan], [1.0], False), ([1.0], [np.nan], False),
    ([1.0], [1.0005], True), ([1.0], [1.002], False), ([0.0], [5e-6], True), ([], [], True),
    ([True], [False], False), ([3], [3], True), ([1 + 1j], [1 + 1j], True), ([1 + 1j], [1 - 1j], False),
])
def test_float32_tolerance(expected, got, agree):
    gap = compare.array_gap(np.array(expected), np.array(got), *compare.Tolerance().of("float32"))
    assert gap.agree is agree


def test_relative_difference_leaves_out_what_is_beside_zero():
    gap = compare.array_gap(np.array([1e-9, 2.0]), np.array([2e-9, 2.2]), 1e-3, 1e-6)
    assert gap.relative == pytest.approx(0.1)


@pytest.mark.parametrize(("expected", "got", "agree"), [
    ("loss 0.1234", "loss 0.1235", True), ("loss 0.12", "loss 0.13", False), ("a", "b", False),
    ("step 1", "step 2", False), ("x", "x\ny", False), ("tensor([1., nan])", "tensor([1., nan])", True),
    ("tensor([1., nan])", "tensor([1., 2.])", False), ("1e-9", "3e-9", True), ("finance", "finance", True),
])
def test_printed_lines(expected, got, agree):
    assert compare.printed_gap(expected, got).agree is agree


@pytest.mark.parametrize("change", [
    {"dtype": "float64"}, {"requires_grad": True}, {"kind": "grad"}, {"array": np.zeros((2, 1))}, None,
])
def test_entries_that_differ_in_more_than_values(change):
    entry = {"name": "x", "kind": "output", "dtype": "float32", "requires_grad": False}
    array = np.zeros(2)
    if change is None:
        assert not compare.entry_gap((entry, array), None, compare.Tolerance()).agree
        assert not compare.entry_gap(None, (entry, array), compare.Tolerance()).agree
        return
    other = {**entry, **change}
    gap = compare.entry_gap((entry, array), (other, other.pop("array", array)), compare.Tolerance())
    assert not gap.agree
    assert gap.problem.startswith(next(iter(change)).replace("array", "shape"))


def test_tolerances_given_replace_those_of_the_dtype():
    assert compare.Tolerance(rtol=0.5).of("float32") == (0.5, compare.TOLERANCES["float32"][1])
    assert compare.Tolerance().of("int64") == (0.0, 0.0)


@pytest.fixture
def clean_main():
    """`record.execute` takes the place of ``__main__``, as a script does."""
    main, argv, path = sys.modules["__main__"], sys.argv, list(sys.path)
    yield
    sys.modules["__main__"], sys.argv, sys.path[:] = main, argv, path


def recorded(tmp_path, source: str, arguments=()):
    """name -> (entry, array), and the facts, of a program run in this process under real PyTorch."""
    program = tmp_path / "program.py"
    program.write_text(source)
    facts, arrays = program_run.run(str(program), list(arguments))
    program_run.save(str(tmp_path / "r.npz"), facts, arrays)
    facts, arrays = program_run.load(str(tmp_path / "r.npz"))
    return {entry["name"]: (entry, arrays[f"a{i}"]) for i, entry in enumerate(facts["entries"])}, facts


@pytest.mark.usefixtures("clean_main")
def test_what_is_recorded(tmp_path):
    found, facts = recorded(tmp_path, """
import sys, torch
model = torch.nn.BatchNorm1d(2)
for p in model.parameters():
    pass
x = torch.ones(3, 2, requires_grad=True)
(model(x) * x).sum().backward()
half = torch.ones(1, dtype=torch.bfloat16)
parts = {"a": [x * 2, 7], "b": "text"}
losses = [1, 2.5]
flag = True
_hidden = x
print(sys.argv[1:], __name__, object())
""", ["one", "two"])
    kinds = {name: entry["kind"] for name, (entry, _) in found.items()}
    assert kinds == {
        "model.weight": "parameter", "model.weight.grad": "grad", "model.bias": "parameter",
        "model.bias.grad": "grad", "model.running_mean": "buffer", "model.running_var": "buffer",
        "model.num_batches_tracked": "buffer", "x": "output", "x.grad": "grad", "half": "output",
        "parts['a'][0]": "output", "parts['a'][1]": "number", "losses": "number", "flag": "number"}
    assert found["x"][0] == {"name": "x", "kind": "output", "dtype": "float32", "requires_grad": True}
    assert found["half"][0]["dtype"] == "bfloat16"
    assert found["losses"][1].tolist() == [1.0, 2.5]
    assert facts["stdout"] == "['one', 'two'] __main__ <object object at 0x...>\n"
    assert facts["error"] is None


@pytest.mark.usefixtures("clean_main")
def test_locals_of_main_are_recorded(tmp_path):
    found, _ = recorded(tmp_path, """
import torch
def helper():
    inner = torch.ones(1)
    return inner
def main():
    result = helper() * 2
if __name__ == "__main__":
    main()
""")
    assert list(found) == ["main.result"]
    assert found["main.result"][1].tolist() == [2.0]


@pytest.mark.usefixtures("clean_main")
@pytest.mark.parametrize(("source", "error"), [
    ("import torch\n\ndef f():\n    raise ValueError('no')\nf()\n", ("ValueError", "no", 4)),
    ("x = (\n", ("SyntaxError", "'(' was never closed (program.py, line 1)", None)),
    ("import sys\nsys.exit(3)\n", ("SystemExit", "3", 2)),
    ("import sys\nsys.exit(0)\n", None),
])
def test_exceptions_are_recorded(tmp_path, source, error):
    _, facts = recorded(tmp_path, source)
    if error is None:
        assert facts["error"] is None
        return
    assert (facts["error"]["type"], facts["error"]["text"], facts["error"]["line"]) == error
    assert "program_run.py" not in facts["error"]["traceback"]


def test_entry_functions():
    source = "def main(): pass\ndef other(): pass\nother()\nif __name__ == '__main__':\n    print(main())"
    assert program_run.entry_functions(ast.parse(source)) == {"main"}


def diff(capsys, tmp_path, source: str, *options: str):
    """(exit status, what ``torchlike diff`` printed) for a program."""
    program = tmp_path / "program.py"
    program.write_text(source)
    status = cli.main(["diff", *options, str(program)])
    return status, capsys.readouterr().out


@pytest.mark.slow
def test_agreement_gives_status_0(capsys, tmp_path):
    status, out = diff(capsys, tmp_path, AGREEING)
    assert status == 0
    assert "1 of 1 programs agree; 3 of 3 rows" in out
    assert "x.grad" in out


@pytest.mark.slow
def test_disagreement_gives_status_1(capsys, tmp_path):
    status, out = diff(capsys, tmp_path, DISAGREEING, "--json")
    assert status == 1
    told = json.loads(out)
    rows = {row["name"]: row for row in told["programs"][0]["rows"]}
    assert not told["agree"]
    assert {name for name, row in rows.items() if not row["agree"]} == {"x.grad", "y"}
    assert rows["x.grad"]["against"]["torch"]["absolute"] == 1.0
    assert rows["x.grad"]["against"]["functional"]["problem"] is None


@pytest.mark.slow
def test_the_same_exception_everywhere_agrees(capsys, tmp_path):
    status, out = diff(capsys, tmp_path, RAISING, "--json")
    rows = json.loads(out)["programs"][0]["rows"]
    assert status == 0
    assert [row["name"] for row in rows] == ["printed", "raised"]


@pytest.mark.slow
def test_an_exception_in_one_engine_disagrees(capsys, tmp_path):
    status, out = diff(capsys, tmp_path, DISAGREEING + "assert y < 7\n")
    assert status == 1
    assert "expected no exception, got AssertionError at line 6" in out
    assert "torchlike's tape raised:" in out


@pytest.mark.slow
def test_a_crashed_engine_disagrees(capsys, tmp_path):
    source = AGREEING + "import os\nif 'torchlike' in torch.__version__: os._exit(9)\n"
    status, out = diff(capsys, tmp_path, source)
    assert status == 1
    assert "torchlike's tape crashed:" in out
    assert "exit status 9" in out


@pytest.mark.slow
def test_without_pytorch_the_rest_works(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(driver, "torch_installed", lambda torch_python: False)
    status, out = diff(capsys, tmp_path, AGREEING)
    assert status == 0
    assert "not installed" in out
    assert "3 of 3 rows" in out


@pytest.mark.slow
def test_without_pytorch_nobody_confirms_an_exception(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(driver, "torch_installed", lambda torch_python: False)
    status, out = diff(capsys, tmp_path, RAISING)
    assert status == 1
    assert "no PyTorch to say whether it should" in out
    assert "jax.vjp raised the same as torchlike's tape" in out


@pytest.mark.parametrize("options", [case([]), case(["--deep"], ci=False)])
def test_pytorch_of_another_python(options, capsys, tmp_path):
    python, told = tmp_path / "python", tmp_path / "told"
    python.write_text(f'#!/bin/sh\necho "$@" >> {shlex.quote(str(told))}\nexec {shlex.quote(sys.executable)} "$@"\n')
    python.chmod(0o755)
    status, out = diff(capsys, tmp_path, AGREEING, *options, "--torch-python", str(python))
    assert status == 0, out
    assert len(told.read_text().splitlines()) > 1  # it has been asked whether it has torch, and run


@pytest.mark.parametrize("there", [True, False])
def test_another_python_without_pytorch(there, capsys, tmp_path):
    python = tmp_path / "python"
    if there:
        python.write_text("#!/bin/sh\nexit 1\n")
        python.chmod(0o755)
    with pytest.raises(SystemExit) as left:
        diff(capsys, tmp_path, AGREEING, "--torch-python", str(python))
    assert left.value.code == 2 and f"--torch-python: {python} cannot import torch" in capsys.readouterr().err


def test_json_has_no_nan():
    gaps = {"torch": compare.Gap(float("inf"), float("nan"), "1 of 1 elements differ")}
    row = compare.Row("x", "output", "float32", (1,), gaps)
    engines = {engine: driver.Engine("ok", 1.0, "2.13.0") for engine in driver.ENGINES}
    told = json.loads(reporting.as_json([driver.Report("p.py", engines, [row])]))
    assert told["programs"][0]["rows"][0]["against"]["torch"]["absolute"] == "inf"


def test_names_with_brackets_are_shown_as_they_are(capsys):
    row = compare.Row("x[red]", "output", "float32", (1,), {"torch": compare.Gap(0.0, 0.0)})
    engines = {engine: driver.Engine("ok", 1.0, "2.13.0") for engine in driver.ENGINES}
    reporting.show(Console(width=120), driver.Report("p.py", engines, [row]))
    assert "x[red]" in capsys.readouterr().out
