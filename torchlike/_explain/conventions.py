"""Where a run stood on a point at which PyTorch and JAX have other gradients, and what the other convention gives there."""

import numpy as np

from torchlike._explain.reasons import Reason
from torchlike._ops import jax_gradients
from torchlike._record.bind import bind
from torchlike._record.dispatch import undisturbed
from torchlike._record.leaf import host
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike.autograd import grad

LIMIT = 64  # Nodes that are looked at
_SHOWN = 3  # elements whose gradients are written out


def places(nodes) -> list:
    """A Reason for each of the Nodes that stands on such a point. Those that keep no operand are left out."""
    known = [
        node for node in nodes if not node.is_leaf and getattr(node, "plan", None) is not None and node.saved is not None
    ]
    known = [node for node in known if jax_gradients.other(node.plan.kernel.row) is not None]
    with undisturbed():
        found = [_reason(node) for node in known[:LIMIT]]
    return [reason for reason in found if reason is not None]


def _reason(node) -> Reason | None:
    kernel = node.plan.kernel
    values = _given(node)
    if values is None:
        return None
    other = jax_gradients.other(kernel.row)
    here, there = (_slopes(row, *values, kernel.spec[1]) for row in (kernel.row, other))
    texts = [_difference(name, a, b) for name, a, b in zip(node.plan.owner, here, there, strict=False)]
    texts = [text for text in texts if text]
    if not texts:
        return None
    used, unused = ("PyTorch", "JAX") if jax_gradients.is_torch(kernel.row) else ("JAX", "PyTorch")
    return Reason(
        f"{node.name()} stands where conventions differ; recorded was that of {used}, and {unused}'s would have given "
        f"other gradients (for ones): {'; '.join(texts)}",
        ("here", node.site),
    )


def _given(node):
    """(operands, numbers) of the operation, tensors as leaves; None where one is not kept."""
    row, kinds = node.plan.kernel.row, node.plan.kernel.spec[0]
    numbers, found = iter(node.numbers), []
    for name, kind in zip((*row.operands, *row.numbers), kinds, strict=True):
        if kind == "a":
            try:
                x = getattr(node, f"_saved_{name}")
            except (AttributeError, RuntimeError):
                return None
            if not isinstance(x, Tensor):
                return None
            found.append(x.detach().requires_grad_(x.dtype.is_floating_point or x.dtype.is_complex))
        elif isinstance(kind, tuple):
            return None
        else:
            found.append(None if kind is None else next(numbers))
    return tuple(found[: len(row.operands)]), tuple(found[len(row.operands) :])


def _slopes(row, operands, numbers, params) -> list:
    """The gradients of the operands for ones, as numpy arrays; None of those that have none."""
    thread = state.thread
    before, thread.grad = thread.grad, True
    try:
        out = bind(row, operands, numbers, params)
        outs = [x for x in (out if isinstance(out, tuple) else (out,)) if x.requires_grad]
        wanted = [x for x in operands if isinstance(x, Tensor)]
        leaves = [x for x in wanted if x.requires_grad]
        found = iter(grad([x.sum() for x in outs], leaves, allow_unused=True))
        arrays = [next(found) if x.requires_grad else None for x in wanted]
        return [None if g is None else np.array(host(g._cell)) for g in arrays]
    finally:
        thread.grad = before


def _difference(name, a, b) -> str:
    if a is None or b is None:
        return ""
    places = np.argwhere(~((a == b) | np.isnan(a) & np.isnan(b) | np.isclose(a, b, rtol=1e-3)))
    if not len(places):
        return ""
    shown = [f"{a[tuple(place)]:.3g} and {b[tuple(place)]:.3g} at {list(map(int, place))}" for place in places[:_SHOWN]]
    return f"of {name} at {len(places)} of {a.size} elements, {', '.join(shown)}"
