"""Blocks in which operators that `torch.library` has registered run without their gradients."""

import threading


class _Below(threading.local):
    depth = 0


_below = _Below()


class _AutoDispatchBelowAutograd:
    """``with``: operators that `torch.library` has registered run without their gradients, in this thread."""

    def __enter__(self) -> None:
        _below.depth += 1

    def __exit__(self, *exception) -> None:
        _below.depth -= 1


def _is_below_autograd() -> bool:
    """Whether a block of `_AutoDispatchBelowAutograd` is open, in this thread."""
    return _below.depth > 0
