"""What holds for a thread: every thread-local of torchlike, found by itself, to see that nothing stays changed."""

import functools
import sys
import threading

from torchlike._base.device import _default as default_device
from torchlike._base.device import device
from torchlike._record.thread import ThreadState
from torchlike._record.trace import Trace, state

_NO_MODES = ("past", "expected")  # what was recorded; checks that fall due
_PLAIN = (bool, int, str, tuple, list, frozenset, device, type(None))


def _holders() -> list:
    return _found(len(sys.modules))


@functools.lru_cache(maxsize=1)
def _found(modules: int) -> list:
    """Looked for again once there are other modules: they have 50 000 names."""
    found = {id(state.thread): ("ThreadState", state.thread), 0: ("the default device", default_device)}
    for name, module in sys.modules.copy().items():
        if name.startswith("torchlike"):
            for key, value in vars(module).copy().items():
                if isinstance(value, threading.local):
                    found.setdefault(id(value), (f"{name}.{key}", value))
    return [*found.values()]


def _attributes(holder) -> dict:
    if isinstance(holder, ThreadState):
        return {name: getattr(holder, name) for name in ThreadState.__slots__ if name not in _NO_MODES}
    return dict(vars(holder))


def snapshot() -> dict:
    """The modes of this thread, by holder and name; lists are copied."""
    return {(name, key): value.copy() if isinstance(value, list) else value
            for name, holder in _holders() for key, value in _attributes(holder).items()
            if value.__class__ in _PLAIN or isinstance(value, Trace)}


def changed(before: dict) -> list:
    """What differs from an earlier snapshot, in words."""
    after = snapshot()
    return [f"{name}.{key}: {before[name, key]!r} -> {after.get((name, key))!r}" for name, key in before
            if after.get((name, key)) != before[name, key]]


def restore(before: dict) -> None:
    """Everything as it was."""
    for name, holder in _holders():
        for key in _attributes(holder):
            if (name, key) in before:
                value = before[name, key]
                setattr(holder, key, value.copy() if isinstance(value, list) else value)
