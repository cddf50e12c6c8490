"""A gradient that is nan, infinite, zero, huge or tiny: the operation that makes it so."""

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._base.errors import UnsupportedError
from torchlike._compile.backends.registry import backend_of
from torchlike._compile.jax_private import own_work
from torchlike._explain.reasons import Reason
from torchlike._explain.rerun import Rerun, TooLarge, WithoutGraph, at, is_finite, no_rerun, operands_of, title_of
from torchlike._explain.values import of_value
from torchlike._explain.zeros import mask_of, of_zero, sources
from torchlike._lower.keeper import undisturbed
from torchlike._lower.names import user_frames
from torchlike._lower.stretches import Lost
from torchlike._record.history import edge_of
from torchlike._record.trace import force

HUGE, TINY = 1e6, 1e-8  # norms of a gradient, of that of the loss: beyond, it is said to explode or vanish
_SHOWN = 3


def is_suspect(g) -> bool:
    """Whether a gradient is nan, infinite, all zero, huge or tiny."""
    return g is not None and _has_values(g) and _kind(np.asarray(force(g._cell))) != ""


def is_bad_value(t) -> bool:
    """Whether a tensor has a nan or an infinity."""
    return _has_values(t) and not is_finite(np.asarray(force(t._cell)))


def _has_values(t) -> bool:
    return t._cell.handler is None and backend_of(t._cell.aval.device).has_values and t._cell.aval.dtype.category >= 0 \
        and not isinstance(t._cell.array, jax.core.Tracer)


def _kind(g) -> str:
    if not g.size:
        return ""
    if not is_finite(g):
        return "nan" if np.isnan(g).any() else "infinite"
    norm = _norm(g)
    return "zero" if not g.any() else "huge" if norm > HUGE else "tiny" if norm < TINY else ""


def _norm(g) -> float:
    return float(np.linalg.norm(np.abs(g).astype(np.float64).ravel()))


def of_tensor(t) -> list:
    """Why the value of a tensor is not finite.

    Args:
        t: the Tensor.

    Returns:
        A list of Reasons.
    """
    try:
        if t._edge is not None and len(t._edge) == 2:
            edge = edge_of(t)
            run = undisturbed(lambda: Rerun(edge, t._cell, user_frames()))
            return of_value(run, edge)
        run = undisturbed(lambda: WithoutGraph(t._cell))
        return of_value(run, run.root)
    except (UnsupportedError, Lost, TooLarge) as error:
        return [no_rerun(error)]


def of_gradient(t, root, cell) -> list | None:
    """Why the gradient of a tensor is nan, infinite, zero, huge or tiny.

    Args:
        t: the Tensor.
        root: the edge of the loss.
        cell: its value, None if it is not known.

    Returns:
        A list of Reasons, empty if it is none of these; None if no gradient comes there from this loss.
    """
    target = edge_of(t)
    try:
        run = undisturbed(lambda: Rerun(root, cell, user_frames()))
        key = undisturbed(lambda: run.differentiate(target))
    except (UnsupportedError, Lost, TooLarge) as error:
        return [no_rerun(error)]
    if key is None:
        return None
    g = run.value(key)
    kind = _kind(g)
    if t._grad is not None and is_suspect(t._grad) and _kind(np.asarray(force(t._grad._cell))) != kind:
        return _changed(run)
    found = of_value(run, root)
    if found:
        return found
    if kind in ("nan", "infinite"):
        return _not_finite(run, target)
    if kind == "zero":
        return of_zero(run, target)
    return _factors(run, target, kind) if kind else []


def _changed(run) -> list:
    names = [run.name(edge) for edge in run.written()]
    told = f"{', '.join(names)} {'was' if len(names) == 1 else 'were'} written to since" if names else \
        "it came from an earlier backward pass, through a hook, or from values that were written to since"
    return [Reason(f"computed again the gradient is another one: {told}. Call explain() between backward() and "
                   "optimizer.step(), with the loss")]


