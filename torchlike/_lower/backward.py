"""The backward program as steps: what the tape records for a plain backward pass, Node by Node, in its order."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from torchlike._lower.graph import kernel_step
from torchlike._lower.origins import OVERWRITTEN
from torchlike._lower.program import Checkpoint, Constant, Step
from torchlike.autograd.node import Node


class Backward:
    """The steps of a backward pass, behind those of the forward pass.

    ``steps``: all of them. ``gradients``: {edge of a leaf: the key of its gradient}.

    Args:
        steps: the Steps and Checkpoints of the forward pass.
        root: the key of the loss.
        leaves: {edge: form} of the leaves.
        forms: gives the form of a key.
    """

    def __init__(self, steps, root, leaves, forms):
        self.steps = [_keeping(step) for step in steps]
        self.forms, self._leaves = forms, set(leaves)
        self._parts: dict = {root: [Constant(np.ones(forms(root).shape, forms(root).dtype))]}
        self._again: dict = {}  # {key: the one of the second run}
        for step in reversed(steps):
            self._back(step)
        self.gradients = {edge: self._total(edge) for edge in leaves}
        self.gradients = {edge: Constant(np.zeros(form.shape, form.dtype)) if self.gradients[edge] is None else
                          self.gradients[edge] for edge, form in leaves.items()}

    def _back(self, step) -> None:
        if step.__class__ is Checkpoint:
            if any(key in self._parts for key in step.makes):
                self._recompute(step)
                for inner in reversed(step.steps):
                    self._back(inner)
            return
        if not any(key in self._parts for key in step.makes):
            return
        grads = [self._total(key) for key in step.makes]
        node = step.node
        if node is None and step.form == "stop_gradient":
            return
        if node is not None and node.plan is not None and node.replayable and isinstance(node, Node) and step.custom is None:
            self._by_kernel(step, grads)
        else:
            self._by_vjp(step, grads)

    def _recompute(self, region) -> None:
        """The steps of a region again, behind a barrier that waits for the gradients."""
        grads = [key for made in region.makes if (key := self._total(made)) is not None]
        reads = [key for key in region.reads if key not in self._leaves] or region.reads
        again = [("again", key, id(region)) for key in (*reads, *grads)]
        self.steps.append(Step("wait", lambda *xs: tuple(lax.optimization_barrier(xs)), [*reads, *grads], again,
                               ("wait", len(reads), len(grads)), site=None))
        mapped = dict(zip(reads, again, strict=False))
        self._run_again(region.steps, mapped, set(region.kept))
        self._again.update(mapped)
        for made, key in zip([m for m in region.makes if self._parts.get(m)], again[len(reads):], strict=True):
            self._parts[made] = [key]

    def _run_again(self, steps, mapped, kept) -> None:
        for step in steps:
            if step.__class__ is Checkpoint:
                self._run_again(step.steps, mapped, kept | set(step.kept))
                continue
            makes = [key if key in kept else ("again", key, 0) for key in step.makes]
            mapped.update((key, other) for key, other in zip(step.makes, makes, strict=True))
            if not set(step.makes) <= kept:
                reads = [mapped.get(key, key) for key in step.reads]
                fresh = [("again", key, 0) for key in step.makes]
                self.steps.append(dataclasses.replace(step, reads=reads, makes=fresh, keeps=False))

    def _value(self, key):
        return self._again.get(key, key)

    def _total(self, key):
        """The key of the sum of the gradients that have arrived for a value; None if none has."""
        parts = self._parts.get(key)
        if not parts:
            return None
        while len(parts) > 1:
            made = ("sum", key, len(parts))
            self.steps.append(Step("add", lambda a, b: (a + b,), parts[:2], [made], "sum"))
            parts[:2] = [made]
        return parts[0]

    def _arrive(self, key, grad) -> None:
        if key.__class__ is tuple and (isinstance(key[0], Node) or key[0] == OVERWRITTEN):
            self._parts.setdefault(key, []).append(grad)

    def _by_kernel(self, step, grads) -> None:
        """The gradients of a row, from its formula."""
        node, plan = step.node, step.node.plan
        defined = tuple(k for k, g in enumerate(grads) if g is not None)
        route = plan.route(defined)
        for i in route.same:
            self._arrive(step.reads[i], grads[0])
        if route.kernel is None:
            return
        reads = [grads[k] for k in defined] + [self._value(step.reads[i]) for i in plan.save_ins] + \
            [self._value(step.makes[k]) for k in plan.save_outs]
        makes = [("grad", step.reads[i], (node, i)) for i in route.targets]
        made = kernel_step(route.kernel, node.numbers, reads, makes, site=None)
        made.labels = labels(plan, defined, step.labels) or made.labels
        self.steps.append(made)
        for i, key in zip(route.targets, makes, strict=True):
            self._arrive(step.reads[i], key)

    def _by_vjp(self, step, grads) -> None:
        """The gradients of any other step, by `jax.vjp`."""
        wanted = [i for i, key in enumerate(step.reads) if key.__class__ is tuple and isinstance(key[0], Node)
                  and jnp.issubdtype(self.forms(key).dtype, jnp.inexact)]
        defined = [k for k, g in enumerate(grads) if g is not None]
        count = len(step.reads)

        def function(*arrays):
            operands, cotangents = list(arrays[:count]), arrays[count:]

            def of_wanted(*values):
                for i, value in zip(wanted, values, strict=True):
                    operands[i] = value
                results = step.function(*operands)
                return [results[k] for k in defined]

            _, pull = jax.vjp(of_wanted, *(arrays[i] for i in wanted))
            return tuple(jnp.conj(g) for g in pull([jnp.conj(c) for c in cotangents]))

        makes = [("grad", step.reads[i], (step, i)) for i in wanted]
        reads = [*map(self._value, step.reads), *(grads[k] for k in defined)]
        form = "vjp", step.form, tuple(defined), tuple(wanted)
        self.steps.append(Step(f"{step.name}_backward", function, reads, makes, form))
        for i, key in zip(wanted, makes, strict=True):
            self._arrive(step.reads[i], key)


def labels(plan, defined, operands) -> tuple:
    """What the operands of a gradient's kernel are called: gradients, what was saved of the operands, and of the results.

    Args:
        plan: the plan of the gradients.
        defined: the places of the results whose gradients there are.
        operands: the names of the operation's operands.

    Returns:
        A tuple of names; empty where the operands have none.
    """
    if plan.save_ins and not operands:
        return ()
    return (*("g" if len(defined) == 1 else f"g{k}" for k in defined), *(operands[i] for i in plan.save_ins),
            *("result" if len(plan.save_outs) == 1 else f"result{k}" for k in plan.save_outs))


def _keeping(step):
    """A checkpoint that returns what it keeps."""
    if step.__class__ is not Checkpoint or not step.kept:
        return step
    return dataclasses.replace(step, makes=[*step.makes, *(key for key in step.kept if key not in step.makes)])
