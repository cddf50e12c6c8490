"""What happens to all ranks when one fails, and when the launcher has to end."""

import signal
import sys
import time

import pytest

from tests.distributed.launching import Launcher, gone, is_there, run
from tests.speed import case, sampled

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
RANKS = """
import json, os, signal, subprocess, sys, time
rank, count = int(os.environ["RANK"]), int(os.environ["TORCHELASTIC_RESTART_COUNT"])

def raises(text):
    "As torchlike's own workers and torch's `record` tell it."
    extra = {"py_callstack": "Traceback (most recent call last):\\n" + text, "timestamp": str(int(time.time())),
             "time": time.time()}
    with open(os.environ["TORCHELASTIC_ERROR_FILE"], "w") as file:
        json.dump({"message": {"message": text, "extraInfo": extra}}, file)
    sys.exit(1)

def await_file(path):
    while not os.path.exists(path):
        time.sleep(0.005)

def meet():
    "Waits until all ranks are there."
    folder = os.path.dirname(os.path.abspath(__file__))
    open(os.path.join(folder, f"here.{count}.{rank}"), "w").close()
    for each in range(int(os.environ["WORLD_SIZE"])):
        await_file(os.path.join(folder, f"here.{count}.{each}"))

sys.stdout.write(f"rank {rank} {os.getpid()}\\n")
"""
SLEEP = "time.sleep(60)\n"


def test_the_first_error_is_told_once(tmp_path):
    program = RANKS + """
meet()
if rank == 2:
    raises("RuntimeError: the cause")
await_file(os.environ["TORCHELASTIC_ERROR_FILE"].replace(f"/{rank}/", "/2/"))
raises("RuntimeError: the consequence of " + str(rank))
"""
    launcher = Launcher(tmp_path, program, "--nproc-per-node", "4")
    status, _, err = launcher.end()
    assert status == 1
    assert err.count("Traceback") == 1
    assert "[rank2]: RuntimeError: the cause" in err
    assert "rank 2 failed (exit status 1, local rank 2, pid" in err
    others = next(line for line in err.splitlines() if "failed, too" in line)
    for rank in (0, 1, 3):
        assert f"rank {rank} (RuntimeError: the consequence of {rank})" in others


@pytest.mark.parametrize(("fault", "status", "text"), [
    case("os.kill(os.getpid(), signal.SIGKILL)", 137, "rank 1 failed (SIGKILL", fast=True),
    case("sys.exit(3)", 3, "rank 1 failed (exit status 3"),
    case("os.abort()", 134, "rank 1 failed (SIGABRT"),
    case("import nosuchmodule", 1, "rank 1 failed (exit status 1", fast=True),
])
def test_one_rank_fails_and_the_others_are_ended(tmp_path, fault, status, text):
    program = f"{RANKS}\nmeet()\nif rank == 1:\n    {fault}\n{SLEEP}"
    launcher = Launcher(tmp_path, program, "--nproc-per-node", "3")
    pids = [int(launcher.line().split()[-1]) for _ in range(3)]
    found, _, err = launcher.end()
    assert found == status
    assert text in err
    assert "ended: rank 0, rank 2" in err
    assert launcher.seconds < 5
    assert gone(pids, 0)


@pytest.mark.slow
def test_a_rank_that_ignores_sigterm_and_what_ranks_have_started(tmp_path):
    program = RANKS + """
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
                          "print('ready', flush=True); time.sleep(60)"], stdout=subprocess.PIPE)
child.stdout.readline()
print("child", child.pid)
meet()
if rank == 0:
    sys.exit(5)
""" + SLEEP
    launcher = Launcher(tmp_path, program, "--nproc-per-node", "2", "--shutdown-timeout", "1")
    pids = [int(launcher.line().split()[-1]) for _ in range(4)]
    status, _, err = launcher.end()
    assert status == 5
    assert "SIGKILL was needed for rank 1" in err
    assert launcher.seconds < 5
    assert gone(pids, 1)


