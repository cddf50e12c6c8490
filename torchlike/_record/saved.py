"""Saved variables: what a Node keeps. `Node.unpack` gets it back.

``node.saved`` is a flat list: for each saved operand its Tensor and the version it had, then for each
saved result its Cell and version (not the Tensor: that would be a cycle). Under saved-tensor hooks
the pairs are `Packed` objects instead. A freed Node has None.
"""

import dataclasses
import weakref

from torchlike._base import errors
from torchlike._compile.backends.registry import backend_of
from torchlike._record.cell import Storage, counter_of
from torchlike._record.creation_meta import DEFAULT, refusal
from torchlike._record.node_factory import nodes
from torchlike._record.site import located, noted
from torchlike._record.tensor import LEAF, STALE, Tensor, wrap
from torchlike._record.trace import state

_HINT = ("Hint: enable anomaly detection to find the operation that failed to compute its gradient, "
         "with torch.autograd.set_detect_anomaly(True, check_nan=False).")
_HINT_ANOMALY = ("Hint: the backtrace further above shows the operation that failed to compute its "
                 "gradient. The variable in question was changed in there or anywhere later. Good luck!")
_PACK_WROTE = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot "
    "be modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if "
    "you need to perform in-place operations on the input to a pack hook.")
DETACHED = ("Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, "
             "please use out-of-place `.detach()` instead")


@dataclasses.dataclass(slots=True)
class Happened:
    """What happened in any thread so far: nobody need look for its traces before."""

    detached: bool = False  # a `detach_` of a tensor with history


happened = Happened()


class Packed:
    """What a pack hook returned, and the hook that undoes it."""

    __slots__ = ("edge", "unpack", "value")

    def __init__(self, tensor, hooks, edge):
        if tensor._cell.inference:
            raise RuntimeError(errors.INFERENCE_SAVED)
        pack, self.unpack = hooks
        self.edge = (nodes.leaf(tensor), 0) if edge is LEAF else None if edge is STALE else edge
        t, version = state.trace, tensor._cell.version
        before, t.thread.grad = t.thread.grad, False
        try:
            self.value = pack(tensor)
        finally:
            t.thread.grad = before
        if tensor._cell.version != version:
            raise RuntimeError(_PACK_WROTE)

    def get(self) -> Tensor:
        """The tensor again, with the history it had."""
        tensor = self.unpack(self.value)
        if not isinstance(tensor, Tensor):
            raise TypeError("Output of saved tensor unpack_hook expected to be a Tensor but got result "
                            f"of type {type(tensor).__name__}")
        if self.edge is None or tensor._edge is not None:
            return tensor
        made = wrap(tensor._cell)
        made._edge = self.edge
        if self.edge[0].is_leaf:
            made._edge, made._acc = LEAF, weakref.ref(self.edge[0])
        return made


def save_with_hooks(plan, tensors, outs, hooks) -> list:
    """The saved list where a pair of saved-tensor hooks is active."""
    packed = {}
    for i in by_name(plan):
        packed[i] = Packed(tensors[i], hooks, tensors[i]._edge)
    results = {i: Packed(outs[i], hooks, None) for i in results_by_name(plan)}
    return [x for i in plan.save_ins for x in (packed[i], 0)] + [x for i in plan.save_outs for x in (results[i], 0)]


def by_name(plan) -> list:
    """The saved operands in the order in which PyTorch packs and unpacks them."""
    return plan.save_ins if plan.kernel.row is None else sorted(plan.save_ins, key=lambda i: plan.owner[i])


def results_by_name(plan) -> list:
    """The same for the saved results."""
    names = () if plan.kernel.row is None else plan.kernel.row.schema.returns
    return sorted(plan.save_outs, key=lambda i: names[i] if i < len(names) else "")


def was_detached(node, i, x) -> bool:
    """Whether the operand at place `i` of the saved list has lost its Node to ``detach_()`` since."""
    edge = None if x._edge is not None else node.edges[node.plan.save_ins[i >> 1]]
    return edge is not None and not edge[0].is_leaf


def first_changed(node) -> RuntimeError:
    """The error for a changed operand: of several, the first by name, as PyTorch unpacks them."""
    kept, plan = node.saved, node.plan
    pairs = [kept[2 * k:2 * k + 2] for k in range(len(plan.save_ins))]
    order = sorted(range(len(pairs)), key=lambda k: plan.owner[plan.save_ins[k]])
    x, version = next(pairs[k] for k in order
                      if pairs[k][0].__class__ is not Packed and pairs[k][0]._cell.version != pairs[k][1])
    if x._edge is STALE and x._view.meta != DEFAULT:
        return refusal(x, indirect=True)
    return changed(x._cell, version, x._edge)


def changed(cell, version, edge) -> RuntimeError:
    """The error for a saved tensor that was written to. `edge`: where it came from, or None."""
    aval = cell.aval
    backend, name = backend_of(aval.device), aval.dtype.scalar_name
    if name in ("Bool", "BFloat16") or aval.dtype.is_complex:
        kind = f"{'CUDA' if backend.is_accelerator else 'CPU'}{name}Type"
    else:
        kind = f"{backend.legacy_module}.{name}Tensor"
    kind = f"[{kind} {list(aval.shape)}]"
    source = ""
    if edge is not None and len(edge) == 2:
        source = f", which is output {edge[1]} of {edge[0].short_name()},"
    elif edge is STALE:  # its history is made anew, by an AsStrided
        source = ", which is output 0 of AsStrided,"
    anomaly = any(observer.detects_anomaly for observer in state.thread.observers)
    return noted(RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: {kind}{source} is at version {cell.version}; expected version {version} "
        f"instead. {_HINT_ANOMALY if anomaly else _HINT}"), _overwritten(cell, version))


def _overwritten(cell, version) -> str:
    """The line that wrote to the cell since."""
    times = cell.version - version
    title = "Overwritten here" if times == 1 else f"Overwritten {times} times since, the last time here"
    return located(title, getattr(counter_of(cell), "written", None))


def rewrapped(cell) -> Tensor:
    """A Tensor of any cell, without history: a Node may keep it of its own result, no cycle leads through it."""
    return wrap(cell) if cell.handler is None else cell.rewrapped()


def snapshot(x) -> Tensor:
    """The present value of `x` under a Cell of its own: it survives a write to `x`."""
    cell = x._cell
    trace, slot, array = cell.trace, cell.slot, cell.array
    if cell.handler is None and trace is not state.trace and (trace is not None or array is None):
        # it is another thread's, or in memory outside
        trace = state.trace
        slot = trace.enter(cell)
        array = dict(zip(trace.places, trace.inputs, strict=True)).get(slot)
    copy = Storage(trace, slot, cell.aval, array)
    if trace is not None:
        trace.values[slot] = copy
    made = wrap(copy)
    made._edge = x._edge
    return made
