"""Collectives on tensors. https://pytorch.org/docs/stable/distributed.html#collective-functions"""

import functools
import warnings
from collections.abc import Callable

import numpy as np

from torchlike._c10d import tensors, world
from torchlike._c10d.reduce_op import ReduceOp, applied
from torchlike._c10d.work import Work
from torchlike._record.tensor import Tensor

_NOT_TENSOR = """Invalid function argument. Expected parameter `{}` of type torch.Tensor
             but got {} instead."""
_NOT_LIST = """Invalid function argument. Expected parameter `{}` of type List[torch.Tensor]
             but got {} instead."""


def check_tensor(x, name) -> None:
    if not isinstance(x, Tensor):
        raise TypeError(_NOT_TENSOR.format(name, type(x)))


def _check_list(xs, name) -> None:
    if not isinstance(xs, list | tuple):
        raise TypeError(_NOT_LIST.format(name, type(xs)))
    if not all(isinstance(x, Tensor) for x in xs):
        raise TypeError(_NOT_LIST.format(name, f"{type(xs)} with elements of type {[type(x) for x in xs]}"))


def _check_dtypes(*groups) -> None:
    flat = [x for group in groups for x in (group if isinstance(group, list | tuple) else [group])]
    for x in flat[1:]:
        if x.dtype is not flat[0].dtype:
            raise ValueError("Invalid usage of tensors with different dtypes"
                             f"Found {flat[0].dtype} and  {x.dtype}")


def _sent(group, name, kind, how, array, finish: Callable, result, async_op, arguments=(), shape=None) -> Work | None:
    """Start it, and wait for it unless it is asynchronous."""
    back, entry = group.start(name, kind, how, array, arguments, shape)
    work = group.work(entry, [back], lambda values: finish(values[0]), result)
    if async_op:
        return work
    work.wait()
    return None


def all_reduce(tensor, op=ReduceOp.SUM, group=None, async_op=False) -> Work | None:
    """Reduce a tensor over the ranks, in place: all get the same.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.all_reduce

    Args:
        tensor: of any shape, the same on all ranks.
        op: a member of `ReduceOp`.
        group: a ProcessGroup; the default one where it is None.
        async_op: whether to return before it is done.

    Returns:
        a Work if `async_op`; else None.

    Raises:
        TypeError: no tensor. RuntimeError: an `op` that the dtype has not; a rank has gone, or does something else.
        ValueError: there is no default group.
    """
    check_tensor(tensor, "tensor")
    if world.is_outside(group, "all_reduce"):
        return None
    group = world.group_of(group)
    reduction = applied(op, tensor.dtype, group.size())
    array, back = reduction.sent(tensors.taken(tensor))
    return _sent(group, "all_reduce", "all_reduce", (reduction.kind,), array,
                 lambda values: tensors.put(tensor, back(values)), [tensor], async_op, (("op", str(op)),))


def all_reduce_coalesced(tensors_, op=ReduceOp.SUM, group=None, async_op=False) -> Work | None:
    """`all_reduce` of several tensors of one dtype at once.

    Args:
        tensors_, op, group, async_op: as for `all_reduce`, a list of tensors.

    Returns:
        a Work if `async_op`; else None.

    Raises:
        as `all_reduce`.
    """
    listed = [tensors_] if isinstance(tensors_, Tensor) else list(tensors_)
    _check_list(listed, "tensors")
    _check_dtypes(listed)
    if world.is_outside(group, "all_reduce_coalesced"):
        return None
    group = world.group_of(group)
    reduction = applied(op, listed[0].dtype, group.size())
    array, back = reduction.sent(tensors.joined(listed))
    return _sent(group, "all_reduce_coalesced", "all_reduce", (reduction.kind,), array,
                 lambda values: _put_parts(listed, back(values)), listed, async_op, (("op", str(op)),))


def _put_parts(outs, values) -> None:
    """Values one after the other into tensors."""
    start = 0
    for out in outs:
        stop = start + out.numel()
        tensors.put(out, values[start:stop])
        start = stop


