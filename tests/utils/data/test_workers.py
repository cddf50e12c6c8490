"""Workers of DataLoader against torch's. The programs run in processes of their own, which are killed if they hang."""

import os
import pathlib
import pickle
import signal
import subprocess
import sys
import time

import pytest

from compat import compare
from compat.compare.tolerances import EXACT
from tests.speed import sampled
from tests.utils.data import worker_programs as programs

ROOT = pathlib.Path(__file__).parents[3]
DEATH = ("RuntimeError", *("DataLoader worker (pid(s) N) exited unexpectedly",) * 2)
CAUGHT = "Caught {} in DataLoader worker process 0."
OURS = {
    **dict.fromkeys(programs.DEATHS, DEATH),
    "cannot be pickled": [("AttributeError", CAUGHT.format("AttributeError"), "AttributeError: Can't pickle local object "
                           "'<lambda>.<locals>.<lambda>.<locals>.<lambda>'")] * 2,
    "local exception": [("RuntimeError", CAUGHT.format("Local"), "local_error.<locals>.Local: sample 0"),
                        ("RuntimeError", CAUGHT.format("Local"), "local_error.<locals>.Local: sample 6")],
    "dropped": (True, 0),
    "finished": 0,
    "interrupted": ("interrupted", 0),
    "trained": [([2.0 * i, 2.0 * i + 1], [2.0, 2.0], 0.5 - 0.5 * i) for i in range(6)],
    "gradient": [[[20.0 * i, 3 * (2.0 * i + 1) ** 2] for i in half] for half in (range(6), range(6, 12))],
    "threads": [[66.0 * i for i in range(6)], [66.0 * i for i in range(6, 12)]],
    "large": [(500000.0 * n, 350000 * n) for n in (1, 5, 9, 13, 17, 21)],
    "torch.func": [("UnsupportedError", CAUGHT.format("UnsupportedError"), "torch.UnsupportedError: torch.func in a "
                    "forked process: start it by 'spawn' or 'forkserver'")],
    "no prefetching": ("AssertionError", *("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter",) * 2),
    "inside of a worker": [("AssertionError", CAUGHT.format("AssertionError"),
                            "AssertionError: daemonic processes are not allowed to have children")],
}
REPEATED = """
import torchlike as torch
X = torch.randn(40, 8)
w = torch.randn(8, 4, requires_grad=True)
dataset = [None] * 20
class Set(torch.utils.data.Dataset):
    def __len__(self):
        return 20
    def __getitem__(self, i):
        y = torch.zeros(3)
        y[i % 3] = (X[i] * 2 + 1).tanh().sum()
        return X[i], y.sort()[0], torch.rand(2)
optimizer = torch.optim.SGD([w], lr=0.1)
for epoch in range({epochs}):
    for x, y, r in torch.utils.data.DataLoader(Set(), batch_size=5, shuffle=True, num_workers=2):
        optimizer.zero_grad()
        ((x @ w) ** 2).mean().backward()
        optimizer.step()
    (torch.randn(2 + epoch % 37, 8) @ w).relu().sum().item()  # gives the compiler something to do while processes are forked
print("done")
"""
ORPHANS = """
import os, time
import torchlike as torch
batches = iter(torch.utils.data.DataLoader([1.0] * 1000, num_workers=2))
next(batches)
print(*(w.pid for w in batches._workers), flush=True)
time.sleep(60)
"""

BEFORE_THEY_BEGIN = """
import os, time
import torchlike as torch
os.register_at_fork(after_in_child=lambda: time.sleep(2))
batches = iter(torch.utils.data.DataLoader([1.0] * 1000, num_workers=2))
print(*(w.pid for w in batches._workers), flush=True)
time.sleep(60)
"""


def start(*arguments):
    """A Python process in a process group of its own."""
    return subprocess.Popen([sys.executable, "-X", "faulthandler", "-W", "error", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True,
                            start_new_session=True)


def finish(process, seconds=100) -> str:
    """What it printed. If it takes too long it fails, each of its processes says where it is, and none is left."""
    try:
        printed, _ = process.communicate(timeout=seconds)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGABRT)
            time.sleep(1)
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0
    return printed


pytestmark = pytest.mark.slow


def outcomes(where) -> dict:
    """Run the programs under both libraries, beside each other."""
    runs = {"torch": list(programs.PROGRAMS), "torchlike": [*programs.PROGRAMS, *programs.OURS]}
    started = {name: start("-m", programs.__name__, name, str(where / name), *chosen) for name, chosen in runs.items()}
    for process in started.values():
        finish(process)
    return {name: pickle.loads((where / name).read_bytes()) for name in runs}


def bare(told):
    """A value without the names of its types."""
    if not isinstance(told, tuple):
        return told
    kind, inside = told
    return {"tuple": tuple, "list": list}[kind](map(bare, inside)) if kind in ("tuple", "list") else inside


def test_programs(tmp_path):
    """All of them in one test: each process of pytest that has a part of them would run them all."""
    found = outcomes(tmp_path)
    failed = [name for name, told in found["torch"].items() if isinstance(told["value"], tuple) and told["value"][0] == "raised"]
    assert failed == []
    differences = {name: compare.difference(found["torch"][name], found["torchlike"][name], EXACT) for name in programs.PROGRAMS}
    assert {name: text for name, text in differences.items() if text} == {}
    own = {name: found["torchlike"][name] for name in OURS}
    assert {name: bare(told["value"]) for name, told in own.items()} == OURS
    assert {name: told["warnings"] for name, told in own.items() if told["warnings"]} == {}


@pytest.mark.parametrize("name", sampled(("spawn", "forkserver"), ci={"spawn"}))
def test_other_start_methods(name, tmp_path):
    finish(start("-m", programs.__name__, "torchlike", str(tmp_path / "out"), name))
    assert pickle.loads((tmp_path / "out").read_bytes())[name]["value"][0] == "list"


@pytest.mark.parametrize("epochs", sampled((60, 300), ci=()))
def test_forking_while_much_is_going_on(epochs):
    assert finish(start("-c", REPEATED.replace("{epochs}", str(epochs))), 60 + epochs) == "done\n"


def runs(pid: int) -> bool:
    """Whether there is such a process, and it is no zombie."""
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return text.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("program", sampled([ORPHANS, BEFORE_THEY_BEGIN], ci=2), ids=["at work", "before they begin"])
def test_workers_end_with_a_killed_main_process(program):
    process = start("-c", program)
    workers = [int(pid) for pid in process.stdout.readline().split()]
    process.kill()
    process.wait()
    deadline = time.monotonic() + 60
    while any(map(runs, workers)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not [pid for pid in workers if runs(pid)]
    process.stdout.close()


# -- the checker sees what it must

def test_a_hang_fails():
    process = start("-c", "import time; time.sleep(60)")
    with pytest.raises(subprocess.TimeoutExpired):
        finish(process, 0.2)
    process.wait()
    process.stdout.close()
    assert process.returncode == -signal.SIGABRT
