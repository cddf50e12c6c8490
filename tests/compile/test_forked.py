"""Processes that were forked compute by themselves; none hangs."""

import pathlib
import subprocess
import sys

import pytest

from tests.speed import sampled

ROOT = pathlib.Path(__file__).parents[2]
SETUP = """
import multiprocessing, os, sys
import torchlike as torch

fork = multiprocessing.get_context("fork")
model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
x = torch.linspace(-1, 1, 32 * 8).reshape(32, 8)

def train(steps):
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = (model(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        loss.item()
    return loss.item()

def forked(function, *arguments):
    def main(results):
        try:
            results.put(function(*arguments))
        except Exception as error:
            results.put(f"{type(error).__name__}: {error}")
    results = fork.Queue()
    process = fork.Process(target=main, args=(results,))
    process.start()
    found = results.get(timeout=60)
    process.join(60)
    assert process.exitcode == 0
    return found
"""
PROGRAMS = {
    "what was compiled before": """
from torchlike._compile.executors.hot import compiler, counters
torch.configure(hot=1, patience=0.0)
for _ in range(3):
    train(10)
    compiler.wait(60)
assert counters["hot_runs"]
there = forked(train, 5)
assert abs(there - train(5)) < 1e-6
""",
    "while it is compiled": """
torch.configure(hot=1, patience=0.0)
for k in range(8):
    train(3)
    assert isinstance(forked(train, 2), float)
    x = torch.linspace(-1, 1, (33 + k) * 8).reshape(-1, 8)
""",
    "a pool": """
train(3)
with fork.Pool(2) as pool:
    found = pool.map(train, [5] * 4)
assert len(found) == 4 and all(0 <= loss < 1 for loss in found)
""",
    "tensors through a queue": """
y = torch.arange(3.0, requires_grad=True)
(y * y).sum().backward()
assert forked(lambda: (y.grad * 2).tolist()) == [0.0, 4.0, 8.0]
assert forked(lambda: torch.ones(2) * 3).tolist() == [3.0, 3.0]
""",
    "what is pending": """
y = x.sum() * 2
z = forked(lambda: (y + 1).item())
assert z == y.item() + 1
""",
    "a child of a child": """
assert forked(lambda: forked(lambda: (x.exp().sum() > 0).item())) is True
""",
    "os.fork, and an end as any other": """
train(3)
child = os.fork()
if child == 0:
    train(3)
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
""",
    "an end as any other after JAX has used its pools of threads": """
torch.configure(compile="now", cache="off")
train(1)
child = os.fork()
if child == 0:
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
""",
    "while another thread computes": """
import threading, time

def other(i=0):
    while True:
        (torch.randn(3, 2 + i % 97) * 2).exp().softmax(0).sum().item()
        i += 1

threading.Thread(target=other, daemon=True).start()
for k in range(8):
    time.sleep(0.01)
    child = os.fork()
    if child == 0:
        (torch.randn(3, 100 + k) + 1).square().mean().item()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
os._exit(0)
""",
    "many kernels that numpy has no way for": """
def several():
    m = torch.eye(3) * 4
    return (torch.linalg.cholesky(m) + torch.linalg.qr(m)[0]).tolist()
assert forked(several).startswith("UnsupportedError: 'linalg_cholesky_ex' in a forked process"), forked(several)
""",
    "torch.func": """
found = forked(lambda: torch.func.grad(torch.sin)(torch.ones(())))
assert found.startswith("UnsupportedError: torch.func in a forked process"), found
""",
    "kernels only": """
torch.configure(compile="kernels")
train(1)
assert forked(train, 1).startswith("UnsupportedError"), "an XLA kernel was run"
""",
}


def run(program):
    """Its standard error. It fails if the program does, and if it takes too long."""
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-W", "error", "-c", SETUP + program], cwd=ROOT,
                          timeout=200, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr


@pytest.mark.parametrize("name", sampled(PROGRAMS, ci=4))
def test_forked(name):
    assert run(PROGRAMS[name]) == ""


@pytest.mark.slow
def test_it_notices_what_goes_wrong():
    with pytest.raises(AssertionError, match="AssertionError"):
        run("assert forked(train, 1) == 'planted'")


@pytest.mark.slow
def test_locks_of_jax_and_runs_of_other_threads():
    """A child finds the locks open that another thread of its parent holds, and no thread is in the middle of a run."""
    program = SETUP + """
import threading
from torchlike._compile import jax_private
from torchlike._record.trace import state
train(2)
locks, held, done = jax_private.locks(), threading.Event(), threading.Event()
assert len(locks) > 3

def hold():
    x.sum().item()
    for lock in locks:
        lock.acquire()
    held.set()
    done.wait(30)
    for lock in locks:
        lock.release()

thread = threading.Thread(target=hold)
thread.start()
held.wait(30)
assert isinstance(forked(train, 2), float)
assert forked(lambda: all(lock.acquire(timeout=1) for lock in locks))
done.set()
thread.join()

running, forks, early = threading.Event(), [], []

def run():
    with state.trace.lock:
        running.set()
        done.wait(1)
        early.append(not forks)

done.clear()
thread = threading.Thread(target=run)
thread.start()
running.wait(30)
forks.append(forked(train, 1))
thread.join()
assert early == [True]
"""
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=120)
