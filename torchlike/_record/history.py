"""The autograd graph as it is recorded: edges, Nodes, saved variables."""

import weakref
from collections.abc import Sequence

from torchlike._base import dtypes as dt
from torchlike._base import errors
from torchlike._compile import gradients, kernels
from torchlike._ops.dispatcher_names import name_of
from torchlike._ops.table import ROWS
from torchlike._record.creation_meta import DEFAULT, refusal
from torchlike._record.host_window import is_window
from torchlike._record.node_factory import nodes
from torchlike._record.saved import save_with_hooks
from torchlike._record.tensor import LEAF, STALE, Tensor
from torchlike._record.thread import SEQUENCE
from torchlike._record.trace import Trace
from torchlike._record.tree import TreeNode

_OF_NUMBERS = ("default", "Tensor_Scalar", "ScalarOther", "ScalarSelf")  # overloads whose kernels take a number as it is


def edge_of(x: Tensor) -> tuple | None:
    """(Node, output number) of a tensor that requires grad."""
    edge = x._edge
    if edge is LEAF:
        return (nodes.leaf(x), 0)
    if edge is STALE:
        return regenerate(x)
    return edge


def check_usable(operands: Sequence) -> None:
    """RuntimeError for a view among the operands whose history a write has made unusable: PyTorch looks at edges first."""
    for x in operands:
        for y in x if x.__class__ is tuple else (x,):
            if isinstance(y, Tensor) and y._edge is STALE:
                regenerate(y)


def attach_one(t: Trace, child: TreeNode, out: Tensor, x: Tensor, given: tuple) -> None:
    """`attach` for a result of one tensor."""
    entry = child.plans.get(1)
    if entry is None or entry[2] is None or not t.thread.plain_graph:
        attach(t, child, (out,), (x,), given)
        return
    make, plan, (_, _, save_x, _, save_out) = entry
    edge = x._edge
    if edge is LEAF or edge is STALE:
        edge = edge_of(x)
        if edge is None or x._cell.inference:
            attach(t, child, (out,), (x,), given)
            return
    kept = (x, x._cell.version) if save_x else ()
    if save_out:
        kept += (out._cell, 0)
    out._edge = (make(plan, (edge,), kept, given, next(SEQUENCE), child, t.token), 0)


def attach_two(t: Trace, child: TreeNode, out: Tensor, a: Tensor, b: Tensor) -> None:
    """`attach` for a result of two tensors."""
    edge_a, edge_b = a._edge, b._edge
    entry = child.plans.get((edge_a is not None) + 2 * (edge_b is not None))
    if entry is None or entry[2] is None or not t.thread.plain_graph:
        attach(t, child, (out,), (a, b), ())
        return
    make, plan, (need_a, need_b, save_a, save_b, save_out) = entry
    if not need_a:
        edge_a = None
    elif edge_a is LEAF:
        if a._cell.inference:
            attach(t, child, (out,), (a, b), ())
            return
        edge_a = (nodes.leaf(a), 0)
    elif edge_a is STALE:
        edge_a = regenerate(a)
    if not need_b:
        edge_b = None
    elif edge_b is LEAF:
        if b._cell.inference:
            attach(t, child, (out,), (a, b), ())
            return
        edge_b = (nodes.leaf(b), 0)
    elif edge_b is STALE:
        edge_b = regenerate(b)
    if edge_a is edge_b is None:
        attach(t, child, (out,), (a, b), ())
        return
    if (save_a and a._cell.inference) or (save_b and b._cell.inference):
        raise RuntimeError(errors.INFERENCE_SAVED)
    if save_a:
        kept = (a, a._cell.version, b, b._cell.version) if save_b else (a, a._cell.version)
    else:
        kept = (b, b._cell.version) if save_b else ()
    if save_out:
        kept += (out._cell, 0)
    out._edge = (make(plan, (edge_a, edge_b), kept, (), next(SEQUENCE), child, t.token), 0)


def attach(t: Trace, child: TreeNode, outs, tensors, given: tuple) -> None:
    """Make the Node of an instruction and point its differentiable results at it.

    Args:
        t: the running trace.
        child: the instruction.
        outs: its results, Tensors without history.
        tensors: its array operands.
        given: its Python numbers.

    Raises:
        RuntimeError: an operand may not be differentiated by, or saved.
    """
    mask = 0
    for i, x in enumerate(tensors):
        if x._edge is not None:
            mask |= 1 << i
    entry = child.plans.get(mask)
    if entry is None:
        entry = child.plans[mask] = _plan(child, mask)
    make, plan, _ = entry
    if plan is None or make is None:
        return
    edges = [None] * len(tensors)
    for i in plan.needed:
        edge = tensors[i]._edge
        if edge is LEAF and tensors[i]._cell.inference and _goes_unseen(child.item.kernel, tensors):
            return
        edges[i] = edge_of(tensors[i]) if edge is LEAF or edge is STALE else edge
        if edges[i] is None:  # a view that requires grad and has no history
            plan = _unless_saved_for(child.item.kernel, plan, i)
    kept, thread = (), t.thread
    is_packed = not thread.plain_graph and thread.hooks and not thread.frames  # what a transform saves has no values yet
    if not is_packed:
        kept = []
        for i in plan.save_ins:
            x = tensors[i]
            if x._cell.inference:
                raise RuntimeError(errors.INFERENCE_SAVED)
            kept += (x, x._cell.version)
        for i in plan.save_outs:
            kept += (outs[i]._cell, 0)
    node = make(plan, tuple(edges), kept, given, next(SEQUENCE), child, t.token)
    for i in plan.differentiable:
        outs[i]._edge = (node, i)
    if not thread.plain_graph:
        if is_packed:  # pack hooks see the results with their history
            node.saved = save_with_hooks(plan, tensors, outs, thread.hooks[-1])
        for observer in thread.observers:
            observer.node_made(node, tensors, outs, given)


