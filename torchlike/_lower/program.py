"""A program as a list of steps on values, and running it: the pure function of its leaves.

A value is known by its key: (Node, output number) where it has a history, a `Constant`, or what made it.
"""

import dataclasses
from collections.abc import Callable, Hashable
from typing import Any

import jax
from jax.ad_checkpoint import checkpoint_name

KEPT = "kept"  # the name under which `jax.checkpoint` knows what a selective checkpoint keeps


@dataclasses.dataclass(slots=True, eq=False)
class Constant:
    """A value that does not depend on the leaves.

    Args:
        array: the value.
        cell: where it lives, or what it was computed from, if somebody holds that: it may have a name of the user's.
    """

    array: Any
    cell: Any = None


@dataclasses.dataclass(slots=True, eq=False)
class Step:
    """One operation.

    Args:
        name: that of the operator.
        function: a pure function of arrays that returns a tuple of arrays (None for a result without gradient).
        reads: the keys of its operands.
        makes: the keys of its results.
        form: steps of equal forms have equal functions.
        labels: the names of the operands, if the operator has some.
        node: the Node that it stands for, or None.
        site: the line of the user's program, see `_record/site.py`.
        seq: its place in the order of Nodes.
        keeps: whether a selective checkpoint keeps its results.
        custom: the custom Function that defines its gradient, see `functions.py`; None for any other.
    """

    name: str
    function: Callable
    reads: list
    makes: list
    form: Hashable
    labels: tuple = ()
    node: Any = None
    site: Any = None
    seq: int = -1
    keeps: bool = False
    custom: Any = None

    @property
    def operands(self) -> list:
        """The keys of what it reads."""
        return self.reads

    def run(self, env: dict) -> None:
        """Adds its results to the values `env`."""
        found = self.function(*(value_of(key, env) for key in self.reads))
        if self.keeps:
            found = [None if x is None else checkpoint_name(x, KEPT) for x in found]
        env.update(zip(self.makes, found, strict=True))


@dataclasses.dataclass(slots=True, eq=False)
class Checkpoint:
    """Steps that `jax.checkpoint` computes again in backward.

    Args:
        steps: Steps and Checkpoints.
        reads: the keys of what comes from outside, but for constants.
        makes: the keys of what is read outside.
        policy: the name of the policy in `jax.checkpoint_policies`, or None where nothing is kept.
        kept: the keys of results inside that are kept.
        given: inside a loop, what stands for `own` there.
    """

    steps: list
    reads: list
    makes: list
    policy: str | None = None
    kept: tuple = ()
    given: list | None = None

    @property
    def own(self) -> list:
        """The keys of what comes from outside, constants among them."""
        return [*self.reads, *dict.fromkeys(key for step in each_step(self.steps) for key in step.reads
                                            if key.__class__ is Constant)]

    @property
    def operands(self) -> list:
        """The keys of what it reads where it stands."""
        return self.own if self.given is None else self.given

    def run(self, env: dict) -> None:
        """Adds its results to the values `env`."""
        def region(*values):
            inner = dict(zip(self.reads, values, strict=True))
            for step in self.steps:
                step.run(inner)
            return tuple(inner[key] for key in self.makes)

        policy = getattr(jax.checkpoint_policies, self.policy) if self.policy else None
        if policy is not None and self.policy == NAMED:
            policy = policy(KEPT)
        found = jax.checkpoint(region, policy=policy)(*(env[key] for key in self.reads))
        env.update(zip(self.makes, found, strict=True))


NAMED = "save_only_these_names"


def value_of(key, env):
    """The array of a key, among the values `env` or its own."""
    return key.array if key.__class__ is Constant else env[key]


def each_step(steps):
    """All Steps, also those within checkpoints, in order."""
    for step in steps:
        if step.__class__ is Checkpoint:
            yield from each_step(step.steps)
        else:
            yield step
