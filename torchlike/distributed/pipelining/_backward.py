"""The backward pass of one stage with one microbatch: as a whole, or for inputs first and for weights later.

A Node on the way to an input that also leads to weights by another edge lies on the border. The pass of the inputs notes
what arrives at the Nodes of the border; that of the weights begins there, for each Node with its own weights. So each Node
off the way runs once, and of those on it only the border twice, for another operand each time. Nodes of the border that have
a weight in common are one group: the pass also goes from one of them to the next, where what was noted takes the place of
what arrives.
"""

from typing import Any, NamedTuple

from torchlike._record.tensor import Tensor
from torchlike.autograd.engine import GradientEdge, backward, get_gradient_edge, grad
from torchlike.distributed.pipelining._metadata import described


def _requiring(outputs, grads) -> list[tuple]:
    """(output, its gradient or None) of the outputs that have a history."""
    outputs = (outputs,) if isinstance(outputs, Tensor) else outputs
    given = [None] * len(outputs) if grads is None else grads
    return [(x, g) for x, g in zip(outputs, given, strict=True) if isinstance(x, Tensor) and x.requires_grad]


def _failed(what, outputs, grads, inputs) -> RuntimeError:
    return RuntimeError(f"""
        Failed to run stage {what}:
        Stage output: {described(outputs)}
        Output gradient: {described(grads)}
        Input: {described(inputs)}
        """)


def whole(outputs, grads, inputs: list) -> tuple:
    """The backward pass as a whole: weights get their gradients.

    Args:
        outputs: a loss, or the outputs of a stage in a tuple.
        grads: their gradients; None of a loss.
        inputs: those of the stage.

    Returns:
        the gradients of the inputs, None where there is none.

    Raises:
        RuntimeError: it failed; the cause is its ``__cause__``.
    """
    try:
        pairs = _requiring(outputs, grads)
        backward([x for x, _ in pairs], grad_tensors=[g for _, g in pairs])
        return tuple(map(_taken, inputs))
    except Exception as error:
        raise _failed("backward", outputs, grads, inputs) from error


def _taken(x):
    """The gradient of an input, which it no longer has then: each microbatch begins anew."""
    if not isinstance(x, Tensor):
        return None
    found, x.grad = x.grad, None
    return found


def inputs_first(outputs, grads, inputs: list, weights: list) -> tuple[tuple, "Weights"]:
    """The gradients of a stage's inputs.

    Args:
        outputs: a loss, or the outputs of the stage in a tuple.
        grads: their gradients; None of a loss.
        inputs: those of the stage.
        weights: its parameters.

    Returns:
        (the gradients of the inputs, None where there is none; what is left to do).

    Raises:
        RuntimeError: it failed; the cause is its ``__cause__``.
    """
    try:
        pairs = _requiring(outputs, grads)
        wanted = [x for x in inputs if isinstance(x, Tensor) and x.requires_grad]
        later = Weights(pairs, wanted, [p for p in weights if p.requires_grad])
        found = later.grads_of_inputs(wanted)
        return tuple(found.get(id(x)) for x in inputs), later
    except Exception as error:
        raise _failed("backward input", outputs, grads, inputs) from error


class _Group(NamedTuple):
    """Nodes of the border, and outputs that lead to no input, with the weights that they lead to."""

    nodes: list
    roots: list[tuple]
    weights: set


class Weights:
    """What is left of a backward pass when the gradients of the inputs are there: those of the weights.

    Args:
        pairs: (output, its gradient or None) of the outputs that have a history.
        inputs: those that require grad.
        weights: the parameters that require grad.
    """

    def __init__(self, pairs: list, inputs: list, weights: list):
        edges = [get_gradient_edge(x).node for x, _ in pairs]
        self._weights = {get_gradient_edge(x).node: x for x in weights}
        on_the_way, leads = _ways(edges, {get_gradient_edge(x).node for x in inputs}, self._weights)
        self._pairs = [pair for pair, node in zip(pairs, edges, strict=True) if node in on_the_way]
        starts = [_Group([node], [], found) for node, found in leads.items() if node in on_the_way and found]
        starts += [_Group([], [pair], leads[node]) for pair, node in zip(pairs, edges, strict=True)
                   if node not in on_the_way and leads[node]]
        self._groups = _joined(starts)
        self._arrived: dict = {}

    def grads_of_inputs(self, inputs: list) -> dict[int, Any]:
        """The first pass; each Node of the border notes what arrives.

        Args:
            inputs: those that require grad.

        Returns:
            their gradients by id.
        """
        if not self._pairs:
            return {}
        handles = [node.register_prehook(self._noting(node)) for group in self._groups for node in group.nodes]
        try:
            found = grad([x for x, _ in self._pairs], inputs, [g for _, g in self._pairs], retain_graph=True,
                         allow_unused=True)
        finally:
            for handle in handles:
                handle.remove()
        self._pairs = []
        return {id(x): g for x, g in zip(inputs, found, strict=True)}

    def _noting(self, node):
        def note(arrived):
            self._arrived[node] = arrived
        return note

    def run(self) -> None:
        """The second pass: the weights get their gradients."""
        groups, self._groups = self._groups, []
        for group in groups:
            self._run(group)
        self._arrived = {}

    def _run(self, group: _Group) -> None:
        arrived = {node: self._arrived[node] for node in group.nodes if node in self._arrived}
        pairs = [*group.roots, *((GradientEdge(node, i), g) for node, grads in arrived.items()
                                 for i, g in enumerate(grads) if g is not None)]
        if not pairs:
            return
        several = arrived if len(arrived) > 1 else {}
        handles = [node.register_prehook(lambda _, grads=grads: grads) for node, grads in several.items()]
        try:
            # A way between two Nodes of one group may go through those of others, whose pass has been.
            backward([x for x, _ in pairs], [g for _, g in pairs], retain_graph=True,
                     inputs=[x for node, x in self._weights.items() if node in group.weights])
        finally:
            for handle in handles:
                handle.remove()


def _ways(starts: list, inputs: set, weights) -> tuple[set, dict]:
    """(the Nodes behind `starts` from which one of `inputs` can be reached, those of `weights` to which each Node leads by
    Nodes that are not among these)."""
    on_the_way: set = set()
    leads: dict[Any, set] = {}
    for node in _children_first(starts):
        children = [child for child, _ in node.next_functions if child is not None]
        if node in inputs or any(child in on_the_way for child in children):
            on_the_way.add(node)
        leads[node] = {node} if node in weights else set().union(
            *(leads[child] for child in children if child not in on_the_way))
    return on_the_way, leads


def _children_first(starts: list):
    seen: set = set()
    stack = [(node, False) for node in starts]
    while stack:
        node, is_done = stack.pop()
        if is_done:
            yield node
        elif node not in seen:
            seen.add(node)
            stack += [(node, True), *((child, False) for child, _ in node.next_functions if child is not None)]


def _joined(groups: list[_Group]) -> list[_Group]:
    """Those that have weights in common as one."""
    found: list[_Group] = []
    for group in groups:
        others = [other for other in found if other.weights & group.weights]
        found = [other for other in found if not other.weights & group.weights]
        whole = [*others, group]
        found.append(_Group([node for each in whole for node in each.nodes], [pair for each in whole for pair in each.roots],
                            set().union(*(each.weights for each in whole))))
    return found
