"""A communication hook that sends nothing."""

from typing import Any

from torchlike._record.tensor import Tensor
from torchlike.futures import Future
from torchlike.nn.parallel.buckets import GradBucket


def noop_hook(_: Any, bucket: GradBucket) -> Future[Tensor]:
    """Leaves each rank its own gradients: what is left of a step shows what sending them takes.
    https://pytorch.org/docs/stable/ddp_comm_hooks.html#torch.distributed.algorithms.ddp_comm_hooks.debugging_hooks.noop_hook

    Args:
        bucket: the gradients; what comes before it has no effect.

    Returns:
        a Future of them, done.
    """
    made: Future = Future()
    made.set_result(bucket.buffer())
    return made