def _goes_unseen(kernel, tensors) -> bool:
    """Whether PyTorch's autograd does not see an operation: all its operands are inference tensors, none is a number that
    becomes a tensor there, and no kernel of it copies them into one."""
    row = kernel.row
    if row is None or row.copies or not all(x._cell.inference for x in tensors):
        return False
    kinds, params = kernel.spec
    are_tensors = tuple(not isinstance(kind, type) for kind in kinds[:len(row.operands)])
    overload = name_of(row, are_tensors, params, False).partition(".")[2]
    return all(are_tensors) or row.promote is None or overload in _OF_NUMBERS


def _unless_saved_for(kernel, plan, i):
    """The Plan without the operand `i`, if what is saved for its gradient alone goes with it, as PyTorch's guards say."""
    flags = gradients.differentiable_operands(kernel)
    saved = [gradients.plan(kernel, (k,)).save_ins for k, flag in enumerate(flags) if flag]
    rest = gradients.plan(kernel, tuple(k for k in plan.needed if k != i))
    gone = [k for k in plan.save_ins if k not in rest.save_ins]
    alone = all(sum(k in used for used in saved) == 1 for k in gone)
    return rest if len(saved) > 1 and alone and rest.save_outs == plan.save_outs else plan


def _plan(child, mask):
    """(Node class, Plan, short) for the operands in `mask`; the Plan is None if no gradient flows.

    `short` says for one or two operands with one result which need and which are saved; else None.
    """
    kernel = child.item.kernel
    flags = gradients.differentiable_operands(kernel)
    _check_differentiable(kernel, flags, mask)
    needed = tuple(i for i, flag in enumerate(flags) if flag and mask >> i & 1)
    if not needed or all(a.dtype.category < dt.FLOAT for a in kernel.outs):
        return None, None, None
    plan = gradients.plan(kernel, needed)
    short = None
    if len(flags) <= 2 and plan.differentiable == (0,) and len(kernel.outs) == 1:
        short = (0 in needed, 1 in needed, 0 in plan.save_ins, 1 in plan.save_ins, 0 in plan.save_outs)
    return nodes.class_of(kernel), plan, short


def _check_differentiable(kernel, flags, mask) -> None:
    """RuntimeError where an operand requires grad for which the row has no formula, while it has one for others."""
    if kernel.row is None or not kernel.row.grads:
        return
    for i, name in enumerate(gradients.operand_names(kernel)):
        if mask >> i & 1 and not flags[i] and kernel.ins[i].dtype.category >= dt.FLOAT:
            raise RuntimeError(f"The function '{kernel.row.face.strip('_')}' is not differentiable with respect to argument "
                               f"'{name}'. This input cannot have requires_grad True.")


def no_node_yet(x: Tensor) -> bool:
    """Whether a tensor has no Node as far as PyTorch looks without making one for a view whose base was written to."""
    return x._edge is None or x._edge is LEAF or (x._edge is STALE and not x._view.had_node)


def regenerate(x: Tensor) -> tuple | None:
    """The edge of a view whose base was written to: an AsStridedBackward0 of the base's history."""
    base = x._view.base
    if x._view.version == x._cell.version:
        return None
    if x._view.meta != DEFAULT:
        raise refusal(x, indirect=True)
    if base._edge is None and not x._view.had_node:
        x._edge = None
        return None
    edge = edge_of(base) if base._edge is not None else None
    node = rebuilt(edge, base, x._cell)
    if edge is not None and edge[0].made_from(x):
        edge[0].regenerated = weakref.ref(node)
    if x._retains:
        node.retain_grad_of(x)
    x._view.last = x._view.written = None
    x._edge = (node, 0)
    return x._edge


def window(aval, source) -> tuple:
    """The one step (row, parameters) from a tensor `source` to a view of it, if it is a window."""
    return ROWS["as_strided"], (tuple(aval.shape), aval.strides, aval.offset, (source.strides, source.offset))


def rebuilt(edge, base, cell):
    """The Node of a view as a window on its base, whose history is `edge`."""
    start = base._cell.chain if base._cell.base is not None else ()
    if not is_window(cell.chain):
        return nodes.window(edge, cell.chain[len(start):], base._cell.aval, cell.aval)
    source = base._cell.aval
    row, params = window(cell.aval, source)
    kernel = kernels.of_row(row, ("a",), (source,), (), params, source.device)
    return nodes.class_of(kernel)(gradients.plan(kernel, (0,)), (edge,), (), (), next(SEQUENCE))