def _not_finite(run, target) -> list:
    """The steps that made a gradient nan or infinite of finite ones."""
    found, seen, stack = [], set(), [target]
    while stack:
        key = stack.pop()
        if key in seen:
            continue
        seen.add(key)
        shares = [(step, share) for step, share in run.backward.given.get(key, ()) if not is_finite(run.value(share))]
        for step, share in shares:
            bad = [made for made, g in zip(step.makes, run.backward.incoming[id(step)], strict=True)
                   if g is not None and not is_finite(run.value(g))]
            stack += bad
            if not bad:
                found.append(_bad_step(run, step, share, key))
        if not shares and run.backward.given.get(key):
            found.append(Reason("the sum of the shares of a gradient overflows",
                                *(at(step) for step, _ in run.backward.given[key][:_SHOWN])))
    return found[:_SHOWN]


def _bad_step(run, step, share, key) -> Reason:
    given = run.value(share)
    bad = ~np.isfinite(given)
    grads = {g: run.value(g) for g in run.backward.incoming[id(step)] if g is not None}
    with own_work():
        slope = np.asarray(undisturbed(lambda: run.local(step, share, {g: jnp.ones_like(x) for g, x in grads.items()})))
    kind = "nan" if np.isnan(given).any() else "infinite"
    text = f"the gradient is first {kind} behind {title_of(step)}, at {int(bad.sum())} of {given.size} elements"
    name = run.name(key)
    text += f" of {name}" if name else ""
    poles = bad & ~np.isfinite(slope)
    ranges = operands_of(run, step)
    if not poles.any():
        return Reason(f"{text}: its derivative is finite, but the product with the gradient that arrives overflows "
                      f"({ranges})", at(step))
    arriving = next(iter(grads.values()))
    is_zero = arriving.shape == bad.shape and not arriving[bad].any()
    if not is_zero:
        return Reason(f"{text}: its derivative is not finite there ({ranges})", at(step))
    text += f": its derivative is not finite there, and 0 arrives: 0 times infinity is nan ({ranges})"
    for one in sources(run, step.makes[0], bad):
        return _masked(run, step, one, text, name)
    return Reason(text, at(step))


def _masked(run, step, one, text, name) -> Reason:
    mask = mask_of(run, one.step)
    if mask is None:
        return Reason(f"{text}. The 0 comes from {title_of(one.step)}", at(step), ("the 0 is from here", one.step.site))
    x, condition = name or "x", run.name(mask) or "condition"
    branch = next((label for label, key in zip(one.step.labels, one.step.reads, strict=False) if key == one.read), "")
    branch = f" (its branch {branch!r})" if branch else ""
    return Reason(
        f"{text}. {title_of(one.step)} did not select it there{branch}. Keep such values away "
        f"from it by a second where: safe = torch.where({condition}, {x}, 1.0), where 1.0 is any harmless value; then "
        f"compute this branch from safe in the place of {x}, and select by the same {condition}",
        at(step), ("masked here", one.step.site))


def _factors(run, target, kind) -> list:
    """The Nodes of the path of the largest shares, those whose factors make the gradient huge or tiny."""
    by_line, key, total, seen = {}, target, _norm(run.value(run.backward.total(target))), set()
    count = 0
    while key not in seen and run.backward.given.get(key):
        seen.add(key)
        step, share = max(run.backward.given[key], key=lambda item: _norm(run.value(item[1])))
        arriving = [(_norm(run.value(g)), made) for made, g in zip(step.makes, run.backward.incoming[id(step)], strict=True)
                    if g is not None]
        norm, key = max(arriving, key=lambda item: item[0])
        factor = _norm(run.value(share)) / norm if norm else 1.0
        known = by_line.setdefault((title_of(step), step.site), [1.0, 0])
        known[0], known[1], count = known[0] * factor, known[1] + 1, count + 1
    ranked = sorted(by_line.items(), key=lambda item: item[1][0], reverse=kind == "huge")
    ranked = [item for item in ranked if (item[1][0] > 1) == (kind == "huge") and item[1][0] != 1][:_SHOWN]
    texts = [f"{name} by {product:.3g}{f' ({times} times)' if times > 1 else ''}" for (name, _), (product, times) in ranked]
    verb, bound = ("explodes", f"more than {HUGE:g}") if kind == "huge" else ("vanishes", f"less than {TINY:g}")
    return [Reason(f"the gradient {verb}: its norm is {total:.3g} ({bound}) after {count} Nodes. On the path of the largest "
                   f"shares the factors that do most: {', '.join(texts)}",
                   *((name, site) for (name, site), _ in ranked))]
