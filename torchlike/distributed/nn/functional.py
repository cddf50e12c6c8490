"""Collectives that autograd follows. https://pytorch.org/docs/stable/distributed.html

Each returns new tensors, and its gradient is the collective that is its transpose. All ranks must differentiate, in the same
order. PyTorch says first, by a FutureWarning, that they are deprecated; here nothing replaces them yet.
"""

from torchlike._c10d import world
from torchlike._c10d.differentiable import (
    AllGather,
    AllReduce,
    AllToAll,
    AllToAllSingle,
    Broadcast,
    Gather,
    Reduce,
    ReduceScatter,
    Scatter,
)
from torchlike._c10d.reduce_op import ReduceOp


def all_reduce(tensor, op=ReduceOp.SUM, group=None):
    """The tensor reduced over the ranks; its gradient is reduced likewise.

    Args:
        tensor, op, group: as for `torch.distributed.all_reduce`.

    Returns:
        a Tensor.

    Raises:
        as `torch.distributed.all_reduce`.
    """
    return AllReduce.apply(op, world.group_of(group), tensor)


def broadcast(tensor, src, group=None):
    """The tensor of one rank; its gradient is the sum of all ranks'.

    Args:
        tensor, src, group: as for `torch.distributed.broadcast`.

    Returns:
        a Tensor.

    Raises:
        as `torch.distributed.broadcast`.
    """
    return Broadcast.apply(src, world.group_of(group), tensor)


def reduce(tensor, dst, op=ReduceOp.SUM, group=None):
    """The tensor reduced over the ranks, on rank `dst`; on the others itself. The gradient is that of rank `dst`.

    Args:
        tensor, dst, op, group: as for `torch.distributed.reduce`.

    Returns:
        a Tensor.

    Raises:
        as `torch.distributed.reduce`.
    """
    return Reduce.apply(dst, op, world.group_of(group), tensor)


def all_gather(tensor, group=None):
    """The tensors of all ranks. The gradient of each is the sum of what the ranks have for it.

    Args:
        tensor, group: as for `torch.distributed.all_gather`.

    Returns:
        a tuple of Tensors.

    Raises:
        as `torch.distributed.all_gather`.
    """
    return AllGather.apply(world.group_of(group), tensor)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None):
    """This rank's part of a list of tensors, reduced over the ranks.

    Args:
        output: of the result's shape.
        input_list, op, group: as for `torch.distributed.reduce_scatter`.

    Returns:
        a Tensor.

    Raises:
        as `torch.distributed.reduce_scatter`.
    """
    return ReduceScatter.apply(op, world.group_of(group), *input_list)


def gather(tensor, dst=0, group=None):
    """The tensors of all ranks, on rank `dst`; zeros on the others.

    Args:
        tensor, dst, group: as for `torch.distributed.gather`.

    Returns:
        a tuple of Tensors.

    Raises:
        as `torch.distributed.gather`.
    """
    return Gather.apply(dst, world.group_of(group), tensor)


def scatter(tensors, src=0, group=None):
    """This rank's tensor of those of rank `src`.

    Args:
        tensors: a tensor for each rank, on all ranks.
        src, group: as for `torch.distributed.scatter`.

    Returns:
        a Tensor.

    Raises:
        as `torch.distributed.scatter`.
    """
    return Scatter.apply(src, world.group_of(group), *tensors)


def all_to_all(output_tensor_list, input_tensor_list, group=None):
    """A tensor from each rank for one to each.

    Args:
        output_tensor_list: of the results' shapes.
        input_tensor_list, group: as for `torch.distributed.all_to_all`.

    Returns:
        a tuple of Tensors.

    Raises:
        as `torch.distributed.all_to_all`.
    """
    return AllToAll.apply(world.group_of(group), output_tensor_list, *input_tensor_list)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None):
    """Parts of a tensor from each rank for parts to each.

    Args:
        output: of the result's shape.
        input, output_split_sizes, input_split_sizes, group: as for `torch.distributed.all_to_all_single`.

    Returns:
        a Tensor.

    Raises:
        as `torch.distributed.all_to_all_single`.
    """
    return AllToAllSingle.apply(world.group_of(group), output, output_split_sizes, input_split_sizes, input)
