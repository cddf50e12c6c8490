"""`torchlike run --devices`: ranks that are threads of one process."""

import itertools
import signal
import threading
import time
import types

import pytest

from tests.c10d.ranks import differing, run_in_one
from tests.distributed.launching import Launcher, run
from tests.speed import sampled
from torchlike._base.turns import PerRank, RanksEndedError, Turns, active, away, place
from torchlike.distributed.run import main

START = """
import os
import torch
import torch.distributed as dist
dist.init_process_group("gloo")
rank = dist.get_rank()
"""
# What a process has once: each line prints the same as in processes of their own.
OWN = START + """
import random, sys, threading, time, warnings
import concurrent.futures, pickle, subprocess
import numpy as np
from torch.utils.data import DataLoader, TensorDataset

class Mine:
    pass

random.seed(rank), np.random.seed(rank), torch.manual_seed(rank)
torch.set_default_dtype([torch.float32, torch.float64][rank % 2])
os.environ["OWN"] = str(rank)
sys.argv.append(str(rank))
folder = os.path.join(os.path.dirname(__file__), str(rank))
os.makedirs(folder, exist_ok=True)
os.chdir(folder)
if rank == 1:
    torch.nn.modules.module.register_module_forward_hook(lambda *args: print("hook"))
    warnings.simplefilter("error")
dist.barrier()
print(random.random(), np.random.rand(), torch.rand(1).item())
dist.barrier()
print(random.random(), np.random.rand(), torch.rand(1).item(), torch.tensor(1.0).dtype, os.environ["OWN"], sys.argv[1:])
print(os.path.basename(os.getcwd()), os.getenvb(b"OWN"), os.environ["LOCAL_RANK"])
torch.nn.Linear(2, 1)(torch.ones(1, 2))
print(type(pickle.loads(pickle.dumps(Mine()))) is Mine, warnings.filters[0][0])
print(subprocess.check_output([sys.executable, "-c", "import os; print(os.environ['RANK'])"]).decode().strip())
found = []
thread = threading.Thread(target=lambda: found.append(dist.get_rank()))
thread.start()
thread.join()
print(found)
for batch, in DataLoader(TensorDataset(torch.arange(4.0) + rank), 2, num_workers=1):
    batch = batch.float()
    dist.all_reduce(batch)
    print(batch.tolist())

def summed():
    x = torch.full((1,), rank + 1.0).float()
    dist.all_reduce(x)
    return x.item()

with concurrent.futures.ThreadPoolExecutor(1) as pool:
    print(pool.submit(summed).result())  # a rank that waits for its own thread lets others come
work = dist.all_reduce(x := torch.ones(1).float(), async_op=True)
while not work.is_completed():
    pass
print(x.item())
if rank == 0:
    open(f"{__file__}.done", "w").close()
while not os.path.exists(f"{__file__}.done"):
    time.sleep(0.01)
"""


# The first runs in CI, the others are like tests of processes.
SCRIPTS = [("collectives.py", 3), ("ddp.py", 2), ("collectives.py", 2), ("from_any.py", 3),
           ("synced.py", 2), ("state_dicts.py", 2), ("functional.py", 2), ("dtensor_ops.py", 2), ("dtensor_mesh.py", 4),
           ("zero.py", 2), ("pipelines.py", 2), ("pipelines.py", 4), ("pipes.py", 2), ("mesh.py", 4), ("fsdp.py", 2),
           ("fully_sharded.py", 2), ("hybrid.py", 4), ("sharded_parallel.py", 4), ("tensor_parallel.py", 2), ("hooks.py", 2),
           ("sparse.py", 2), ("ddp.py", 3)]


@pytest.mark.parametrize(("script", "size"), sampled(SCRIPTS, ci=lambda i: not i))
def test_lines_are_torchs(script, size):
    assert [*differing(script, size, ours=run_in_one)] == []


@pytest.mark.parametrize("script", sampled(["saving.py", "planners.py"], ci=()))
def test_checkpoints(script, tmp_path):
    assert [*differing(script, 2, str(tmp_path), ours=run_in_one)] == []


@pytest.mark.slow
def test_what_a_process_has_once_is_each_ranks(tmp_path):
    status, out, err = run(tmp_path, OWN, "--devices", "2", ours=True, arguments=["a"])
    assert status == 0, err
    theirs = run(tmp_path, OWN, "--nproc-per-node", "2", ours=True, arguments=["a"])
    assert theirs[0] == 0, theirs[2]
    assert len(out.splitlines()) == 21
    for rank in range(2):  # each in its order, whose turn it is is not said
        lines = [[line for line in text.splitlines() if line.startswith(f"[rank{rank}]")] for text in (out, theirs[1])]
        assert lines[0] == lines[1]


