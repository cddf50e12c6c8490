"""One engine runs one program in a process of its own: ``python -m torchlike.diff.worker``.

Writes what the program printed and every tensor it left in its globals: outputs, parameters, gradients.
"""

import argparse
import contextlib
import io
import json
import os
import runpy
import sys
import traceback

import numpy as np


def main() -> None:
    """Run the program under the engine named on the command line and save what it made."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", choices=("torch", "tape", "functional"), required=True)
    parser.add_argument("--out", required=True, help="prefix of the two files to write")
    parser.add_argument("program")
    options = parser.parse_args()
    captured = io.StringIO()
    record = {"error": None}
    found: dict = {}
    try:
        with contextlib.redirect_stdout(captured):
            namespace = _run(options.engine, options.program)
        found = collect(namespace, sys.modules["torch"])
    except Exception as error:  # noqa: BLE001 - the program's own failure is the result
        record["error"] = "".join(traceback.format_exception(error))
        record["summary"] = f"{type(error).__name__}: {error}"
    record["stdout"] = captured.getvalue()
    record["kinds"] = {name: kind for name, (kind, _) in found.items()}
    np.savez(options.out + ".npz", **{name: array for name, (_, array) in found.items()})
    with open(options.out + ".json", "w") as file:
        json.dump(record, file)


def _run(engine, program) -> dict:
    sys.argv = [program]
    sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
    if engine == "torch":
        return runpy.run_path(program, run_name="__main__")
    return _run_torchlike(engine, program)


def _run_torchlike(engine, program):
    install = importlib_import("torchlike.install").install
    functional = importlib_import("torchlike.diff.functional").functional
    install(force=True)
    context = functional() if engine == "functional" else contextlib.nullcontext()
    with context:
        return runpy.run_path(program, run_name="__main__")


def importlib_import(name):
    """Import by name: the torch engine must not load torchlike or JAX."""
    return __import__(name, fromlist=["_"])


def collect(namespace, torch) -> dict:
    """name -> (kind, numpy array) of all tensors the program left: globals, in modules, and gradients."""
    found: dict = {}
    for name, value in namespace.items():
        if not name.startswith("_"):
            _collect(name, value, torch, found)
    return found


def _collect(name, value, torch, found, depth=0):
    if isinstance(value, torch.Tensor):
        _tensor(name, "output", value, found)
    elif isinstance(value, torch.nn.Module):
        for part, parameter in value.named_parameters():
            _tensor(f"{name}.{part}", "parameter", parameter, found)
        for part, buffer in value.named_buffers():
            _tensor(f"{name}.{part}", "output", buffer, found)
    elif isinstance(value, bool | int | float) and depth < 2:
        found[name] = ("output", np.asarray(float(value)))
    elif isinstance(value, list | tuple) and depth < 2 and len(value) <= 1000:
        for i, item in enumerate(value):
            _collect(f"{name}[{i}]", item, torch, found, depth + 1)
    elif isinstance(value, dict) and depth < 2 and len(value) <= 1000:
        for key, item in value.items():
            _collect(f"{name}[{key!r}]", item, torch, found, depth + 1)


def _tensor(name, kind, value, found):
    found[name] = (kind, _array(value))
    if (value.is_leaf or value.retains_grad) and value.grad is not None:
        found[name + ".grad"] = ("gradient", _array(value.grad))


def _array(x):
    x = x.detach().cpu()
    if str(x.dtype) in ("torch.bfloat16", "torch.float16"):
        x = x.float()
    return np.asarray(x.numpy())


if __name__ == "__main__":
    main()
