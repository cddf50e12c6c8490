"""What ranks do in the place of an operator that does not know that it sees a part.

A function gets the operator, the rank's arguments, and the specs of operands and results; it returns what the operator does.
"""

from torchlike._api.generated.torch_names import where
from torchlike.distributed.tensor._dtensor_spec import part
from torchlike.distributed.tensor._redistribute import reduced
from torchlike.distributed.tensor.placement_types import Partial, Shard

_MEAN, _SUM = 1, 2


def _rows_here(table) -> tuple[int, int] | None:
    """(the first, how many) rows of a table this rank has; None where it has all."""
    if not any(p == Shard(0) for p in table.placements):
        return None
    sizes, offsets = part(table.tensor_meta.shape, table.placements, table.mesh.shape, table.mesh.get_coordinate())
    return offsets[0] if sizes[0] else 0, sizes[0]


def embedding(func, args, kwargs, ins, outs):
    """Rows that are elsewhere are zeros here: the sum of all ranks' results is the result."""
    here = _rows_here(ins[0])
    if here is None:
        return func(*args, **kwargs)
    table, indices, *rest = args
    is_here, indices = _here(indices, *here)
    if not here[1]:
        return table.new_zeros((*indices.shape, table.shape[1]))
    return func(table, indices, *rest, **kwargs) * is_here.unsqueeze(-1)


def embedding_gradient(func, args, ins, outs):
    """The gradient of the rows that are here."""
    here = _rows_here(outs[0])
    if here is None:
        return func(*args)
    grad, indices, *rest = args
    is_here, indices = _here(indices, *here)
    return func(grad * is_here.unsqueeze(-1), indices, *rest) if here[1] else grad.new_zeros((0, grad.shape[-1]))


def _here(indices, first, count):
    is_here = (indices >= first) & (indices < first + count)
    return is_here, where(is_here, indices - first, 0)


def nll_loss(func, args, kwargs, ins, outs):
    """A mean is divided by the weight of all ranks' elements, which may differ where some are ignored."""
    out, *_ = outs
    divided = [i for i, p in enumerate(ins[0].placements) if p == Shard(0)]
    if not divided:
        return func(*args, **kwargs)
    reduction = args[3]
    loss, weight = func(*args[:3], _SUM if reduction == _MEAN else reduction, *args[4:], **kwargs)
    n = 1
    for i in divided:
        weight = reduced(weight, "sum", out.mesh.get_group(i))
        n *= out.mesh.size(i)
    return (loss * n / weight if Partial("avg") in out.placements else loss), weight
