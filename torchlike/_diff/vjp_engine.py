"""The third engine of ``torchlike diff``: gradients by `jax.vjp` of the program as a pure function.

Inside ``with functional():`` the forward pass runs as always, but backward does not use any formula of
the operator table. The program between the leaves and the outputs is rebuilt as one pure function of
the leaves, out of the forward functions alone (`torchlike/_lower/`), and `jax.vjp` differentiates it whole; checkpointed
regions are `jax.checkpoint` there. With ``create_graph=True`` the gradients are again outputs of a pure function (the
vjp), so second order is `jax.vjp` of `jax.vjp`. What defines its own gradient (a custom autograd.Function) keeps it, by
`jax.custom_vjp`. Hooks belong to define-by-run and are refused here by name.
"""

import contextlib

import jax
import jax.numpy as jnp

from torchlike._base.errors import UnsupportedError
from torchlike._lower.custom import custom_step
from torchlike._lower.graph import ordered, step_of
from torchlike._lower.origins import Keeper, Origins
from torchlike._lower.regions import with_checkpoints
from torchlike._record.cell import Storage
from torchlike._record.history import edge_of
from torchlike._record.tensor import wrap
from torchlike._record.trace import force, state
from torchlike.autograd._function.node import FunctionNode
from torchlike.autograd.accumulate import AccumulateGrad
from torchlike.autograd.node import FreeNode