def reduce(tensor, dst=None, op=ReduceOp.SUM, group=None, async_op=False, group_dst=None) -> Work | None:
    """Reduce a tensor over the ranks, in place on rank `dst`; the others' stay as they are.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.reduce

    Args:
        tensor, op, group, async_op: as for `all_reduce`.
        dst: a global rank; group_dst: the rank in the group instead.

    Returns:
        a Work if `async_op`; else None.

    Raises:
        as `all_reduce`.
    """
    check_tensor(tensor, "tensor")
    if world.is_outside(group, "reduce"):
        return None
    group = world.group_of(group)
    target = world.place_in(group, dst, group_dst, "dst")
    reduction = applied(op, tensor.dtype, group.size())
    array, back = reduction.sent(tensors.taken(tensor))

    def finish(values):
        if group.rank() == target:
            tensors.put(tensor, back(values))
    return _sent(group, "reduce", "all_reduce", (reduction.kind,), array, finish, [tensor], async_op,
                 (("dst", group.ranks[target]), ("op", str(op))))


def broadcast(tensor, src=None, group=None, async_op=False, group_src=None) -> Work | None:
    """Give all ranks the tensor of one.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.broadcast

    Args:
        tensor: what is sent on rank `src`, and what is written to on the others: of one size and dtype.
        src: a global rank; group_src: the rank in the group instead.
        group, async_op: as for `all_reduce`.

    Returns:
        a Work if `async_op`; else None.

    Raises:
        as `all_reduce`.
    """
    check_tensor(tensor, "tensor")
    if world.is_outside(group, "broadcast"):
        return None
    group = world.group_of(group)
    source = world.place_in(group, src, group_src, "src", "broadcast")

    def finish(values):
        if group.rank() != source:
            tensors.put(tensor, values)
    return _sent(group, "broadcast", "broadcast", (source,), tensors.taken(tensor), finish, [tensor], async_op,
                 (("src", group.ranks[source]),))


def all_gather(tensor_list, tensor, group=None, async_op=False) -> Work | None:
    """Give all ranks the tensors of all.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.all_gather

    Args:
        tensor_list: a tensor for each rank, which are written to.
        tensor: what this rank gives: of one shape on all ranks.
        group, async_op: as for `all_reduce`.

    Returns:
        a Work if `async_op`; else None.

    Raises:
        as `all_reduce`; RuntimeError: lists or shapes that do not fit. ValueError: dtypes that differ.
    """
    _check_list(tensor_list, "tensor_list")
    check_tensor(tensor, "tensor")
    _check_dtypes(tensor_list, tensor)
    if world.is_outside(group, "all_gather"):
        return None
    group = world.group_of(group)
    _check_parts(tensor_list, tensor, group.size(), "allgather", "output tensor list")
    return _sent(group, "all_gather", "all_gather", (), tensors.taken(tensor),
                 lambda values: _put_parts(tensor_list, values), list(tensor_list), async_op, shape=tensor.shape)


def _check_parts(parts, whole, count, name, what) -> None:
    """RuntimeError unless there are `count` tensors of the shape of `whole`."""
    if len(parts) != count:
        raise RuntimeError(f"ProcessGroupGloo::{name}: invalid {what} at index 0 (expected length {count}, "
                           f"got {len(parts)})")
    for i, part in enumerate(parts):
        if part.shape != whole.shape:
            raise RuntimeError(f"ProcessGroupGloo::{name}: invalid tensor size at index {i} (expected {_sizes(whole)}, "
                               f"got {_sizes(part)})")


def _sizes(x) -> str:
    return "(" + ", ".join(map(str, x.shape)) + ")"


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False) -> Work | None:
    """`all_gather` into one tensor.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.all_gather_into_tensor

    Args:
        output_tensor: the ranks' tensors one after the other along its first dimension, or along a new one.
        input_tensor: what this rank gives.
        group, async_op: as for `all_reduce`.

    Returns:
        a Work if `async_op`; else None.

    Raises:
        as `all_reduce`; ValueError: a size that does not fit.
    """
    check_tensor(input_tensor, "input_tensor")
    check_tensor(output_tensor, "output_tensor")
    _check_dtypes(input_tensor, output_tensor)
    if world.is_outside(group, "all_gather_into_tensor"):
        return None
    group = world.group_of(group)
    if output_tensor.numel() != input_tensor.numel() * group.size():
        raise ValueError("output tensor size must be equal to world_size times input tensor size")
    return _sent(group, "all_gather_into_tensor", "all_gather", (), tensors.taken(input_tensor),
                 lambda values: tensors.put(output_tensor, values), [output_tensor], async_op, shape=input_tensor.shape)


