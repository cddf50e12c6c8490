"""Collectives on Python objects, which travel pickled. https://pytorch.org/docs/stable/distributed.html#collective-functions

As in PyTorch: only between processes that trust one another, since who unpickles runs what is in there.
"""

import pickle
from typing import Any

import numpy as np

from torchlike._c10d import world


def packed(obj: Any) -> np.ndarray:
    """An object as bytes."""
    return np.frombuffer(pickle.dumps(obj), np.uint8)


def unpacked(data: np.ndarray) -> Any:
    """What `packed` was given."""
    return pickle.loads(data.tobytes())


class _Formats:
    """How objects become bytes and come back, by `weights_only`: pickled, or as `torch.save` writes and `torch.load` reads
    tensors and plain containers, which `torchlike.distributed` puts here."""

    def __init__(self):
        self.of: dict = {False: (pickle.dumps, pickle.loads)}


FORMATS = _Formats()


def dumped(obj: Any, weights_only: bool) -> bytes:
    """An object as bytes."""
    return FORMATS.of[bool(weights_only)][0](obj)


def loaded(data: bytes, weights_only: bool) -> Any:
    """Read the object that `dumped` was given. UnpicklingError where it is not of the kinds that `weights_only` allows."""
    return FORMATS.of[bool(weights_only)][1](data)


def _gathered(group, name, arguments, data: bytes) -> list[bytes]:
    """The bytes of all ranks."""
    sizes = group.run(name, "all_gather", (), np.array([len(data)], np.int64), arguments).view(np.int64)
    width = max(1, int(sizes.max()))
    padded = np.zeros(width, np.uint8)
    padded[:len(data)] = np.frombuffer(data, np.uint8)
    rows = group.run(name, "all_gather", (), padded, arguments).reshape(group.size(), width)
    return [row[:size].tobytes() for row, size in zip(rows, sizes, strict=True)]


def all_gather_object(object_list: list, obj: Any, group=None, weights_only: bool = False) -> None:
    """Give all ranks the objects of all.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.all_gather_object

    Args:
        object_list: a list with a place for each rank, which is written to.
        obj: what this rank gives; it is pickled.
        group: a ProcessGroup; the default one where it is None.
        weights_only: whether objects travel as `torch.save` writes them, and only tensors, numbers, texts and containers
            are taken, as by `torch.load`; the same on all ranks.

    Raises:
        ValueError: there is no default group. RuntimeError: as `all_reduce`. UnpicklingError: with `weights_only`, an
        object of another kind.
    """
    if not world.is_member(group):
        return
    group = world.group_of(group)
    for place, data in enumerate(_gathered(group, "all_gather_object", (), dumped(obj, weights_only))):
        object_list[place] = loaded(data, weights_only)


def gather_object(obj: Any, object_gather_list: list | None = None, dst: int | None = None, group=None,
                  group_dst: int | None = None, weights_only: bool = False) -> None:
    """Give one rank the objects of all.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.gather_object

    Args:
        obj: what this rank gives; it is pickled.
        object_gather_list: on rank `dst` a list with a place for each rank; None on the others.
        dst: a global rank, 0 where it is None; group_dst: the rank in the group instead.
        group, weights_only: as for `all_gather_object`.

    Raises:
        ValueError: there is no default group; a list on the wrong rank. RuntimeError: as `all_reduce`.
    """
    if not world.is_member(group):
        return
    group = world.group_of(group)
    target = world.place_in(group, 0 if dst is None and group_dst is None else dst, group_dst, "dst")
    is_target = group.rank() == target
    if is_target and not object_gather_list:
        raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    if not is_target and object_gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")
    found = _gathered(group, "gather_object", (("dst", group.ranks[target]),), dumped(obj, weights_only))
    if is_target:
        for place, data in enumerate(found):
            object_gather_list[place] = loaded(data, weights_only)


def broadcast_object_list(object_list: list, src: int | None = None, group=None, device=None,
                          group_src: int | None = None, weights_only: bool = False) -> None:
    """Give all ranks the objects of one.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.broadcast_object_list

    Args:
        object_list: what is sent on rank `src`, and what is written to on the others: of one length.
        src: a global rank, 0 where it is None; group_src: the rank in the group instead.
        group, weights_only: as for `all_gather_object`.
        device: without effect.

    Raises:
        ValueError: there is no default group. RuntimeError: as `all_reduce`.
    """
    if not world.is_member(group):
        return
    group = world.group_of(group)
    source = world.place_in(group, 0 if src is None and group_src is None else src, group_src, "src", "broadcast")
    is_source = group.rank() == source
    data = dumped(list(object_list), weights_only) if is_source else b""
    arguments = (("src", group.ranks[source]),)
    size = group.run("broadcast_object_list", "broadcast", (source,), np.array([len(data)], np.int64), arguments)
    sent = np.frombuffer(data, np.uint8) if is_source else np.zeros(int(size.view(np.int64)[0]), np.uint8)
    found = group.run("broadcast_object_list", "broadcast", (source,), sent, arguments)
    if not is_source:
        object_list[:] = loaded(found.tobytes(), weights_only)


def scatter_object_list(scatter_object_output_list: list, scatter_object_input_list: list | None = None,
                        src: int | None = None, group=None, group_src: int | None = None,
                        weights_only: bool = False) -> None:
    """Give each rank one object of a list.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.scatter_object_list

    Args:
        scatter_object_output_list: a list whose first element is written to.
        scatter_object_input_list: on rank `src` an object for each rank.
        src: a global rank, 0 where it is None; group_src: the rank in the group instead.
        group, weights_only: as for `all_gather_object`.

    Raises:
        ValueError: there is no default group; a list of another length. RuntimeError: as `all_reduce`.
    """
    if not world.is_member(group):
        return
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError("Expected argument scatter_object_output_list to be a list of size at least 1.")
    group = world.group_of(group)
    source = world.place_in(group, 0 if src is None and group_src is None else src, group_src, "src", "scatter")
    box = [scatter_object_input_list]
    if group.rank() == source and len(scatter_object_input_list or ()) != group.size():
        raise ValueError("scatter_object_input_list must have an object for each rank")
    broadcast_object_list(box, group=group, group_src=source, weights_only=weights_only)
    assert box[0] is not None
    scatter_object_output_list[0] = box[0][group.rank()]