@contextlib.contextmanager
def functional():
    """On this thread, backward passes inside the block go through `jax.vjp` of the pure program.

    The block's value takes a tensor and a function, which is called with each gradient of the tensor, as a hook would be.
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

    def watch(self, x, callback) -> None:
        """Calls `callback` with the gradient of `x`, as it is now, in each backward pass that reaches it."""
        self.watched.append((edge_of(x), callback))

    def _show_watched(self, order, roots, captures, cotangents):
        """The gradients of what is watched, the last made first. Leaves only where the pass is for them."""
        present, leaves = set(order), set(_targets(order, captures))
        watched = [item for item in self.watched if item[0][0] in present and (not item[0][0].is_leaf or item[0] in leaves)]
        if not watched:
            return
        targets = list(dict.fromkeys(edge for edge, _ in watched))
        with jax.enable_x64(True):
            program = _Program(order, roots, targets, self.outputs)
            made = program.gradients([_value_of(edge) for edge in targets], cotangents)
        found = dict(zip(targets, made, strict=True))
        for edge, callback in reversed(watched):
            g = found[edge]
            callback(wrap(Storage(None, -1, g._cell_aval, g.array)))

    def run_backward(self, roots, grads, captures, create_graph):
        """Gradients of the roots, accumulated into the leaves or returned by capture position."""
        order = ordered(roots)
        targets = _targets(order, captures)
        program = _Program(order, roots, targets, self.outputs)
        values = [_value_of(edge) for edge in targets]
        cotangents = [force(g._cell) for g in grads]
        with jax.enable_x64(True):
            found = program.gradients(values, cotangents)
        self._show_watched(order, roots, captures, cotangents)
        results = [wrap(Storage(None, -1, g._cell_aval, g.array)) for g in found]
        if create_graph:
            self._keep_graph(program, targets, grads, results)
        return self._deliver(targets, results, captures, create_graph)

    def _keep_graph(self, program, targets, grads, results):
        if program.is_recorded:
            raise UnsupportedError("second order through a custom autograd.Function in the functional engine, whose forward "
                                   "is not remembered")
        edges = [*targets, *(edge_of(g) if g._edge is not None else None for g in grads)]
        node = _GradientNode(edges, program, len(targets))
        self.keep(node, [None] * len(targets) + list(grads))
        for i, x in enumerate(results):
            x._edge = (node, i)

    def _deliver(self, targets, results, captures, create_graph):
        captured = {}
        for (node, number), g in zip(targets, results, strict=True):
            if captures is None:
                _accumulate(node, g, create_graph)
            else:
                captured[captures[node][number]] = g
        return captured


def _accumulate(node, g, create_graph):
    thread = state.thread
    if node.variable._hooks or node.variable._post_hooks:
        raise UnsupportedError("hooks on tensors in the functional engine")
    before, thread.grad = (thread.grad, thread.observers, thread.engine), create_graph
    if not create_graph:
        thread.observers, thread.engine = (), None
    try:
        node.backward([g])
    finally:
        thread.grad, thread.observers, thread.engine = before


class _GradientNode(FreeNode):
    """The node of gradients made with create_graph: its forward is the vjp of an earlier program."""

    __slots__ = ("n_targets", "program")

    def __init__(self, edges, program, n_targets):
        super().__init__(tuple(edges), tuple(program.avals))
        self.program, self.n_targets = program, n_targets

    def apply(self, operands):
        """The pure function: leaves and cotangents to gradients."""
        values = self.program.shifts(operands[:self.n_targets])
        found = self.program.gradients(values, operands[self.n_targets:])
        return tuple(g.array for g in found)


class _Gradient:
    """An array and the Aval of the leaf it belongs to."""

    def __init__(self, array, aval):
        self.array, self._cell_aval = array, aval


def _targets(order, captures) -> list:
    """The edges to differentiate with respect to: all leaves, or those that were asked for."""
    if captures is None:
        return [(node, 0) for node in order if node.__class__ is AccumulateGrad]
    present = set(order)
    return [(node, number) for node, wanted in captures.items() if node in present for number in wanted]


def _value_of(edge):
    """The value of a leaf; of an inner node the program computes it itself (a zero is added to it)."""
    node, number = edge
    if node.__class__ is AccumulateGrad:
        return force(node.variable._cell)
    aval = node.output_aval(number)
    with jax.enable_x64(True):
        return jnp.zeros(aval.shape, aval.dtype.np)


class _Program:
    """The pure function from the targets to the roots, and its vjp."""

    def __init__(self, order, roots, targets, outputs):
        self.roots, self.targets = list(roots), list(targets)
        origins = Origins(order, [(edge, None) for edge in roots])
        steps = origins.steps
        for node in order:
            if isinstance(node, FunctionNode):
                steps.append(custom_step(node, origins, [force(cell) for cell in outputs.get(node, ())]))
            elif not node.is_leaf:
                steps.append(step_of(node, origins.operand))
        self.is_recorded = any(step.custom is not None and step.custom.is_recorded for step in steps)
        inner = [edge for edge in targets if not edge[0].is_leaf]
        self.steps = with_checkpoints(steps, roots, inner)
        self.leaves = {n: force(n.variable._cell) for n in order if n.is_leaf}
        self.avals = [n.output_aval(i) for n, i in targets]

    def __call__(self, *values):
        env, _ = self._walk(values, absolute=False)
        return tuple(env[edge] for edge in self.roots)

    def shifts(self, values) -> list:
        """What `gradients` takes where the inner targets are to have these values: for an inner target
        its distance from what the program computes there, so that the path to earlier leaves stays."""
        _, found = self._walk(values, absolute=True)
        return [found.get(edge, value) for edge, value in zip(self.targets, values, strict=True)]

    def _walk(self, values, absolute):
        """All intermediate values, and the shifts of the inner targets."""
        given = dict(zip(self.targets, values, strict=True))
        env = {(n, 0): given.get((n, 0), value) for n, value in self.leaves.items()}
        shifts: dict = {}
        for step in self.steps:
            step.run(env)
            for key in step.makes:
                wanted = given.get(key)
                if wanted is None or env[key] is None:
                    continue
                if absolute:
                    shifts[key] = wanted - env[key]
                env[key] = wanted if absolute else env[key] + wanted
        return env, shifts

    def gradients(self, values, cotangents) -> list:
        """`jax.vjp` of the program. JAX's complex gradients are conjugates of PyTorch's."""
        _, pull = jax.vjp(self, *values)
        found = pull(tuple(jnp.conj(c) for c in cotangents))
        return [_Gradient(_strong(jnp.conj(g), a), a) for g, a in zip(found, self.avals, strict=True)]


def _strong(x, aval):
    """An array in the leaf's dtype and not weakly typed, which compiled programs distinguish."""
    return jnp.array(x, dtype=aval.dtype.np, copy=False)
