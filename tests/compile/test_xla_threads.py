"""XLA has as many threads for the CPU as PyTorch would have: by OMP_NUM_THREADS, or `set_num_threads` at first."""

import os
import pathlib
import subprocess
import sys

import pytest

from tests.speed import sampled

PROGRAM = """
import glob, os, sys
import torchlike as torch
if sys.argv[1] != "0":
    torch.set_num_threads(int(sys.argv[1]))
(torch.ones(64, 64) @ torch.ones(64, 64)).sum().item()
names = [open(path).read().strip() for path in glob.glob("/proc/self/task/*/comm")]
print(names.count("tf_XLAEigen"), torch.get_num_threads(), os.environ.get("NPROC"))
"""
CASES = {"one by OpenMP": ({"OMP_NUM_THREADS": "1"}, "0", "1 1 None"), "one by torch": ({}, "1", "1 1 None"),
         "by both": ({"OMP_NUM_THREADS": "2"}, "1", "1 1 None"), "no number": ({"OMP_NUM_THREADS": "x"}, "0", "2 2 None"),
         "all": ({}, "0", "2 2 None"), "XLA's own way": ({"NPROC": "1"}, "2", "1 2 1")}


PROCESSORS = sorted(os.sched_getaffinity(0))[:2] if hasattr(os, "sched_getaffinity") else []


@pytest.mark.skipif(len(PROCESSORS) < 2, reason="counts threads on two processors, in Linux's /proc")
@pytest.mark.parametrize("case", sampled(CASES, fast={"one by OpenMP"}, ci=3))
def test_threads(case):
    variables, number, expected = CASES[case]
    found = {name: value for name, value in os.environ.items() if name not in ("OMP_NUM_THREADS", "NPROC")}
    two = f"import os; os.sched_setaffinity(0, {PROCESSORS})\n"
    done = subprocess.run([sys.executable, "-c", two + PROGRAM, number], env={**found, **variables}, text=True,
                          capture_output=True, check=True, cwd=pathlib.Path(__file__).parents[2])
    assert done.stdout.strip() == expected
