"""Views and rearrangements: which dimension becomes which."""

from torchlike.distributed.tensor._rules.call import Call, R, Strategy, shard
from torchlike.distributed.tensor.placement_types import Partial, Shard


def _with_sums(call, found) -> list[Strategy]:
    """Also of parts of sums: these operators are linear."""
    return found + [call.alike(Partial(op), Partial(op)) for op in ("sum", "avg")]


def _moved(call, places) -> list[Strategy]:
    """`places`: for each dimension of the operand its place in the result, None where it must be whole."""
    return _with_sums(call, [call.alike(Shard(to), Shard(d)) for d, to in enumerate(places) if to is not None])


def transpose(call: Call) -> list[Strategy]:
    """Two dimensions change places."""
    ndim = len(call.operands[0])
    a, b = (0, min(1, ndim - 1)) if call.name == "t" else (call.get("dim0") % ndim, call.get("dim1") % ndim)
    return _moved(call, [{a: b, b: a}.get(d, d) for d in range(ndim)])


def permute(call: Call) -> list[Strategy]:
    """All dimensions in another order."""
    order = call.dims("dims")
    return _moved(call, [order.index(d) for d in range(len(order))])


def unsqueeze(call: Call) -> list[Strategy]:
    """A new dimension of size 1."""
    ndim = len(call.operands[0])
    new = call.get("dim") % (ndim + 1)
    return _moved(call, [d + (d >= new) for d in range(ndim)])


def squeeze(call: Call) -> list[Strategy]:
    """Dimensions of size 1 go."""
    shape = call.operands[0]
    gone = [d for d in call.dims("dim") if shape and shape[d] == 1]
    return _moved(call, [None if d in gone else d - sum(g < d for g in gone) for d in range(len(shape))])


def expand(call: Call) -> list[Strategy]:
    """Dimensions of size 1 grow, and new ones come first."""
    shape, out = call.operands[0], call.results[0]
    lead = len(out) - len(shape)
    return _moved(call, [d + lead if size == out[d + lead] else None for d, size in enumerate(shape)])


def reshape(call: Call) -> list[Strategy]:
    """Of dimensions that are joined or split together, the first may be divided."""
    return _moved(call, _places(call.operands[0], call.results[0]))


def _places(shape, out) -> list:
    places: list = [None] * len(shape)
    if 0 in shape:
        return places
    i = j = 0
    while i < len(shape) or j < len(out):
        begin, first, left, right = i, j, 1, 1
        while i < len(shape) or j < len(out):
            if left <= right and i < len(shape):
                left, i = left * shape[i], i + 1
            elif j < len(out):
                right, j = right * out[j], j + 1
            if left == right and (i > begin or j > first) and not (left == 1 and i == begin):
                break
        a = next((k for k in range(begin, i) if shape[k] > 1), None)
        b = next((k for k in range(first, j) if out[k] > 1), None)
        if a is not None and b is not None:
            places[a] = b
        elif i - begin == j - first == 1:
            places[begin] = first
    return places


def whole_along(name):
    """A rule of views that cut one dimension, which must be whole."""
    def strategies(call: Call) -> list[Strategy]:
        ndim = len(call.operands[0])
        dim = call.get(name, default=0) % max(1, ndim)
        return _moved(call, [None if d == dim else d for d in range(ndim)])
    return strategies


def select(call: Call) -> list[Strategy]:
    """One dimension goes, which must be whole."""
    ndim = len(call.operands[0])
    dim = call.get("dim", default=0) % ndim
    return _moved(call, [None if d == dim else d - (d > dim) for d in range(ndim)])


def cat(call: Call) -> list[Strategy]:
    """The dimension along which tensors are joined must be whole."""
    out = call.results[0]
    dim = call.get("dim", default=0) % len(out)
    found = [call.alike(Shard(d), tuple(R if x == (0,) else Shard(d) for x in call.operands))
             for d in range(len(out)) if d != dim]
    return _with_sums(call, found)


def stack(call: Call) -> list[Strategy]:
    """A new dimension, which is whole."""
    out = call.results[0]
    dim = call.get("dim", default=0) % len(out)
    return _with_sums(call, [call.alike(Shard(d + (d >= dim)), Shard(d)) for d in range(len(out) - 1)])


def repeat(call: Call) -> list[Strategy]:
    """Dimensions that are repeated once may be divided."""
    shape, out = call.operands[0], call.results[0]
    lead = len(out) - len(shape)
    times = call.get("repeats")
    return _moved(call, [d + lead if times[d + lead] == 1 else None for d in range(len(shape))])


def pad(call: Call) -> list[Strategy]:
    """Dimensions that stay as they are may be divided."""
    shape, out = call.operands[0], call.results[0]
    return [call.alike(shard(d), shard(d)) for d, size in enumerate(shape) if size == out[d]]
