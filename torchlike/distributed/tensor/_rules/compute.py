"""What ranks do in the place of an operator that does not know that it sees a part.

A function gets the operator, the rank's arguments, and the specs of operands and results; it returns what the operator does.
"""

import math

from torchlike._api.generated.torch_names import where
from torchlike.distributed.tensor._dtensor_spec import part
from torchlike.distributed.tensor._redistribute import reduced
from torchlike.distributed.tensor.placement_types import Shard

_MEAN, _SUM = 1, 2  # reductions of losses


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
    grad, place = args[0], func.places["indices"]
    is_here, indices = _here(args[place], *here)
    given = (grad * is_here.unsqueeze(-1), *args[1:place], indices, *args[place + 1:])
    return func(*given) if here[1] else grad.new_zeros((0, grad.shape[-1]))


def _here(indices, first, count):
    is_here = (indices >= first) & (indices < first + count)
    return is_here, where(is_here, indices - first, 0)


def _groups(spec, placement) -> list:
    """The groups among which a dimension is divided."""
    return [spec.mesh.get_group(i) for i, p in enumerate(spec.placements) if p == placement]


def _over(x, op, groups):
    """The reduction of a tensor over several groups, one after the other."""
    for group in groups:
        x = reduced(x, op, group)
    return x


def nll_loss(func, args, kwargs, ins, outs):
    """A mean is divided by the weight of all ranks' elements, which may differ where some are ignored. Where the classes are
    divided, a rank has the losses of its own classes, and all add them up."""
    logits, batch = ins[0], _groups(ins[0], Shard(0))
    classes = _groups(logits, Shard(1)) if logits.ndim > 1 else []
    if not batch and not classes:
        return func(*args, **kwargs)
    x, target, weight, reduction, ignored = args
    is_mean = reduction == _MEAN
    loss, total = func(x, _own_classes(target, logits, ignored), weight, _SUM if is_mean else reduction, ignored, **kwargs)
    loss, total = _over(loss, "sum", classes), _over(total, "sum", batch + classes)
    n = math.prod(group.size() for group in batch)
    return (loss * n / total if is_mean else loss), total


def nll_loss_gradient(func, args, ins, outs):
    """That of the classes that are here."""
    logits, place = outs[0], func.places["target"]
    if not _groups(logits, Shard(1)):
        return func(*args)
    return func(*args[:place], _own_classes(args[place], logits, func.params[1]), *args[place + 1:])


def _own_classes(target, logits, ignored):
    """The classes counted from the first that is here; those that are elsewhere are ignored."""
    sizes, offsets = part(logits.tensor_meta.shape, logits.placements, logits.mesh.shape, logits.mesh.get_coordinate())
    if logits.ndim < 2 or sizes[1] == logits.tensor_meta.shape[1]:
        return target
    is_here = (target >= offsets[1]) & (target < offsets[1] + sizes[1]) & (target != ignored)
    return where(is_here, target - offsets[1], ignored)


def log_softmax(func, args, kwargs, ins, outs):
    """Where the classes are divided, ranks exchange the maximum of a row and the sum of exponentials."""
    x, dim, *_ = args
    groups = _groups(ins[0], Shard(dim % x.ndim))
    if not groups:
        return func(*args, **kwargs)
    shifted = x - _over(x.amax(dim, keepdim=True), "max", groups)
    return shifted - _over(shifted.exp().sum(dim, keepdim=True), "sum", groups).log()


def log_softmax_gradient(func, args, ins, outs):
    """The same of the gradient: ranks exchange its sum."""
    grad, result = args
    dim = func.params[0] % grad.ndim
    groups = _groups(ins[0], Shard(dim))
    return grad - result.exp() * _over(grad.sum(dim, keepdim=True), "sum", groups) if groups else func(*args)
