"""`torch.fx.traceback`: notes that new Nodes get. https://pytorch.org/docs/stable/fx.html"""

import contextlib
import threading


class _Local(threading.local):
    """What holds in this thread."""

    def __init__(self):
        self.meta: dict = {}
        self.preserve = False


_local = _Local()


@contextlib.contextmanager
def annotate(annotation_dict: dict):
    """A block whose Nodes get these notes under ``meta["custom"]`` where notes are preserved.

    Args:
        annotation_dict: the notes.

    Returns: a context manager.
    """
    before = _local.meta
    _local.meta = {**before, "custom": {**before.get("custom", {}), **annotation_dict}}
    try:
        yield
    finally:
        _local.meta = before


@contextlib.contextmanager
def preserve_node_meta(enable: bool = True):
    """A block in which notes are preserved.

    Args:
        enable: whether they are.

    Returns: a context manager.
    """
    before = _local.preserve
    _local.preserve = enable
    try:
        yield
    finally:
        _local.preserve = before


def has_preserved_node_meta() -> bool:
    """Whether notes are preserved."""
    return _local.preserve


def get_current_meta() -> dict:
    """The notes, as a dict."""
    return _local.meta
