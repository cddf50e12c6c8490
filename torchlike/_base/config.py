"""Settings, from the environment and by context manager.

``TORCHLIKE_COMPILE`` = background | now | off (no whole programs) | kernels (nor numpy: every kernel is compiled);
``TORCHLIKE_MAX_TRACE`` instructions and ``TORCHLIKE_MAX_BYTES`` bytes after which a trace runs by itself;
``TORCHLIKE_MAX_PROGRAMS`` and ``TORCHLIKE_MAX_NODES`` bound the caches; ``TORCHLIKE_HOT`` runs of a program, and
``TORCHLIKE_PATIENCE`` times the seconds that compiling takes, before it is compiled; ``TORCHLIKE_CACHE`` = off, or a folder
for compiled programs in the place of that in the user's cache folder, of at most ``TORCHLIKE_CACHE_BYTES`` bytes.
"""

import contextlib
import dataclasses
import os

COMPILE_MODES = ("background", "now", "off", "kernels")


@dataclasses.dataclass(slots=True)
class Settings:
    """The process's settings. Change them with `configure`, which restores them."""

    compile: str = "background"
    max_trace: int = 4096  # instructions
    soft_trace: int = 512  # instructions after which the end of a backward pass runs the trace
    max_bytes: int = 1 << 30  # bytes of results in a trace
    max_programs: int = 512  # compiled whole programs kept
    max_nodes: int = 200_000  # nodes of the prefix tree kept
    max_kernels: int = 6_000  # (row, avals, params) kept; each maps memory six times, of which Linux allows 65 530
    hot: int = 1  # runs in the cold tier before a program is compiled whole
    patience: float = 0.25  # and seconds in it, for each second that compiling will take
    cache: str = ""  # the folder of compiled programs, "off", or "": in the user's cache folder
    cache_bytes: int = 1 << 30  # of them


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


settings = _from_environment()


@contextlib.contextmanager
def configure(**changes):
    """Changes settings inside a block: ``with configure(compile="now"): ...``. They are the process's: every thread sees
    a change.

    Args:
        changes: settings by name, the fields of `Settings`.

    Yields:
        The `Settings`.

    Raises:
        TypeError: an unknown name.
        ValueError: a bad value.
    """
    before = {name: getattr(settings, name, None) for name in changes}
    unknown = [n for n in changes if n not in Settings.__slots__]
    if unknown:
        raise TypeError(f"no such setting: {', '.join(unknown)}; there are "
                        f"{', '.join(Settings.__slots__)}")
    _check(dataclasses.replace(settings, **changes))
    try:
        for name, value in changes.items():
            setattr(settings, name, value)
        yield settings
    finally:
        for name, value in before.items():
            setattr(settings, name, value)
