"""A program that has run, once more, with all its values and all its gradients: to look at each of them.

The steps are those of `torchlike.lower`, so it works after backward has freed the graph, as long as operands are known;
the gradients are computed by the formulas of the tape. Nothing is recorded, and nothing kept once the answer is there.
"""

import dataclasses

import numpy as np

from torchlike._compile.jax_private import own_work
from torchlike._explain.reasons import Reason
from torchlike._lower.backward import Backward
from torchlike._lower.custom import custom_step
from torchlike._lower.graph import ordered, step_of
from torchlike._lower.names import Names, statement_of
from torchlike._lower.origins import Origins
from torchlike._lower.program import Constant, value_of
from torchlike._lower.stretches import Lost
from torchlike._record.trace import force
from torchlike.autograd._function.node import FunctionNode

LIMIT = 1 << 31  # bytes of values: a larger program is not run again


class TooLarge(Exception):
    """The program is not run again."""


class _Tracked(Backward):
    """A backward pass that tells what arrived at which step, and what it gave. ``incoming``: {id of a step: the keys of the
    gradients of its results}; ``given``: {key: (step, key of the gradient)} of all shares; ``emitted``: {id of a step:
    the steps of its gradient}.
    """

    def __init__(self, steps, root, leaves, forms):
        self.incoming, self.given, self.emitted = {}, {}, {}
        self._now = None
        super().__init__(steps, root, leaves, forms)

    def total(self, key):
        """The key of the whole gradient of a value, None if there is none."""
        return self._total(key)

    def _back(self, step) -> None:
        if any(key in self._parts for key in step.makes):
            self.incoming[id(step)] = [self._total(key) for key in step.makes]
        self._now, start = step, len(self.steps)
        super()._back(step)
        self.emitted[id(step)] = self.steps[start:]

    def _arrive(self, key, grad) -> None:
        before = len(self._parts.get(key, ()))
        super()._arrive(key, grad)
        if len(self._parts.get(key, ())) > before:
            self.given.setdefault(key, []).append((self._now, grad))


class Rerun:
    """``steps``: those of the forward pass; ``env``: {key: array} of all values; ``backward``: None without a graph.

    Args:
        root: the edge of the result.
        cell: its value, or None.
        frames: the user's variables, see `Names`.
    """

    def __init__(self, root, cell, frames):
        self.root, self.order = root, ordered([root])
        size = sum(node.output_aval(k).nbytes for node in self.order if not node.is_leaf for k in range(node.n_outputs)
                   if node.output_aval(k) is not None)
        if size > LIMIT:
            raise TooLarge(f"the program has {size:,} bytes of values, and more than {LIMIT:,} are not computed again")
        self.origins = origins = Origins(self.order, [(root, cell)])
        for node in self.order:
            if not node.is_leaf:
                made = custom_step(node, origins) if isinstance(node, FunctionNode) else step_of(node, origins.operand)
                origins.steps.append(made)
        self.steps = origins.steps
        self.names = Names(frames, self.order)
        self.names.of_values(_with_sure_lines(self.steps))
        self.leaves = [(node, 0) for node in self.order if node.is_leaf]
        self.env = {edge: force(edge[0].variable._cell) for edge in self.leaves}
        with own_work():
            for step in self.steps:
                step.run(self.env)
        self.makers = {key: step for step in self.steps for key in step.makes}
        self.backward = None

    def differentiate(self, target):
        """Runs the backward pass, too.

        Args:
            target: the edge of a value.

        Returns:
            The key of its gradient, None if none comes there.
        """
        forms = {edge: self.value(edge) for edge in self.leaves}
        self.backward = _Tracked(self.steps, self.root, forms, self.value)
        key = self.backward.total(target)
        with own_work():
            for step in self.backward.steps[len(self.steps):]:
                step.run(self.env)
        return key

    def value(self, key) -> np.ndarray:
        """The value of a key."""
        return np.asarray(value_of(key, self.env))

    def name(self, key):
        """The user's name of a value, or None."""
        if key.__class__ is tuple and key[0] == "stopped":
            key = key[1:]
        if key.__class__ is Constant:
            return self.names.known(key.cell)
        if key.__class__ is not tuple:
            return None
        owner = key[0]
        if getattr(owner, "is_leaf", False):
            return self.names.known(owner.variable._cell)
        held = getattr(owner, "held", None)  # of a stretch of recording
        return self.names.of_value(key) if held is None else self.names.known(held.get(key[1]))

    def local(self, step, share, grads):
        """What a step makes of other gradients of its results.

        Args:
            step: the step.
            share: the key of what it gives to one of its operands.
            grads: {key of a gradient that arrives: array}.

        Returns:
            The array that it gives instead.
        """
        if share in grads:
            return grads[share]
        env = dict(self.env)
        for made in self.backward.emitted[id(step)]:
            mapped = [("given", i) if key in grads else key for i, key in enumerate(made.reads)]
            env.update((new, grads[key]) for new, key in zip(mapped, made.reads, strict=True) if new is not key)
            dataclasses.replace(made, reads=mapped).run(env)
        return env[share]

    def written(self) -> list:
        """The leaves that were written to since the program read them, as edges."""
        found = []
        for node in self.order:
            for i, edge in enumerate(node.edges if getattr(node, "child", None) is not None else ()):
                if edge is not None and edge[0].is_leaf and edge not in found and self._is_written(node, i, edge):
                    found.append(edge)
        return found

    def _is_written(self, node, i, edge) -> bool:
        mine, cell = self.origins.stretches.of(node), edge[0].variable._cell
        if mine is None:
            return False
        for stretch in self.origins.stretches:
            slot = stretch.slot_of(cell)
            if stretch is mine:
                return slot is not None and slot != node.child.item.slots[i]
            if slot is not None and not stretch.is_input(slot):
                return True
        return False


