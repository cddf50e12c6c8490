"""Public counters: what the recorder and the compiler did."""

from torchlike._compile import disk_cache, kernels
from torchlike._compile.executors import hot
from torchlike._record import trace, tree
from torchlike.autograd import replay


def counters() -> dict:
    """All counters of the process: misses of the prefix tree, kernels traced, programs compiled,
    cold and hot runs, compiled programs and kernels found on disk and written there, replayed backward passes; and how many
    programs (``pending``) wait for the background compiler."""
    return {**tree.counters, **kernels.counters, **hot.counters, **disk_cache.counters, **trace.counters, **replay.counters,
            "pending": hot.compiler.pending}
