"""Processes that are forked from one that has imported what they need."""

import os
import pathlib
import sys
import time

import pytest

from torchlike._diff import forkserver
from torchlike._diff.processes import ForkServer, Processes, StoppedError

FOLDER = str(pathlib.Path(forkserver.__file__).parent)
TASKS = """
import os, sys, time
sys.path.insert(0, sys.argv.pop(1))
import forkserver

def tell():
    print(*sys.argv[1:], os.getpid() == os.getpgrp(), file=sys.stderr)

def hang():
    os.fork()
    time.sleep(99)

forkserver.main({"tell": tell, "leave": lambda: sys.exit(3), "abort": os.abort, "fail": lambda: 1 / 0, "hang": hang})
"""
pytestmark = pytest.mark.skipif(not ForkServer.is_possible, reason="processes are not forked here")


@pytest.fixture
def server():
    made = ForkServer([sys.executable, "-c", TASKS, FOLDER], dict(os.environ))
    yield made
    made.stop()


def is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    time.sleep(0.02)
    return False


def test_what_tasks_end_with(server):
    processes = Processes()

    def ended(task, *arguments, timeout=None):
        return processes.until_end(lambda: server.start(task, list(arguments)), timeout)

    told = ended("tell", "a", "b c")
    assert (told.status, told.errors, told.is_late) == (0, "a b c True\n", False)
    assert ended("leave").reason == "exit status 3"
    assert ended("abort").reason == "ended by SIGABRT"
    failed = ended("fail")
    assert failed.status == 1 and failed.errors.endswith("ZeroDivisionError: division by zero\n")
    assert ended("hang", timeout=0.2).is_late
    assert ended("tell").status == 0  # the server goes on
    processes.stop()
    with pytest.raises(StoppedError):
        ended("tell")


def test_none_is_left_where_the_server_stops(server):
    process = server.start("hang", [])
    process.pid = process._told(time.monotonic() + 30)
    server.stop()
    assert process.wait() == 1
    assert any(is_gone(process.pid) for _ in range(100))
    process.stderr.close()
    process.close()


def test_a_server_that_does_not_start():
    server = ForkServer([sys.executable, "-c", "import no_such_module"], dict(os.environ))
    ended = Processes().until_end(lambda: server.start("tell", []), None)
    said = server.errors()
    server.stop()
    assert ended.status == 1 and "No module named 'no_such_module'" in said
