"""The worker processes of ``torchlike diff --deep``: one script under one engine, every operation recorded."""

import contextlib
import importlib
import sys

from torchlike._diff import program_run, recorder
from torchlike._diff.vjp_engine import functional
from torchlike.install import install

# Under PyTorch nothing of torchlike is imported: the two files are found by their folder, which leaves the path again.
UNDER_TORCH = ("import sys; sys.path.insert(0, sys.argv.pop(1)); import recorder, program_run; del sys.path[0]; "
               "import torch; recorder.main(torch, program_run)")


def main() -> None:
    """Record the script under the engine that is the first argument."""
    engine = sys.argv.pop(1)
    with install(), functional() if engine == "jax" else contextlib.nullcontext() as watch:
        recorder.main(importlib.import_module("torch"), program_run, watch)
