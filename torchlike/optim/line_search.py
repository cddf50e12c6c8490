"""The line search of L-BFGS: a point along a direction that meets the strong Wolfe conditions.

Nocedal and Wright, Numerical Optimization, algorithms 3.5 and 3.6, with the safeguards of minFunc.
"""

from typing import Any, NamedTuple

_DECREASE = 1e-4  # of the loss, as a part of what the slope promises
_CURVATURE = 0.9  # the slope must fall to this part of the first
_SHORTEST = 1e-9  # the width of a bracket, in the largest number of the direction


class Point(NamedTuple):
    """A step length and what is there.

    Args:
        t: the step length.
        loss: the loss, as a float.
        grad: the gradient of all parameters: (n).
        slope: the derivative of the loss along the direction, a Tensor of one element.
    """

    t: Any
    loss: float
    grad: Any
    slope: Any


def strong_wolfe(evaluate, direction, start, t, most):
    """Looks for a step length that meets the strong Wolfe conditions.

    Args:
        evaluate: from a step length to its `Point`.
        direction: where to go: (n).
        start: the `Point` of length 0.
        t: the first step length to try.
        most: after how many evaluations the search ends, with the best point so far.

    Returns:
        (a `Point`, the number of evaluations).
    """
    ends, found, count = _bracket(evaluate, start, t, most)
    low = 0 if ends[0].loss <= ends[-1].loss else 1
    if found or count > most:
        return ends[low], count
    return _narrow(evaluate, direction, start, ends, low, most, count)


def _bracket(evaluate, start, t, most):
    """Go farther until a good point lies between two. ([ends], whether the only end is good, evaluations)."""
    before, point = start, evaluate(t)
    for tries in range(most):
        if _is_high(point, start) or (tries > 1 and point.loss >= before.loss):
            return [before, point], False, tries + 1
        if _is_level(point, start):
            return [point], True, tries + 1
        if point.slope >= 0:
            return [before, point], False, tries + 1
        t = _lowest(before, point, point.t + 0.01 * (point.t - before.t), point.t * 10)
        before, point = point, evaluate(t)
    return [start, point], False, most + 1


def _narrow(evaluate, direction, start, ends, low, most, count):
    """Halve the bracket, about, until one end is good."""
    size = direction.abs().max()
    stuck = False
    while count <= most and abs(ends[1].t - ends[0].t) * size >= _SHORTEST:
        t, stuck = _inside(ends, stuck)
        point = evaluate(t)
        count += 1
        high = 1 - low
        if _is_high(point, start) or point.loss >= ends[low].loss:
            ends[high] = point
            low = 0 if ends[0].loss <= ends[1].loss else 1
            continue
        good = _is_level(point, start)
        if not good and point.slope * (ends[high].t - ends[low].t) >= 0:
            ends[high] = ends[low]
        ends[low] = point
        if good:
            break
    return ends[low], count


def _inside(ends, stuck):
    """The next step length, and whether it is close to an end: not twice in a row, or there is no progress."""
    a, b = ends
    left, right = min(a.t, b.t), max(a.t, b.t)
    t = _lowest(a, b, left, right)
    margin = 0.1 * (right - left)
    if min(right - t, t - left) >= margin:
        return t, False
    if not stuck and left < t < right:
        return t, True
    return (right - margin if abs(t - right) < abs(t - left) else left + margin), False


def _is_high(point, start) -> bool:
    return bool(point.loss > start.loss + _DECREASE * point.t * start.slope)


def _is_level(point, start) -> bool:
    return bool(abs(point.slope) <= -_CURVATURE * start.slope)


def _lowest(a, b, least, most):
    """Where the cubic through two points with their slopes is lowest, within bounds."""
    if a.t > b.t:
        a, b = b, a
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1 ** 2 - a.slope * b.slope
    if not square >= 0:
        return (least + most) / 2.0
    d2 = square.sqrt()
    t = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    return min(max(t, least), most)
