"""``python -P .ci/anywhere.py``: whether torchlike works where its wheel is installed, command by command.

Run by `.ci/pythons` beside the torchlike of the environment, never that of the checkout. Folders beside the checkout with
PyTorch programs and their output (``name.py``, ``name.expected``) are run, too.
"""

import argparse
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Fast tests that need no PyTorch, of what depends on JAX and on the interpreter.
TESTS = ("compile/test_jax_private.py", "compile/test_primitive_graph.py", "compile/plans/test_control.py",
         "record/test_interruptions.py", "record/test_site.py")
NUMBER = re.compile(r"\d+\.?\d*(?:e[-+]?\d+)?")
TIMING = re.compile(r"\d\s?m?s \(")  # as in "0.026s (baseline)"

RANKS = """
import torch
import torch.distributed as dist
dist.init_process_group("gloo")
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.full((3, 4), dist.get_rank() + 1.0)).square().mean().backward()
    optimizer.step()
total = torch.tensor([float(dist.get_rank())])
dist.all_reduce(total)
if not dist.get_rank():
    print(f"{total.item():.1f} {model.module.weight.sum().item():.5f}")
dist.destroy_process_group()
"""
TRAIN = """
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters())
x = torch.randn(16, 4)
for _ in range(12):
    optimizer.zero_grad()
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.5f}")
"""
LOWER = """
import runpy, sys
import numpy as np
import torchlike
torchlike.install()
import torch
x = torch.tensor([0.0, 0.5, 1.0])
w = torch.ones(3, requires_grad=True)
loss = ((x * w).tanh() ** 2).mean() + torch.cumsum(w, 0).logsumexp(0)
lowered = torchlike.lower(loss)
open(sys.argv[1], "w").write(lowered.source())
(found,) = [value for name, value in runpy.run_path(sys.argv[1]).items() if name == "loss"]
np.testing.assert_allclose(found({"w": np.ones(3, np.float32)}), loss.item(), rtol=1e-6)
import jax
loss.backward()
np.testing.assert_allclose(jax.grad(found)({"w": np.ones(3, np.float32)})["w"], w.grad.numpy(), rtol=1e-5)
"""


def told(*command, folder, status=0) -> str:
    """Run a command in a folder, print how long it took, and return its standard output.

    Raises:
        SystemExit: it ends with another status, after its output.
    """
    began = time.monotonic()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, cwd=folder)
    name = " ".join(pathlib.Path(str(part)).name for part in command)[:100]
    print(f"   {time.monotonic() - began:5.1f} s  {name}", flush=True)
    if done.returncode != status:
        raise SystemExit(f"{name}: status {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-8000:]}")
    return done.stdout


def is_as_expected(found: str, wanted: str) -> bool:
    """Whether an output is the expected one: addresses and timings do not count, numbers do to three digits."""
    lines = "\n".join(line for line in found.splitlines() if not TIMING.search(line))
    one, other = (re.sub(r"0x(\.\.\.|[0-9a-f]+)", "at", text).strip() for text in (lines, wanted))
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=False)
    return NUMBER.sub("#", one) == NUMBER.sub("#", other) and all(
        math.isclose(float(x), float(y), rel_tol=5e-3, abs_tol=1e-6) for x, y in pairs)


def programs() -> list[pathlib.Path]:
    """Programs with their output, beside the checkout."""
    return sorted(path.with_suffix(".py") for path in ROOT.parent.glob("*/programs/*.expected"))


def commands(folder: pathlib.Path, torch_python: str | None) -> None:
    """Every command of torchlike, once."""
    torchlike = pathlib.Path(sys.executable).with_name("torchlike")
    for name, text in {"ranks": RANKS, "train": TRAIN, "lower": LOWER}.items():
        (folder / f"{name}.py").write_text(text)
    told(torchlike, "--version", folder=folder)
    told(torchlike, "diff", "--quiet", "--timeout", 300, *(["--torch-python", torch_python] if torch_python else []),
         folder=folder)
    by_processes = told(torchlike, "run", "--nproc-per-node", 2, "ranks.py", folder=folder)
    by_threads = told(torchlike, "run", "--devices", 2, "ranks.py", folder=folder)
    assert re.search(r"\b1\.0 -?\d\.\d{5}$", by_processes.strip()), by_processes
    assert by_processes.split()[-2:] == by_threads.split()[-2:], (by_processes, by_threads)
    assert "data" in told(torchlike, "plan", "train.py", "--mesh", "data=2", "--device", "h100", folder=folder)
    told(torchlike, "show", "-o", "train.html", "train.py", folder=folder)
    assert "<html" in (folder / "train.html").read_text()
    told(sys.executable, "lower.py", "emitted.py", folder=folder)
    assert "TanhBackward0" in told(torchlike, "step", "train.py", folder=folder)
    assert "backward" in told(torchlike, "lesson", "backward_adds", "--answers", folder=folder)
    for path in programs():
        found = told(torchlike, "run", path, folder=folder)
        assert is_as_expected(found, path.with_suffix(".expected").read_text()), (path.name, found)


def tests(folder: pathlib.Path) -> int:
    """Run tests in a copy of the checkout that has no torchlike, so that they import the one that is installed.

    Returns:
        pytest's status.
    """
    for part in ("tests", "compat", "benchmarks", "docs"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / part, folder)
    places = [f"tests/{place}" for place in TESTS]
    return subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *places], cwd=folder,
                          check=False).returncode


def main() -> None:
    """Try the commands, then run tests. Exit status 1 if one fails."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--torch-python", help="a Python with PyTorch, to compare with")
    parser.add_argument("--commands", action="store_true", help="no tests")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        commands(pathlib.Path(name), options.torch_python)
    if options.commands:
        return
    with tempfile.TemporaryDirectory() as name:
        sys.exit(tests(pathlib.Path(name)))


if __name__ == "__main__":
    main()