def all_gather_coalesced(output_tensor_lists, input_tensor_list, group=None, async_op=False) -> Work | None:
    """`all_gather` of several tensors of one dtype at once.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.all_gather

    Args:
        output_tensor_lists: for each rank a tensor for each of `input_tensor_list`.
        input_tensor_list: what this rank gives.
        group, async_op: as for `all_reduce`.

    Returns:
        a Work if `async_op`; else None.

    Raises:
        as `all_reduce`.
    """
    _check_list(input_tensor_list, "tensor_list")
    _check_dtypes(input_tensor_list, *output_tensor_lists)
    if world.is_outside(group, "all_gather_coalesced"):
        return None
    group = world.group_of(group)
    flat = [out for outs in output_tensor_lists for out in outs]
    return _sent(group, "all_gather_coalesced", "all_gather", (), tensors.joined(list(input_tensor_list)),
                 lambda values: _put_parts(flat, values), flat, async_op)


def gather(tensor, gather_list=None, dst=None, group=None, async_op=False, group_dst=None) -> Work | None:
    """Give one rank the tensors of all.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.gather

    Args:
        tensor: what this rank gives: of one shape on all ranks.
        gather_list: on rank `dst` a tensor for each rank; None on the others.
        dst: a global rank, 0 where it is None; group_dst: the rank in the group instead.
        group, async_op: as for `all_reduce`.

    Returns:
        a Work if `async_op`; else None.

    Raises:
        as `all_gather`; ValueError: a list on the wrong rank.
    """
    check_tensor(tensor, "tensor")
    if world.is_outside(group, "gather"):
        return None
    group = world.group_of(group)
    target = world.place_in(group, 0 if dst is None and group_dst is None else dst, group_dst, "dst")
    outs = _for_root(group, target, gather_list, "gather_list", "destination")
    if outs:
        _check_dtypes(outs, tensor)
        _check_parts(outs, tensor, group.size(), "gather", "output tensor list")
    return _sent(group, "gather", "all_gather", (), tensors.taken(tensor), lambda values: _put_parts(outs, values),
                 outs, async_op, (("dst", group.ranks[target]),), tensor.shape)


def gather_single(tensor, gather_tensor=None, dst=None, group=None, async_op=False, group_dst=None) -> Work | None:
    """Give one rank the tensors of all, in one tensor. PyTorch has it since 2.14, and for NCCL alone.
    https://pytorch.org/docs/2.14/distributed.html#torch.distributed.gather_single

    Args:
        tensor: what this rank gives: of one shape on all ranks.
        gather_tensor: on rank `dst` what is written to: the ranks' tensors one after the other, of any shape with so many
            elements; without effect on the others.
        dst: a global rank, 0 where it is None; group_dst: the rank in the group instead.
        group, async_op: as for `all_reduce`.

    Returns:
        a Work if `async_op`; else None.

    Raises:
        as `all_reduce`; ValueError: no tensor to write to, another dtype or size.
    """
    check_tensor(tensor, "tensor")
    if world.is_outside(group, "gather_single"):
        return None
    group = world.group_of(group)
    target = world.place_in(group, 0 if dst is None and group_dst is None else dst, group_dst, "dst")
    outs = []
    if group.rank() == target:
        if gather_tensor is None:
            raise ValueError("gather_tensor must be specified on the destination rank")
        check_tensor(gather_tensor, "gather_tensor")
        _check_dtypes(tensor, gather_tensor)
        if gather_tensor.numel() != tensor.numel() * group.size():
            raise ValueError("gather_tensor size must be equal to world_size times tensor size")
        outs = [gather_tensor]
    return _sent(group, "gather_single", "all_gather", (), tensors.taken(tensor), lambda values: _put_parts(outs, values),
                 outs, async_op, (("dst", group.ranks[target]),), tensor.shape)


def gather_into_tensor(tensor, gather_tensor=None, dst=None, group=None, async_op=False, group_dst=None) -> Work | None:
    """`gather_single` under its deprecated name, with PyTorch's warning.
    https://pytorch.org/docs/2.14/distributed.html#torch.distributed.gather_into_tensor

    Args:
        tensor, gather_tensor, dst, group, async_op, group_dst: as for `gather_single`.

    Returns:
        a Work if `async_op`; else None.

    Raises:
        as `gather_single`.
    """
    warnings.warn("`torch.distributed.gather_into_tensor` is deprecated. Please use `torch.distributed.gather_single` "
                  "instead.", FutureWarning, stacklevel=2)
    return gather_single(tensor, gather_tensor, dst, group, async_op, group_dst)


