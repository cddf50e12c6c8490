"""`torch.func.debug_unwrap`: what a transform's stand-in for a tensor stands for."""

import jax

from torchlike._record.tensor import Tensor
from torchlike._record.trace import force
from torchlike._record.tracers import stripped, tensor_of


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """What stands behind a tensor inside of a transform: all slices of a `vmap`, the value of which `grad` or `jvp` takes
    derivatives. For debugging alone: it has no part in the transform.
    https://pytorch.org/docs/stable/generated/torch.func.debug_unwrap.html

    Args:
        tensor: a Tensor.
        recurse: whether to go through all transforms, or through the innermost one that the tensor takes part in.

    Returns:
        a Tensor; the same one outside of transforms.
    """
    array = stripped(force(tensor._cell))
    inner = _inside(array)
    if inner is None:
        return tensor
    while recurse and _inside(inner) is not None:
        inner = _inside(inner)
    return tensor_of(inner, tensor._cell.aval.device)


def _inside(array):
    """What a tracer of JAX's stands for; None for an array, and for a tracer that stands for none."""
    if not isinstance(array, jax.core.Tracer):
        return None
    found = getattr(array, "primal", getattr(array, "val", None))
    return None if found is None else stripped(found)
