"""Cross entropy of classes that lie on several ranks."""

import contextlib
from collections.abc import Iterator

from torchlike.distributed.tensor._rules import options


@contextlib.contextmanager
def loss_parallel() -> Iterator[None]:
    """``with``: `cross_entropy` of logits whose classes are divided is computed without gathering them: ranks exchange a
    maximum, a sum and a loss for each row.
    https://pytorch.org/docs/stable/distributed.tensor.parallel.html#torch.distributed.tensor.parallel.loss_parallel

    The backward pass belongs inside, too.
    """
    before = options.thread.divides_classes
    options.thread.divides_classes = True
    try:
        yield
    finally:
        options.thread.divides_classes = before
