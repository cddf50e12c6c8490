"""From one way to lie on a mesh to another, by collectives.

A dimension of a tensor that several mesh dimensions divide is divided by the first of them first. So a mesh dimension can
give up its part only when those after it have, and `steps` puts what must be gathered first, from the last mesh dimension
on; then each mesh dimension goes straight to what is wanted.
"""

import functools
import itertools

from torchlike._api.generated.torch_names import cat
from torchlike._base.errors import UnsupportedError
from torchlike._c10d import collectives as c10d
from torchlike._c10d.group import ProcessGroup
from torchlike._c10d.reduce_op import ReduceOp
from torchlike._record.tensor import Tensor
from torchlike.distributed.tensor._dtensor_spec import DTensorSpec, part
from torchlike.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard, _NormPartial, _StridedShard

_OPS = {"sum": ReduceOp.SUM, "avg": ReduceOp.AVG, "product": ReduceOp.PRODUCT, "min": ReduceOp.MIN, "max": ReduceOp.MAX}
_ONE_LAUNCH = 1 << 13  # bytes that could be moved in the time that a collective takes to start


def moved(local: Tensor, spec: DTensorSpec, placements: tuple) -> Tensor:
    """What this rank has of a tensor when it is placed otherwise.

    Args:
        local: what it has now.
        spec: how the tensor lies now.
        placements: how it shall lie.

    Returns:
        a tensor; `local` itself where nothing changes. Nobody may write to it.
    """
    if spec.placements == placements or spec.mesh.get_coordinate() is None:
        return local
    if not local.is_contiguous():
        local = local.contiguous()
    for mesh_dim, target, before in steps(spec, placements):
        local = _step(local, before, mesh_dim, target)
    return local


@functools.lru_cache(1024)
def steps(spec: DTensorSpec, placements: tuple) -> tuple:
    """(mesh dimension, what it becomes, the spec before) for each change of one mesh dimension, in order."""
    now, found = list(spec.placements), []

    def change(i, target):
        if now[i] != target:
            found.append((i, target, spec.placed(now)))
            now[i] = target

    for i, p in enumerate(spec.placements):
        if isinstance(p, _StridedShard) and any(q != r and p.dim in (getattr(q, "dim", None), getattr(r, "dim", None))
                                                for q, r in zip(spec.placements, placements, strict=True)):
            change(i, Replicate())
    for i in _in_the_way(tuple(now), placements):
        change(i, Replicate())
    for i, target in sorted(enumerate(placements), key=lambda pair: isinstance(pair[1], _StridedShard)):
        change(i, target)
    return tuple(found)


def _in_the_way(before, after) -> list:
    """The mesh dimensions whose parts must be gathered before anything else, the last first."""
    found: set = set()
    for dim in {p.dim for p in (*before, *after) if isinstance(p, Shard)}:
        now = [i for i, p in enumerate(before) if p == Shard(dim)]
        then = [i for i, p in enumerate(after) if p == Shard(dim)]
        same = len([*itertools.takewhile(lambda pair: pair[0] == pair[1], zip(now, then, strict=False))])
        if len(now) - same > 1 or any(i in then for i in now[same:]) or (now[same:] and then[same:]):
            found.update(now[same:])
    return sorted(found, reverse=True)


def _step(local, spec, mesh_dim, target: Placement) -> Tensor:
    """One mesh dimension changes."""
    source, group = _plain(spec.placements[mesh_dim]), spec.mesh.get_group(mesh_dim)
    target = _plain(target)
    if isinstance(source, Shard):
        whole = _shape_without(spec, mesh_dim)
        if isinstance(target, Shard):
            return _exchanged(local, source.dim, target.dim, whole, group)
        if isinstance(target, Replicate):
            return gathered(local, source.dim, whole[source.dim], group)
    if isinstance(source, Partial) and isinstance(target, Shard | Replicate):
        if isinstance(source, _NormPartial):
            return _of_norms(local, source, mesh_dim, spec, target)
        if isinstance(target, Shard):
            return scattered(local, target.dim, source.reduce_op, group)
        return reduced(local, source.reduce_op, group)
    if isinstance(source, Replicate) and isinstance(target, Shard):
        size, start = target.local_shard_size_and_offset(local.shape[target.dim], group.size(), group.rank())
        return local.narrow(target.dim, start, size).clone() if group.size() > 1 else local
    if isinstance(source, Replicate) and isinstance(target, Partial):
        return _share(local, target.reduce_op, group)
    raise UnsupportedError(f"torch.distributed.tensor: a tensor from {source} to {target}")


def _plain(placement) -> Placement:
    """A `_StridedShard` is a Shard of what the other mesh dimensions leave."""
    return Shard(placement.dim) if isinstance(placement, _StridedShard) else placement


def _shape_without(spec, mesh_dim) -> list:
    """The sizes of what this rank would have if that mesh dimension did not divide."""
    placements = [p if i != mesh_dim else Replicate() for i, p in enumerate(spec.placements)]
    return part(spec.tensor_meta.shape, placements, spec.mesh.shape, spec.mesh.get_coordinate())[0]


