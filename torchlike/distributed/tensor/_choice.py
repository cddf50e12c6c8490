"""Which strategy an operator takes: for all dimensions of a mesh together that which moves least.

Of those that are true only such are looked at as leave an operand where it is: a tensor that is nowhere divided becomes
so by `redistribute` alone. Among equals the first is taken, that of the whole before all others.
"""

import itertools
import math

from torchlike.distributed.tensor._dtensor_spec import DTensorSpec
from torchlike.distributed.tensor._redistribute import cost
from torchlike.distributed.tensor.placement_types import Partial, Replicate, Shard

_R = Replicate()


def choose(candidates: list, specs: list[DTensorSpec], results: list[tuple], is_view: bool = False, is_fixed: bool = False,
           is_scaled: bool = False) -> list[tuple]:
    """The strategies for a call.

    Args:
        candidates: what is true for one dimension of a mesh, (of results, of operands, ...) each.
        specs: of the operands, how they lie.
        results: the sizes of the results.
        is_view: whether a part of the result must have the elements of the part of the first operand.
        is_fixed: whether the first operand must stay where it is, if that can be.
        is_scaled: whether means are right for parts of different sizes.

    Returns:
        for each dimension of the mesh a candidate.
    """
    mesh = specs[0].mesh
    listed = [_eligible(candidates, specs, i) for i in range(mesh.ndim)]
    best, least = [options[0] for options in listed], math.inf
    for must_stay in (True, False) if is_fixed else (False,):
        for chosen in itertools.product(*listed):
            ins = [tuple(c[1][k] for c in chosen) for k in range(len(specs))]
            if must_stay and ins[0] != specs[0].placements:
                continue
            if not _can_be(chosen, ins, specs, results, is_view, is_scaled):
                continue
            price = sum(cost(spec, placements) for spec, placements in zip(specs, ins, strict=True))
            if price < least:
                best, least = list(chosen), price
        if least < math.inf:
            break
    return best


def _eligible(candidates, specs, mesh_dim) -> list:
    """Those that leave an operand where it is, and that of the whole."""
    now = [spec.placements[mesh_dim] for spec in specs]
    return [c for k, c in enumerate(candidates) if not k or any(p == q != _R for p, q in zip(c[1], now, strict=True))]


def _can_be(chosen, ins, specs, results, is_view, is_scaled) -> bool:
    sizes = specs[0].mesh.shape
    if not all(spec.placements == placements or _is_dividable(spec.tensor_meta.shape, placements, sizes)
               for spec, placements in zip(specs, ins, strict=True)):
        return False
    for placements in zip(*(c[0] for c in chosen), strict=True):
        if len({p for p in placements if isinstance(p, Partial)}) > 1:  # a sum of maxima is not a maximum of sums
            return False
    further = {p.reduce_op for c in chosen for p in c[0] if isinstance(p, Partial)}
    if "avg" in further and not is_scaled and not all(_is_fair(spec, placements, sizes, _has_same)
                                                      for spec, placements in zip(specs, ins, strict=True)):
        return False
    if further & {"max", "min"} and not all(_is_fair(spec, placements, sizes, _has_some)
                                            for spec, placements in zip(specs, ins, strict=True)):
        return False
    return not is_view or _is_even(specs[0].tensor_meta.shape, ins[0], results[0], tuple(c[0][0] for c in chosen), sizes)


def _is_dividable(shape, placements, sizes) -> bool:
    """Whether each rank gets something."""
    for d in {p.dim for p in placements if isinstance(p, Shard)}:
        if shape[d] < math.prod(n for n, p in zip(sizes, placements, strict=True) if p == Shard(d)):
            return False
    return True


def _is_fair(spec, placements, sizes, test) -> bool:
    """Whether the parts of each dimension pass a test of (size of the dimension, number of parts)."""
    parts: dict = {}
    for n, p in zip(sizes, placements, strict=True):
        if isinstance(p, Shard):
            parts.setdefault(p.dim, []).append(n)
    return all(test(spec.tensor_meta.shape[dim], counts) for dim, counts in parts.items())


def _has_same(size, counts) -> bool:
    return size % math.prod(counts) == 0


def _has_some(size, counts) -> bool:
    """Whether the last part, which is the smallest, has anything."""
    for n in counts:
        size -= -(-size // n) * (n - 1)
        if size <= 0:
            return False
    return True


def _is_even(shape, before, out, after, sizes) -> bool:
    """Whether parts have the same elements when dimensions are joined or split."""
    parts: dict = {}
    for n, p, q in zip(sizes, before, after, strict=True):
        if isinstance(p, Shard) and isinstance(q, Shard):
            parts[p.dim, q.dim] = parts.get((p.dim, q.dim), 1) * n
    return all(shape[d] == out[e] or not (shape[d] % n or out[e] % n) for (d, e), n in parts.items())
