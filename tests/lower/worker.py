"""Lowers a program (its first argument) where that first calls ``backward``, and writes the sources and what the tape
gives into a folder (its second). PyTorch is not imported here."""

import pathlib
import runpy
import sys

import numpy as np

import torchlike
from tests.lower import alone


def main(path: pathlib.Path, folder: pathlib.Path) -> None:
    """Runs the program."""
    found: list = []
    backward = torchlike.Tensor.backward

    def lower_first(loss, *args, **kwargs):
        if not found:
            lowered = torchlike.lower(loss)
            gradients = torchlike.autograd.grad(loss, list(lowered.leaves.values()), retain_graph=True)
            found.append([loss.detach().numpy(), *(g.numpy() for g in gradients)])
            alone.write(folder, path.stem, lowered)
            alone.write(folder, f"{path.stem}_backward", lowered, backward=True)
        backward(loss, *args, **kwargs)

    program = folder / "programs" / path.name  # what lies in torchlike's own folder has no lines
    program.parent.mkdir(exist_ok=True)
    program.write_text(path.read_text())
    torchlike.Tensor.backward = lower_first
    torchlike.install()
    with torchlike.lowering():
        runpy.run_path(str(program), run_name="__main__")
    np.savez(folder / f"{path.stem}.expected.npz", **{f"a{i}": value for i, value in enumerate(found[0])})


if __name__ == "__main__":
    main(*map(pathlib.Path, sys.argv[1:]))
