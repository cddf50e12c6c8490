"""Plans against what ranks measure and XLA counts: memory, collectives and bytes of a step, not times.

``python -m benchmarks.scaling [--sizes 2 4 8] [--devices 64] [--write]`` trains `scaled.py` on so many ranks, as
DistributedDataParallel, and has XLA compile its step for so many virtual devices; ``--write`` puts the tables into
docs/site/guides/distribute.md.
"""

import argparse
import importlib
import json
import os
import pathlib
import runpy
import socket
import subprocess
import sys
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

from torchlike._plan.compiling import compiled, compiled_texts
from torchlike._plan.devices import DEVICES
from torchlike._plan.lowering import placement
from torchlike._plan.mesh import parse
from torchlike._plan.recording import recorded
from torchlike._plan.strategies import Outcome, Setting, outcome, ways

ROOT = pathlib.Path(__file__).parents[1]
PROGRAM = ROOT / "benchmarks" / "scaled.py"
GUIDE = ROOT / "docs" / "site" / "guides" / "distribute.md"
BEGIN, END = "<!-- by python -m benchmarks.scaling --write -->\n", "<!-- end -->\n"
MODELS = (("mlp", "adamw"), ("cnn", "momentum"), ("gpt", "adamw"))
KINDS = ("parameters", "gradients", "moments", "buffers", "saved for backward")
# XLA for the CPU takes a second gathering for the first; with this it does not.
APART = "--xla_disable_hlo_passes=cse_barrier_expander"
_AXIS = "data"
_MOVED = ("all_gather", "slice", "reshape", "transpose")  # of a block's weights: none is kept for backward