def _for_root(group, root, given, name, role) -> list:
    """The list that only the rank `root` has; [] on the others."""
    if group.rank() != root:
        if given:
            raise ValueError(f"Argument ``{name}`` must NOT be specified on non-{role} ranks.")
        return []
    if not given:
        raise ValueError(f"Argument ``{name}`` must be specified on {role} rank.")
    _check_list(given, name)
    return list(given)


def scatter(tensor, scatter_list=None, src=None, group=None, async_op=False, group_src=None) -> Work | None:
    """Give each rank one tensor of a list.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.scatter

    Args:
        tensor: what is written to.
        scatter_list: on rank `src` a tensor for each rank; None on the others.
        src: a global rank, 0 where it is None; group_src: the rank in the group instead.
        group, async_op: as for `all_reduce`.

    Returns:
        a Work if `async_op`; else None.

    Raises:
        as `all_gather`; ValueError: a list on the wrong rank.
    """
    check_tensor(tensor, "tensor")
    if world.is_outside(group, "scatter"):
        return None
    group = world.group_of(group)
    source = world.place_in(group, 0 if src is None and group_src is None else src, group_src, "src", "scatter")
    parts = _for_root(group, source, scatter_list, "scatter_list", "source")
    if parts:
        _check_dtypes(parts, tensor)
        _check_parts(parts, tensor, group.size(), "scatter", "input tensor list")
        array = tensors.joined(parts)
    else:
        array = np.zeros(tensor.numel() * group.size(), tensor.dtype.np)
    return _sent(group, "scatter", "scatter", (source,), array, lambda values: tensors.put(tensor, values), [tensor],
                 async_op, (("src", group.ranks[source]),), tensor.shape)


def reduce_scatter(output, input_list, op=ReduceOp.SUM, group=None, async_op=False) -> Work | None:
    """Reduce a list of tensors over the ranks; each gets one of the results.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.reduce_scatter

    Args:
        output: what is written to.
        input_list: a tensor for each rank.
        op, group, async_op: as for `all_reduce`.

    Returns:
        a Work if `async_op`; else None.

    Raises:
        as `all_gather`.
    """
    check_tensor(output, "output")
    _check_list(input_list, "input_list")
    _check_dtypes(input_list, output)
    if world.is_outside(group, "reduce_scatter"):
        return None
    group = world.group_of(group)
    _check_parts(input_list, output, group.size(), "reduce_scatter", "input tensor list")
    return _reduce_scattered(group, "reduce_scatter", output, tensors.joined(list(input_list)), op, async_op)


def _reduce_scattered(group, name, output, array, op, async_op):
    reduction = applied(op, output.dtype, group.size())
    array, back = reduction.sent(array)
    return _sent(group, name, "reduce_scatter", (reduction.kind,), array, lambda values: tensors.put(output, back(values)),
                 [output], async_op, (("op", str(op)),), output.shape)


def reduce_scatter_tensor(output, input, op=ReduceOp.SUM, group=None, async_op=False) -> Work | None:
    """`reduce_scatter` of one tensor along its first dimension.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.reduce_scatter_tensor

    Args:
        output: what is written to.
        input: the parts for the ranks one after the other.
        op, group, async_op: as for `all_reduce`.

    Returns:
        a Work if `async_op`; else None.

    Raises:
        as `all_reduce`; ValueError: a size that does not fit.
    """
    check_tensor(output, "output")
    check_tensor(input, "input")
    _check_dtypes(input, output)
    if world.is_outside(group, "reduce_scatter_tensor"):
        return None
    group = world.group_of(group)
    if input.numel() != output.numel() * group.size():
        raise ValueError("input tensor must be the same size as output tensor times world size")
    return _reduce_scattered(group, "reduce_scatter_tensor", output, tensors.taken(input), op, async_op)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None,
                      async_op=False) -> Work | None:
    """Send each rank a part of a tensor, along its first dimension.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.all_to_all_single

    Args:
        output: what is written to: the parts that come, in the order of the ranks.
        input: the parts for the ranks.
        output_split_sizes, input_split_sizes: the sizes of the parts along the first dimension; equal where None or [].
        group, async_op: as for `all_reduce`.

    Returns:
        a Work if `async_op`; else None.

    Raises:
        as `all_reduce`; RuntimeError: sizes that do not fit.
    """
    check_tensor(output, "output")
    check_tensor(input, "input")
    _check_dtypes(output, input)
    if world.is_outside(group, "all_to_all_single"):
        return None
    group = world.group_of(group)
    given = _splits(input, input_split_sizes, group.size(), "input")
    taken = _splits(output, output_split_sizes, group.size(), "output")
    array = tensors.taken(input)
    if input_split_sizes or output_split_sizes:
        return _exchanged(group, "all_to_all_single", array, given, [output], taken, async_op)
    return _sent(group, "all_to_all_single", "all_to_all", (), array, lambda values: tensors.put(output, values), [output],
                 async_op, shape=input.shape)


