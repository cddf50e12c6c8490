"""The errors of `torch.distributed`. https://pytorch.org/docs/stable/distributed.html#debugging-torch-distributed-applications"""


class DistError(RuntimeError):
    """Something between processes went wrong."""


class DistBackendError(DistError):
    """A collective failed."""


class DistNetworkError(DistError):
    """A connection could not be made, or broke."""


class DistStoreError(DistError):
    """A store did not have what it was asked for in time."""


class QueueEmptyError(DistStoreError):
    """A queue of a store has nothing to give at once."""