class WithoutGraph:
    """The values that led to one without history, as far as they are remembered; as `Rerun`, but for gradients.

    Args:
        cell: the value.
    """

    def __init__(self, cell):
        origins = Origins([], [])
        found = origins.stretches.place_of(cell)
        if found is None:
            raise Lost("nothing that is remembered has computed it")
        stretch, self.slot = found
        calls, ends = origins.behind(stretch, self.slot)
        self.steps, self.env = [], {}
        for child in calls:
            step = origins.step(stretch, child, ends)
            stretch.made.update(zip(range(child.first, child.width), step.makes, strict=True))
            self.steps.append(step)
        with own_work():
            for step in self.steps:
                step.run(self.env)
        self.root = stretch.made.get(self.slot) or ends[self.slot]
        self.makers = {key: step for step in self.steps for key in step.makes}

    value = Rerun.value

    def name(self, key):
        """No value of this kind has a name."""


def _with_sure_lines(steps) -> list:
    """Those whose lines may be asked for names: the last one of each assignment. The line of an instruction without Node
    may be that of another program which recorded the same, see `flow.py`.
    """
    last = {}
    for step in steps:
        statement = None if step.node is None else statement_of(step.site)
        if statement is not None:
            last[statement] = step
    return list(last.values())


def title_of(step) -> str:
    """How a step is called: by its Node, or by its operator."""
    return step.node.name() if step.node is not None else f"{step.name}()"


def at(step) -> tuple:
    """The line of a step, for a `Reason`."""
    return ("here" if step.node is not None else "here, or where the same was first recorded"), step.site


def operands_of(run, step) -> str:
    """The names and ranges of what a step has read."""
    texts = []
    for i, key in enumerate(step.reads):
        label = step.labels[i] if i < len(step.labels) else f"operand {i}"
        name = run.name(key)
        texts.append(f"{label}{f' ({name})' if name else ''} {range_of(run.value(key))}")
    return ", ".join(texts)


def range_of(x) -> str:
    """Between what an array lies."""
    if not x.size:
        return "empty"
    if x.dtype == bool:
        return f"{int(x.sum())} of {x.size} True"
    if np.iscomplexobj(x):
        x = np.abs(x)
    x = np.asarray(x, np.float64)
    good = x[np.isfinite(x)]
    text = "" if not good.size else f"in [{good.min():.4g}, {good.max():.4g}]"
    bad = [f"{int(count)} of {x.size} {what}" for what, count in
           (("nan", np.isnan(x).sum()), ("infinite", np.isinf(x).sum())) if count]
    return ", ".join([text, *bad] if text else bad)


def is_finite(x) -> bool:
    """Whether all elements are."""
    return x.dtype.kind in "biu" or bool(np.isfinite(np.asarray(x, np.complex128 if x.dtype.kind == "c" else None)
                                                     if x.dtype.kind in "fc" else np.asarray(x, np.float64)).all())


def nans(x) -> np.ndarray:
    """Where they are."""
    return np.zeros(x.shape, bool) if x.dtype.kind in "biu" else np.isnan(x)


def no_rerun(error) -> Reason:
    """The Reason that says why there is no answer."""
    advice = ". Call explain() before optimizer.step() and before other programs run" if isinstance(error, Lost) else ""
    told = str(error) or "what it was computed from is not remembered any more"
    return Reason(f"the program cannot be run again to see where that was made: {told}{advice}")
