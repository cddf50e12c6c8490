"""Where a backward call starts and what it is to find: its arguments, checked as PyTorch does."""

from torchlike._base.size import Size
from torchlike._ops.table import ROWS
from torchlike._record.bind import bind
from torchlike._record.inplace import cast
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike.autograd.edges import aval_for, edge_for


def grad_for_output(aval, g, i):
    """The gradient to start from at an output of this form, checked as PyTorch does."""
    if g is None:
        if aval.numel != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if aval.dtype.category < 2:
            raise RuntimeError("grad can be computed only for real scalar outputs but got "
                               f"{aval.dtype!r}")
        if aval.dtype.is_complex:
            raise RuntimeError("grad can be implicitly created only for real scalar outputs but got "
                               f"{aval.dtype!r}")
        return _ones(aval)
    theirs = g._cell.aval
    if theirs.shape != aval.shape:
        raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {theirs.shape} and "
                           f"output[{i}] has a shape of {aval.shape}.")
    if theirs.dtype.is_complex != aval.dtype.is_complex:
        raise RuntimeError("For complex Tensors, both grad_output and output are required to have the same "
                           f"dtype. Mismatch in dtype: grad_output[{i}] has a dtype of {theirs.dtype!r} and "
                           f"output[{i}] has a dtype of {aval.dtype!r}.")
    if theirs.dtype is not aval.dtype:
        return cast(g, aval.dtype)
    return g


def _ones(aval):
    t = state.trace
    before, t.thread.grad = t.thread.grad, False
    try:
        return bind(ROWS["_ones"], (), (), (tuple(aval.shape), aval.dtype, aval.device))
    finally:
        t.thread.grad = before


def as_tuple(grads, count) -> tuple:
    """The gradients to start from, one for each output."""
    if grads is None:
        return (None,) * count
    if isinstance(grads, Tensor):
        return (grads,)
    return tuple(grads)


def roots_of(outs, given) -> tuple:
    """(edges, gradients) to start from; RuntimeError or TypeError where they do not fit."""
    if len(given) < len(outs):
        raise RuntimeError(f"got {len(outs)} tensors and {len(given)} gradients")
    roots, grads = [], []
    for i, (out, g) in enumerate(zip(outs, given, strict=False)):
        if g is not None and not isinstance(g, Tensor):
            raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
        asked = g is not None or not isinstance(out, Tensor) or out.requires_grad
        grads.append(grad_for_output(aval_for(out), g, i) if asked else None)
    for i, (out, _) in enumerate(zip(outs, given, strict=False)):
        roots.append(edge_for(out))
        if roots[-1] is None:
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
    return roots, grads


def check_batch(outs, given) -> int:
    """How many gradients each batch in `given` has (``is_grads_batched``); RuntimeError if one does not fit."""
    for i, (out, g) in enumerate(zip(outs, given, strict=False)):
        if g is None:
            continue
        shape, theirs = aval_for(out).shape, g._cell.aval.shape
        if not theirs:
            raise IndexError("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in "
                             "C++ to convert a 0-dim tensor to a number")
        if theirs[1:] != shape:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: grad_output[{i}] has a shape of {Size(theirs[1:])} and output[{i}] "
                f"has a shape of {shape}. If you only want some tensors in `grad_output` to be considered batched, "
                "consider using vmap.")
    return next(g for g in given if g is not None)._cell.aval.shape[0]


def captures_of(wanted) -> dict:
    """{Node: {output number: position}} of the tensors whose gradients are wanted."""
    captures: dict = {}
    for position, x in enumerate(wanted):
        edge = edge_for(x)
        if edge is None and x.requires_grad:  # a view made under no_grad: nothing leads to it
            continue
        if edge is None:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
        node, number = edge
        captures.setdefault(node, {}).setdefault(number, position)
    return captures
