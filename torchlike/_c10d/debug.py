"""How much PyTorch is to say of process groups: kept, for programs that ask. Here errors say as much at every level."""

import enum
import os


class DebugLevel(enum.Enum):
    """How much is said. https://pytorch.org/docs/stable/distributed.html#torch-distributed-debug"""

    OFF = 0
    INFO = 1
    DETAIL = 2


class _Level:
    """The level ``now``, of the process; None until somebody asks."""

    def __init__(self):
        self.now: DebugLevel | None = None


_level = _Level()


def get_debug_level() -> DebugLevel:
    """The level; at first what TORCH_DISTRIBUTED_DEBUG says.

    Returns:
        a DebugLevel.
    """
    if _level.now is None:
        set_debug_level_from_env()
    assert _level.now is not None
    return _level.now


def set_debug_level(level: DebugLevel) -> None:
    """Changes the level.

    Args:
        level: the new one.
    """
    _level.now = level


def set_debug_level_from_env() -> None:
    """Makes the level what TORCH_DISTRIBUTED_DEBUG says.

    Raises:
        RuntimeError: it says something else.
    """
    text = os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper()
    if text not in DebugLevel.__members__:
        raise RuntimeError("The value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO, or DETAIL.")
    _level.now = DebugLevel[text]
