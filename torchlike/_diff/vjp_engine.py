"""The third engine of ``torchlike diff``: gradients by `jax.vjp` of the program as a pure function.

Inside ``with functional():`` the forward pass runs as always, but backward does not use any formula of
the operator table. The program between the leaves and the outputs is rebuilt as one pure function of
the leaves, out of the forward functions alone (`torchlike/_lower/`), and `jax.vjp` differentiates it whole; checkpointed
regions are `jax.checkpoint` there. With ``create_graph=True`` the gradients are again outputs of a pure function (the
vjp), so second order is `jax.vjp` of `jax.vjp`. What defines its own gradient (a custom autograd.Function) keeps it, by
`jax.custom_vjp`. Hooks that may change a gradient belong to define-by-run and are refused here by name; those after
accumulation run when the whole gradient is there, in the tape's order.
"""

import contextlib
import functools
from collections.abc import Callable

import jax

from torchlike._base import errors
from torchlike._base.errors import UnsupportedError
from torchlike._compile.jax_private import dce_jaxpr, own_work
from torchlike._diff.pure_program import Program, Runner
from torchlike._lower.graph import ordered
from torchlike._lower.keeper import Keeper
from torchlike._record.cell import Storage
from torchlike._record.history import edge_of
from torchlike._record.saved import Packed
from torchlike._record.tensor import wrap
from torchlike._record.trace import force, state
from torchlike.autograd.accumulate import AccumulateGrad
from torchlike.autograd.graph_task import leading_to, retain
from torchlike.autograd.node import FreeNode
from torchlike.autograd.special_nodes import CopySlices

_HOOKS = "hooks on tensors in the functional engine"
# What a watched tensor is told where the pass goes through gradients that have a history: how much of theirs reaches which
# value on the way is a matter of the formulas. Those of sine and tanh begin at the operand, or at the result.
UNSETTLED = "unsettled"


@contextlib.contextmanager
def functional():
    """On this thread, backward passes inside the block go through `jax.vjp` of the pure program.

    The block's value takes a tensor and a function, which is called with each gradient of the tensor, as a hook would be, or
    with UNSETTLED.
    """
    thread, made = state.thread, _Functional()
    before = thread.observers, thread.engine
    thread.observers, thread.engine = (*thread.observers, made), made
    try:
        yield made.watch
    finally:
        thread.observers, thread.engine = before


class _Functional(Keeper):
    """The Engine, and the Observer that keeps the constants of the program."""

    def __init__(self):
        super().__init__()
        self.watched: list = []
        self.runner = Runner()

    def watch(self, x, callback) -> None:
        """Calls `callback` with the gradient of `x`, as it is now, in each backward pass that reaches it."""
        edge = edge_of(x)
        if edge is not None:  # a view made under no_grad has none
            self.watched.append((edge, callback))

    def _watched(self, roots, running, wanted) -> list:
        """(edge, callback) of what is watched, the last made first. Leaves only where the pass is for them; of a Node's
        results those that lead to a root."""
        leaves = set(wanted)
        reached = {*roots, *(edge for node in running for edge in node.edges)}
        return [item for item in reversed(self.watched)
                if (item[0] in leaves if item[0][0].is_leaf else item[0][0] in running and item[0] in reached)]

    def run_backward(self, roots, grads, keep, captures, create_graph, targets):
        """Gradients of the roots, accumulated into the leaves, all or those of `targets`, or returned by capture position.

        What is watched are more targets of the same run. Where the tape's pass would end at a Node by an error so does this
        one, after what the tape's has done before.
        """
        order = ordered(roots)
        if any(hooks is not None and (hooks.pre or hooks.post or any(hooks.tensor.values()))
               for hooks in (node.hooks for node in order)):
            raise UnsupportedError(_HOOKS)
        wanted, running = _wanted(order, captures, targets), _running(roots, order, captures, targets)
        watched = self._watched(roots, running, wanted) + _retaining(order, running)
        done, error = _gone_through(running)
        if error is not None:
            wanted = [] if captures is not None else [edge for edge in wanted if edge[0] in done]
            watched = [item for item in watched if item[0][0] in done]
        captured: dict = {}
        try:
            captured = self._differentiated(order, roots, grads, wanted, watched, captures, create_graph)
        except RuntimeError:
            if error is None:
                raise
            # What is left of a graph that has been freed is not enough for the gradients before the error.
            for _, callback in watched:
                callback(UNSETTLED)
        if not keep:
            for node in done:
                node.release()
        if error is not None:
            raise error
        return captured

    def _differentiated(self, order, roots, grads, wanted, watched, captures, create_graph):
        unsettled = {node for each in order if each.__class__ is _GradientNode for node in each.over if not node.is_leaf}
        for edge, callback in self.watched:
            if edge[0] in unsettled:
                callback(UNSETTLED)
        watched = [item for item in watched if item[0][0] not in unsettled]
        every = list(dict.fromkeys([*wanted, *(edge for edge, _ in watched)]))
        if not every:  # nothing that is asked for can be reached
            return {}
        program = Program(order, roots, every, self.outputs)
        cotangents = [force(g._cell) for g in grads]
        with own_work():
            made = self.runner.gradients(program, [program.value_of(edge) for edge in every], cotangents)
        tensors = {edge: wrap(Storage(None, -1, aval, g)) for edge, aval, g in zip(every, program.avals, made, strict=True)}
        for edge, callback in watched:
            callback(tensors[edge])
        results = [tensors[edge] for edge in wanted]
        if create_graph:
            self._keep_graph(order, roots, grads, dict(zip(wanted, results, strict=True)))
        return self._deliver(wanted, results, captures, create_graph, order)

    def _keep_graph(self, order, roots, grads, results):
        """Gives gradients, {edge: gradient}, a history: they are a function of all leaves."""
        program = Program(order, roots, dict.fromkeys([*_wanted(order, None, None), *results]), self.outputs)
        if program.is_recorded:
            raise UnsupportedError("second order through a custom autograd.Function in the functional engine, whose forward "
                                   "is not remembered")
        targets = program.targets
        dependent = _dependent(program, grads, [number for number, edge in enumerate(targets) if edge in results])
        read = frozenset().union(*dependent.values())
        edges = [*(edge if i in read else None for i, edge in enumerate(targets)),
                 *(edge_of(g) if g._edge is not None else None for g in grads)]
        node = _GradientNode(edges, program, frozenset(order))
        self.keep(node, [*(_tensor_of(edge, program) for edge in targets), *grads])
        for number, places in dependent.items():
            if any(edges[place] is not None for place in places):
                results[targets[number]]._edge = (node, number)

    def _deliver(self, targets, results, captures, create_graph, order):
        captured = {}
        for (node, number), g in sorted(zip(targets, results, strict=True), key=_turns(order)):
            if captures is None:
                _accumulate(node, g, create_graph)
            else:
                captured[captures[node][number]] = g
        return captured


