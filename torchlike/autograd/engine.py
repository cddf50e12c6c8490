"""The backward pass: Nodes in PyTorch's order, each recording its own gradient instruction.

https://pytorch.org/docs/stable/notes/autograd.html. A Node runs when all its uses have delivered;
among those ready the latest recorded one goes first, leaves at once. The walk is iterative.
"""

import heapq
from sys import getrefcount

from torchlike import errors
from torchlike._lower.avals import is_dense
from torchlike._ops.table import ROWS
from torchlike._tensor import Tensor, wrap
from torchlike._trace import node as nodes
from torchlike._trace.bind import bind, bind_kernel
from torchlike._trace.history import edge_of
from torchlike._trace.inplace import CopySlices, cast, write
from torchlike._trace.saved import unpack
from torchlike._trace.trace import soft_boundary, state
from torchlike.autograd import replay

_ADD = "add"


# -- one Node

def _row_backward(node, grads) -> list:
    """The gradients of a row's operands: those that pass through, and those its kernel computes."""
    plan = node.plan
    if node.saved is None:
        raise RuntimeError(errors.FREED)
    defined = tuple([i for i, g in enumerate(grads) if g is not None])
    out = [None] * len(node.edges)
    if not defined:
        return out
    route = plan.route(defined)
    for i in route.same:
        out[i] = grads[0]
    kernel = route.kernel
    if kernel is not None:
        operands = [grads[i] for i in defined]
        if node.saved:
            operands += unpack(node)
        for i, g in zip(route.targets, bind_kernel(kernel, operands, node.numbers), strict=True):
            out[i] = g
    return out


nodes.Node.backward = _row_backward


def _release(node) -> None:
    """Free what the Node saved (it keeps its place in the graph, as in PyTorch)."""
    plan = node.plan
    if plan is not None and (node.saved or plan.save_numbers):
        node.saved = None
    if node.__class__ is CopySlices:
        _release(node.fn)


def _accumulate(node, grads) -> list:
    """Add to the leaf's ``.grad``; steals the gradient where nobody else can see it."""
    g = grads[0]
    if g is None:
        return []
    variable = node.variable
    for hook in list((variable._hooks or {}).values()):
        g = _call_hook(hook, g)
    t = state.trace
    if variable._grad is None:
        variable._grad = _first_grad(variable, g, t.grad)
    elif t.grad:
        variable._grad = bind(ROWS[_ADD], (variable._grad, g), (None,), ())
    else:
        total = bind(ROWS[_ADD], (variable._grad, g), (None,), ())
        write(variable._grad, total, None)
    for hook in list((variable._post_hooks or {}).values()):
        hook(variable)
    return []


nodes.AccumulateGrad.backward = _accumulate


def _first_grad(variable, g, keep_graph):
    if keep_graph:
        return bind(ROWS["clone"], (g,), (), (None,))
    cell = g._cell
    # the value list, the tensor, this frame and the call hold the cell of an unshared gradient
    if cell.base is None and getrefcount(cell) <= 4 and cell.array is None and is_dense(cell.aval.shape,
                                                                                       cell.aval.strides):
        return wrap(cell)
    return wrap(bind(ROWS["clone"], (g,), (), (None,))._cell)


def _call_hook(hook, g):
    out = hook(g)
    if out is None:
        return g
    if not isinstance(out, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(out).__name__}'")
    check_replacement(g, out)
    return out


def check_replacement(old, new) -> None:
    """A hook's gradient must look like the one it replaces."""
    a, b = old._cell.aval, new._cell.aval
    if a.shape != b.shape:
        raise RuntimeError(f"hook '<unknown>' has changed the size of value")
    if a.dtype is not b.dtype:
        raise RuntimeError("hook '<unknown>' has changed the type of value (was "
                           f"torch.{a.dtype.scalar_name}Tensor got torch.{b.dtype.scalar_name}Tensor)")


# -- the graph of one call

class GraphTask:
    """One backward call: what is waited for, what has arrived, what is to be captured."""

    __slots__ = ("accumulate", "buffers", "captures", "captured", "keep", "leaves", "needed", "waiting")

    def __init__(self, keep, captures=None, accumulate=True):
        self.keep, self.accumulate = keep, accumulate
        self.captures = captures  # None, or {node: {output number: position}}
        self.captured: dict = {}
        self.needed = None
        self.leaves = None  # a list where leaves are to be collected instead of accumulated
        self.buffers: dict = {}
        self.waiting: dict = {}