def _of_norms(local, source, mesh_dim, spec, target) -> Tensor:
    """A norm of all from the norms of parts."""
    p, group = source.norm_type, spec.mesh.get_group(mesh_dim)
    if p == 0:
        found = reduced(local, "sum", group)
    else:
        found = reduced(local.pow(p), "sum", group).pow(1 / p)
    again = spec.placed([Replicate() if i == mesh_dim else q for i, q in enumerate(spec.placements)])
    return found if isinstance(target, Replicate) else _step(found, again, mesh_dim, target)


def _share(local, reduce_op, group: ProcessGroup) -> Tensor:
    """What each rank gives, so that together it is this."""
    if reduce_op == "sum":
        is_divisible = local.dtype.is_floating_point or local.dtype.is_complex
        return local / group.size() if is_divisible else local * (not group.rank())
    if reduce_op in ("avg", "min", "max"):
        return local
    raise UnsupportedError(f"torch.distributed.tensor: from Replicate() to Partial({reduce_op})")


# -- collectives along one dimension, of parts of different sizes

def reduced(local: Tensor, reduce_op: str, group: ProcessGroup) -> Tensor:
    """The reduction of all ranks' tensors.

    Args:
        local: this rank's.
        reduce_op: as `Partial` has it.
        group: the ranks.

    Returns:
        a new tensor.
    """
    made = local.clone()
    c10d.all_reduce(made, _OPS[reduce_op], group)
    return made


def gathered(local: Tensor, dim: int, size: int, group: ProcessGroup) -> Tensor:
    """The whole of a dimension that is divided.

    Args:
        local: this rank's part.
        dim: the dimension.
        size: how large the whole is.
        group: the ranks.

    Returns:
        a tensor.
    """
    n = group.size()
    if n == 1:
        return local
    each = -(-size // n)
    padded = _padded(local, dim, each).contiguous()
    found = padded.new_empty((n * padded.shape[0] if padded.ndim else n, *padded.shape[1:]))
    c10d.all_gather_into_tensor(found, padded, group)
    if dim:
        found = cat(found.chunk(n), dim)
    return found if size == each * n else found.narrow(dim, 0, size).contiguous()


def scattered(local: Tensor, dim: int, reduce_op: str, group: ProcessGroup) -> Tensor:
    """This rank's part of the reduction of all ranks' tensors.

    Args:
        local: this rank's tensor.
        dim: the dimension that is divided.
        reduce_op: as `Partial` has it.
        group: the ranks.

    Returns:
        a tensor.
    """
    n, size = group.size(), local.shape[dim]
    if n == 1:
        return local
    each = -(-size // n)
    padded = _padded(local, dim, each * n)
    whole = cat(padded.chunk(n, dim)) if dim else padded.contiguous()
    found = whole.new_empty((whole.shape[0] // n, *whole.shape[1:]))
    c10d.reduce_scatter_tensor(found, whole, _OPS[reduce_op], group)
    mine, _ = Shard(dim).local_shard_size_and_offset(size, n, group.rank())
    return found if mine == each else found.narrow(dim, 0, mine).contiguous()


def _exchanged(local, source: int, target: int, whole: list, group) -> Tensor:
    """Parts of one dimension become parts of another."""
    n = group.size()
    if n == 1:
        return local
    each, wide = -(-whole[source] // n), -(-whole[target] // n)
    padded = _padded(_padded(local, source, each), target, wide * n)
    given = cat(padded.chunk(n, target)) if target else padded.contiguous()
    found = given.new_empty(given.shape)
    c10d.all_to_all_single(found, given, group=group)
    joined = cat(found.chunk(n), source) if source else found
    mine, _ = Shard(target).local_shard_size_and_offset(whole[target], n, group.rank())
    return joined.narrow(source, 0, whole[source]).narrow(target, 0, mine).contiguous()


def _padded(x, dim, size) -> Tensor:
    """With zeros at the end, so that it has this size."""
    missing = size - x.shape[dim]
    return cat([x, x.new_zeros((*x.shape[:dim], missing, *x.shape[dim + 1:]))], dim) if missing else x


# -- what it costs

def cost(spec: DTensorSpec, placements: tuple) -> float:
    """How many bytes a rank moves to have a tensor placed otherwise, with what it takes to start collectives.

    Args:
        spec: how it lies.
        placements: how it shall lie.

    Returns:
        a number; infinite where it cannot be done.
    """
    if spec.placements == placements:
        return 0.0
    return sum(_cost(before, mesh_dim, target) for mesh_dim, target, before in steps(spec, placements))


def _cost(spec, mesh_dim, target) -> float:
    source, target, n = _plain(spec.placements[mesh_dim]), _plain(target), spec.mesh.size(mesh_dim)
    whole = spec.numel * 4.0
    for i, placement in enumerate(spec.placements):
        whole /= spec.mesh.size(i) if i != mesh_dim and isinstance(placement, Shard) else 1
    ring = whole * (n - 1) / n
    if isinstance(source, Replicate):
        return 0.0
    if isinstance(source, Shard):
        if isinstance(target, Partial):
            return float("inf")
        return ring + _ONE_LAUNCH if isinstance(target, Replicate) else ring / n + 2 * _ONE_LAUNCH
    if isinstance(target, Partial):
        return float("inf")
    return ring + _ONE_LAUNCH if isinstance(target, Shard) else 2 * ring + _ONE_LAUNCH


