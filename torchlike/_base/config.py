"""Settings, from the environment and by `configure`.

``TORCHLIKE_COMPILE`` = background | now | off (no whole programs) | kernels (nor numpy: every kernel is compiled);
``TORCHLIKE_MAX_TRACE`` instructions after which a trace runs by itself, or ``TORCHLIKE_MAX_BYTES`` bytes that only it keeps
from being freed;
``TORCHLIKE_MAX_PROGRAMS`` and ``TORCHLIKE_MAX_NODES`` bound the caches; ``TORCHLIKE_HOT`` runs of a program, and
``TORCHLIKE_PATIENCE`` times the seconds that compiling takes, before it is compiled; ``TORCHLIKE_CACHE`` = off, or a folder
for compiled programs in the place of that in the user's cache folder, of at most ``TORCHLIKE_CACHE_BYTES`` bytes;
``TORCHLIKE_TRACEBACKS`` = own (torchlike's frames are hidden in them) | whole.
"""

import dataclasses
import os

from torchlike._base.block import Block

COMPILE_MODES = ("background", "now", "off", "kernels")
NO_PROGRAMS = ("off", "kernels")  # of them, those by which no whole program runs
TRACEBACKS = ("own", "whole")


@dataclasses.dataclass(slots=True)
class Settings:
    """The process's settings. Change them with `configure`."""

    compile: str = "background"
    max_trace: int = 4096  # instructions
    soft_trace: int = 512  # instructions after which the end of a backward pass runs the trace
    max_bytes: int = 1 << 30  # bytes that a trace keeps from being freed; looked at whenever its results make so many
    max_programs: int = 512  # compiled whole programs kept
    max_nodes: int = 200_000  # nodes of the prefix tree kept
    max_kernels: int = 6_000  # (row, avals, params) kept; each maps memory six times, of which Linux allows 65 530
    hot: int = 1  # runs in the cold tier before a program is compiled whole
    patience: float = 0.25  # and seconds in it, for each second that compiling will take
    cache: str = ""  # the folder of compiled programs, "off", or "": in the user's cache folder
    cache_bytes: int = 1 << 30  # of them
    tracebacks: str = "own"  # which frames they show


def _from_environment() -> Settings:
    made = Settings()
    for field in dataclasses.fields(Settings):
        text = os.environ.get("TORCHLIKE_" + field.name.upper())
        if text is not None:
            setattr(made, field.name, type(getattr(made, field.name))(text))
    _check(made)
    return made


def _check(s: Settings) -> None:
    if s.compile not in COMPILE_MODES:
        raise ValueError(f"TORCHLIKE_COMPILE is one of {COMPILE_MODES}, got {s.compile!r}")
    if s.tracebacks not in TRACEBACKS:
        raise ValueError(f"TORCHLIKE_TRACEBACKS is one of {TRACEBACKS}, got {s.tracebacks!r}")


settings = _from_environment()


class configure(Block):  # noqa: N801 - used as a function
    """Changes settings from here on, and with ``with configure(compile="now"): ...`` until the block ends. They are the
    process's: every thread sees a change. The block's value is the `Settings`.

    Args:
        changes: settings by name, the fields of `Settings`.

    Raises:
        TypeError: an unknown name.
        ValueError: a bad value.
    """

    def __init__(self, **changes):
        unknown = [n for n in changes if n not in Settings.__slots__]
        if unknown:
            raise TypeError(f"no such setting: {', '.join(unknown)}; there are {', '.join(Settings.__slots__)}")
        _check(dataclasses.replace(settings, **changes))
        self._before = {name: getattr(settings, name) for name in changes}
        try:
            _apply(changes)
        except BaseException:  # Ctrl-C, say: nobody has what would put it back
            self._end()
            raise

    def _begin(self) -> Settings:
        return settings

    def _end(self) -> None:
        _apply(self._before)


def _apply(changes) -> None:
    for name, value in changes.items():
        setattr(settings, name, value)