def _splits(x, sizes, count, name) -> list:
    """How many elements each part of a tensor has."""
    width = int(np.prod(x.shape[1:]))
    if not sizes:
        if x.shape[0] % count:
            raise RuntimeError("Tensor's dim 0 does not divide equally across group size")
        return [x.shape[0] // count * width] * count
    if len(sizes) != count:
        raise RuntimeError("Number of tensor splits not equal to group size")
    if sum(sizes) != x.shape[0]:
        raise RuntimeError("Split sizes doesn't match total dim 0 size")
    return [int(size) * width for size in sizes]


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False) -> Work | None:
    """Send each rank a tensor, and get one from each.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.all_to_all

    Args:
        output_tensor_list: what is written to: a tensor for each rank.
        input_tensor_list: what is sent to each.
        group, async_op: as for `all_reduce`.

    Returns:
        a Work if `async_op`; else None.

    Raises:
        as `all_reduce`; RuntimeError: lists that do not fit.
    """
    _check_list(output_tensor_list, "output_tensor_list")
    _check_list(input_tensor_list, "input_tensor_list")
    _check_dtypes(output_tensor_list, input_tensor_list)
    if world.is_outside(group, "all_to_all"):
        return None
    group = world.group_of(group)
    for name, listed in (("output", output_tensor_list), ("input", input_tensor_list)):
        if len(listed) != group.size():
            raise RuntimeError(f"{name} tensor list must have one tensor for each rank")
    outs = list(output_tensor_list)
    return _exchanged(group, "all_to_all", tensors.joined(list(input_tensor_list)), [x.numel() for x in input_tensor_list],
                      outs, [x.numel() for x in outs], async_op)


def _exchanged(group, name, array, given, outs, taken, async_op):
    """Parts of unequal sizes travel padded to the longest that any rank sends, which the ranks find out first."""
    longest = np.array([max(*given, *taken, 1)], np.int64)
    width = int(group.run(name, "all_reduce", ("max",), longest)[0])
    count = group.size()
    padded = np.zeros((count, width), array.dtype)
    for row, part in zip(padded, np.split(array, np.cumsum(given)[:-1]), strict=True):
        row[:len(part)] = part

    def finish(values):
        rows = values.reshape(count, width)
        _put_parts(outs, np.concatenate([row[:n] for row, n in zip(rows, taken, strict=True)]))
    return _sent(group, name, "all_to_all", (), padded.reshape(-1), finish, outs, async_op)


def barrier(group=None, async_op=False, device_ids=None) -> Work | None:
    """Wait for all ranks. https://pytorch.org/docs/stable/distributed.html#torch.distributed.barrier

    Args:
        group, async_op: as for `all_reduce`.
        device_ids: without effect: processes are waited for, not devices.

    Returns:
        a Work if `async_op`; else None.

    Raises:
        as `all_reduce`.
    """
    if world.is_outside(group, "barrier"):
        return None
    group = world.group_of(group)
    return _sent(group, "barrier", "all_reduce", ("sum",), np.zeros(1, np.int32), lambda values: None, [], async_op)



def _named(name, function):
    """The same under PyTorch's newer name."""
    @functools.wraps(function)
    def named(*args, **kwargs):
        return function(*args, **kwargs)

    named.__name__ = named.__qualname__ = name
    return named


all_gather_single = _named("all_gather_single", all_gather_into_tensor)
reduce_scatter_single = _named("reduce_scatter_single", reduce_scatter_tensor)
