"""The third engine of ``torchlike diff``: gradients by `jax.vjp` of the program as a pure function.

Inside ``with functional():`` the forward pass runs as always, but backward does not use any formula of
the operator table. The program between the leaves and the outputs is rebuilt as one pure function of
the leaves, out of the forward functions alone, and `jax.vjp` differentiates it whole. With
``create_graph=True`` the gradients are again outputs of a pure function (the vjp), so second order is
`jax.vjp` of `jax.vjp`. What defines its own gradient (a custom autograd.Function) keeps it, as
`jax.custom_vjp` would. Hooks belong to define-by-run and are refused here by name.
"""

import contextlib

import jax
import jax.numpy as jnp

from torchlike._base.dtypes import FLOAT
from torchlike._base.errors import UnsupportedError
from torchlike._compile.avals import NUMBER_DTYPES
from torchlike._ops.all import ROWS
from torchlike._record.bind import bind
from torchlike._record.cell import Storage
from torchlike._record.history import edge_of
from torchlike._record.leaf import leaf
from torchlike._record.tensor import wrap
from torchlike._record.trace import force, state
from torchlike.autograd.accumulate import AccumulateGrad
from torchlike.autograd.node import FreeNode
from torchlike.autograd.special_nodes import CopySlices


@contextlib.contextmanager
def functional():
    """On this thread, backward passes inside the block go through `jax.vjp` of the pure program."""
    thread, made = state.thread, _Functional()
    before = thread.observers, thread.engine
    thread.observers, thread.engine = (*thread.observers, made), made
    try:
        yield
    finally:
        thread.observers, thread.engine = before


class _Functional:
    """The Engine, and the Observer that keeps, for each Node, the operands that no gradient flows to: the constants of
    the program."""

    detects_anomaly = False

    def __init__(self):
        self.constants: dict = {}
        self.outputs: dict = {}  # of custom Functions: the results of their forward

    def node_made(self, node, tensors, outs, numbers) -> None:
        """Keep the constants."""
        if node.plan is None:
            self.outputs[node] = [_constant(x) for x in outs]
        self.constants[node] = [None if edge is not None else _constant(x)
                                for edge, x in zip(node.edges, tensors, strict=True)]

    def run_backward(self, roots, grads, captures, create_graph):
        """Gradients of the roots, accumulated into the leaves or returned by capture position."""
        order = _ordered(roots)
        targets = _targets(order, captures)
        program = _Program(order, roots, targets, self)
        values = [_value_of(edge) for edge in targets]
        cotangents = [force(g._cell) for g in grads]
        with jax.enable_x64(True):
            found = program.gradients(values, cotangents)
        results = [wrap(Storage(None, -1, g._cell_aval, g.array)) for g in found]
        if create_graph:
            self._keep_graph(program, targets, grads, results)
        return self._deliver(targets, results, captures, create_graph)

    def _keep_graph(self, program, targets, grads, results):
        if program.outputs:
            raise UnsupportedError("second order through a custom autograd.Function in the functional engine")
        edges = [*targets, *(edge_of(g) if g._edge is not None else None for g in grads)]
        node = _GradientNode(edges, program, len(targets))
        self.constants[node] = [None if e is not None else _constant(g)
                                for e, g in zip(edges, [None] * len(targets) + list(grads), strict=True)]
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


def _constant(x):
    """The value of `x` now, in a cell of its own: `x` may be written to later."""
    return _without_engine(lambda _: bind(ROWS["clone"], (x,), (), (None,)), None)._cell


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


