"""How tensors are pickled for other processes: by value, as everywhere."""

__all__ = ["init_reductions", "reduce_tensor"]
_PROTOCOL = 2


def init_reductions() -> None:
    """Does nothing: tensors are pickled by value."""


def reduce_tensor(tensor):
    """What pickle keeps of a tensor.

    Args:
        tensor: a Tensor.

    Returns:
        A function and its arguments.
    """
    return tensor.__reduce_ex__(_PROTOCOL)
