"""`torch.utils.serialization.config`: ``load`` and ``save`` hold the settings of `torch.load` and `torch.save`.
https://pytorch.org/docs/stable/notes/serialization.html#config
"""

import sys

from torchlike._base.patching import patched
from torchlike._serialization.config import load as load
from torchlike._serialization.config import save as save


def patch(arg1=None, arg2=None, **changes):
    """A block, or a function that it decorates, with other settings.

    Args:
        arg1, arg2: a name, such as ``"load.mmap"``, and its value; or `arg1` is a dict of them.
        changes: names and values.

    Returns:
        a context manager.
    """
    return patched(sys.modules[__name__], arg1, arg2, changes)


def get_config_copy() -> dict:
    """All settings, by names such as ``"load.mmap"``."""
    return {f"{group.__name__}.{name}": getattr(group, name) for group in (load, save) for name in group.__annotations__}
