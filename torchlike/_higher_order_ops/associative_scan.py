"""A scan whose function is associative: what is next to each other is combined, then what is so made, and so on."""

from collections.abc import Callable

from torchlike import func
from torchlike._api import cat, stack
from torchlike._base.errors import wrap_dim
from torchlike._record.tensor import Tensor
from torchlike.utils import _pytree as pytree

__all__ = ["associative_scan"]


def associative_scan(combine_fn: Callable, xs, dim: int, reverse: bool = False, combine_mode: str = "pointwise"):
    """What a function makes of all slices up to each, along a dimension.

    Args:
        combine_fn: of two structures like `xs`; it is associative. In "generic" mode it gets one slice of each, in
            "pointwise" mode several side by side.
        xs: a Tensor, or nested tuples, lists and dicts of them, of one shape.
        dim: the dimension.
        reverse: whether to begin at its end.
        combine_mode: "pointwise" (on a GPU only, as in PyTorch) or "generic".

    Returns:
        A structure like `xs`.

    Raises:
        ValueError: arguments are not what is said above, or there is nothing along the dimension.
        RuntimeError: `reverse` is no bool.
    """
    leaves, spec = pytree.tree_flatten(xs)
    dim = wrap_dim(dim, leaves[0].ndim)
    _check(combine_fn, leaves, dim, reverse, combine_mode)
    moved = [leaf.movedim(dim, 0) for leaf in leaves]
    moved = [leaf.flip(0) for leaf in moved] if reverse else moved
    combine = combine_fn if combine_mode == "pointwise" else func.vmap(combine_fn)

    def flat(left: list, right: list) -> list:
        return pytree.tree_leaves(combine(pytree.tree_unflatten(left, spec), pytree.tree_unflatten(right, spec)))

    found = _scanned(flat, moved)
    found = [leaf.flip(0) for leaf in found] if reverse else found
    return pytree.tree_unflatten([leaf.movedim(0, dim) for leaf in found], spec)


def _check(combine_fn, leaves, dim, reverse, combine_mode) -> None:
    if not callable(combine_fn):
        raise ValueError(f"Combine_fn must be a callable, but got {combine_fn}")
    if not isinstance(reverse, bool):
        raise RuntimeError(f"Reverse must be a bool, but got {type(reverse)}")
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}")
    if combine_mode == "pointwise" and not all(leaf.is_cuda for leaf in leaves):
        raise ValueError("For combine_mode='pointwise', all input tensors need to be on CUDA or XPU")
    if not all(isinstance(leaf, Tensor) for leaf in leaves):
        raise ValueError("xs leaves must be a Tensor")
    if any(leaf.ndim <= dim or leaf.shape[dim] == 0 for leaf in leaves):
        raise ValueError("All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0")


def _scanned(combine: Callable, leaves: list) -> list:
    """The scan along dimension 0: pairs are combined and scanned, which gives every second result; one more combination
    each gives the results between them."""
    n = leaves[0].shape[0]
    if n < 2:
        return leaves
    odd = _scanned(combine, combine([leaf[:-1:2] for leaf in leaves], [leaf[1::2] for leaf in leaves]))
    even = [leaf[:1] for leaf in leaves]
    if n > 2:
        between = combine([leaf[:(n - 1) // 2] for leaf in odd], [leaf[2::2] for leaf in leaves])
        even = [cat(pair) for pair in zip(even, between, strict=True)]
    return [_interleaved(first, second) for first, second in zip(even, odd, strict=True)]


def _interleaved(even, odd):
    paired = odd.shape[0]
    pairs = stack([even[:paired], odd], 1).flatten(0, 1)
    return pairs if even.shape[0] == paired else cat([pairs, even[paired:]])
