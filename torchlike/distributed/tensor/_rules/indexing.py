"""Indexing: dimensions that are not indexed may be divided, and the indices where what they index is whole."""

from torchlike.distributed.tensor._rules.call import SUM, Call, R, Strategy, shard
from torchlike.distributed.tensor.placement_types import Shard


def embedding(call: Call) -> list[Strategy]:
    """Rows of a table: its columns, the indices, or its rows, of which each rank finds its own (`compute.py`)."""
    indices = call.operands[1]
    found = [call.alike(Shard(len(indices)), (Shard(1), R))]
    found += [call.alike(Shard(d), (R, Shard(d))) for d in range(len(indices))]
    if not call.get("scale_grad_by_freq"):
        found.append(call.alike(SUM, (Shard(0), R)))
    return found


def gather(call: Call) -> list[Strategy]:
    """Elements along a dimension: the others are divided alike, or that of the indices alone."""
    shape, index = call.operands[0], call.operands[1]
    dim = call.get("dim") % max(1, len(shape))
    found = [call.alike(Shard(d), (Shard(d), Shard(d))) for d in range(len(shape)) if d != dim and shape[d] == index[d]]
    return [*found, call.alike(Shard(dim), (R, Shard(dim)))] if shape else []


def scatter(call: Call) -> list[Strategy]:
    """Writes along a dimension: the others are divided alike."""
    shape = call.operands[0]
    dim = call.get("dim") % max(1, len(shape))
    return [call.alike(Shard(d), Shard(d)) for d in range(len(shape))
            if d != dim and all(len(x) == len(shape) and x[d] == shape[d] for x in call.operands[1:])]


def index_select(call: Call) -> list[Strategy]:
    """Slices along a dimension: the others, or the indices."""
    shape = call.operands[0]
    dim = call.get("dim") % max(1, len(shape))
    found = [call.alike(Shard(d), (Shard(d), R)) for d in range(len(shape)) if d != dim]
    return [*found, call.alike(Shard(dim), (R, Shard(0)))] if len(call.operands[1]) == 1 else found


def index(call: Call) -> list[Strategy]:
    """Indices are whole, and so are the dimensions that they index."""
    places, taken = _not_indexed(call, call.get("indices"))
    return [call.alike(shard(to), (Shard(d), *[R] * taken)) for d, to in places.items()]


def index_put(call: Call) -> list[Strategy]:
    """As `index`; what is written is divided alike, where it has all dimensions."""
    places, taken = _not_indexed(call, call.get("indices"))
    values = call.operands[-1]
    wide = len(call.operands[0]) - taken + max((len(x) for x in call.operands[1:-1]), default=0)
    return [call.alike(Shard(d), (Shard(d), *[R] * taken, Shard(to))) for d, to in places.items()
            if len(values) == wide and values[to] == call.operands[0][d]]


def _not_indexed(call, given) -> tuple[dict, int]:
    """({dimension: its place in what the indices give}, how many are indexed); none where the indices lie apart."""
    taken = [d for d, x in enumerate(given) if x is not None]
    if not taken or taken != [*range(taken[0], taken[-1] + 1)] or call.owners.count("indices") != len(taken):
        return {}, len(taken)
    wide = max(len(given[d]) for d in taken)
    left = [d for d in range(len(call.operands[0])) if d not in taken]
    return {d: d if d < taken[0] else d - len(taken) + wide for d in left}, len(taken)
