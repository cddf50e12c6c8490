"""Asks XLA, in a process of its own with virtual devices, what the programs of a step need."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from torchlike._plan.facts import Step
from torchlike._plan.lowering import Placement, lowered, placement
from torchlike._plan.programs import Ran
from torchlike._plan.strategies import Way

MOST = 512  # virtual devices: more are not tried
_COMPILER = pathlib.Path(__file__).with_name("partitioned.py")


def compiled(jobs: Sequence[tuple[Ran, Placement]]) -> list[dict]:
    """What `partitioned.py` says of each program on its mesh.

    Args:
        jobs: programs and how their values lie.

    Raises:
        RuntimeError: the process has failed.
    """
    return compiled_texts([(lowered(ran, placed), placed.devices) for ran, placed in jobs])


def compiled_texts(jobs: Sequence[tuple[str, int]], flags: str = "") -> list[dict]:
    """The same of programs in StableHLO.

    Args:
        jobs: texts, and for how many devices each is.
        flags: more of XLA_FLAGS.

    Raises:
        RuntimeError: the process has failed.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        told = []
        for i, (text, devices) in enumerate(jobs):
            (folder / f"{i}.mlir").write_text(text)
            told.append({"file": f"{i}.mlir", "devices": devices})
        (folder / "jobs.json").write_text(json.dumps(told))
        count = max((devices for _, devices in jobs), default=1)
        whole = f"{os.environ.get('XLA_FLAGS', '')} {flags} --xla_force_host_platform_device_count={count}"
        done = subprocess.run([sys.executable, str(_COMPILER), name], capture_output=True, text=True, check=False,
                              env={**os.environ, "XLA_FLAGS": whole.strip(), "JAX_PLATFORMS": "cpu"})
    if done.returncode:
        raise RuntimeError(f"XLA's process for virtual devices has ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def temporaries(step: Step, ran: Sequence[Ran], ways: Sequence[Way], is_global: bool) -> dict[str, float | None]:
    """The most bytes that XLA needs for intermediate values of one of the programs.

    Args:
        step: the step.
        ran: its programs.
        ways: the ways; those with one placement are compiled once.
        is_global: see `placement`.

    Returns:
        {name of a way: bytes a device}; None where it cannot be compiled so.
    """
    placed = {way.name: placement(step, way, is_global) for way in ways}
    distinct: list[Placement] = []
    for each in placed.values():
        if each is not None and each.devices <= MOST and each not in distinct:
            distinct.append(each)
    found = iter(compiled([(program, each) for each in distinct for program in ran]))
    most: list[float | None] = []
    for _ in distinct:
        sizes = [next(found).get("temporaries") for _ in ran]
        most.append(None if None in sizes else max((size for size in sizes if size is not None), default=0))
    return {name: most[distinct.index(each)] if each in distinct else None for name, each in placed.items()}
