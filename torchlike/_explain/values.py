"""Where a value becomes nan or infinite: the first operation that made it of finite operands."""

import numpy as np

from torchlike._explain.reasons import Reason
from torchlike._explain.rerun import at, is_finite, nans, operands_of, title_of


def of_value(run, key) -> list:
    """The Reasons why a value is not finite.

    Args:
        run: a `Rerun`.
        key: the key of the value.

    Returns:
        A list; empty if all is finite.
    """
    if is_finite(run.value(key)):
        return []
    if not nans(run.value(key)).any():
        return _origin(run, key, "infinite", lambda x: not is_finite(x))
    found = _origin(run, key, "nan", lambda x: bool(nans(x).any()))
    return found


def _origin(run, key, what, is_bad) -> list:
    found, seen, stack = [], set(), [key]
    while stack:
        key = stack.pop()
        if id(key) in seen or key in seen:
            continue
        seen.add(key)
        step = run.makers.get(key)
        if step is None:
            found.append(_given(run, key, what))
            continue
        bad = [read for read in step.reads if is_bad(run.value(read))]
        if bad:
            stack += bad
            continue
        found.append(_made(run, step, key, what))
        if what == "nan":
            for read in step.reads:
                if not is_finite(run.value(read)):
                    found += _origin(run, read, "infinite", lambda x: not is_finite(x))
    return list({reason.text: reason for reason in found}.values())


def _given(run, key, what) -> Reason:
    return Reason(f"{run.name(key) or 'a tensor without history'} is {what} itself: nothing that was recorded made it so")


def _made(run, step, key, what) -> Reason:
    value = run.value(key)
    count = int(nans(value).sum() if what == "nan" else np.isinf(value).sum())
    finite = all(is_finite(run.value(read)) for read in step.reads)
    why = f"of finite operands{', by overflow or a pole' if what == 'infinite' else ''}" if finite else \
        "of infinite operands"
    return Reason(f"the value is first {what} after {title_of(step)}, at {count} of {value.size} elements, {why}: "
                  f"{operands_of(run, step)}", at(step))
