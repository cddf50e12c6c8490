"""One backward call: its walk over the graph, in PyTorch's order.

https://pytorch.org/docs/stable/notes/autograd.html. A Node runs when all its uses have delivered; among those ready
the latest recorded one goes first, leaves at once. The walk is iterative. What each Node computes is in `node.py`.
"""

import heapq
import itertools
import operator
import threading

from torchlike._base import errors
from torchlike._base.settings import contiguous_format, strided
from torchlike._compile import gradients
from torchlike._ops.table import ROWS
from torchlike._record.bind import bind
from torchlike._record.site import here, located, noted
from torchlike.autograd import anomaly_mode
from torchlike.autograd.accumulate import total
from torchlike.autograd.hooks import run_post_hooks, run_pre_hooks, run_tensor_hooks
from torchlike.autograd.node import Node
from torchlike.autograd.reachable import reachable
from torchlike.autograd.special_nodes import ReshapedInPlace

_TASKS = itertools.count()
_ORDER = itertools.count()  # among leaves, which are equally early, the one that was ready first


class _Running(threading.local):
    """The backward call that is running on this thread, the innermost one; None outside."""

    task = None


running = _Running()


class GraphTask:
    """What one backward call waits for, what has arrived, and what is to be captured.

    Args:
        keep: whether the graph can be walked again afterwards (``retain_graph``).
        captures: None, or {Node: {output number: position}} of the gradients to return; nothing else is computed.
        targets: None, or the Nodes to reach where nothing else is wanted and none is captured (``backward(inputs=)``).
        leaves: None, or a list that gets (AccumulateGrad, gradient) in the order in which they became ready, in the
            place of accumulating.
        watch: None, or what makes of the function that runs one Node another to call in its place, as
            `anomaly_mode.watch` does.

    ``number`` identifies it, ``site`` is its line; ``grads`` are the gradients that reached the Node running now;
    ``partial``: not the whole graph runs; ``captured``: {position: gradient}; ``ends``: functions that are called when all
    Nodes have run.
    """

    __slots__ = ("buffers", "captured", "captures", "ends", "grads", "keep", "leaves", "needed", "number", "partial",
                 "site", "targets", "waiting", "watch")

    def __init__(self, keep: bool, captures: dict | None = None, targets: set | None = None, leaves: list | None = None,
                 watch=None):
        self.keep, self.number, self.watch = keep, next(_TASKS), watch
        self.captures, self.leaves = captures, leaves
        self.targets = targets if captures is None else captures
        self.partial = self.targets is not None
        self.captured: dict = {}
        self.ends: list = []
        self.needed: set | None = None
        self.grads: list | None = None
        self.buffers: dict = {}
        self.waiting: dict = {}
        self.site = None if keep else here()

    def will_run(self, node: Node) -> bool:
        """Whether this call runs a Node.

        Args:
            node: the Node.

        Returns:
            A bool.
        """
        return node in self.waiting if self.needed is None else node in self.needed

    def run(self, roots: list, grads: list) -> None:
        """Walks the graph.

        Args:
            roots: the edges to start from.
            grads: the gradient Tensor that starts at each.
        """
        if self.targets is not None:
            self.needed = needed = leading_to(self.targets, [node for node, _ in roots])
            reached = [edge[0] in needed for edge in roots]
            if reached == [False]:  # hooks of the one tensor to start from are called even if that leads nowhere
                (node, number), = roots
                _run_tensor_hooks(node, node.in_order({number: grads[0]}))
                return
            roots, grads = [*itertools.compress(roots, reached)], [*itertools.compress(grads, reached)]
        starts = [edge[0] for edge in roots]
        self._count(starts)
        for edge, g in zip(roots, grads, strict=True):
            self._deliver(edge, g)
        ready: list = []
        for node in dict.fromkeys(starts):
            if self.waiting[node] == 0:
                heapq.heappush(ready, (-node.seq, next(_ORDER), node))
        self._walk(ready)
        for end in self.ends:  # which may add further ones
            end()

    def _count(self, roots) -> None:
        """How many uses deliver to each Node that runs."""
        waiting, needed = self.waiting, self.needed
        stack = []
        for root in roots:
            if root not in waiting:
                waiting[root] = 0
                stack.append(root)
        while stack:
            for edge in stack.pop().edges:
                if edge is not None and (needed is None or edge[0] in needed):
                    node = edge[0]
                    if node in waiting:
                        waiting[node] += 1
                    else:
                        waiting[node] = 1
                        stack.append(node)

    def _deliver(self, edge, g) -> None:
        if g is None:
            return
        node, number = edge
        buffer = self.buffers.get(node)
        if buffer is None:
            self.buffers[node] = {number: g}
        elif number in buffer:
            buffer[number] = total(buffer[number], g)
        else:
            buffer[number] = g

    def _walk(self, ready) -> None:
        waiting, buffers = self.waiting, self.buffers
        push, pop = heapq.heappush, heapq.heappop
        evaluate = anomaly_mode.watch(_evaluate) if anomaly_mode.mode.enabled else _evaluate
        evaluate = evaluate if self.watch is None else self.watch(evaluate)
        while ready:
            node = pop(ready)[2]
            buffer = buffers.pop(node, None)
            try:
                results = evaluate(self, node, buffer)
            except Exception as error:
                if node.__class__ is ReshapedInPlace:
                    _name_sender(error, self, node)
                noted(error, _lines_about(error, node))
                raise
            buffer = None
            for position, edge in enumerate(node.edges):
                if edge is not None and edge[0] in waiting:
                    following = edge[0]
                    g = results[position] if results else None
                    if g is not None:
                        there = buffers.get(following)
                        if there is None:
                            buffers[following] = {edge[1]: g}
                        else:
                            self._deliver(edge, g)
                    left = waiting[following] - 1
                    waiting[following] = left
                    if left == 0:
                        push(ready, (-following.seq, next(_ORDER), following))
            results = g = None


