"""Collectives that return their results, and that autograd follows. PyTorch has no page for them.

In PyTorch a result is an `AsyncCollectiveTensor` until it is read. Here it is an ordinary tensor whose values are there.
The group is a ProcessGroup, its name, a list of global ranks, a DeviceMesh of one dimension, or a mesh and the number of a
dimension.
"""

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from torchlike._api.generated.torch_names import cat
from torchlike._base import absent
from torchlike._c10d import collectives as c10d
from torchlike._c10d import world
from torchlike._c10d.group import ProcessGroup
from torchlike._c10d.reduce_op import ReduceOp
from torchlike._record.tensor import Tensor
from torchlike.autograd.function import Function
from torchlike.distributed.device_mesh import DeviceMesh

RANK_TYPES = Any  # a group, see above
AsyncCollectiveTensor = absent.refusing(
    "AsyncCollectiveTensor", __name__, "torch.distributed._functional_collectives.AsyncCollectiveTensor is not supported: "
                                       "results of collectives are ordinary tensors")
_OPS = {"sum": ReduceOp.SUM, "avg": ReduceOp.AVG, "product": ReduceOp.PRODUCT, "min": ReduceOp.MIN, "max": ReduceOp.MAX,
        "band": ReduceOp.BAND, "bor": ReduceOp.BOR, "bxor": ReduceOp.BXOR}


def _resolve_group(group, tag: str = "") -> ProcessGroup:
    """The ProcessGroup that is meant."""
    if isinstance(group, ProcessGroup):
        return group
    if isinstance(group, str):
        return world.group_named(group)
    if isinstance(group, DeviceMesh):
        if group.ndim != 1:
            raise AssertionError("Only 1D mesh is supported, pass in (DeviceMesh, int) together if mesh > 1D")
        return group.get_group()
    if isinstance(group, tuple):
        if len(group) == 2 and isinstance(group[0], DeviceMesh) and isinstance(group[1], int):
            return group[0].get_group(group[1])
        raise ValueError("Invalid tuple for group must be (DeviceMesh, int). Instead got "
                         f"{(type(group[0]), type(group[1]))}")
    if isinstance(group, list):
        return world.group_among(tuple(group))
    raise ValueError(f"Unsupported group type: {type(group)}, {group}")


def _op(name: str):
    if name.lower() not in _OPS:
        raise RuntimeError(f"Unrecognized reduce_op: {name.lower()}")
    return _OPS[name.lower()]


def _only_sum(function: str, op: str) -> None:
    if op.lower() != "sum":
        raise RuntimeError(f"{function} backward only supports 'sum' reduction, got '{op.lower()}'")


class _AllReduce(Function):
    @staticmethod
    def forward(ctx, op, group, *tensors):
        ctx.op, ctx.group = op, group
        results = tuple(tensor.clone() for tensor in tensors)
        c10d.all_reduce_coalesced(list(results), _op(op), group)
        return results

    @staticmethod
    def backward(ctx, *grads):
        _only_sum("all_reduce_coalesced" if len(grads) > 1 else "all_reduce", ctx.op)
        return None, None, *_AllReduce.apply(ctx.op, ctx.group, *grads)


class _AllGather(Function):
    @staticmethod
    def forward(ctx, group, tensor):
        ctx.group = group
        result = tensor.new_empty((tensor.shape[0] * group.size(), *tensor.shape[1:]))
        c10d.all_gather_into_tensor(result, tensor.contiguous(), group)
        return result

    @staticmethod
    def backward(ctx, grad):
        return None, _ReduceScatter.apply("sum", ctx.group, grad)


