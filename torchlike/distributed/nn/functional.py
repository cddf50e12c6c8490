"""Collectives that autograd follows. https://pytorch.org/docs/stable/distributed.html

Each returns new tensors, and its gradient is the collective that is its transpose. All ranks must differentiate, in the same
order. PyTorch says first, by a FutureWarning, that they are deprecated; here nothing replaces them yet.
"""

from torchlike._api.creation import empty_like, zeros_like
from torchlike._c10d import collectives as c10d
from torchlike._c10d import world
from torchlike._c10d.reduce_op import ReduceOp
from torchlike.autograd.function import Function


class _AllReduce(Function):
    @staticmethod
    def forward(ctx, op, group, tensor):
        ctx.op, ctx.group = op, group
        result = tensor.clone()
        c10d.all_reduce(result, op, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        return None, None, _AllReduce.apply(ctx.op, ctx.group, grad)


class _Broadcast(Function):
    @staticmethod
    def forward(ctx, src, group, tensor):
        ctx.src, ctx.group = src, group
        result = tensor.clone()
        c10d.broadcast(result, src, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        total = _Reduce.apply(ctx.src, ReduceOp.SUM, ctx.group, grad)
        return None, None, total if world.get_rank() == ctx.src else zeros_like(total)


class _Reduce(Function):
    @staticmethod
    def forward(ctx, dst, op, group, tensor):
        ctx.dst, ctx.group = dst, group
        result = tensor.clone()
        c10d.reduce(result, dst, op, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        return None, None, None, _Broadcast.apply(ctx.dst, ctx.group, grad)


class _AllGather(Function):
    @staticmethod
    def forward(ctx, group, tensor):
        ctx.group = group
        results = [empty_like(tensor) for _ in range(world.get_world_size(group))]
        c10d.all_gather(results, tensor, group)
        return tuple(results)

    @staticmethod
    def backward(ctx, *grads):
        return None, _ReduceScatter.apply(ReduceOp.SUM, ctx.group, *grads)


class _ReduceScatter(Function):
    @staticmethod
    def forward(ctx, op, group, *tensors):
        ctx.group = group
        result = empty_like(tensors[world.get_rank(group)])
        c10d.reduce_scatter(result, [tensor.contiguous() for tensor in tensors], op, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        return None, None, *_AllGather.apply(ctx.group, grad)


class _Gather(Function):
    @staticmethod
    def forward(ctx, dst, group, tensor):
        ctx.dst, ctx.group = dst, group
        results = [zeros_like(tensor) for _ in range(world.get_world_size(group))]
        c10d.gather(tensor, results if world.get_rank() == dst else None, dst, group)
        return tuple(results)

    @staticmethod
    def backward(ctx, *grads):
        return None, None, _Scatter.apply(ctx.dst, ctx.group, *grads)


class _Scatter(Function):
    @staticmethod
    def forward(ctx, src, group, *tensors):
        ctx.src, ctx.group = src, group
        result = zeros_like(tensors[0])
        c10d.scatter(result, list(tensors) if world.get_rank() == src else None, src, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        return None, None, *_Gather.apply(ctx.src, ctx.group, grad)


class _AllToAll(Function):
    @staticmethod
    def forward(ctx, group, outs, *tensors):
        ctx.group, ctx.shapes = group, [tensor.shape for tensor in tensors]
        results = [out.detach().clone() for out in outs]
        c10d.all_to_all(results, list(tensors), group)
        return tuple(results)

    @staticmethod
    def backward(ctx, *grads):
        outs = [grads[0].new_empty(shape) for shape in ctx.shapes]
        return None, None, *_AllToAll.apply(ctx.group, outs, *grads)


class _AllToAllSingle(Function):
    @staticmethod
    def forward(ctx, group, output, output_sizes, input_sizes, tensor):
        ctx.group, ctx.shape, ctx.sizes = group, tensor.shape, (input_sizes, output_sizes)
        result = output.detach().clone()
        c10d.all_to_all_single(result, tensor, output_sizes, input_sizes, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        back = _AllToAllSingle.apply(ctx.group, grad.new_empty(ctx.shape), *ctx.sizes, grad.contiguous())
        return None, None, None, None, back


def all_reduce(tensor, op=ReduceOp.SUM, group=None):
    """The tensor reduced over the ranks; its gradient is reduced likewise.

    Args:
        tensor, op, group: as for `torch.distributed.all_reduce`.

    Returns:
        a Tensor.

    Raises:
        as `torch.distributed.all_reduce`.
    """
    return _AllReduce.apply(op, world.group_of(group), tensor)


def broadcast(tensor, src, group=None):
    """The tensor of one rank; its gradient is the sum of all ranks'.

    Args:
        tensor, src, group: as for `torch.distributed.broadcast`.

    Returns:
        a Tensor.

    Raises:
        as `torch.distributed.broadcast`.
    """
    return _Broadcast.apply(src, world.group_of(group), tensor)


def reduce(tensor, dst, op=ReduceOp.SUM, group=None):
    """The tensor reduced over the ranks, on rank `dst`; on the others itself. The gradient is that of rank `dst`.

    Args:
        tensor, dst, op, group: as for `torch.distributed.reduce`.

    Returns:
        a Tensor.

    Raises:
        as `torch.distributed.reduce`.
    """
    return _Reduce.apply(dst, op, world.group_of(group), tensor)


def all_gather(tensor, group=None):
    """The tensors of all ranks. The gradient of each is the sum of what the ranks have for it.

    Args:
        tensor, group: as for `torch.distributed.all_gather`.

    Returns:
        a tuple of Tensors.

    Raises:
        as `torch.distributed.all_gather`.
    """
    return _AllGather.apply(world.group_of(group), tensor)


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
    return _ReduceScatter.apply(op, world.group_of(group), *input_list)


def gather(tensor, dst=0, group=None):
    """The tensors of all ranks, on rank `dst`; zeros on the others.

    Args:
        tensor, dst, group: as for `torch.distributed.gather`.

    Returns:
        a tuple of Tensors.

    Raises:
        as `torch.distributed.gather`.
    """
    return _Gather.apply(dst, world.group_of(group), tensor)


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
    return _Scatter.apply(src, world.group_of(group), *tensors)


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
    return _AllToAll.apply(world.group_of(group), output_tensor_list, *input_tensor_list)


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
    return _AllToAllSingle.apply(world.group_of(group), output, output_split_sizes, input_split_sizes, input)
