"""The autograd graph as it is recorded: edges, Nodes, saved variables."""

from torchlike import dtypes as dt
from torchlike._lower import gradients, kernels
from torchlike._ops.table import ROWS
from torchlike._tensor import LEAF, STALE
from torchlike._trace.node import accumulate_grad, class_of
from torchlike._trace.saved import save_with_hooks
from torchlike._trace.trace import state

def edge_of(x):
    """(Node, output number) of a tensor that requires grad."""
    edge = x._edge
    if edge is LEAF:
        return (accumulate_grad(x), 0)
    if edge is STALE:
        return regenerate(x)
    return edge


def attach_one(t, child, out, x):
    """History of a result of one operand."""
    plan = child.plans.get(1)
    if plan is None:
        attach(t, child, (out,), (x,), ())
        return
    make, p, kind = plan
    if t.special is not None or t.hooks or kind == 2:
        attach(t, child, (out,), (x,), ())
        return
    edge = x._edge
    if edge is LEAF or edge is STALE:
        edge = edge_of(x)
    if kind == 0:
        kept = (x, x._cell.version)
    elif kind == 1:
        kept = (out._cell, 0)
    else:
        kept = ()
    out._edge = (make(p, (edge,), kept, (), next(t.sequence), child, t.token), 0)


def attach(t, child, outs, tensors, given):
    """Make the Node of this instruction and point its differentiable results at it."""
    mask = 0
    for i, x in enumerate(tensors):
        if x._edge is not None:
            mask |= 1 << i
    entry = child.plans.get(mask)
    if entry is None:
        entry = child.plans[mask] = _plan(child, mask)
    make, plan, _ = entry
    if plan is None:
        return
    needed = plan.needed
    edges = [None] * len(tensors)
    for i in needed:
        edge = tensors[i]._edge
        edges[i] = edge_of(tensors[i]) if edge is LEAF or edge is STALE else edge
    kept = ()
    if not t.hooks:
        kept = []
        for i in plan.save_ins:
            x = tensors[i]
            kept += (x, x._cell.version)
        for i in plan.save_outs:
            kept += (outs[i]._cell, 0)
    node = make(plan, tuple(edges), kept, given, next(t.sequence), child, t.token)
    for i in plan.differentiable:
        outs[i]._edge = (node, i)
    if t.hooks:  # pack hooks see the results with their history
        node.saved = save_with_hooks(plan, tensors, outs, t.hooks[-1])
    if t.special is not None:
        t.special(node, tensors, outs, given)


def _plan(child, mask):
    """(Node class, Plan, kind) for the operands in `mask`; the Plan is None if no gradient flows."""
    kernel = child.item.kernel
    flags = gradients.differentiable_operands(kernel)
    needed = tuple(i for i, flag in enumerate(flags) if flag and mask >> i & 1)
    if not needed or all(a.dtype.category < dt.FLOAT for a in kernel.outs):
        return None, None, 2
    plan = gradients.plan(kernel, needed)
    saves = (len(plan.save_ins), len(plan.save_outs))
    kind = {(1, 0): 0, (0, 1): 1, (0, 0): 3}.get(saves, 2)
    if kernel.numbers or len(kernel.outs) > 1 or not plan.differentiable:
        kind = 2
    return class_of(kernel), plan, kind


def regenerate(x):
    """The edge of a view whose base was written to: an AsStridedBackward0 of the base's history."""
    base, aval = x._view.base, x._cell.aval
    if base._edge is None:
        x._edge = None
        return None
    source = base._cell.aval
    params = (tuple(aval.shape), aval.strides, aval.offset, (source.strides, source.offset))
    kernel = kernels.of_row(ROWS["as_strided"], ("a",), (source,), (), params, source.device)
    plan = gradients.plan(kernel, (0,))
    node = class_of(kernel)(plan, (edge_of(base),), (), (), next(state.trace.sequence))
    x._edge = (node, 0)
    return x._edge