def leading_to(targets, roots) -> set:
    """The Nodes on the ways from some Nodes to others.

    Args:
        targets: the Nodes to reach.
        roots: the Nodes to start from.

    Returns:
        Those reachable from the roots from which one of the targets can be reached; none is older than all targets.
    """
    reached = reachable(roots, min((0 if node.is_leaf else node.seq for node in targets), default=0))
    needed = reached.intersection(targets)
    for node in sorted(reached, key=operator.attrgetter("seq")):
        for edge in node.edges:
            if edge is not None and edge[0] in needed:
                needed.add(node)
                break
    return needed


def _name_sender(error, task, node) -> None:
    """PyTorch checks a gradient where it leaves a Node, and then names that Node and its operand."""
    for sender in task.waiting:
        for i, edge in enumerate(sender.edges):
            if edge is not None and edge[0] is node and error.args[0].startswith("invalid gradient at index"):
                text = error.args[0].replace("index 0", f"index {i}", 1)
                error.args = (f"Function {sender.name()} returned an {text}", *error.args[1:])
                return


def _lines_about(error, node) -> str:
    """What an error in the backward of a Node is told besides: the lines that made it and freed it."""
    lines = located(f"Forward call of {node.name()}", node.site)
    if errors.FREED in str(error):
        lines += located("Freed by this backward call", getattr(node, "freed", None))
    return lines


# -- one Node

def _evaluate(task, node, buffer):
    """Hooks, capture and the Node itself. Returns the gradients of its operands."""
    if buffer is None:
        buffer = {}
    if task.leaves is not None and node.is_leaf:
        task.leaves.append((node, buffer.get(0)))
        return ()
    if node.hooks is None and task.captures is None:
        if len(buffer) == 1 and 0 in buffer and node.n_outputs == 1:
            grads = [buffer.pop(0)]
        else:
            grads = node.in_order(buffer)
    else:
        grads = _before(task, node, node.in_order(buffer))
        if grads is None:
            return ()
    if not node.wants_undefined and not any(g is not None for g in grads):
        results = [None] * len(node.edges)
    else:
        task.grads = grads
        results = node.backward(grads)
    if node.hooks is not None and node.hooks.post:
        if task.needed is not None and node.plan is not None:
            results = _wanted(task, node, results)
        results = run_post_hooks(node, _of_list(node, results, grads), grads)
    if not task.keep:
        node.release()
        node.freed = task.site
    return results


def _of_list(node, results, grads) -> list:
    """PyTorch computes the gradients of a list of tensors (cat, stack) together: hooks see those that nobody needs, too."""
    plan = node.plan
    if plan is None or plan.kernel.row is None or node.saved or None not in node.edges or not any(
            arg.type == "Tensor[]" for arg in plan.kernel.row.schema.args):
        return results
    kernel = plan.kernel
    whole = gradients.plan(kernel, tuple(i for i, flag in enumerate(gradients.differentiable_operands(kernel)) if flag))
    return Node.backward(node.__class__(whole, node.edges, (), node.numbers, node.seq), grads)


def _wanted(task, node, results) -> list:
    """The gradients that lead to what is asked for: PyTorch's own Nodes compute no others, and hooks see none."""
    return [g if edge is not None and edge[0] in task.needed else None for g, edge in zip(results, node.edges, strict=True)]


def _before(task, node, grads):
    """Tensor hooks, retain_grad, capture, pre-hooks, in PyTorch's order. None if the Node need not run."""
    hooks = node.hooks
    wanted = task.captures.get(node) if task.captures is not None else None
    goes_on = wanted is None or (not node.is_leaf and any(e is not None and e[0] in task.needed for e in node.edges))
    if wanted is not None and goes_on:  # what is captured on the way is the gradient before the hooks
        _capture(task, wanted, grads)
    if node.is_leaf and node.variable._grad_dtype is not False:
        grads[0] = node.in_dtype(grads[0])
    _run_tensor_hooks(node, grads)
    if hooks is not None:
        for number, reference in list(hooks.retain.items()):
            x = reference()
            if x is not None and grads[number] is not None:
                retain(x, grads[number])
    if not goes_on:
        _capture(task, wanted, grads)
        return None
    return run_pre_hooks(node, grads) if hooks is not None and hooks.pre else grads


def _run_tensor_hooks(node, grads) -> None:
    if node.is_leaf:
        grads[0] = run_tensor_hooks(node.variable._hooks, grads[0])
    if node.hooks is not None:
        for number, registered in list(node.hooks.tensor.items()):
            grads[number] = run_tensor_hooks(registered, grads[number])


def _capture(task, wanted, grads) -> None:
    for number, position in wanted.items():
        task.captured[position] = grads[number] if number < len(grads) else None


def retain(x, g) -> None:
    """Adds to ``.grad`` of a tensor that is no leaf and retains it.

    Args:
        x: the tensor.
        g: its gradient.
    """
    if x._grad is not None:
        x._grad = total(x._grad, g)
    elif g._cell.layout is strided and not g._cell.aval.contiguous:
        x._grad = bind(ROWS["clone"], (g,), (), (contiguous_format,))
    else:
        x._grad = g
