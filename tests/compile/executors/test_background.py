"""The thread that compiles."""

import subprocess
import sys
import threading
import time

import pytest

from tests.speed import sampled
from torchlike._compile.executors.background import BackgroundCompiler


def test_the_most_urgent_is_next_and_the_oldest_among_equals():
    gate, done = threading.Lock(), []

    def compile_one(program):
        with gate:
            done.append(program)

    compiler = BackgroundCompiler(compile_one, urgency=lambda program: program[0])
    gate.acquire()
    compiler.put((0, "first"))
    while compiler._waiting:  # until it is at work
        time.sleep(0.001)
    for program in ((1, "a"), (2, "b"), (2, "c")):
        compiler.put(program)
    assert compiler.pending == 4 and not compiler.wait(0.01)
    gate.release()
    assert compiler.wait(60) and compiler.pending == 0
    assert done == [(0, "first"), (2, "b"), (2, "c"), (1, "a")]


def test_many_wait():
    compiler, found = BackgroundCompiler(lambda program: time.sleep(0.02)), []
    compiler.put(1)
    threads = [threading.Thread(target=lambda: found.append(compiler.wait(60))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 5


INTERRUPTED = """
import dis, sys
from torchlike._compile.executors.background import BackgroundCompiler
CALLS = {dis.opmap[name] for name in ("CALL", "CALL_FUNCTION_EX", "CALL_KW") if name in dis.opmap}
steps, last = 0, {}
def interrupt(frame, event, argument):
    # Where CPython handles signals: at the entry of a function and after each call.
    global steps
    frame.f_trace_opcodes = True
    before, last[frame] = last.get(frame), frame.f_code.co_code[frame.f_lasti] if event == "opcode" else None
    if event == "call" or (event == "opcode" and before in CALLS):
        steps -= 1
        if steps == 0:
            raise KeyboardInterrupt
    return interrupt
done, count = [], 0
compiler = BackgroundCompiler(done.append)
new = lambda: BackgroundCompiler(done.append)
for what in (lambda: compiler.put(0), lambda: compiler.wait(10)):
    for first in range(1, 20):
        compiler = new()
        steps = first
        sys.settrace(interrupt)
        try:
            what()
        except KeyboardInterrupt:
            count += 1
        finally:
            sys.settrace(None)
        compiler.put(first)
        assert compiler.wait(10), first
print(count)
"""


@pytest.mark.slow
def test_an_interruption_leaves_no_lock_locked():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 10


@pytest.mark.parametrize("work", sampled(["", "import os; os.fork() == 0 and os._exit(0); "], fast=2))
def test_the_interpreter_ends(work):
    program = ("import time; from torchlike._compile.executors.background import BackgroundCompiler; "
               f"c = BackgroundCompiler(lambda p: time.sleep(p)); c.put(0.1); {work}c.put(0.1)")
    subprocess.run([sys.executable, "-c", program], timeout=60, check=True)
