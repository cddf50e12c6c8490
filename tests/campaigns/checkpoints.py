"""Checkpoints of `torch.distributed.checkpoint` and what chance or an enemy makes of them."""

import functools
import io
import pathlib
import random
import tempfile

import torchlike
from tests.campaigns import mutations
from torchlike.distributed import checkpoint

SHARE = 0.004  # of the cases: orbax takes a second
PLACES = ("../../outside", "/outside", "..", ".", "", "data-", "../checkpoint", None, 3, ["a"], "data-\0", "x" * 5000)
METADATA = ("data", "tensors", "objects")


@functools.cache
def valid() -> dict:
    """The files of a checkpoint, by their paths."""
    t = torchlike
    state = {"a": t.arange(6.).view(2, 3), "b": {"c": t.ones(4), "n": 3}}
    with tempfile.TemporaryDirectory() as folder:
        checkpoint.save(state, checkpoint_id=folder)
        return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(pathlib.Path(folder).rglob("*"))
                if path.is_file()}


def write(files: dict, folder: pathlib.Path) -> None:
    """Make a folder of the files."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def _another(draw, data) -> bytes:
    """The metadata with something else in it."""
    found = torchlike.load(io.BytesIO(data))
    key = draw.choice(METADATA)
    found[key] = draw.choice(PLACES) if draw.random() < 0.6 else draw.choice((None, {}, [], {"a": None}, {"a": ((2, 3), 1)}))
    if draw.random() < 0.2:
        del found[key]
    file = io.BytesIO()
    torchlike.save(found if draw.random() < 0.9 else [found], file)
    return file.getvalue()


def mutated(draw: random.Random, files: dict) -> tuple:
    """(how it was made, the files by their paths) of a checkpoint by chance."""
    files = dict(files)
    name = ".metadata" if draw.random() < 0.4 else draw.choice([*files])
    change = draw.choice([*mutations.ANY, "missing"])
    if name == ".metadata" and draw.random() < 0.6:
        change = "another"
        files[name] = _another(draw, files[name])
    elif change == "missing":
        del files[name]
    else:
        files[name] = mutations.ANY[change](draw, files[name] or b"\0", [*files.values()])
    return f"checkpoint: {name.rpartition('/')[2]}, {change}", files