def _count(task, roots) -> None:
    """How many uses deliver to each Node reachable from the roots."""
    waiting = task.waiting
    stack = []
    for root in roots:
        if root not in waiting:
            waiting[root] = 0
            stack.append(root)
    while stack:
        for edge in stack.pop().edges:
            if edge is not None:
                node = edge[0]
                if node in waiting:
                    waiting[node] += 1
                else:
                    waiting[node] = 1
                    stack.append(node)


def _find_needed(task, roots) -> None:
    """Nodes from which a captured one can be reached (``inputs=``)."""
    needed, order, seen, stack = set(), [], set(), list(roots)
    while stack:
        node = stack.pop()
        if node.__class__ is tuple:
            order.append(node[0])
            continue
        if node in seen:
            continue
        seen.add(node)
        stack.append((node,))
        stack.extend(edge[0] for edge in node.edges if edge is not None)
    for node in order:
        if node in task.captures or any(edge is not None and edge[0] in needed for edge in node.edges):
            needed.add(node)
    task.needed = needed


def run_backward(roots, grads, keep, create_graph, captures=None, accumulate=True) -> dict:
    """Walk from `roots`, a list of edges, with their gradients. Returns the captured gradients."""
    alternative = getattr(state.trace.special, "run_backward", None)
    if alternative is not None:  # another engine stands in for this one (torchlike diff)
        return alternative(roots, grads, captures, create_graph)
    if captures is None and not create_graph and replay.run(roots, grads, keep, _walk_deferred):
        soft_boundary()
        return {}
    task = GraphTask(keep, captures, accumulate)
    starts = [edge[0] for edge in roots]
    _count(task, starts)
    if captures is not None:
        _find_needed(task, starts)
    t = state.trace
    before, t.grad = t.grad, create_graph
    try:
        ready: list = []
        for edge, g in zip(roots, grads, strict=True):
            _deliver(task, edge, g)
        for node in dict.fromkeys(starts):
            if task.waiting[node] == 0:
                heapq.heappush(ready, (-node.seq, id(node), node))
        _walk(task, ready)
    finally:
        t.grad = before
    soft_boundary()
    return task.captured


def _walk_deferred(roots, grads, keep) -> list:
    """The walk without its leaves: [(AccumulateGrad, gradient)] in the order they became ready."""
    task = GraphTask(keep)
    task.leaves = []
    _count(task, [edge[0] for edge in roots])
    ready: list = []
    for edge, g in zip(roots, grads, strict=True):
        _deliver(task, edge, g)
    for node in dict.fromkeys(edge[0] for edge in roots):
        if task.waiting[node] == 0:
            heapq.heappush(ready, (-node.seq, id(node), node))
    _walk(task, ready)
    return task.leaves


def _deliver(task, edge, g) -> None:
    if g is None:
        return
    node, number = edge
    buffer = task.buffers.get(node)
    if buffer is None:
        task.buffers[node] = {number: g}
    elif number in buffer:
        buffer[number] = bind(ROWS[_ADD], (buffer[number], g), (None,), ())
    else:
        buffer[number] = g


def _walk(task, ready) -> None:
    waiting, buffers, needed = task.waiting, task.buffers, task.needed
    push, pop = heapq.heappush, heapq.heappop
    while ready:
        node = pop(ready)[2]
        buffer = buffers.pop(node, None)
        results = () if needed is not None and node not in needed else _evaluate(task, node, buffer)
        position = 0
        buffer = None
        for edge in node.edges:
            if edge is not None:
                following = edge[0]
                g = results[position] if results else None
                if g is not None:
                    there = buffers.get(following)
                    if there is None:
                        buffers[following] = {edge[1]: g}
                    else:
                        _deliver(task, edge, g)
                left = waiting[following] - 1
                waiting[following] = left
                if left == 0:
                    push(ready, (-following.seq, id(following), following))
            position += 1
        results = g = None


