"""Code that runs as in a process that has computed nothing yet: all is recorded, traced and compiled anew."""

import contextlib

import torchlike
from torchlike._compile import kernels
from torchlike._compile.sizes import Families
from torchlike._record import tree
from torchlike._record.caches import caches
from torchlike._record.trace import state


@contextlib.contextmanager
def afresh():
    """Empty caches for a while; what was there before is there again afterwards, so that little is compiled twice."""
    _run()
    held = {cache: vars(cache).copy() for cache in (kernels.cache, caches)}
    nodes = tree.counters["nodes"]
    kernels.cache.kernels, kernels.cache.families, kernels.cache.sized = {}, {}, Families()
    caches.root, caches.kept, caches.programs = tree.new_root(), [], 0
    state.trace._reset()
    try:
        yield
    finally:
        with contextlib.suppress(Exception):  # what is broken has been seen
            _run()
        for cache, attributes in held.items():
            vars(cache).update(attributes)
        tree.counters["nodes"] = nodes
        state.trace._reset()


def _run():
    """What is recorded by now."""
    torchlike.ones(()).add(1).item()