def measured(size: int, *arguments: str) -> list[dict]:
    """What each of so many ranks prints."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    common = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": str(size), "OMP_NUM_THREADS": "1"}
    ranks = [subprocess.Popen([sys.executable, "-m", "torchlike", "run", str(PROGRAM), *arguments], stdout=subprocess.PIPE,
                              env={**common, "RANK": str(rank), "LOCAL_RANK": str(rank)}, text=True) for rank in range(size)]
    told = [process.communicate()[0] for process in ranks]
    if any(process.returncode for process in ranks):
        raise RuntimeError(f"{arguments}: exit status {[process.returncode for process in ranks]}")
    return [json.loads(text.strip().splitlines()[-1]) for text in told]


def planned(mesh: str, name: str, step, *, is_global: bool = False) -> Outcome:
    """What a way comes to."""
    setting = Setting(step, parse(mesh), DEVICES["cpu"], 8, is_global, step.traffic)
    return outcome(setting, next(way for way in ways(setting.mesh) if way.name == name))


def on_ranks(sizes) -> Iterator[list[str]]:
    """Rows of the first table."""
    for model, optimizer in MODELS:
        step, _ = recorded(str(PROGRAM), [model, optimizer], 3)
        for size in sizes:
            plan = planned(f"{_AXIS}={size}", "DDP", step)
            sums = next(x for x in plan.collectives if x.kind == "all-reduce")
            ranks = measured(size, model, optimizer)
            totals = {sum(rank[kind] for kind in KINDS) for rank in ranks}
            sent = {(len(rank["sent"]), sum(rank["sent"])) for rank in ranks}
            assert len(totals) == len(sent) == 1, ranks
            total, (count, size_of) = totals.pop(), sent.pop()
            yield [f"{model}, {optimizer}", f"{size}", f"{plan.total:,.0f}", f"{total:,}", f"{plan.total / total - 1:+.1%}",
                   f"{sums.count}: {sums.bytes:,.0f}", f"{count}: {size_of:,}"]


# -- virtual devices

def told(found, kind) -> str:
    """The floating tensors that collectives of a kind send: how many, and their bytes."""
    chosen = [(size, types) for each, size, _, types in found if each == kind and types[0].startswith(("f", "bf"))]
    return f"{sum(len(types) for _, types in chosen)}: {sum(size for size, _ in chosen):,}"


def on_devices(n: int) -> Iterator[list[str]]:
    """Rows of the second table."""
    step, ran = recorded(str(PROGRAM), ["mlp", "adamw"], 3)
    plan = planned(f"{_AXIS}={n}", "DDP", step, is_global=True)
    placed = placement(step, plan.way, is_global=True)
    assert placed is not None
    found = [each for result in compiled([(each, placed) for each in ran]) for each in result["collectives"]]
    losses = 2  # the loss, and the number of samples that it is a mean of
    yield ["DDP, NamedSharding", f"{n}", "all-reduce",
           f"{len(step.parameters)} + {losses}: {plan.collectives[0].bytes:,.0f} + {4 * losses}", told(found, "all-reduce")]
    plan = planned(f"{_AXIS}={n}", "FSDP", step)
    found = compiled_texts([(sharded(n), n)], APART)[0]["collectives"]
    gathers, scatters = plan.collectives
    first = sum(p.bytes for p in step.parameters if p.unit == step.units[0])  # data have no gradient: it is not read again
    yield ["FSDP, shard_map", f"{n}", gathers.kind, f"{gathers.count} - 1: {gathers.bytes:,.0f} - {first:,}",
           told(found, gathers.kind)]
    yield ["FSDP, shard_map", f"{n}", scatters.kind, f"{scatters.count}: {scatters.bytes:,.0f}", told(found, scatters.kind)]
    step, ran = recorded(str(PROGRAM), ["mlp", "adamw"], 3)
    plan = planned("model=8", "TP", step)
    placed = placement(step, plan.way, is_global=False)
    assert placed is not None
    found = [each for result in compiled([(each, placed) for each in ran]) for each in result["collectives"]]
    sums = next(x for x in plan.collectives if x.kind == "all-reduce")
    yield ["TP, NamedSharding", "8", "all-reduce", f"{sums.count}: {sums.bytes:,.0f}", told(found, "all-reduce")]


def sharded(n: int) -> str:
    """The gradients of the mlp as StableHLO for n devices, each of which has a part of each block, and gathers it twice."""
    torch = importlib.import_module("torch")
    module = runpy.run_path(str(PROGRAM))
    model, draw = module["mlp"]()
    loss = torch.nn.functional.cross_entropy(model(draw(4)), torch.randint(0, module["CLASSES"], (4,)))
    program = torch.lower(loss)
    blocks: dict[str, list] = {}
    for name, leaf in program.leaves.items():
        blocks.setdefault(name.rpartition(".")[0], []).append((name, tuple(leaf.shape), leaf.numel()))
    sizes = {block: sum(size for *_, size in parts) for block, parts in blocks.items()}

    def local(parts):
        leaves = {}
        for block, members in blocks.items():
            whole = jax.lax.all_gather(parts[block], _AXIS, tiled=True)
            start = 0
            for name, shape, size in members:
                leaves[name], start = whole[start:start + size].reshape(shape), start + size
        return program(leaves)

    again = jax.checkpoint(local, policy=lambda primitive, *_, **__: primitive.name not in _MOVED)
    mesh, spec = AbstractMesh((n,), (_AXIS,)), PartitionSpec(_AXIS)
    function = jax.shard_map(jax.grad(again), mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)
    with jax.enable_x64(True):
        arguments = {block: jax.ShapeDtypeStruct((-(-size // n) * n,), jnp.float32, sharding=NamedSharding(mesh, spec))
                     for block, size in sizes.items()}
        return jax.jit(function).trace(arguments).lower(lowering_platforms=("cpu",)).as_text()


# -- tables

RANKS = ["model", "ranks", "memory of a rank, planned", "measured", "", "all-reduces, planned", "sent"]
DEVICES_HEAD = ["way", "virtual devices", "collective", "by theory", "compiled"]


def table(head: list[str], rows: list[list[str]]) -> str:
    """In Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows]) + "\n"


def write(text: str, path: pathlib.Path = GUIDE) -> None:
    """Puts tables between the marks of a document."""
    before, _, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"{path} has no place for the tables")
    path.write_text(f"{before}{BEGIN}{text}{END}{after}", encoding="utf-8")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[2, 4, 8])
    parser.add_argument("--devices", type=int, default=64)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    importlib.import_module("torchlike.install").install()
    np.random.seed(0)
    devices = table(DEVICES_HEAD, list(on_devices(given.devices)))
    print(devices, flush=True)
    ranks = table(RANKS, list(on_ranks(given.sizes)))
    print(ranks)
    if given.write:
        write(f"\n{ranks}\n{devices}\n")


if __name__ == "__main__":
    main()