FAULTS = {  # name: (the program, status, what is said)
    "raises": ('if rank == 1:\n    raise ValueError("no such batch")\ndist.barrier()', 1, [
        "[rank1]: ValueError: no such batch", "torchlike run: rank 1 failed (exit status 1); its traceback is above",
        "torchlike run: ended: rank 0, rank 2"]),
    "exits": ("import sys\nif rank == 2:\n    sys.exit(7)\ndist.barrier()", 7, [
        "torchlike run: rank 2 failed (exit status 7)"]),
    "differs": ("dist.all_reduce(torch.ones(2 + rank // 2))", 1, [
        "The ranks do not run the same collectives", "of float32 [2] on rank", "of float32 [3] on rank 2"]),
    "leaves": ("if rank == 0:\n    dist.all_reduce(torch.ones(2))", 1, [
        "RuntimeError: a rank has left the group, in all_reduce", "Rank 2 has started no collective of this group."]),
    "is caught": ("try:\n    assert rank != 1\n    dist.barrier()\nexcept Exception as error:\n    print('caught', rank)\n"
                  "    raise", 1, ["[rank1]: caught 1", "torchlike run: ended: rank 0, rank 2"])}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_faults(fault, tmp_path):
    program, expected, told = FAULTS[fault]
    launcher = Launcher(tmp_path, START + program, "--devices", "3", ours=True)
    status, out, err = launcher.end()
    assert status == expected
    for text in told:
        assert text in out + err
    assert err.count("Traceback (most recent call last)") <= 1
    assert launcher.seconds < 20


@pytest.mark.slow
@pytest.mark.parametrize("others", ["dist.barrier()", "while True:\n    pass"])
def test_ctrl_c_ends_all(others, tmp_path):
    program = START + f"print('begun', flush=True)\nif rank:\n    while True:\n        pass\n{others}"
    launcher = Launcher(tmp_path, program, "--devices", "2", ours=True)
    assert launcher.line().endswith("begun\n")
    time.sleep(0.5)
    launcher.process.send_signal(signal.SIGINT)
    begin = time.monotonic()
    status, _, err = launcher.end()
    assert (status, err.count("Traceback")) == (130, 0)
    assert "torchlike run: SIGINT: all ranks have ended" in err
    assert time.monotonic() - begin < 5


@pytest.mark.slow
@pytest.mark.parametrize("compile_mode", ["background", "off"])
def test_ranks_stay_the_same(compile_mode, tmp_path):  # each is in the same tier at the same step
    program = START + """
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(),
                                                                      torch.nn.Linear(32, 1)))
optimizer = torch.optim.Adam(model.parameters())
torch.manual_seed(rank)
for step in range(40):
    optimizer.zero_grad()
    model(torch.randn(4, 8)).pow(2).mean().backward()
    optimizer.step()
print([p.detach().double().sum().item() for p in model.parameters()])
"""
    status, out, err = run(tmp_path, program, "--devices", "3", ours=True, TORCHLIKE_COMPILE=compile_mode)
    assert status == 0, err
    assert len({line.partition(": ")[2] for line in out.splitlines()}) == 1 and len(out.splitlines()) == 3


@pytest.mark.parametrize("flags", [("--nproc-per-node", "2"), ("--max-restarts", "1"), ("--nnodes", "2"), ("-r", "3")])
def test_what_is_about_processes_does_not_go_with_it(flags, tmp_path, capsys):
    (tmp_path / "x.py").write_text("")
    with pytest.raises(SystemExit) as error:
        main(["--devices", "2", *flags, str(tmp_path / "x.py")])
    assert error.value.code == 2
    assert "--devices is one process, without --" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["--devices", "0", str(tmp_path / "x.py")])
    assert "there is one rank at least" in capsys.readouterr().err


@pytest.fixture
def turns(monkeypatch):
    exchanged = []
    made = Turns(lambda before, now: exchanged.append((before, now)))
    monkeypatch.setattr(active, "turns", made)
    return made, exchanged


def of_ranks(*functions):
    """Each function in a thread that is a rank's."""
    def run_as(rank, function):
        place.rank = rank
        function()

    threads = [threading.Thread(target=run_as, args=each) for each in enumerate(functions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert not any(thread.is_alive() for thread in threads)


def test_one_rank_runs_at_a_time(turns):
    made, exchanged = turns
    running, most = [], []

    def rank():
        made.take()
        for _ in range(50):
            running.append(1)
            time.sleep(1e-4)
            most.append(len(running))
            running.pop()
            with away():
                assert not made.has()
            assert made.has()
        made.give()

    of_ranks(rank, rank, rank)
    assert max(most) == 1
    assert exchanged[0][0] is None
    assert all(before != now for before, now in exchanged) and all(
        one[1] == other[0] for one, other in itertools.pairwise(exchanged))


def test_ranks_end_at_their_next_turn(turns):
    made, _ = turns
    ended, waits = [], threading.Event()

    def waiting():
        made.take()
        try:
            with away():
                waits.wait()
        except RanksEndedError:
            ended.append(0)

    def failing():
        made.take()
        made.end()
        waits.set()
        made.give()

    of_ranks(waiting, failing)
    assert ended == [0]


def test_each_rank_has_its_own():
    made = PerRank(types.SimpleNamespace)

    def write(value):
        def run_as():
            made.value = value
            time.sleep(0.01)
            assert made.value == value
        return run_as

    made.value = 5
    of_ranks(write(1), write(2))
    assert made.value == 5
