"""`explain`: the one public function."""

from collections.abc import Iterable

from torchlike._explain import conventions, numbers
from torchlike._explain.flow import Flow
from torchlike._explain.paths import count_paths, follow_paths, nodes_between
from torchlike._explain.reasons import Reason, of_dtype, origins, reach
from torchlike._ops.table import ROWS
from torchlike._record import explain_log
from torchlike._record.bind import bind
from torchlike._record.history import edge_of
from torchlike._record.leaf import host
from torchlike._record.site import describe
from torchlike._record.tensor import LEAF, STALE, Tensor
from torchlike._record.trace import state

_SHOWN = 6  # steps of a path that are printed at its ends


class Explanation:
    """What `explain` found. ``facts`` (texts), ``reasons`` (`Reason`: ``text`` and ``lines``, of (title, site)),
    ``paths`` (`Path`: ``steps``, ``product``) and ``path_count``. ``str()`` of it is for reading.
    """

    def __init__(self):
        self.facts, self.reasons, self.paths, self.path_count = [], [], [], 0

    def __repr__(self):
        return str(self)

    def __str__(self):
        lines = list(self.facts)
        for reason in self.reasons:
            lines.append(f"- {reason.text}")
            lines += [f"  {title}:\n{describe(site)}" for title, site in reason.lines]
        if self.path_count:
            shown = "" if len(self.paths) == self.path_count else f", of which {len(self.paths)} are shown"
            lines.append(f"Paths from the loss: {self.path_count}{shown}")
            lines += [_path_text(i, path) for i, path in enumerate(self.paths, 1)]
        return "\n".join(lines)


def explain(t: Tensor, loss: Tensor | None = None) -> Explanation:
    """Why ``t.grad`` is None, zero or what it is. Print the result.

    It says whether `t` is a leaf, where it was made or detached, under which no_grad, whether it was used at all,
    which operator has no derivative, which hooks it has. With a `loss` whose graph is alive (else that of the last
    backward call, if it was retained) it follows each path from the loss to `t` and computes its product of
    derivatives: their sum is the gradient, and where a path turns zero or nan is the step that does it. Where an
    operation on a path keeps its operands and stands on a point at which JAX's gradient is another one than PyTorch's
    (see `subgradients`), it says what the other convention would have given.

    Where the gradient is nan, infinite, all zero, huge or tiny, or the value nan or infinite, the program is run again, also
    after `backward` without ``retain_graph``, and the operation that makes it so is named, with its line and why. If an
    operand is gone or a leaf was written to since (call it before ``optimizer.step()``), it says which.

    The graph is exact. What is not in it is taken from what this thread recorded last (eight traces); of operations
    without history the line is that which first recorded them at this place, and the text says so. PyTorch has
    nothing like it.

    Args:
        t: the Tensor.
        loss: a Tensor whose graph is followed.

    Returns:
        An Explanation, whose text is the answer; `paths` are those from the loss.

    Raises:
        TypeError: `t` is no Tensor.
    """
    if not isinstance(t, Tensor):
        raise TypeError(f"explain(): argument 't' must be Tensor, not {type(t).__name__}")
    with explain_log.unnoticed(state.trace):
        return _explain(t, loss, Flow(state.trace))


def explained(tensors: Iterable[Tensor]) -> list[Explanation]:
    """What `explain` says of each of some tensors. What was recorded is gone through once for all of them.

    Args:
        tensors: the Tensors.

    Returns:
        An Explanation of each.
    """
    with explain_log.unnoticed(state.trace):
        flow = Flow(state.trace)
        return [_explain(t, None, flow) for t in tensors]


def _explain(t, loss, flow) -> Explanation:
    found = Explanation()
    found.facts.append(_form(t))
    if t._edge is None:
        _without_history(found, flow, t)
        return found
    _state_of(found, t)
    root = _root(flow, loss)
    if root is not None:
        _along_paths(found, t, *root, asked=loss is not None)
    _numbers(found, t, root, loss)
    if t._grad is None and (t._edge is LEAF or t._retains):
        _missing(found, flow, t, loss)
    return found


def _form(t) -> str:
    aval = t._cell.aval
    kind = "Parameter" if t._is_param else "tensor"
    return f"{kind} of shape {list(aval.shape)} and dtype {aval.dtype!r}"


def _without_history(found, flow, t) -> None:
    found.facts.append("requires_grad is False: no gradient is computed for it")
    reason = of_dtype(t)
    found.reasons = [reason] if reason is not None else origins(flow, t)
    if not found.reasons:
        found.reasons = [Reason("nothing it was made from requires grad, as far as is remembered: set "
                                "requires_grad=True where it is made, or call requires_grad_() before it is used")]
    if numbers.is_bad_value(t):
        found.reasons = numbers.of_tensor(t) + found.reasons