@pytest.mark.slow
def test_all_are_started_again(tmp_path):
    program = RANKS + """
print("count", count, os.environ["MASTER_PORT"])
meet()
if rank == 1 and count < 2:
    raises(f"RuntimeError: at {count}")
if count < 2:
    time.sleep(60)
"""
    status, out, err = run(tmp_path, program, "--nproc-per-node", "2", "--max-restarts", "2")
    assert status == 0
    lines = [line.split() for line in out.splitlines() if "count" in line]
    assert sorted(int(line[2]) for line in lines) == [0, 0, 1, 1, 2, 2]
    assert len({line[3] for line in lines}) == 3  # a store for each round
    assert "all workers are started again: 1 of 2" in err
    assert "all workers are started again: 2 of 2" in err
    status, _, err = run(tmp_path, RANKS + "sys.exit(7)", "--max-restarts", "1")
    assert status == 7
    assert err.count("exit status 7") == 2


@pytest.mark.parametrize("name", sampled(("SIGINT", "SIGTERM", "SIGHUP"), fast={"SIGINT"}))
def test_a_signal_to_the_launcher_ends_all(tmp_path, name):
    program = RANKS + f"""
def left(number, frame):
    print("saved at", signal.Signals(number).name, flush=True)
    sys.exit(0)
signal.signal(signal.{name}, left)
print("ready", flush=True)
""" + SLEEP
    launcher = Launcher(tmp_path, program, "--nproc-per-node", "2")
    lines = [launcher.line() for _ in range(4)]
    pids = [int(line.split()[-1]) for line in lines if "ready" not in line]
    launcher.process.send_signal(signal.Signals[name])
    status, out, err = launcher.end()
    assert status == 128 + signal.Signals[name]
    assert out.count(f"saved at {name}") == 2
    assert err == f"torchlike run: {name}: all workers have ended\n"
    assert gone(pids, 0)


@pytest.mark.slow
def test_a_second_signal_waits_for_nothing(tmp_path):
    program = RANKS + "signal.signal(signal.SIGINT, signal.SIG_IGN)\nprint('ready', flush=True)\n" + SLEEP
    launcher = Launcher(tmp_path, program, "--nproc-per-node", "2", "--shutdown-timeout", "40")
    lines = [launcher.line() for _ in range(4)]
    launcher.process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    launcher.process.send_signal(signal.SIGINT)
    status, _, _ = launcher.end()
    assert status == 130
    assert launcher.seconds < 20
    assert gone([int(line.split()[-1]) for line in lines if "ready" not in line], 0)


@pytest.mark.parametrize("after", sampled((0.0, 0.1, 0.2, 0.3), fast={0.1}))
def test_a_signal_at_the_start_leaves_nobody(tmp_path, after):
    launcher = Launcher(tmp_path, RANKS + SLEEP, "--nproc-per-node", "2")
    time.sleep(after)
    launcher.process.send_signal(signal.SIGTERM)
    status, out, _ = launcher.end()
    assert status in (128 + signal.SIGTERM, -signal.SIGTERM)  # the latter before Python is up
    assert gone([int(line.split()[-1]) for line in out.splitlines(keepends=True) if line.endswith("\n")], 1)


def test_workers_end_with_a_launcher_that_is_killed(tmp_path):
    launcher = Launcher(tmp_path, RANKS + SLEEP, "--nproc-per-node", "2")
    pids = [int(launcher.line().split()[-1]) for _ in range(2)]
    assert all(map(is_there, pids))
    launcher.process.kill()
    assert gone(pids, 5)
    launcher.end()


@pytest.mark.slow
def test_output_that_nobody_reads_any_more(tmp_path):
    program = RANKS + "while True:\n    print('x' * 1000, flush=True)\n    time.sleep(0.001)\n"
    launcher = Launcher(tmp_path, program, "--nproc-per-node", "2")
    pids = [int(launcher.line().split()[-1])]
    assert launcher.process.stdout is not None
    launcher.process.stdout.close()
    assert launcher.process.wait(20) != 0
    assert gone(pids, 5)
    assert launcher.process.stderr is not None
    launcher.process.stderr.close()
