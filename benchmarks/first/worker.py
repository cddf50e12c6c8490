"""One program under one engine in this process; prints one JSON object. Started by benchmarks/first/suite.py."""

import argparse
import dataclasses
import importlib
import json
import os
import time
from collections.abc import Callable

from benchmarks.first import looks, packages, stand_ins, training

ENGINES = ("torch", "torchlike", "jax")
LOOPS = ("gpt", "cnn", "mlp", "chain")
PACKAGES: dict[str, Callable] = {
    "gpt2": packages.gpt2, "transformers": packages.transformers, "timm": packages.timm}
OTHERS: dict[str, Callable] = {
    "gpt_lengths": training.gpt_lengths, "many_lengths": training.many_lengths, "looks": looks.looks}
PROGRAMS = ("import", *LOOPS, *OTHERS, *PACKAGES)


def run(engine: str, program: str, sizes: training.Sizes) -> dict:
    """All measurements of one process, in seconds."""
    skipped = packages.missing(program)
    if skipped:
        return {"skipped": skipped}
    start = time.perf_counter()
    library = importlib.import_module(engine)
    if program == "import":
        return {"import": time.perf_counter() - start}
    if program in PACKAGES:
        if engine == "torchlike":
            library.install()
        stand_ins.install()
        return PACKAGES[program](library)
    return training.first_steps(program, library, sizes) if program in LOOPS else OTHERS[program](library, sizes)


def main() -> None:
    """Print the measurements, or the error, as JSON on the last line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("engine", choices=ENGINES)
    parser.add_argument("program", choices=PROGRAMS)
    for field in dataclasses.fields(training.Sizes):
        parser.add_argument(f"--{field.name}", type=type(field.default), default=field.default)
    parser.add_argument("--cores", type=int, help="run on this many cores")
    options = vars(parser.parse_args())
    cores = options.pop("cores")
    if cores:
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    try:
        found = run(options.pop("engine"), options.pop("program"), training.Sizes(**options))
    except Exception as error:  # noqa: BLE001 - an engine that cannot run a program is a line of the table
        text = (str(error).strip().splitlines() or [""])[0]
        found = {"error": f"{type(error).__name__}: {text}"[:200]}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
