"""`torch.distributed.launcher`: functions in processes, as PyTorch runs them."""

import functools
import importlib
import os
import pathlib
import subprocess
import sys
import tempfile

import pytest

import torchlike
from torchlike.distributed.launcher import LaunchConfig, elastic_launch

# The program runs itself with PyTorch or torchlike as torch.
PROGRAM = """
import os
import sys
import torch
import torch.distributed as dist
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

NAMES = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "TORCHELASTIC_RUN_ID",
         "TORCHELASTIC_RESTART_COUNT", "TORCHELASTIC_MAX_RESTARTS", "ROLE_NAME")


def summed(x, y):
    dist.init_process_group("gloo")
    total = torch.full((2,), x + dist.get_rank())
    dist.all_reduce(total)
    dist.destroy_process_group()
    return total.tolist(), y, [os.environ[name] for name in NAMES]


def failing(rank):
    if int(os.environ["RANK"]) == rank:
        raise ValueError(f"no {rank} after {os.environ['TORCHELASTIC_RESTART_COUNT']}")
    return rank


def second_time():
    if os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
        raise ValueError("not yet")
    return os.environ["TORCHELASTIC_RESTART_COUNT"]


def config(restarts=0):
    return LaunchConfig(1, 1, 2, run_id="job", max_restarts=restarts, start_method=sys.argv[1], monitor_interval=0.05,
                        rdzv_backend="c10d", rdzv_endpoint="127.0.0.1:0")


if __name__ == "__main__":
    for rank, told in sorted(elastic_launch(config(), summed)(1.0, "y").items()):
        print(rank, told)
    print(sorted(elastic_launch(config(2), second_time)().items()))
    try:
        elastic_launch(config(1), failing)(1)
    except ChildFailedError as error:
        rank, failure = error.get_first_failure()
        print(rank, sorted(error.failures), failure.exitcode, failure.message["message"], error.name)
"""


@functools.cache
def outputs(library, method):
    path = pathlib.Path(tempfile.mkdtemp()) / "job.py"
    path.write_text(PROGRAM)
    how = [] if library == "torch" else ["-m", "torchlike", "run"]
    done = subprocess.run([sys.executable, *how, str(path), method], capture_output=True, text=True, timeout=200,
                          env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.slow
@pytest.mark.exhaustive
def test_functions_run_as_torchs():
    theirs, ours = outputs("torch", "spawn"), outputs("torchlike", "spawn")
    assert len(theirs) == 4 and ours == theirs


@pytest.mark.slow
@pytest.mark.exhaustive
def test_functions_run_in_forked_processes():
    assert outputs("torchlike", "fork") == outputs("torchlike", "spawn")


@pytest.mark.parametrize(("options", "entrypoint"), [({"max_nodes": 2}, print), ({"logs_specs": 3}, print), ({}, "train.py"),
                                                     ({"numa_options": 1}, print)])
def test_what_is_not_supported_is_refused(options, entrypoint):
    config = LaunchConfig(**{"min_nodes": 1, "max_nodes": 1, "nproc_per_node": 1} | options)
    with pytest.raises(torchlike.UnsupportedError, match="is not supported"):
        elastic_launch(config, entrypoint)()


@pytest.mark.oracle
def test_fields_are_torchs():
    theirs = importlib.import_module("torch.distributed.launcher.api").LaunchConfig
    made = [kind(1, 1, 2, rdzv_timeout=3) for kind in (theirs, LaunchConfig)]
    known = [{name: value for name, value in vars(each).items() if name not in ("logs_specs", "numa_options")}
             for each in made]
    assert known[0] == known[1]
    with pytest.raises(ValueError, match="shutdown_timeout must be non-negative, got -1"):
        LaunchConfig(1, 1, 2, shutdown_timeout=-1)
