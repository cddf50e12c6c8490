"""Runs emitted sources in a process of their own, where torchlike cannot be imported."""

import contextlib
import io
import json
import math
import pathlib
import re
import subprocess
import sys

import jax
import numpy as np

_RUNNER = """
import json, pathlib, runpy, sys
sys.modules["torchlike"] = sys.modules["torch"] = None  # whoever imports them fails
import jax, numpy as np
folder = pathlib.Path(sys.argv[1])
for path in sorted(folder.glob("*.py")):
    names = json.loads((folder / f"{path.stem}.json").read_text())
    made = runpy.run_path(str(path))
    with np.load(folder / f"{path.stem}.npz") as file:
        params = {name: jax.numpy.asarray(file[f"a{i}"]) for i, name in enumerate(names["leaves"])}
    function = made[names["function"]]
    if names["backward"]:
        value, found = function(params)
    else:
        value, found = jax.value_and_grad(function)(params)
    found = {"": value, **found}
    arrays = {f"a{i}": np.asarray(found[name]) for i, name in enumerate(["", *names["leaves"]])}
    np.savez(folder / f"{path.stem}.out.npz", **arrays)
    jax.config.update("jax_enable_x64", False)
"""


def run(folder: pathlib.Path) -> None:
    """Run all sources in a folder that `write` has put there."""
    (folder / "runner").mkdir(exist_ok=True)
    runner = folder / "runner" / "run.py"
    runner.write_text(_RUNNER)
    done = subprocess.run([sys.executable, "-I", "-W", "error", str(runner), str(folder)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


def write(folder: pathlib.Path, name: str, lowered, backward=False) -> None:
    """Put the source of a lowered program, forward or backward, and its leaves into a folder."""
    text = lowered.backward_source() if backward else lowered.source()
    (folder / f"{name}.py").write_text(text)
    leaves = list(lowered.leaves)
    function = f"{lowered.name}_and_gradients" if backward else lowered.name
    (folder / f"{name}.json").write_text(json.dumps({"leaves": leaves, "function": function, "backward": backward}))
    np.savez(folder / f"{name}.npz", **{f"a{i}": np.asarray(value) for i, value in enumerate(lowered.values().values())})


def read(folder: pathlib.Path, name: str, lowered) -> dict:
    """What the source gave: {"": the value, leaf: its gradient}."""
    with np.load(folder / f"{name}.out.npz") as file:
        return {leaf: file[f"a{i}"] for i, leaf in enumerate(["", *lowered.leaves])}


def saved_bytes(function, *arguments) -> int:
    """The bytes of what JAX keeps for the backward pass of a function, besides its arguments."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        jax.ad_checkpoint.print_saved_residuals(function, *arguments)
    forms = [re.match(r"(?:bool|[a-z]+(\d+))\[([\d,]*)\]", line) for line in printed.getvalue().splitlines()
             if "from the argument" not in line]
    return sum(int(form[1] or 8) // 8 * math.prod(map(int, filter(None, form[2].split(",")))) for form in forms if form)