def _evaluate(task, node, buffer):
    """Hooks, capture and the Node itself. Returns the gradients of its operands."""
    if buffer is None:
        buffer = {}
    if task.leaves is not None and node.__class__ is nodes.AccumulateGrad:
        task.leaves.append((node, buffer.get(0)))
        return ()
    if node.hooks is None and task.captures is None:
        if len(buffer) == 1 and 0 in buffer and node.n_outputs == 1 and node.plan is not None:
            grads = [buffer.pop(0)]
        else:
            grads = _in_order(node, buffer)
    else:
        grads = _before(task, node, _in_order(node, buffer))
        if grads is None:
            return ()
    if node.__class__ is not nodes.AccumulateGrad and not any(g is not None for g in grads) \
            and not getattr(node, "wants_undefined", False):
        return ()
    results = node.backward(grads)
    if node.hooks is not None and node.hooks.post:
        results = _after(node, results, grads)
    if not task.keep:
        _release_node(node)
    return results


def _release_node(node):
    release = getattr(node, "release", None)
    if release is None:
        _release(node)
    else:
        release()


def _in_order(node, buffer) -> list:
    count = node.n_outputs if node.plan is None or node.__class__ is CopySlices else len(node.plan.kernel.outs)
    grads = [None] * max(count, max(buffer, default=0) + 1)
    for number, g in buffer.items():
        grads[number] = g
    return grads


def _before(task, node, grads):
    """Tensor hooks, pre-hooks, retain_grad, capture. None if the Node itself need not run."""
    hooks = node.hooks
    if hooks is not None:
        for number, registered in hooks.tensor.items():
            for hook in list(registered.values()):
                if grads[number] is not None:
                    grads[number] = _call_hook(hook, grads[number])
        for hook in list(hooks.pre.values()):
            replaced = hook(tuple(grads))
            if replaced is not None:
                grads = list(replaced) if isinstance(replaced, tuple) else [replaced]
        for number, reference in list(hooks.retain.items()):
            x = reference()
            if x is not None and grads[number] is not None:
                _retain(x, grads[number])
    if task.captures is None:
        return grads
    wanted = task.captures.get(node)
    if wanted is not None:
        for number, position in wanted.items():
            task.captured[position] = grads[number] if number < len(grads) else None
        is_leaf = node.__class__ is nodes.AccumulateGrad
        if is_leaf or not any(e is not None and e[0] in task.needed for e in node.edges):
            if is_leaf:
                g = grads[0]
                for hook in list((node.variable._hooks or {}).values()):
                    g = g if g is None else _call_hook(hook, g)
                task.captured[next(iter(wanted.values()))] = g
            return None
    return grads


def _retain(x, g) -> None:
    x._grad = g if x._grad is None else bind(ROWS[_ADD], (x._grad, g), (None,), ())


def _after(node, results, grads):
    flags = [i for i, edge in enumerate(node.edges)]
    for hook in list(node.hooks.post.values()):
        replaced = hook(tuple(results), tuple(grads))
        if replaced is not None:
            replaced = replaced if isinstance(replaced, tuple) else (replaced,)
            if len(replaced) != len(flags):
                raise RuntimeError("hook has changed the number of gradients")
            results = list(replaced)
    return results


# -- the public calls

def grad_for_output(out, g, i, create_graph):
    """The gradient to start from at an output, checked as PyTorch does."""
    aval = out._cell.aval
    if g is None:
        if aval.numel != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if aval.dtype.category < 2:
            raise RuntimeError("grad can be computed only for real scalar outputs but got "
                               f"{aval.dtype!r}")
        if aval.dtype.is_complex:
            raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {aval.dtype!r}")
        return _ones(aval)
    theirs = g._cell.aval
    if theirs.shape != aval.shape:
        raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {theirs.shape} and output[{i}] "
                           f"has a shape of {aval.shape}.")
    if theirs.dtype.is_complex != aval.dtype.is_complex:
        raise RuntimeError("For complex Tensors, both grad_output and output are required to have the same dtype. "
                           f"Mismatch in dtype: grad_output[{i}] has a dtype of {theirs.dtype!r} and output[{i}] "
                           f"has a dtype of {aval.dtype!r}.")
    if theirs.dtype is not aval.dtype:
        return cast(g, aval.dtype)
    return g


