"""Reductions, and operators along some dimensions: the others may be divided, and those of sums and extremes, too."""

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
        return _NormPartial(norm_type=call.get("ord", default=2))
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


def groups(call: Call) -> list[Strategy]:
    """Group normalization: the batch may be divided."""
    return [call.alike(Shard(0), (Shard(0), *[R] * (len(call.operands) - 1)))]


def loss(call: Call) -> list[Strategy]:
    """Losses of pairs of elements, with a reduction (0 none, 1 mean, 2 sum)."""
    how = call.get("reduction", default=1)
    out = {1: Partial("avg"), 2: Partial()}
    return [call.alike(out.get(how, Shard(d)), Shard(d)) for d in range(len(call.operands[0]))]


def nll_loss(call: Call) -> list[Strategy]:
    """The batch may be divided; the weight of classes is whole. The second result, the total weight, is a sum; for a mean
    each rank needs that of all (`compute.py`)."""
    if len(call.operands[0]) < 2:
        return []
    how = call.get("reduction")
    ins = (Shard(0), Shard(0), *[R] * (len(call.operands) - 2))
    return [((Shard(0), R), ins) if how == 0 else ((Partial("avg"), R), ins) if how == 1 else ((Partial(), R), ins)]
