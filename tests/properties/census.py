"""How many objects are alive, by kind. For tests that run with the collector off."""

import contextlib
import gc

import jax

import torchlike as torch
from torchlike._record.cell import Storage, ViewCell
from torchlike._record.trace import state
from torchlike.autograd.node import Node

KINDS = {"Tensor": torch.Tensor, "Node": Node, "Storage": Storage, "ViewCell": ViewCell}


def census() -> dict:
    """The number of live jax arrays and of each kind, and the length of the running trace."""
    counts = dict.fromkeys(KINDS, 0)
    for each in gc.get_objects():
        for name, kind in KINDS.items():
            if kind in type(each).__mro__:  # isinstance asks proxies for their __class__
                counts[name] += 1
    return {**counts, "jax arrays": len(jax.live_arrays()), "trace": len(state.trace.values)}


@contextlib.contextmanager
def no_collector():
    """Without the garbage collector: what dies does so by its reference count.

    What is alive before is frozen: a census need not look at it, nor any later collection.
    """
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.collect()
