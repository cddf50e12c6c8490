"""A process that ends while XLA compiles does not wait for that."""

import signal
import subprocess
import sys
import time

import pytest

from tests.speed import sampled

PROGRAM = """
import atexit, os, sys, threading, time, warnings

@atexit.register  # the last one that is called
def fork():
    warnings.simplefilter("ignore")  # JAX's, of forks
    if os.fork() == 0:
        os._exit(0)
    os.wait()

import jax, jax.numpy as jnp
import torchlike
from torchlike._compile.executors import background
from torchlike._compile.fork_locks import COMPILING

def long(x):
    for i in range(500):
        x = jnp.sin(x) @ x * i
    return x

def compile_one(work):
    if work == "python":
        while True:
            time.sleep(0.001)
    if work == "short":
        time.sleep(0.5)
    else:
        lowered = jax.jit(long if work == "traced" else jnp.sin).lower(jnp.ones((32, 32)))
        if work == "compiled":
            lowered = LOWERED
        ready.set()
        with COMPILING:
            lowered.compile()
    print("done", flush=True)

ready = threading.Event()
LOWERED = jax.jit(long).lower(jnp.ones((32, 32))) if sys.argv[1] == "compiled" else None
compiler = background.BackgroundCompiler(compile_one, locks=(COMPILING,))
if sys.argv[3:]:
    background._LEAST = background._MOST = float(sys.argv[3])
compiler.put(sys.argv[1])
while compiler._waiting:  # until it is at work
    time.sleep(0.001)
if sys.argv[1] == "compiled":
    ready.wait()
    time.sleep(0.5)
print("out", end=" ", flush=True)
if sys.argv[2] == "raise":
    raise ValueError("the user's")
sys.exit(int(sys.argv[2]))
"""


def ended(*work_and_how):
    command = [sys.executable, "-c", PROGRAM, *work_and_how]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the end of the process waits for the compiler")
@pytest.mark.parametrize(("work", "how"), sampled([("compiled", "7"), ("traced", "raise"), ("python", "0")], ci=3))
def test_what_takes_long_is_left_behind(work, how):
    found = ended(work, how)
    assert found.stdout == "out " and found.returncode == (1 if how == "raise" else int(how))
    first_and_last = found.stderr.splitlines()[::max(found.stderr.count("\n") - 1, 1)]
    assert first_and_last == (["Traceback (most recent call last):", "ValueError: the user's"] if how == "raise" else [])


@pytest.mark.slow
def test_what_is_nearly_done_is_waited_for():
    found = ended("short", "4", "10")
    assert (found.returncode, found.stdout, found.stderr) == (4, "out done\n", "")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the end of the process waits for the compiler")
def test_an_interruption_ends_the_waiting():
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, "compiled", "6", "90"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    assert process.stdout.read(4) == "out "
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, out, errors) == (6, "", "")
