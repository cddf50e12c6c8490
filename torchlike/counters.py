"""Public counters: what the recorder and the compiler did."""

from torchlike._compile import kernels
from torchlike._compile.executors import hot
from torchlike._record import trace, tree
from torchlike.autograd import replay


def counters() -> dict:
    """All counters of the process: misses of the prefix tree, kernels traced, programs compiled,
    cold and hot runs, replayed backward passes."""
    return {**tree.counters, **kernels.counters, **hot.counters, **trace.counters, **replay.counters}
