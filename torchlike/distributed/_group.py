"""Process groups, of which there are none: their types, and functions that say so."""

import enum

from torchlike._base.errors import NO_PROCESS_GROUP


class ProcessGroup:
    """A type for annotations and ``isinstance``."""


class group:  # noqa: N801 - PyTorch's name
    """``group.WORLD``: None, as before a group is initialized."""

    WORLD = None


class ReduceOp(enum.Enum):
    """How a reduction over processes combines: https://pytorch.org/docs/stable/distributed.html#torch.distributed.ReduceOp"""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8


def without_group(name, space="torch.distributed"):
    """A function of that name that needs a process group."""
    def collective(*args, **kwargs):
        raise ValueError(NO_PROCESS_GROUP)

    collective.__name__ = collective.__qualname__ = name
    collective.__doc__ = f"https://pytorch.org/docs/stable/distributed.html#{space}.{name}. ValueError: no group."
    return collective
