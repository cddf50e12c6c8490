"""Reductions, and operators along some dimensions: the others may be divided, and those of sums and extremes, too."""

import math

from torchlike.distributed.tensor._rules import options
from torchlike.distributed.tensor._rules.call import Call, R, Strategy, shard
from torchlike.distributed.tensor.placement_types import Partial, Placement, Shard, _NormPartial

# How results of parts are reduced further.
REDUCES = {"sum": "sum", "mean": "avg", "max": "max", "min": "min", "amax": "max", "amin": "min", "prod": "product",
           "any": "sum", "all": "product", "nansum": "sum", "count_nonzero": "sum"}
_LINEAR = ("sum", "avg")


def reduction(call: Call) -> list[Strategy]:
    """Dimensions that stay, moved where others go before them; dimensions that go, where parts can be reduced further."""
    gone = call.dims("dim")
    keeps = bool(call.get("keepdim"))
    further = _further(call)
    found = []
    for d in range(len(call.operands[0])):
        if d not in gone:
            found.append(call.alike(Shard(d if keeps else d - sum(g < d for g in gone)), Shard(d)))
        elif further is not None:
            found.append(call.alike(further, Shard(d)))
    if call.name == "sum":
        found += [call.alike(Partial(op), Partial(op)) for op in _LINEAR]
    return found


def _further(call) -> Placement | None:
    """How results of parts are reduced to that of the whole; None where they cannot be."""
    if call.name == "linalg_vector_norm":
        order = call.get("ord", default=2)
        return Partial("max" if order > 0 else "min") if math.isinf(order) else _NormPartial(norm_type=order)
    if call.name in ("max", "min", "prod") and len(call.results) > 1:
        return None  # with indices
    if call.name in REDUCES:
        return Partial(REDUCES[call.name])
    return None


def along(*names):
    """A rule of operators that need dimensions whole; the others may be divided.

    Args:
        names: of the argument that tells the dimensions.
    """
    def strategies(call: Call) -> list[Strategy]:
        whole = call.dims(*names)
        return [call.alike(shard(d), shard(d)) for d in range(len(call.operands[0])) if d not in whole]
    return strategies


def rows(call: Call) -> list[Strategy]:
    """Normalization over the last dimensions: those before may be divided, weight and bias are whole."""
    lead = len(call.operands[0]) - len(call.get("normalized_shape"))
    return [call.alike(Shard(d), (Shard(d), *[R] * (len(call.operands) - 1))) for d in range(lead)]


def channels(call: Call) -> list[Strategy]:
    """Batch normalization: the channels, of which there are statistics and weights."""
    shape = call.operands[0]
    if len(shape) < 2:
        return []
    return [call.alike(tuple(Shard(1 if x == shape else 0) for x in call.results), tuple(
        Shard(1 if x == shape else 0) for x in call.operands))]


def triangle(call: Call) -> list[Strategy]:
    """A triangle of each matrix: the dimensions before them."""
    return [call.alike(shard(d), shard(d)) for d in range(len(call.operands[0]) - 2)]


def loss(call: Call) -> list[Strategy]:
    """Losses of pairs of elements, with a reduction (0 none, 1 mean, 2 sum)."""
    how = call.get("reduction", default=1)
    if any(x != call.operands[0] for x in call.operands):
        return []
    out = {1: Partial("avg"), 2: Partial()}
    return [call.alike(out.get(how, Shard(d)), Shard(d)) for d in range(len(call.operands[0]))]


def nll_loss(call: Call) -> list[Strategy]:
    """The batch may be divided, with a weight of classes that is whole, and in `loss_parallel` the classes. The second
    result, the total weight, is that of all ranks (`compute.py`)."""
    if len(call.operands[0]) < 2:
        return []
    how, has_weight = call.get("reduction"), len(call.operands) > 2
    out = {0: Shard(0), 1: Partial("avg")}.get(how, Partial())
    found: list[Strategy] = [((out, R), (Shard(0), Shard(0), R)[:2 + has_weight])]
    if options.thread.divides_classes:
        found.append(((R, R), (Shard(1), R, Shard(0))[:2 + has_weight]))
    return found


def log_softmax(call: Call) -> list[Strategy]:
    """The other dimensions may be divided, and in `loss_parallel` this one."""
    dim = call.get("dim") % max(1, len(call.operands[0]))
    return [call.alike(Shard(d), Shard(d)) for d in range(len(call.operands[0]))
            if d != dim or options.thread.divides_classes]
