"""`torch.multiprocessing.spawn` as programs of several ranks use it, beside torch's."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest
from torch import multiprocessing as theirs

from tests.distributed.launching import environment, gone, is_there
from tests.speed import sampled
from torchlike import multiprocessing as ours


def _work(rank, folder, how):
    (folder / f"{rank}").write_text(f"{os.getpid()}")
    if how == "fine":
        return
    if rank == 1:
        if how == "raise":
            raise ValueError("of rank 1")
        if how == "exit":
            sys.exit(3)
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "Ctrl-C":
            raise KeyboardInterrupt
    time.sleep(0.3 if how == "Ctrl-C" else 60)


def told(mp, folder, how, **kinds):
    """What a caller is told; processes are forked, which costs no import."""
    folder.mkdir()
    try:
        context = mp.start_processes(_work, (folder, how), nprocs=2, start_method="fork", **kinds)
        if context is not None:
            while not context.join():
                pass
        found = [type(context).__name__]
    except mp.ProcessRaisedException as error:
        found = [type(error).__name__, error.error_index, error.msg.partition("\n  File")[0], str(error).splitlines()[-1]]
    except mp.ProcessExitedException as error:
        found = [type(error).__name__, error.error_index, error.exit_code, error.signal_name, str(error)]
    assert gone([int((folder / name).read_text()) for name in ("0", "1") if (folder / name).exists()], 1)
    return found


@pytest.mark.parametrize(("kinds", "how"), sampled(
    [{}, {"join": False, "daemon": True}], ["fine", "raise", "exit", "kill", "Ctrl-C"], fast=4))
def test_callers_are_told_what_torchs_are(tmp_path, how, kinds):
    assert told(ours, tmp_path / "ours", how, **kinds) == told(theirs, tmp_path / "theirs", how, **kinds)


def _sleep(i, folder):
    (folder / f"{i}").write_text(str(os.getpid()))
    time.sleep(60)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system sends the signal")
def test_processes_end_with_a_parent_that_is_killed(tmp_path):
    pid = os.fork()
    if not pid:
        try:
            ours.start_processes(_sleep, (tmp_path,), nprocs=2, start_method="fork")
        finally:
            os._exit(1)
    until = time.monotonic() + 20
    while len([name for name in ("0", "1") if (tmp_path / name).exists() and (tmp_path / name).read_text()]) < 2:
        assert time.monotonic() < until
        time.sleep(0.02)
    pids = [int((tmp_path / name).read_text()) for name in ("0", "1")]
    assert all(map(is_there, pids))
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    assert gone(pids, 5)


def _raise_much(i):
    raise ValueError("x" * 1_000_000 + " the end")


def test_a_long_error_hangs_nobody():
    with pytest.raises(ours.ProcessRaisedException, match="the end") as caught:
        ours.start_processes(_raise_much, nprocs=1, start_method="fork")
    assert re.match("\n\n-- Process 0 terminated with the following error:\n", str(caught.value))


RANKS = """
import os, sys
import torchlike
torchlike.install(force=True)
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

def work(rank, world_size, path):
    dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=world_size)
    x = torch.full((2,), rank + 1.0)
    dist.all_reduce(x)
    if rank == 0:
        print(x.tolist(), dist.get_world_size(), flush=True)
    dist.destroy_process_group()

if __name__ == "__main__":
    mp.spawn(work, (2, sys.argv[1]), nprocs=2)
"""


@pytest.mark.slow
def test_a_process_group_of_spawned_ranks(tmp_path):
    (tmp_path / "ranks.py").write_text(RANKS)
    done = subprocess.run([sys.executable, str(tmp_path / "ranks.py"), str(tmp_path / "store")], env=environment(),
                          text=True, capture_output=True, timeout=100)
    assert (done.returncode, done.stdout) == (0, "[3.0, 3.0] 2\n"), done.stderr