def _ordered(roots) -> list:
    """The Nodes reachable from the roots, operands first."""
    seen, stack = set(), [edge[0] for edge in roots]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(edge[0] for edge in node.edges if edge is not None)
    return sorted(seen, key=lambda node: -1 if node.__class__ is AccumulateGrad else node.seq)


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

    def __init__(self, order, roots, targets, kept):
        self.order, self.roots, self.targets = order, list(roots), list(targets)
        constants = kept.constants
        self.outputs = {n: [_array(c) for c in kept.outputs[n]] for n in order if n in kept.outputs}
        self.constants = {n: [c and _array(c) for c in constants[n]] for n in order if n in constants}
        self.leaves = {n: force(n.variable._cell) for n in order if n.__class__ is AccumulateGrad}
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
        env: dict = {}
        shifts: dict = {}
        for node in self.order:
            if node.__class__ is AccumulateGrad:
                env[node, 0] = given.get((node, 0), self.leaves[node])
                continue
            for number, value in enumerate(self._apply(node, env)):
                wanted = given.get((node, number)) if value is not None else None
                if wanted is None:
                    env[node, number] = value
                elif absolute:
                    shifts[node, number] = wanted - value
                    env[node, number] = wanted
                else:
                    env[node, number] = value + wanted
        return env, shifts

    def _apply(self, node, env):
        constants = self.constants.get(node)
        operands = [env[edge] if edge is not None else constants[i] for i, edge in enumerate(node.edges)]
        if node.__class__ is CopySlices:
            return (_apply_copy_slices(node, operands, self.constants.get(node.fn)),)
        apply = getattr(node, "apply", None)
        if apply is not None:
            return apply(operands)
        if node in self.outputs:
            return _apply_function(node, operands, self.outputs[node])
        return _apply_kernel(node, operands)

    def gradients(self, values, cotangents) -> list:
        """`jax.vjp` of the program. JAX's complex gradients are conjugates of PyTorch's."""
        _, pull = jax.vjp(self, *values)
        found = pull(tuple(jnp.conj(c) for c in cotangents))
        return [_Gradient(_strong(jnp.conj(g), a), a) for g, a in zip(found, self.avals, strict=True)]


def _strong(x, aval):
    """An array in the leaf's dtype and not weakly typed, which compiled programs distinguish."""
    return jnp.array(x, dtype=aval.dtype.np, copy=False)


def _apply_function(node, operands, outputs):
    """A custom Function as `jax.custom_vjp`: its recorded results, and the user's backward."""
    wanted = [i for i, edge in enumerate(node.edges) if edge is not None]
    places = [i for i, a in enumerate(node.avals) if a is not None]
    smooth = [k for k, i in enumerate(places) if node.avals[i].dtype.category >= FLOAT]

    @jax.custom_vjp
    def function(*inputs):
        return tuple(outputs[k] for k in smooth)

    def forward(*inputs):
        return function(*inputs), inputs

    def backward(inputs, cotangents):
        grads = [None] * len(node.avals)
        for k, c in zip(smooth, cotangents, strict=True):
            grads[places[k]] = leaf(jnp.conj(c), node.avals[places[k]].device)
        found = _without_engine(node.backward, grads)
        return tuple(jnp.zeros_like(x) if found[i] is None else jnp.conj(force(found[i]._cell)).astype(x.dtype)
                     for i, x in zip(wanted, inputs, strict=True))

    function.defvjp(forward, backward)
    found = function(*(operands[i] for i in wanted))
    full = dict(zip((places[k] for k in smooth), found, strict=True))
    return tuple(full.get(i) for i in range(len(node.avals)))


def _without_engine(call, grads):
    thread = state.thread
    before = thread.grad, thread.observers, thread.engine
    thread.grad, thread.observers, thread.engine = False, (), None
    try:
        return call(grads)
    finally:
        thread.grad, thread.observers, thread.engine = before


def _array(cell):
    return force(cell)


def _apply_kernel(node, operands):
    kernel = node.plan.kernel
    numbers = [NUMBER_DTYPES[kind].type(n) for kind, n in zip(kernel.numbers, node.numbers, strict=True)]
    return kernel.function(*operands, *numbers)


def _apply_copy_slices(node, operands, fn_constants):
    """The base after the operation was applied to its view."""
    parts = [operands[0]]
    for row, params in node.chain:
        parts.append(row.fn(parts[-1], **dict(zip(row.params, params, strict=True))))
    inner = [parts.pop(), *operands[1:]]
    if fn_constants is not None:
        inner = [c if x is None else x for x, c in zip(inner, fn_constants, strict=True)]
    new = _apply_kernel(node.fn, inner)[0].astype(inner[0].dtype)
    for (row, params), parent in zip(reversed(node.chain), reversed(parts), strict=True):
        new = row.view.put(parent, new, **dict(zip(row.params, params, strict=True)))
    return new
