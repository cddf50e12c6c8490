"""Custom Functions as `jax.custom_vjp`: what their forward has recorded, and the user's backward."""

import jax
import jax.numpy as jnp

from torchlike._base.dtypes import FLOAT
from torchlike._base.errors import UnsupportedError
from torchlike._lower.graph import described
from torchlike._lower.keeper import read_by, undisturbed
from torchlike._lower.origins import Origins
from torchlike._lower.program import Constant, Step, value_of
from torchlike._lower.stretches import Lost
from torchlike._record.cell import storage_of
from torchlike._record.leaf import leaf
from torchlike._record.saved import Packed
from torchlike._record.trace import force
from torchlike.utils.checkpoint import CheckpointFunction


class Custom:
    """What a custom Function computes, and its gradient.

    ``steps`` are those of its forward; they read ``inputs``, the edges of the operands that gradients flow to, and make
    ``results``. ``saved``: for each saved tensor a key among these, a Constant, or None. All of a Function's arrays go by
    these names to `backward`.
    """

    def __init__(self, node, origins: Origins, recorded=()):
        if type(node.ctx) is CheckpointFunction._backward_cls:
            raise UnsupportedError(f"lowering {described(node)}, a reentrant checkpoint: use_reentrant=False has a graph")
        if node.ctx._freed:
            raise UnsupportedError(f"lowering {described(node)}, which has been freed: retain_graph=True keeps the graph")
        self.node = node
        self.inputs = list(dict.fromkeys(edge for edge in node.edges if edge is not None))
        self.smooth = [k for k, a in enumerate(node.avals) if a is not None and a.dtype.category >= FLOAT]
        self.steps, self.keys, self._made, self._stretch = [], {}, {}, None
        self.is_recorded = False
        self._forward(origins, recorded)
        self.smooth = [k for k in self.smooth if k in self.keys]
        self.results = [self.keys[k] for k in self.smooth]
        self.saved = [self._saved(kept, origins) for kept in node.ctx._saved_variables]
        made = {key for step in self.steps for key in step.makes} | set(self.inputs)
        read = [key for step in self.steps for key in step.reads] + self.results
        self.inputs += [key for key in dict.fromkeys(read) if key.__class__ is not Constant and key not in made]

    def _forward(self, origins, recorded) -> None:
        """The steps of what forward recorded, from its inputs to its results; where that is gone the recorded ones."""
        node = self.node
        for stretch in origins.stretches:
            places = {edge: slot for slot, edge in stretch.known.items()} | origins.read_in(stretch, node)
            inputs = {places[edge]: edge for edge in self.inputs if edge in places}
            wanted = {k: places[node, k] for k in self.smooth if (node, k) in places}
            if not wanted:
                continue
            if len(inputs) < len(self.inputs):
                break
            try:
                self.keys = {k: self._lower(origins, stretch, slot, inputs) for k, slot in wanted.items()}
            except Lost:
                break
            self._stretch, self._inputs = stretch, inputs
            return
        self.steps, self._made = [], {}
        self.keys = {k: Constant(array) for k, array in enumerate(recorded)}
        if not recorded:
            raise UnsupportedError(f"lowering {described(node)} now: what its forward has done is not remembered. Lower the "
                               "program before it is computed, or before seven others are")
        self.is_recorded = True

    def _lower(self, origins, stretch, slot, inputs):
        """The key of a slot, which the steps make from the inputs."""
        known, made = stretch.known, stretch.made
        stretch.known = {s: edge for s, edge in known.items() if edge[0] is not self.node}
        stretch.made = self._made
        try:
            calls, ends = origins.behind(stretch, slot, inputs)
            for child in calls:
                if child.first not in self._made:
                    step = origins.step(stretch, child, ends)
                    self._made.update(zip(range(child.first, child.width), step.makes, strict=True))
                    self.steps.append(step)
            return ends[slot] if slot in ends else self._made[slot]
        finally:
            stretch.known, stretch.made = known, made

    def _saved(self, kept, origins):
        """The key of a saved tensor."""
        if kept is None:
            return None
        if kept.number is not None:
            return self.keys[kept.number]
        x = kept.kept
        if x.__class__ is Packed:
            x = x.get()
        edge = x._edge if x._edge is not None and len(x._edge) == 2 else None
        for mine in self.inputs:
            if mine == edge or (mine[0].is_leaf and mine[0].variable is x):
                self._check_unwritten(x, mine, origins)
                return mine
        if x._edge is None and (found := origins.stretches.place_of(x._cell)) is not None and found[0] is self._stretch:
            try:
                return self._lower(origins, self._stretch, found[1], self._inputs)
            except Lost:
                pass
        if x._edge is None:
            return origins.constant(x._cell)
        raise UnsupportedError(f"lowering {described(self.node)}, which saves a tensor that is none of its inputs")

    def _check_unwritten(self, x, edge, origins) -> None:
        """UnsupportedError for a saved input that was written to without history: before it was read or after, who knows."""
        found = None if edge[0].is_leaf or read_by(self.node) else origins.stretches.place_of(storage_of(x._cell))
        if found is not None and not origins.stretches.holds(*found, edge):
            raise UnsupportedError(f"lowering {described(self.node)}: it saves what was written to without history, when is "
                                   "not remembered. Run the program inside of 'with torchlike.lowering():'")

    def run(self, values) -> dict:
        """All values of its forward by key, of the arrays of `inputs`."""
        env = dict(zip(self.inputs, values, strict=True))
        for step in self.steps:
            step.run(env)
        return env

    def kept(self, env) -> list:
        """The values of `env` that backward reads."""
        return [None if key is None else value_of(key, env) for key in self.saved]

    def backward(self, saved, inputs, cotangents) -> tuple:
        """The gradients of `inputs`, from the user's backward.

        Args:
            saved: the array of each saved tensor, or None.
            inputs: the arrays of `inputs`.
            cotangents: that of each of `results`.

        Returns:
            For each input an array.
        """
        node = self.node
        grads = [None] * len(node.avals)
        for k, c in zip(self.smooth, cotangents, strict=True):
            grads[k] = leaf(jnp.conj(c), node.avals[k].device)
        node.ctx._given = tuple(None if x is None else leaf(x, node.avals[self.smooth[0]].device) for x in saved)
        try:
            found = undisturbed(lambda: node.backward(grads))
        finally:
            node.ctx._given = None
        sums: dict = {}
        for edge, g in zip(node.edges, found, strict=True):
            if edge is not None and g is not None:
                array = jnp.conj(force(g._cell))
                sums[edge] = sums[edge] + array if edge in sums else array
        return tuple(sums[key].astype(x.dtype) if key in sums else jnp.zeros_like(x)
                     for key, x in zip(self.inputs, inputs, strict=True))


def custom_step(node, origins, recorded=()) -> Step:
    """The Step of a custom Function.

    Args:
        node: its Node.
        origins: finds what it reads.
        recorded: as for `Custom`.

    Returns:
        The Step.

    Raises:
        UnsupportedError: what its forward has done is not remembered.
    """
    custom = Custom(node, origins, recorded)

    @jax.custom_vjp
    def function(*inputs):
        env = custom.run(inputs)
        return tuple(value_of(key, env) for key in custom.results)

    def forward(*inputs):
        env = custom.run(inputs)
        return tuple(value_of(key, env) for key in custom.results), (custom.kept(env), inputs)

    function.defvjp(forward, lambda kept, cotangents: custom.backward(kept[0], kept[1], cotangents))
    makes = [(node, k) for k in custom.smooth]
    name = node.name().removesuffix("Backward")
    operands = {edge: origins.operand(node, i) for i, edge in enumerate(node.edges) if edge is not None}
    reads = [operands.get(key, key) for key in custom.inputs]
    return Step(name, function, reads, makes, node, node=node, site=node.site, seq=node.seq, custom=custom)