def _numbers(found, t, root, loss) -> None:
    """Why its gradient or its value is nan, zero or huge."""
    suspect, reasons = numbers.is_suspect(t._grad), None
    asked = loss is not None and (t._grad is None or numbers.is_bad_value(loss))
    if root is not None and (suspect or asked):
        reasons = numbers.of_gradient(t, root, None if loss is None else loss._cell)
        found.reasons += reasons or ()
    if suspect and loss is None and reasons is None:
        found.facts.append("the graph of the backward pass that made it is gone: hold the loss, and call explain(t, loss)")
    if t._edge is not LEAF and numbers.is_bad_value(t):
        found.reasons = numbers.of_tensor(t) + found.reasons


def _state_of(found, t) -> None:
    """What the tensor itself says."""
    if t._edge is LEAF:
        found.facts.append("a leaf that requires grad: backward accumulates in its .grad")
    else:
        node = edge_of(t)[0]
        found.facts.append(f"no leaf: {node.name()} made it")
        if node.site is not None:
            found.facts.append(describe(node.site))
        found.facts.append("retain_grad() was called: backward keeps its .grad" if t._retains else
                           "only leaves keep .grad: call retain_grad() on it before backward")
    _hooks(found, t)
    if t._grad is not None:
        found.facts.append(f".grad is set: {_values_of(t._grad)}")
    else:
        found.facts.append(".grad is None")


def _hooks(found, t) -> None:
    registered = list((t._hooks or {}).values())
    if t._edge not in (LEAF, STALE) and t._edge[0].hooks is not None:
        registered += t._edge[0].hooks.tensor.get(t._edge[1], {}).values()
    for hook in registered:
        code = getattr(hook, "__code__", None)
        where = f"{code.co_filename}:{code.co_firstlineno}" if code is not None else repr(hook)
        found.facts.append(f"a hook sees its gradient, and may replace it: {where}")


def _values_of(g) -> str:
    thread = state.thread
    before, thread.grad = thread.grad, False
    try:
        values = host(bind(ROWS["abs"], (g,))._cell)
    finally:
        thread.grad = before
    if not values.size:
        return "empty"
    zeros = int((values == 0).sum())
    return "all zero" if zeros == values.size else f"largest {float(values.max()):.4g}, {zeros} of {values.size} zero"


def _root(flow, loss):
    """(Node, output number) to start from: that of the loss, or of the last backward."""
    if loss is not None:
        return edge_of(loss) if loss._edge is not None else None
    for backward in reversed(flow.backwards):
        for reference in backward.nodes:
            node = reference()
            if node is not None:
                return node, 0
    return None


def _along_paths(found, t, node, number, asked) -> None:
    """The paths from this result of `node`. `asked`: the user named it, and wants to know why there is no product."""
    target = edge_of(t)
    count = count_paths(node, target)
    if not count or node is target[0]:
        return
    aval = node.output_aval(number)
    start = bind(ROWS["_ones"], (), (), (tuple(aval.shape), aval.dtype, aval.device))
    paths = follow_paths(node, target, (start, number))
    freed = next((path.freed for path in paths if path.freed is not None), None)
    if freed is not None:
        found.facts.append("the graph from the loss has been freed: keep it with retain_graph=True to see the products")
        found.facts += [describe(freed)] if freed else []
        if not asked:
            return
    found.paths, found.path_count = paths, count
    for path in found.paths:
        for what, step in path.turns():
            reason = Reason(f"on a path the gradient is {what} after {step.name}", ("here", step.site))
            if reason not in found.reasons:
                found.reasons.append(reason)
    found.reasons += conventions.places(nodes_between(node, target))


def _missing(found, flow, t, loss) -> None:
    """Why .grad is None although the tensor can have one."""
    if loss is not None and loss._edge is None:
        found.reasons.append(Reason("the loss has no history:"))
        found.reasons += origins(flow, loss)
        return
    came = reach(flow, flow.values_of(t))
    passes = [backward for backward in came.backwards if not backward.failed]
    if came.backwards and not passes:
        found.reasons.append(Reason("the backward pass on the way to it raised an error",
                                    ("the pass", came.backwards[-1].site)))
    if passes:
        found.reasons.append(Reason("a backward pass came to it: .grad has been set to None since (zero_grad does "
                                    "that), or autograd.grad() returned the gradient instead",
                                    ("the pass", passes[-1].site)))
        return
    if found.path_count:
        found.reasons.append(Reason("the loss leads to it: backward() has not been called on that yet"))
        return
    if not came.used:
        found.reasons.append(Reason("nothing that is remembered has used it"))
    elif not any(backward.position > came.used[0].position for backward in flow.backwards):
        found.reasons.append(Reason("backward() has not been called since it was used"))
    else:
        found.reasons.append(Reason("backward() was called, but no path leads from there to this tensor",
                                    ("the last backward", flow.backwards[-1].site), ("its last use", came.used[-1].site)))
    found.reasons += came.cuts


def _path_text(i, path) -> str:
    steps = [f"    {step}" for step in path.steps]
    if len(steps) > 2 * _SHOWN:
        steps = [*steps[:_SHOWN], f"    ... {len(steps) - 2 * _SHOWN} more", *steps[-_SHOWN:]]
    end = [f"    {path.problem}"] if path.problem else []
    return "\n".join([f"  path {i}:", *steps, *end])
