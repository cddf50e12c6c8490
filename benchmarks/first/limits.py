"""The limits: how long the first things may take, in one table."""

import dataclasses

MARGIN = 1.25  # a limit that is passed by more than this is broken: the machines that check are shared ones
LAUNCHED = "cold"  # the engine of most limits: torchlike in a process that finds an empty cache


@dataclasses.dataclass(frozen=True)
class Limit:
    """What one measurement of torchlike may be at most: so many seconds, or so many times torch's; the larger if both."""

    what: str
    program: str
    measurement: str
    seconds: float = 0.0
    times_torch: float = 0.0
    engine: str = LAUNCHED
    less: str | None = None  # an engine whose seconds are taken off: what is beyond them is measured


FIRST_STEP = {"seconds": 0.4, "times_torch": 4.0}
LIMITS = (
    Limit("import beyond jax's", "import", "import", seconds=0.35, less="jax"),
    *(Limit("first step", program, "first_step", **FIRST_STEP) for program in ("gpt", "cnn", "mlp")),
    *(Limit("steps 2 to 50", program, "steps", times_torch=1.3) for program in ("gpt", "cnn", "mlp", "chain")),
    Limit("a new sequence length", "gpt_lengths", "new_length", seconds=0.15),
    Limit("50 lengths in all", "many_lengths", "all_lengths", times_torch=1.2),
    Limit("whole process", "gpt2", "process", times_torch=1.5),
    Limit("whole process", "timm", "process", times_torch=2.0),
    *(Limit("hot after the first step, cache filled", program, "hot_after", seconds=1.0, engine="warm")
      for program in ("gpt", "cnn", "mlp")),
    Limit("a look, over recording", "looks", "exp_over", seconds=15e-6),
)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """A limit and what was measured, in seconds."""

    limit: Limit
    allowed: float | None  # None: torch, on which it depends, was not measured
    measured: float | None  # None: not reached, or an error
    skipped: str | None = None  # why it was not measured

    @property
    def holds(self) -> bool | None:
        """Whether the limit holds; None if that is not known."""
        return None if self.skipped else self._within(1.0)

    @property
    def broken(self) -> bool:
        """Whether it is passed by more than the margin."""
        return not self.skipped and not self._within(MARGIN)

    def _within(self, margin: float) -> bool:
        return self.measured is not None and self.allowed is not None and self.measured <= self.allowed * margin


def judged(results: dict) -> list[Verdict]:
    """Each limit whose program was run."""
    return [_judge(limit, results[limit.program]) for limit in LIMITS if limit.program in results]


def _judge(limit: Limit, engines: dict) -> Verdict:
    needed = [limit.engine] + ["torch"] * bool(limit.times_torch) + [limit.less] * bool(limit.less)
    reasons = [engines[engine]["skipped"] if engine in engines else f"{engine} was not run"
               for engine in needed if "skipped" in engines.get(engine, {"skipped": ""})]
    if reasons:
        return Verdict(limit, None, None, reasons[0])
    torch = engines.get("torch", {}).get(limit.measurement)
    allowed = max(limit.seconds, limit.times_torch * torch) if torch is not None else (limit.seconds or None)
    measured = engines[limit.engine].get(limit.measurement)
    if limit.less and measured is not None:
        taken_off = engines[limit.less].get(limit.measurement)
        measured = None if taken_off is None else measured - taken_off
    return Verdict(limit, allowed, measured)
