"""Collectives as autograd Functions: the gradient of each is the collective that is its transpose.

All ranks must differentiate, in the same order. What users call is `torchlike/distributed/nn/functional.py`.
"""

from torchlike._c10d import collectives as c10d
from torchlike._c10d import world
from torchlike._c10d.reduce_op import ReduceOp
from torchlike.autograd.function import Function


class AllReduce(Function):
    """The tensor reduced over the ranks."""

    @staticmethod
    def forward(ctx, op, group, tensor):
        ctx.op, ctx.group = op, group
        result = tensor.clone()
        c10d.all_reduce(result, op, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        return None, None, AllReduce.apply(ctx.op, ctx.group, grad)


class Broadcast(Function):
    """The tensor of one rank."""

    @staticmethod
    def forward(ctx, src, group, tensor):
        ctx.src, ctx.group = src, group
        result = tensor.clone()
        c10d.broadcast(result, src, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        total = Reduce.apply(ctx.src, ReduceOp.SUM, ctx.group, grad)
        return None, None, total if world.get_rank() == ctx.src else total.new_zeros(total.shape)


class Reduce(Function):
    """The tensor reduced over the ranks, on one of them."""

    @staticmethod
    def forward(ctx, dst, op, group, tensor):
        ctx.dst, ctx.group = dst, group
        result = tensor.clone()
        c10d.reduce(result, dst, op, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        return None, None, None, Broadcast.apply(ctx.dst, ctx.group, grad)


class AllGather(Function):
    """The tensors of all ranks."""

    @staticmethod
    def forward(ctx, group, tensor):
        ctx.group = group
        results = [tensor.new_empty(tensor.shape) for _ in range(world.get_world_size(group))]
        c10d.all_gather(results, tensor, group)
        return tuple(results)

    @staticmethod
    def backward(ctx, *grads):
        return None, ReduceScatter.apply(ReduceOp.SUM, ctx.group, *grads)


class ReduceScatter(Function):
    """This rank's of tensors that are reduced over the ranks."""

    @staticmethod
    def forward(ctx, op, group, *tensors):
        ctx.group = group
        result = tensors[0].new_empty(tensors[world.get_rank(group)].shape)
        c10d.reduce_scatter(result, [tensor.contiguous() for tensor in tensors], op, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        return None, None, *AllGather.apply(ctx.group, grad)


class Gather(Function):
    """The tensors of all ranks, on one of them."""

    @staticmethod
    def forward(ctx, dst, group, tensor):
        ctx.dst, ctx.group = dst, group
        results = [tensor.new_zeros(tensor.shape) for _ in range(world.get_world_size(group))]
        c10d.gather(tensor, results if world.get_rank() == dst else None, dst, group)
        return tuple(results)

    @staticmethod
    def backward(ctx, *grads):
        return None, None, Scatter.apply(ctx.dst, ctx.group, *grads)


class Scatter(Function):
    """This rank's of the tensors of one."""

    @staticmethod
    def forward(ctx, src, group, *tensors):
        ctx.src, ctx.group = src, group
        result = tensors[0].new_zeros(tensors[0].shape)
        c10d.scatter(result, list(tensors) if world.get_rank() == src else None, src, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        return None, None, *Gather.apply(ctx.src, ctx.group, grad)


class AllToAll(Function):
    """A tensor from each rank for one to each."""

    @staticmethod
    def forward(ctx, group, outs, *tensors):
        ctx.group, ctx.shapes = group, [tensor.shape for tensor in tensors]
        results = [out.detach().clone() for out in outs]
        c10d.all_to_all(results, list(tensors), group)
        return tuple(results)

    @staticmethod
    def backward(ctx, *grads):
        outs = [grads[0].new_empty(shape) for shape in ctx.shapes]
        return None, None, *AllToAll.apply(ctx.group, outs, *grads)


class AllToAllSingle(Function):
    """Parts of a tensor from each rank for parts to each."""

    @staticmethod
    def forward(ctx, group, output, output_sizes, input_sizes, tensor):
        ctx.group, ctx.shape, ctx.sizes = group, tensor.shape, (input_sizes, output_sizes)
        result = output.detach().clone()
        c10d.all_to_all_single(result, tensor, output_sizes, input_sizes, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        back = AllToAllSingle.apply(ctx.group, grad.new_empty(ctx.shape), *ctx.sizes, grad.contiguous())
        return None, None, None, None, back