def _turns(order) -> Callable:
    """The key that sorts (edge, gradient) of leaves as the tape's pass comes to them: behind the first Node that has used
    them."""
    inner = [node for node in order if not node.is_leaf]
    first: dict = {}
    for number, node in enumerate(inner):
        for place, edge in enumerate(node.edges):
            if edge is not None:
                first.setdefault(edge[0], (-number, place))
    return lambda item: first.get(item[0][0], (-len(inner), 0))


def _accumulate(node, g, create_graph):
    thread = state.thread
    if node.variable._hooks:
        raise UnsupportedError(_HOOKS)
    before, thread.grad = (thread.grad, thread.observers, thread.engine), create_graph
    if not create_graph:
        thread.observers, thread.engine = (), None
    try:
        node.backward([g])
    finally:
        thread.grad, thread.observers, thread.engine = before


class _GradientNode(FreeNode):
    """The node of gradients made with create_graph: its forward is the vjp of an earlier program."""

    __slots__ = ("over", "program")

    def __init__(self, edges, program, over):
        super().__init__(tuple(edges), tuple(program.avals))
        self.program, self.over = program, over  # the Nodes of that program

    def apply(self, operands):
        """The pure function: leaves and cotangents to gradients."""
        count = len(self.program.targets)
        return self.program.gradients(self.program.shifts(operands[:count]), operands[count:])


def _dependent(program, grads, wanted) -> dict[int, frozenset]:
    """For each of the gradients of the program that are wanted the places of the targets and gradients that it depends on:
    with a history it has one in those, as on the tape."""
    if not program.is_traceable:
        return dict.fromkeys(wanted, frozenset(range(len(program.targets) + len(grads))))
    values = [program.value_of(edge) for edge in program.targets]
    with own_work():
        jaxpr = jax.make_jaxpr(program.gradients)(values, [force(g._cell) for g in grads]).jaxpr
    used = {i: dce_jaxpr(jaxpr, [k == i for k in range(len(jaxpr.outvars))])[1] for i in wanted}
    return {i: frozenset(place for place, is_used in enumerate(flags) if is_used) for i, flags in used.items()}


def _tensor_of(edge, program):
    """A tensor with the value of a target."""
    node, number = edge
    return wrap(Storage(None, -1, node.output_aval(number), program.value_of(edge)))


def _running(roots, order, captures, targets) -> set:
    """The Nodes that the tape's pass would run: not those that lead to nothing that is asked for."""
    ends = targets if captures is None else captures
    if ends is None:
        return set(order)
    needed = leading_to(ends, [node for node, _ in roots])
    captured = captures or ()
    return {node for node in needed
            if node not in captured or any(edge is not None and edge[0] in needed for edge in node.edges)}


def _gone_through(running) -> tuple:
    """(the Nodes that the tape's pass has reached when it ends, the error by which it does so or None): of a graph that has
    been freed, or that saved what was written to since. The pure function needs nothing of that: it begins at the leaves."""
    inner = sorted((node for node in running if not node.is_leaf), key=lambda node: node.seq, reverse=True)
    for i, node in enumerate(inner):
        try:
            _check_saved(node)
        except RuntimeError as error:
            ahead = {edge[0] for each in inner[i:] for edge in each.edges if edge is not None}
            leaves = {each for each in running if each.is_leaf and each not in ahead}
            return leaves.union(inner[:i + 1]), error
    return running, None


def _check_saved(node) -> None:
    """RuntimeError, the tape's, for what has been freed or written to. What went through hooks belongs to define-by-run."""
    if isinstance(node, CopySlices):
        node = node.fn
    if node is None or node.saved is None:
        raise RuntimeError(errors.FREED)
    if node.plan is not None and node.saved and node.saved[0].__class__ is not Packed:
        node.unpack()


def _retaining(order, running) -> list:
    """(edge, what is called with its gradient) of the tensors that retain theirs."""
    there = ((node, number, reference()) for node in order if node in running and node.hooks is not None
             for number, reference in node.hooks.retain.items())
    return [((node, number), functools.partial(retain, x)) for node, number, x in there if x is not None]


def _wanted(order, captures, targets) -> list:
    """The edges to differentiate with respect to: all leaves, or those that were asked for."""
    if captures is None:
        return [(node, 0) for node in order if node.__class__ is AccumulateGrad and (targets is None or node in targets)]
    present = set(order)
    return [(node, number) for node, wanted in captures.items() if node in present for number in wanted]
