"""``torchlike show``: what a run did, in order, as the data of the page."""

import json
import subprocess
import sys

import pytest

from tests.show import programs
from torchlike.show.page import page

CODE = """import json, sys
from torchlike._diff import program_run
from torchlike.install import install
from torchlike.show.data import Writer
from torchlike.show.film import filmed
install()
import torch
path = sys.argv[1]
film, variables, error = filmed(lambda: program_run.execute(path, []), torch, False)
line = None if error is None else program_run.describe(error, path)["line"]
print(json.dumps(Writer(film, path).written(variables or {}, error, line)))
"""


def data_of(folder, text) -> dict:
    path = programs.written(folder, text)
    done = subprocess.run([sys.executable, "-c", CODE, path], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def kinds(data):
    return [(frame["kind"], frame["name"], frame.get("label", "")) for frame in data["frames"]]


def numbers(data, place):
    return None if place is None else data["tensors"][place]["numbers"]


@pytest.mark.slow
def test_frames_in_order(tmp_path):
    data = data_of(tmp_path, programs.SMALL)
    frames = data["frames"]
    assert [name for _, name, _ in kinds(data)][:6] == ["tensor", "ones", "sqrt", "mul", "sum", "SumBackward0"]
    sqrt = frames[2]
    assert sqrt["line"] == 5 and sqrt["nodes"] == ["SqrtBackward0"] and numbers(data, sqrt["values"][0]) == [1, 2]
    backward = [frame for frame in frames if frame["kind"] == "backward"]
    assert [frame["name"] for frame in backward] == ["SumBackward0", "MulBackward0", "SqrtBackward0", "AccumulateGrad"]
    multiplied = backward[1]
    assert [(sent["operand"], sent["formula"]) for sent in multiplied["sent"]] == [("x", "g · other"), ("other", "g · x")]
    assert frames[multiplied["sent"][0]["to"]]["name"] == "SqrtBackward0"
    assert data["codes"][multiplied["code"]].startswith("def mul_backward(g, x, other):")
    last = backward[-1]
    assert last["label"] == "x" and [numbers(data, g) for g in last["grad"]] == [None, [1.5, 3]]


@pytest.mark.slow
def test_jaxpr_knows_its_nodes(tmp_path):
    data = data_of(tmp_path, programs.SMALL)
    (lines,), (graph,) = data["jaxprs"], data["graphs"]
    found = {text.split(" = ")[1].split()[0]: graph["nodes"][node]["name"] for text, node in lines if node is not None}
    assert found == {"sqrt": "SqrtBackward0", "mul": "MulBackward0", "reduce_sum[axes=(0,)": "SumBackward0"}
    data = data_of(tmp_path, "import torch\nx = torch.ones(2, requires_grad=True)\ntorch.autograd.grad(x.sum(), x)\n")
    assert data["jaxprs"] == [[["a jaxpr is written for loss.backward() of one tensor", None]]]


@pytest.mark.slow
def test_what_lines_printed_and_left(tmp_path):
    data = data_of(tmp_path, programs.SMALL)
    (first, text), *_, (last, more) = data["printed"]
    assert text == "before\n" and data["frames"][first - 1]["name"] == "mul"
    assert "after" in "".join(part for _, part in data["printed"][1:]) and last > first and more.endswith("\n")
    named = {each["name"]: each for each in data["named"]}
    assert named["unused"]["grad"] is None and "nothing that is remembered has used it" in named["unused"]["why"]
    assert numbers(data, named["x"]["grad"]) == [1.5, 3]


@pytest.mark.slow
def test_memory(tmp_path):
    data = data_of(tmp_path, programs.SMALL)
    memory = {(frame["kind"], frame["name"]): dict(zip(data["kinds"], frame["memory"], strict=True))
              for frame in data["frames"]}
    assert memory["forward", "sqrt"]["saved"] == 8 == memory["forward", "mul"]["saved"]  # both keep the root; x is a leaf
    assert memory["backward", "AccumulateGrad"] == {"parameters": 8, "gradients": 8, "saved": 0, "optimizer": 0}


@pytest.mark.slow
def test_training(tmp_path):
    data = data_of(tmp_path, programs.TRAINING)
    assert len(data["graphs"]) == 1  # both passes go through equal graphs
    assert {frame["pass"] for frame in data["frames"] if frame["kind"] == "backward"} == {0, 1}
    paths = {tuple(node["path"]) for node in data["graphs"][0]["nodes"]}
    assert ("blocks", "3", "linear") in paths and ("blocks", "3") in paths and ("last",) in paths
    steps = [frame for frame in data["frames"] if frame["kind"] == "optimizer"]
    assert [frame["label"] for frame in steps[:2]] == ["net.blocks.0.linear.weight", "net.blocks.0.linear.bias"]
    size = 4 * (4 * (16 + 4) + 5)
    assert steps[-1]["memory"][0] == steps[-1]["memory"][1] == size and steps[-1]["memory"][3] >= 2 * size
    assert data["frames"][-1]["memory"][2] == 0
    peaks = [max(frame["memory"][2] for frame in data["frames"] if frame.get("pass") == number) for number in (0, 1)]
    assert peaks[0] == peaks[1] > 0


LONG = """import threading
import torch
net = torch.nn.Linear(2, 2)
other = torch.nn.Linear(2, 2)
thread = threading.Thread(target=lambda: [other(torch.ones(1, 2)) for _ in range(50)])
thread.start()
x = torch.ones(2, 2, requires_grad=True)
for i in range(900):
    net(x).sum().backward()
thread.join()
print(x.grad[0, 0].item() == 900 * (net.weight[0, 0] + net.weight[1, 0]).item() or "near")
"""


@pytest.mark.slow
def test_long_programs_run_to_their_end(tmp_path):
    data = data_of(tmp_path, LONG)
    assert data["error"] is None and len(data["frames"]) <= 4010 and data["leftOut"] > 1000
    assert {frame.get("line") for frame in data["frames"] if frame["kind"] == "forward"} <= {7, 9}  # not the other thread's
    assert {tuple(node["path"]) for node in data["graphs"][0]["nodes"]} == {()}


@pytest.mark.slow
def test_error_is_part_of_it(tmp_path):
    data = data_of(tmp_path, programs.FAILING)
    assert data["error"]["kind"] == "RuntimeError" and data["error"]["line"] == 5
    assert data["error"]["text"].startswith("grad can be implicitly created only for scalar outputs")


@pytest.mark.slow
def test_what_json_cannot_have(tmp_path):
    data = data_of(tmp_path, "import torch\na = torch.tensor([float('nan'), float('inf'), 1.0])\nb = a * 1\n"
                             "c = torch.tensor([1 + 2j]) * 1\nd = torch.tensor([2 ** 60]) * 1\n")
    found = [numbers(data, frame["values"][0]) for frame in data["frames"] if frame["name"] == "mul"]
    assert found == [["nan", "inf", 1], ["1+2j"], [str(2 ** 60)]]
    assert data["tensors"][data["frames"][0]["values"][0]]["bad"] == 2


@pytest.mark.slow
def test_page_is_one_file_and_safe(tmp_path):
    data = data_of(tmp_path, programs.SMALL)
    data["files"][0]["lines"].append("</script><script>alert(1)</script>")
    text = page({**data, "engines": None})
    assert text.count("</script>") == 2 and "<script>alert" not in text
    assert "src=" not in text.split('<script type="application/json"')[0]
    assert len(text) < 3_000_000


def command(tmp_path, *arguments):
    return subprocess.run([sys.executable, "-m", "torchlike", *arguments], cwd=tmp_path, capture_output=True, text=True,
                          check=False)


@pytest.mark.slow
def test_command(tmp_path):
    programs.written(tmp_path, programs.SMALL)
    done = command(tmp_path, "show", "program.py")
    assert done.returncode == 0 and done.stdout.startswith("before\nafter"), done.stderr
    assert (tmp_path / "program.html").read_text().startswith("<!doctype html>")
    programs.written(tmp_path, programs.FAILING)
    done = command(tmp_path, "show", "-o", "other.html", "program.py")
    assert done.returncode == 1 and (tmp_path / "other.html").exists() and "RuntimeError" in done.stderr


@pytest.mark.slow
def test_engines(tmp_path):
    programs.written(tmp_path, programs.SMALL)
    done = command(tmp_path, "show", "--engines", "program.py")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "program.html").read_text()
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])["engines"]
    assert data["problem"] == "" and data["parting"] is None and all(pair["agree"] for pair in data["pairs"])
    assert {"x", "x.grad"} <= {row["name"] for row in data["rows"]}


@pytest.mark.slow
def test_step_command(tmp_path):
    programs.written(tmp_path, programs.SMALL)
    done = command(tmp_path, "step", "program.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.index("before") < done.stdout.index("step 0: SumBackward0") < done.stdout.index("after")