class _ReduceScatter(Function):
    @staticmethod
    def forward(ctx, op, group, tensor):
        ctx.op, ctx.group = op, group
        result = tensor.new_empty((tensor.shape[0] // group.size(), *tensor.shape[1:]))
        c10d.reduce_scatter_tensor(result, tensor.contiguous(), _op(op), group)
        return result

    @staticmethod
    def backward(ctx, grad):
        _only_sum("reduce_scatter_tensor", ctx.op)
        return None, None, _AllGather.apply(ctx.group, grad)


class _AllToAll(Function):
    @staticmethod
    def forward(ctx, taken, given, group, tensor):
        ctx.sizes, ctx.group = (given, taken), group
        result = tensor.new_empty((tensor.shape[0] if taken is None else sum(taken), *tensor.shape[1:]))
        c10d.all_to_all_single(result, tensor.contiguous(), taken, given, group)
        return result

    @staticmethod
    def backward(ctx, grad):
        return None, None, None, _AllToAll.apply(*ctx.sizes, ctx.group, grad)


def wait_tensor(tensor: Tensor) -> Tensor:
    """The tensor itself: results are there.

    Args:
        tensor: a tensor.

    Returns:
        it.
    """
    return tensor


def broadcast(self: Tensor, src: int, group: RANK_TYPES, tag: str = "") -> Tensor:
    """The tensor of one rank. As in PyTorch its gradient is the result's on this rank.

    Args:
        self: the tensor.
        src: the rank in the group.
        group: see the module.
        tag: without effect.

    Returns:
        a Tensor.

    Raises:
        as `torch.distributed.broadcast`.
    """
    result = self.clone()
    c10d.broadcast(result, group=_resolve_group(group, tag), group_src=src)
    return result


def all_reduce(self: Tensor, reduceOp: str, group: RANK_TYPES, tag: str = "") -> Tensor:
    """The tensor reduced over the ranks.

    Args:
        self: the tensor.
        reduceOp: "sum", "avg", "product", "min", "max", "band", "bor" or "bxor"; only the first has a gradient.
        group, tag: as for `broadcast`.

    Returns:
        a Tensor.

    Raises:
        as `torch.distributed.all_reduce`; RuntimeError: no such reduction.
    """
    return _AllReduce.apply(reduceOp, _resolve_group(group, tag), self)[0]


def all_reduce_coalesced(self: list[Tensor], reduceOp: str, group: RANK_TYPES, tag: str = "") -> list[Tensor]:
    """Several tensors of one dtype reduced over the ranks.

    Args:
        self: the tensors.
        reduceOp, group, tag: as for `all_reduce`.

    Returns:
        a list of Tensors.

    Raises:
        as `all_reduce`.
    """
    return list(_AllReduce.apply(reduceOp, _resolve_group(group, tag), *self))


def all_gather_single(self: Tensor, gather_dim: int, group: RANK_TYPES, tag: str = "") -> Tensor:
    """The tensors of all ranks, one after the other.

    Args:
        self: this rank's, of one shape on all ranks.
        gather_dim: along which dimension.
        group, tag: as for `broadcast`.

    Returns:
        a Tensor.

    Raises:
        as `torch.distributed.all_gather_into_tensor`.
    """
    group = _resolve_group(group, tag)
    result = _AllGather.apply(group, self)
    return result if gather_dim == 0 else cat(result.chunk(group.size()), gather_dim)


def all_gather_single_autograd(self: Tensor, gather_dim: int, group: RANK_TYPES, tag: str = "") -> Tensor:
    """`all_gather_single`, which has a gradient as it is.

    Args:
        self, gather_dim, group, tag: as for `all_gather_single`.

    Returns:
        a Tensor.

    Raises:
        as `all_gather_single`.
    """
    return all_gather_single(self, gather_dim, group, tag)


def all_gather_single_coalesced(self: list[Tensor], group: RANK_TYPES, tag: str = "") -> list[Tensor]:
    """`all_gather_single` of several tensors, along their first dimensions.

    Args:
        self: the tensors.
        group, tag: as for `broadcast`.

    Returns:
        a list of Tensors.

    Raises:
        as `all_gather_single`.
    """
    group = _resolve_group(group, tag)
    return [_AllGather.apply(group, each) for each in self]


def reduce_scatter_single(self: Tensor, reduceOp: str, scatter_dim: int, group: RANK_TYPES, tag: str = "") -> Tensor:
    """This rank's part of the tensor that is reduced over the ranks.

    Args:
        self: the tensor.
        reduceOp, group, tag: as for `all_reduce`.
        scatter_dim: the dimension that the ranks share.

    Returns:
        a Tensor.

    Raises:
        as `all_reduce`; AssertionError: the dimension cannot be divided.
    """
    group = _resolve_group(group, tag)
    if self.shape[scatter_dim] % group.size():
        raise AssertionError(f"input dimension 0 ({self.shape[0]} must be a multiple of group_size {group.size()})")
    parts = self if scatter_dim == 0 else cat(self.chunk(group.size(), scatter_dim))
    return _ReduceScatter.apply(reduceOp, group, parts)


def reduce_scatter_single_autograd(self: Tensor, reduceOp: str, scatter_dim: int, group: RANK_TYPES,
                                   tag: str = "") -> Tensor:
    """`reduce_scatter_single`, which has a gradient as it is.

    Args:
        self, reduceOp, scatter_dim, group, tag: as for `reduce_scatter_single`.

    Returns:
        a Tensor.

    Raises:
        as `reduce_scatter_single`.
    """
    return reduce_scatter_single(self, reduceOp, scatter_dim, group, tag)


def reduce_scatter_single_coalesced(inputs: list[Tensor], reduceOp: str, scatter_dim: list[int], group: RANK_TYPES,
                                    tag: str = "") -> list[Tensor]:
    """`reduce_scatter_single` of several tensors.

    Args:
        inputs: the tensors.
        reduceOp, group, tag: as for `all_reduce`.
        scatter_dim: for each of them the dimension.

    Returns:
        a list of Tensors.

    Raises:
        as `reduce_scatter_single`; AssertionError: another number of dimensions.
    """
    if len(scatter_dim) != len(inputs):
        raise AssertionError(f"Length of scatter_dim ({len(scatter_dim)}) must equal length of inputs ({len(inputs)})")
    group = _resolve_group(group, tag)
    return [reduce_scatter_single(each, reduceOp, dim, group) for each, dim in zip(inputs, scatter_dim, strict=True)]


def all_to_all_single(self: Tensor, output_split_sizes: list[int] | None, input_split_sizes: list[int] | None,
                      group: RANK_TYPES, tag: str = "") -> Tensor:
    """A part of the tensor to each rank, and one from each.

    Args:
        self: the tensor.
        output_split_sizes, input_split_sizes: the sizes of the parts along the first dimension; equal where both are None.
        group, tag: as for `broadcast`.

    Returns:
        a Tensor.

    Raises:
        as `torch.distributed.all_to_all_single`; AssertionError: sizes that are no ints, or only one list of them.
    """
    for name, sizes in (("output_split_sizes", output_split_sizes), ("input_split_sizes", input_split_sizes)):
        if not all(isinstance(size, int) for size in sizes or ()):
            raise AssertionError(f"All {name} must be int or SymInt, got {sizes}")
    if (output_split_sizes is None) != (input_split_sizes is None):
        raise AssertionError("output_split_sizes and input_split_sizes must either be specified together or both set to "
                             "None")
    return _AllToAll.apply(output_split_sizes, input_split_sizes, _resolve_group(group, tag), self)


def all_to_all_single_autograd(self: Tensor, output_split_sizes: list[int] | None, input_split_sizes: list[int] | None,
                               group: RANK_TYPES, tag: str = "") -> Tensor:
    """`all_to_all_single`, which has a gradient as it is.

    Args:
        self, output_split_sizes, input_split_sizes, group, tag: as for `all_to_all_single`.

    Returns:
        a Tensor.

    Raises:
        as `all_to_all_single`.
    """
    return all_to_all_single(self, output_split_sizes, input_split_sizes, group, tag)


def permute_tensor(self: Tensor, src_dst: Sequence[int], group: RANK_TYPES, tag: str = "") -> Tensor:
    """The tensor of another rank.

    Args:
        self: of one dimension.
        src_dst: for each rank the one that gets its tensor.
        group, tag: as for `broadcast`.

    Returns:
        a Tensor.

    Raises:
        as `torch.distributed.all_to_all_single`.
    """
    group = _resolve_group(group, tag)
    given, taken = ([self.numel() if each else 0 for each in chosen] for chosen in (
        [place == src_dst[group.rank()] for place in range(group.size())], [dst == group.rank() for dst in src_dst]))
    return all_to_all_single(self, taken, given, group)


def _older(name: str, function: Callable) -> Callable:
    """A function under its older name, which PyTorch warns of."""
    old, new = (f"`torch.distributed._functional_collectives.{each}`" for each in (name, function.__name__))

    @functools.wraps(function)
    def called(*args, **kwargs):
        warnings.warn(f"{old} is deprecated. Please use {new} instead.", FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    called.__name__ = called.__qualname__ = name
    return called


all_gather_tensor = _older("all_gather_tensor", all_gather_single)
all_gather_tensor_autograd = _older("all_gather_tensor_autograd", all_gather_single_autograd)
all_gather_into_tensor_coalesced = _older("all_gather_into_tensor_coalesced", all_gather_single_coalesced)
reduce_scatter_tensor = _older("reduce_scatter_tensor", reduce_scatter_single)
reduce_scatter_tensor_autograd = _older("reduce_scatter_tensor_autograd", reduce_scatter_single_autograd)
reduce_scatter_tensor_coalesced = _older("reduce_scatter_tensor_coalesced", reduce_scatter_single_coalesced)
