"""Training from its first step on: the step, those after it until the program is compiled, and new sequence lengths.

Every loss is read, as in a script that prints it.
"""

import dataclasses
import importlib
import statistics
import time
from collections.abc import Callable
from types import ModuleType

from benchmarks.programs import gpt

NEW_LENGTHS = (60, 52, 44, 36, 28)  # of the GPT, after LENGTH
LENGTHS, LENGTHS_DEPTH = 50, 2  # how many lengths the transformer of `many_lengths` meets, and its layers
STRIDE = 7  # prime to LENGTHS: the order of the lengths is a permutation
HOT_STEPS = 3  # in which everything ran compiled, and the program is hot


@dataclasses.dataclass
class Sizes:
    """How much to run."""

    early: int = 20  # steps of the shorter count
    steps: int = 50  # and of the longer one
    length_steps: int = 500  # over `LENGTHS` sequence lengths
    turns: int = 10  # of the GPT's five lengths
    patience: float = 30.0  # seconds to wait until the program is hot
    looks: int = 1000  # at one operation


def seconds(call: Callable) -> float:
    """What a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def first_steps(program: str, torch: ModuleType, sizes: Sizes) -> dict:
    """Build a program of benchmarks/programs and run its first steps."""
    start = time.perf_counter()
    step = importlib.import_module(f"benchmarks.programs.{program}").make_step(torch, lambda model: model)
    built = time.perf_counter()
    found = {"build": built - start}
    watch = Watch(torch)
    took = []
    while len(took) < sizes.steps or (watch.waiting and sum(took) < sizes.patience):
        took.append(seconds(lambda: step().sum().item()))
        watch.after_step(sum(took[1:]))
    found["first_step"] = took[0]
    for name, last in (("early", sizes.early), ("steps", sizes.steps)):
        found[name], found[f"{name}_each"] = sum(took[1:last]), statistics.median(took[1:last])
    return {**found, "hot_after": watch.hot_after, "hot_steps": watch.hot_steps}


class Watch:
    """Finds when everything runs compiled: the seconds and steps after the first step before `HOT_STEPS` such steps."""

    def __init__(self, torch: ModuleType):
        self.counters = getattr(torch, "counters", None)  # PyTorch has none
        self.waiting = self.counters is not None
        self.hot_after: float | None = None
        self.hot_steps: int | None = None
        self.before = self._read()
        self.steps = 0
        self.ended = [0.0]  # the ends of the last steps, in seconds after the first one

    def _read(self) -> tuple[int, int]:
        counted = self.counters() if self.counters else {"cold_runs": 0, "hot_runs": 0}
        return counted["cold_runs"], counted["hot_runs"]

    def after_step(self, since_first: float) -> None:
        """To be called after each step."""
        now = self._read()
        hot = now[0] == self.before[0] and now[1] > self.before[1]
        self.before, self.steps = now, self.steps + 1
        self.ended = [*self.ended, since_first] if hot else [since_first]
        if self.waiting and len(self.ended) > HOT_STEPS:
            self.waiting, self.hot_after, self.hot_steps = False, self.ended[0], self.steps - HOT_STEPS


def gpt_lengths(torch: ModuleType, sizes: Sizes) -> dict:
    """The GPT at sequence lengths that it has not met, and then at these in turn."""
    step = gpt.make_step_of_length(torch, lambda model: model)
    for _ in range(sizes.steps):
        step(gpt.DEFAULT.length).item()
    new = [seconds(lambda length=length: step(length).item()) for length in NEW_LENGTHS]
    turns = [seconds(lambda length=length: step(length).item()) for _ in range(sizes.turns) for length in NEW_LENGTHS]
    return {"new_length": statistics.median(new), "new_length_worst": max(new), "in_turn_each": statistics.median(turns)}


def many_lengths(torch: ModuleType, sizes: Sizes) -> dict:
    """A small transformer whose batches have `LENGTHS` different lengths."""
    step = gpt.make_step_of_length(torch, lambda model: model, LENGTHS_DEPTH)
    lengths = [gpt.DEFAULT.length - i * STRIDE % LENGTHS for i in range(sizes.length_steps)]
    took = [seconds(lambda length=length: step(length).item()) for length in lengths]
    return {"all_lengths": sum(took), "all_lengths_each": statistics.median(took)}