def _ones(aval):
    t = state.trace
    before, t.grad = t.grad, False
    try:
        return bind(ROWS["_ones"], (), (), (tuple(aval.shape), aval.dtype, aval.device))
    finally:
        t.grad = before


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None) -> None:
    """`torch.autograd.backward`: https://pytorch.org/docs/stable/generated/torch.autograd.backward.html"""
    outs = (tensors,) if isinstance(tensors, Tensor) else tuple(tensors)
    wanted = None if inputs is None else (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    if wanted is not None and not wanted:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    roots, grads = _roots(outs, _as_tuple(grad_tensors, len(outs)), create_graph)
    keep = create_graph if retain_graph is None else retain_graph
    if wanted is None:
        run_backward(roots, grads, keep, create_graph)
        return
    for x in wanted:
        if x._edge is None:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    captures = _captures(wanted)
    found = run_backward(roots, grads, keep, create_graph, captures)
    for i, x in enumerate(wanted):
        g = found.get(i)
        if g is not None:
            before, state.trace.grad = state.trace.grad, create_graph
            try:
                _store(x, g)
            finally:
                state.trace.grad = before


def _store(x, g) -> None:
    if x._grad is None:
        x._grad = _first_grad(x, g, state.trace.grad)
    else:
        x._grad = bind(ROWS[_ADD], (x._grad, g), (None,), ())


def grad(outputs, inputs, grad_outputs=None, retain_graph=None, create_graph=False, only_inputs=True,
         allow_unused=None, is_grads_batched=False, materialize_grads=False) -> tuple:
    """`torch.autograd.grad`: https://pytorch.org/docs/stable/generated/torch.autograd.grad.html

    ``is_grads_batched`` runs one backward pass for each gradient of the batch.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                         "allow_unused=False.")
    allow_unused = materialize_grads if allow_unused is None else allow_unused
    outs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
    wanted = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    keep = create_graph if retain_graph is None else retain_graph
    given = _as_tuple(grad_outputs, len(outs))
    if is_grads_batched:
        return _batched(outs, wanted, given, keep, create_graph, allow_unused, materialize_grads)
    roots, grads = _roots(outs, given, create_graph)
    for x in wanted:
        if x._edge is None:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    found = run_backward(roots, grads, keep, create_graph, _captures(wanted), accumulate=False)
    return tuple(_result(i, x, found.get(_position(wanted, i)), allow_unused, materialize_grads)
                 for i, x in enumerate(wanted))


def _position(wanted, i):
    """Captures are by edge: a tensor asked for twice is captured under its first place."""
    return next(k for k, x in enumerate(wanted) if edge_of(x) == edge_of(wanted[i]))


def _result(i, x, g, allow_unused, materialize):
    if g is None and materialize:
        aval = x._cell.aval
        return bind(ROWS["_zeros"], (), (), (tuple(aval.shape), aval.dtype, aval.device))
    if g is None and not allow_unused:
        raise RuntimeError(f"The differentiated Tensor at index {i} appears to not have been used in the graph. Set "
                           "allow_unused=True if this is the desired behavior.")
    return g


def _batched(outs, wanted, given, keep, create_graph, allow_unused, materialize):
    count = next(g for g in given if g is not None)._cell.aval.shape[0]
    rows = []
    for i in range(count):
        each = tuple(None if g is None else g[i] for g in given)
        rows.append(grad(outs, wanted, each, True if i < count - 1 else keep, create_graph,
                         allow_unused=allow_unused, materialize_grads=materialize))
    return tuple(None if column[0] is None else bind(ROWS["stack"], (tuple(column),), (), (0,))
                 for column in zip(*rows, strict=True))


def _as_tuple(grads, count) -> tuple:
    if grads is None:
        return (None,) * count
    if isinstance(grads, Tensor):
        return (grads,)
    return tuple(grads)


def _roots(outs, given, create_graph):
    if len(given) != len(outs):
        raise RuntimeError(f"got {len(outs)} tensors and {len(given)} gradients")
    roots, grads = [], []
    for i, (out, g) in enumerate(zip(outs, given, strict=True)):
        if out._edge is not None or g is not None or out._cell.aval.numel == 1:
            g = grad_for_output(out, g, i, create_graph) if out._edge is not None else g
        if out._edge is None:
            raise RuntimeError(f"element {i} of tensors does not require grad and does not have a grad_fn")
        if g is None:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        roots.append(edge_of(out))
        grads.append(g)
    return roots, grads


def _captures(wanted) -> dict:
    captures: dict = {}
    for position, x in enumerate(wanted):
        node, number = edge_of(x)
        captures.setdefault(node, {}).setdefault(number, position)
    return captures
