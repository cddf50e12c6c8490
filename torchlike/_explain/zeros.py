"""Where a gradient becomes exactly zero, and why.

The gradient of each step is a linear map of what arrives. What it makes of random numbers tells where the derivative
itself is zero; its transpose tells which of the elements that arrive matter for those that are zero.
"""

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._compile.jax_private import own_work
from torchlike._explain.reasons import Reason
from torchlike._explain.rerun import at, operands_of, title_of
from torchlike._ops import flat_places

_STEPS = 10_000  # shares of gradients that are looked at
_SHOWN = 4
_LARGE = 512  # what arrives in a trial


class Killed:
    """A step that gives zeros to the elements `where` of what it ``read``, a key. ``kind``: "derivative", or "underflow" or
    "sum" where the derivative is not zero.
    """

    def __init__(self, step, read, where, kind):
        self.step, self.read, self.where, self.kind = step, read, where, kind
        self.count = int(where.sum())


def sources(run, key, where) -> list:
    """The steps that made a gradient zero.

    Args:
        run: a `Rerun` that was differentiated.
        key: the key of the value whose gradient it is.
        where: at which of its elements, as a mask.

    Returns:
        A list of `Killed`, those near the value first.
    """
    found: dict = {}
    stack, left = [(key, where)], _STEPS
    masks: dict = {}
    while stack and left:
        key, where = stack.pop()
        known = masks.get(key)
        if known is not None and not (where & ~known).any():
            continue
        masks[key] = where if known is None else where | known
        shares = run.backward.given.get(key, ())
        left -= len(shares)
        masked = [_dead(run, step, share, where) for step, share in shares]
        everywhere = np.all([mask | ~zero for zero, mask in masked], axis=0) if masked else where
        for (step, share), (zero, dead) in zip(shares, masked, strict=True):
            told = dead & everywhere if _picks(run, step) else dead
            if told.any():
                _add(found, step, key, told, "derivative")
            if (zero & ~dead).any():
                stack += _through(run, step, share, key, zero & ~dead, found)
    return list(found.values())


def _picks(run, step) -> bool:
    """Whether a step only takes some of the elements, so that it is no wonder that others get nothing from it."""
    row = None if step.node is None or step.node.plan is None else step.node.plan.kernel.row
    return row is not None and (row.view is not None or any(run.value(key).dtype.kind in "iu" for key in step.reads))


def _incoming(run, step) -> dict:
    return {g: run.value(g) for g in run.backward.incoming[id(step)] if g is not None}


def _dead(run, step, share, where) -> tuple:
    """Of the elements `where`: at which a share is zero, and at which of these whatever arrives."""
    given = run.value(share)
    zero = where & (given == 0) if given.shape == where.shape else given == 0
    if not zero.any():
        return zero, zero
    trial = {g: _random(x) for g, x in _incoming(run, step).items()}
    with own_work():
        return zero, zero & (np.asarray(run.local(step, share, trial)) == 0)


def _through(run, step, share, key, where, found) -> list:
    """What to look at behind a share of a gradient, which is zero at the elements `where`: (key, mask)."""
    incoming = _incoming(run, step)
    with own_work():
        relevant = _transposed(run, step, share, incoming, where)
        further, alive = [], False
        for made, g in zip(step.makes, run.backward.incoming[id(step)], strict=True):
            if g is None:
                continue
            alive |= bool((relevant[g] & (incoming[g] != 0)).any())
            mask = relevant[g] & (incoming[g] == 0)
            if mask.any():
                further.append((made, mask))
        if alive:
            kind = "underflow" if _underflows(run, step, share, incoming, where) else "sum"
            _add(found, step, key, where, kind)
            return []
    return further


def _add(found, step, key, where, kind) -> None:
    known = found.get((id(step), key, kind))
    found[id(step), key, kind] = Killed(step, key, where if known is None else where | known.where, kind)


def _random(x):
    """Numbers large enough that small derivatives do not vanish."""
    return jnp.asarray(np.random.default_rng(0).uniform(_LARGE, 2 * _LARGE, x.shape).astype(x.dtype))


def _transposed(run, step, share, incoming, where) -> dict:
    """Which of the elements that arrive matter for those of `where`."""
    keys = list(incoming)
    out, pull = jax.vjp(lambda *xs: run.local(step, share, dict(zip(keys, xs, strict=True))),
                        *(_random(x) for x in incoming.values()))
    found = pull(_random(out) * jnp.asarray(where, out.dtype))
    return {g: np.asarray(x) != 0 for g, x in zip(keys, found, strict=True)}


def _underflows(run, step, share, incoming, where) -> bool:
    """Whether larger gradients would not have been rounded to zero."""
    largest = max((float(np.abs(x).max()) for x in incoming.values() if x.size), default=0.0)
    if not 0 < largest < _LARGE:
        return False
    scaled = {g: jnp.asarray((x / largest * _LARGE).astype(x.dtype)) for g, x in incoming.items()}
    return bool((np.asarray(run.local(step, share, scaled))[where] != 0).any())


def of_zero(run, target) -> list:
    """The Reasons why the gradient of a value is zero.

    Args:
        run: a `Rerun` that was differentiated.
        target: the edge of the value.

    Returns:
        A list.
    """
    shape = run.value(target).shape
    shares = run.backward.given.get(target, ())
    if any(run.value(share).any() for _, share in shares):
        return [Reason("the shares of its gradient cancel out: they are not zero, but their sum is",
                       *(at(step) for step, _ in shares[:_SHOWN]))]
    killed = sorted(sources(run, target, np.ones(shape, bool)), key=lambda one: -one.count / max(one.where.size, 1))
    return [Reason(_text(run, one), at(one.step)) for one in killed[:_SHOWN]]


def _text(run, one) -> str:
    step, size = one.step, run.value(one.read).size
    name = run.name(one.read)
    of_name = f" of {name}" if name else ""
    what = f"{why(run, one)} ({operands_of(run, step)})"
    return f"the gradient is zero behind {title_of(step)}, at {one.count} of {size} elements{of_name}: {what}"


def why(run, one) -> str:
    """Why a step gives zeros."""
    step = one.step
    if one.kind == "underflow":
        return "underflow, the product is smaller than its dtype can hold"
    if one.kind == "sum":
        return "what it adds up cancels out, or was zero in the part that matters"
    if mask_of(run, step) is not None:
        return "masked, the other branch was selected there"
    for key in step.reads:
        x = run.value(key)
        if key != one.read and x.dtype.kind in "fc" and not x[one.where if x.shape == one.where.shape else ...].any():
            return f"multiplied by zeros{f', those of {run.name(key)}' if run.name(key) else ''}"
    row = None if step.node is None or step.node.plan is None else step.node.plan.kernel.row
    told = flat_places.words(row)
    if told is None and step.node is not None and any(n == 0 for n in step.node.numbers):
        return "multiplied by the number 0"
    return told or "its derivative is zero there"


def mask_of(run, step):
    """The key of the mask that a step selects by, None if it has none."""
    return next((key for key in step.reads if run.value(key).dtype == bool), None)
