"""Has XLA compile programs for many devices, and says what they need and send.

This file imports nothing of torchlike: it is run by its path, as a process of its own that has as many virtual devices of
the CPU as XLA_FLAGS says. Its argument is a folder with ``jobs.json``, [{"file": name, "devices": number}]; it prints a JSON
list with an object for each: ``temporaries``, ``arguments``, ``results``, ``aliased`` in bytes a device, ``flops`` of a
device, and ``collectives``, [kind, bytes of the whole tensors, members of a group, element types]; or ``error``.
"""

import importlib.util
import json
import math
import pathlib
import re
import sys
from typing import Any

import jax

KINDS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute")
_LINE = re.compile(rf"= (\(.*?\)|\S+) ({'|'.join(KINDS)})(?:-start)?\((.*)")
_SHAPE = re.compile(r"([a-z]+[0-9]*)[a-z0-9]*\[([0-9,]*)\]")
_SIZES = {"pred": 1, "c64": 8, "c128": 16}


def collectives(text: str) -> list[tuple[str, int, int, list[str]]]:
    """What a compiled program sends.

    Args:
        text: its HLO.

    Returns:
        (kind, bytes, members of a group, element types) of each; the bytes are those of the whole tensors, so of a
        reduce-scatter those of all parts.
    """
    found = []
    for shapes, kind, rest in _LINE.findall(text):
        parts = _SHAPE.findall(shapes)
        members = _members(rest)
        size = sum(_itemsize(name) * math.prod(map(int, filter(None, sizes.split(",")))) for name, sizes in parts)
        found.append((kind, size * (members if kind == "reduce-scatter" else 1), members, [name for name, _ in parts]))
    return found


def _itemsize(name: str) -> int:
    return _SIZES.get(name) or max(1, int(re.sub(r"\D", "", name) or 8) // 8)


def _members(rest: str) -> int:
    """The size of a group, in any of the forms in which HLO has it."""
    found = re.search(r"replica_groups=\[\d+,(\d+)\]", rest)
    if found:
        return int(found[1])
    found = re.search(r"replica_groups=\{\{([\d,]*)\}", rest)
    if found:
        return len(found[1].split(","))
    found = re.search(r"replica_groups=mesh\[(.*?)\]\s*\{(.*?)\}", rest)
    if not found:
        return 1
    sizes = dict(re.findall(r"'(\w+)'=(\d+)", found[1]))
    return math.prod(int(sizes[name]) for name in re.findall(r"'(\w+)'", found[2]))


def _jax_private() -> Any:
    """`torchlike._compile.jax_private` by its path: by its name it would import torchlike."""
    path = pathlib.Path(__file__).parents[1] / "_compile" / "jax_private.py"
    spec = importlib.util.spec_from_file_location("jax_private", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled(text: str, n: int) -> dict:
    """Compiles a program for n devices, see the module's page."""
    devices = jax.devices()[:n]
    made = _jax_private().compiled_for(text, devices)
    memory = made.get_compiled_memory_stats()
    return {"temporaries": memory.temp_size_in_bytes, "arguments": memory.argument_size_in_bytes,
            "results": memory.output_size_in_bytes, "aliased": memory.alias_size_in_bytes,
            "flops": made.cost_analysis().get("flops", 0.0),
            "collectives": [each for module in made.hlo_modules() for each in collectives(module.to_string())]}


def main() -> None:
    """The command."""
    folder = pathlib.Path(sys.argv[1])
    found = []
    for job in json.loads((folder / "jobs.json").read_text()):
        try:
            found.append(compiled((folder / job["file"]).read_text(), job["devices"]))
        except Exception as error:  # noqa: BLE001 - told to whoever has asked
            found.append({"error": f"{type(error).__name__}: {str(error)[:500]}"})
    print(json.dumps(found))


if __name__ == "__main__":
    main()
