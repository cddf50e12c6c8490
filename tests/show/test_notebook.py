"""``%%show`` in IPython."""

import html
import json
import sys

import pytest

from torchlike.show.notebook import displayed

InteractiveShell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell


@pytest.fixture(scope="module")
def shell():
    made = InteractiveShell.instance()
    made.run_line_magic("load_ext", "torchlike.show")
    return made


def data_of(shown) -> dict:
    text = shown.data if hasattr(shown, "data") else shown.page
    text = html.unescape(text) if text.startswith("<iframe") else text
    return json.loads(text.split('id="data">')[1].split("</script>")[0])


CELL = "y = (x * 3).sum()\ny.backward()\n"


def test_cell_runs_among_the_variables_of_the_notebook(shell):
    shell.run_cell("import torchlike as torch\nx = torch.ones(2, requires_grad=True)\nother = torch.ones(1)")
    shown = shell.run_cell_magic("show", "", CELL)
    data = data_of(shown)
    assert [frame["name"] for frame in data["frames"]] == [
        "mul", "sum", "SumBackward0", "MulBackward0", "AccumulateGrad"] or data["frames"][0]["name"] == "leaf"
    assert shell.user_ns["x"].grad.tolist() == [3, 3] and "y" in shell.user_ns
    assert data["files"][0]["lines"] == CELL.splitlines() and {each["name"] for each in data["named"]} == {"x", "y"}


def test_cell_has_the_number_of_its_prompt(shell):
    for _ in range(2):
        done = shell.run_cell("%%show\nimport torchlike\ntorchlike.ones(2) * 3", store_history=True)
        assert data_of(done.result)["program"] == f"<cell {done.execution_count}>"


def test_error_of_the_cell_is_raised(shell, capsys):
    with pytest.raises(ZeroDivisionError):
        shell.run_cell_magic("show", "300", "1 / 0")


def test_without_anywidget_it_is_a_frame(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    shown = displayed("<p>\"a\"</p>", 300)
    assert shown.data == shown._repr_html_()
    assert shown.data.startswith('<iframe srcdoc="&lt;p&gt;&quot;a&quot;&lt;/p&gt;" width="100%" height="300"')


def test_with_anywidget_it_is_a_widget():
    pytest.importorskip("anywidget")
    shown = displayed("<p>", 300)
    assert shown.page == "<p>" and shown.height == 300
