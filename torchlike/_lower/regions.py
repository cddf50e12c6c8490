"""Checkpoints among the steps: which of them `jax.checkpoint` computes again, and what it keeps."""

from torchlike._lower.program import NAMED, Checkpoint, Constant, each_step
from torchlike.utils._recompute import REGIONS


def with_checkpoints(steps, wanted, shifted=()) -> list:
    """The steps, those of each checkpointed region joined.

    Args:
        steps: Steps, in order.
        wanted: the keys that are read in the end.
        shifted: keys whose values are changed from outside: a region that makes one stays apart.

    Returns:
        Steps and Checkpoints.
    """
    found = {id(region): region for step in steps if step.node is not None
             and (region := REGIONS.get(step.node)) is not None}
    for region in sorted(found.values(), key=lambda region: region.last - region.first):  # inner ones first
        steps = _joined(steps, region, wanted, shifted)
    return steps


def _joined(steps, region, wanted, shifted) -> list:
    inside = [i for i, step in enumerate(steps) if region.first < _seq(step) < region.last]
    if not inside:
        return steps
    first, last = inside[0], inside[-1] + 1
    body = steps[first:last]
    made = [key for step in body for key in step.makes]
    if not set(shifted).isdisjoint(made):
        return steps
    read = {key for step in (*steps[:first], *steps[last:]) for key in step.reads} | set(wanted)
    own = set(made)
    reads = [key for step in body for key in step.reads if key.__class__ is not Constant and key not in own]
    kept = [step for step in each_step(body) if step.node is not None and step.node in region.kept]
    found = Checkpoint(body, list(dict.fromkeys(reads)), [key for key in made if key in read], _policy(body, kept),
                       tuple(key for step in kept for key in step.makes))
    return [*steps[:first], found, *steps[last:]]


def _seq(step) -> int:
    return step.seq if step.__class__ is not Checkpoint else min(_seq(inner) for inner in step.steps if _seq(inner) >= 0)


def _policy(body, kept):
    """The name of JAX's policy that keeps what the region does. Where there is none of its own, results are kept by name."""
    if not kept:
        return None
    steps = [step for step in each_step(body) if step.node is not None]
    if len(kept) == len(steps):
        return "everything_saveable"
    products = {step for step in steps if _products(step)}
    if set(kept) == products:
        return "dots_saveable"
    if set(kept) == {step for step in products if "batched" not in _products(step)}:
        return "dots_with_no_batch_dims_saveable"
    for step in kept:
        step.keeps = True
    return NAMED


def _products(step) -> set:
    """Of what kind the matrix products of a step are."""
    kernel = getattr(step.node.plan, "kernel", None)
    if kernel is None:
        return set()
    return {"batched" if any(equation.params["dimension_numbers"][1]) else "plain" for equation in kernel.jaxpr.eqns
            if equation.primitive.name == "dot_general"}
