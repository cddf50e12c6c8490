"""What packages ask `torch._C._functorch`: whether a tensor is part of a transform that is running."""

from torchlike._base import absent
from torchlike._base.errors import UnsupportedError
from torchlike._modes.vmap_levels import batched

__all__ = ["get_unwrapped", "is_batchedtensor", "is_legacy_batchedtensor"]
_REASON = "torch._C._functorch's wrappers are not supported: a transform is one of JAX's"


def is_batchedtensor(x) -> bool:
    """Whether a tensor differs from slice to slice of a `torch.vmap` that is running.

    Args:
        x: a Tensor.

    Returns:
        a bool.
    """
    return batched(x)


def is_legacy_batchedtensor(x) -> bool:
    """False: there is one kind of vmap.

    Args:
        x: a Tensor.

    Returns:
        a bool.
    """
    return False


get_unwrapped = absent.failing("get_unwrapped", __name__, UnsupportedError, _REASON)
_add_batch_dim = absent.failing("_add_batch_dim", __name__, UnsupportedError, _REASON)
_remove_batch_dim = absent.failing("_remove_batch_dim", __name__, UnsupportedError, _REASON)
