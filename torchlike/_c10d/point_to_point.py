"""Messages between two ranks. https://pytorch.org/docs/stable/distributed.html#point-to-point-communication"""

import operator

import numpy as np

from torchlike._base.device import CPU
from torchlike._c10d import objects, tensors, world
from torchlike._c10d.collectives import check_tensor
from torchlike._c10d.group import ProcessGroup
from torchlike._c10d.lines import Errand, FromAny
from torchlike._c10d.work import Work
from torchlike._record.tensor import Tensor


def isend(tensor, dst: int | None = None, group=None, tag: int = 0, group_dst: int | None = None) -> Work | None:
    """Send a tensor to a rank. https://pytorch.org/docs/stable/distributed.html#torch.distributed.isend

    Args:
        tensor: its values are those of now.
        dst, group_dst: a global rank, or the rank in the group instead.
        group: a ProcessGroup; the default one where it is None.
        tag: a number that the receiver names.

    Returns:
        a Work that is done when it has been received; None where this process is not in the group.

    Raises:
        TypeError: no tensor. ValueError: there is no default group, or the rank is this one's.
    """
    check_tensor(tensor, "tensor")
    if world.is_outside(group, "isend"):
        return None
    group = world.group_of(group)
    place = world.place_in(group, dst, group_dst, "dst")
    if place == group.rank():
        raise ValueError("Invalid destination rank: destination rank should not be the same as the rank of the current "
                         "process.")
    errand = Errand(tag, tensors.taken(tensor), 0)
    return _SentOrReceived(group, place, errand, True, lambda: None, [tensor])


def irecv(tensor, src: int | None = None, group=None, tag: int = 0, group_src: int | None = None) -> Work | None:
    """Receive a tensor from a rank. https://pytorch.org/docs/stable/distributed.html#torch.distributed.irecv

    Args:
        tensor: what is written to.
        src, group_src: a global rank, or the rank in the group instead; None for whichever sends first.
        group: a ProcessGroup; the default one where it is None.
        tag: the sender's number.

    Returns:
        a Work; None where this process is not in the group.

    Raises:
        TypeError: no tensor. ValueError: there is no default group, or the rank is this one's.
    """
    check_tensor(tensor, "tensor")
    if world.is_outside(group, "irecv"):
        return None
    group = world.group_of(group)
    size = tensor.numel() * tensor.dtype.np.itemsize
    if src is None and group_src is None:
        place, errand = None, FromAny(tag, size)
    else:
        place, errand = world.place_in(group, src, group_src, "src"), Errand(tag, None, size)
    if place == group.rank():
        raise ValueError("Invalid source rank: source rank should not be the same as the rank of the current process.")

    def finish():
        data = np.asarray(errand)
        if data.nbytes != errand.size:
            raise RuntimeError(f"recv: the message of rank {work._source_rank()} has {data.nbytes} bytes, the tensor "
                               f"{errand.size}")
        tensors.put(tensor, np.frombuffer(data.tobytes(), tensor.dtype.np))
    work = _SentOrReceived(group, place, errand, False, finish, [tensor])
    return work


class _SentOrReceived(Work):
    """The Work of one message: apart from the group's collectives, in no order with them. `place` None: from any rank."""

    def __init__(self, group: ProcessGroup, place: int | None, errand: Errand, sends: bool, finish, result):
        arguments = (("dst" if sends else "src", "any" if place is None else group.ranks[place]), ("tag", errand.tag))
        entry = group.ledger.apart("send" if sends else "recv", arguments)
        super().__init__(group, entry, [errand], lambda values: finish(), result)
        self._place, self._errand = place, errand
        if isinstance(errand, FromAny):
            others = [other for other in range(group.size()) if other != group.rank()]
            for line, share in [(group.line(other, sends), errand.share(other)) for other in others]:
                line.put(share)
        elif place is not None:
            group.line(place, sends).put(errand)

    def _in_turn(self, seconds):
        self.settle(seconds)

    def _source_rank(self) -> int:
        return self._group.ranks[self._errand.place if isinstance(self._errand, FromAny) else self._place]

    source_rank = _source_rank


def send(tensor, dst: int | None = None, group=None, tag: int = 0, group_dst: int | None = None) -> None:
    """`isend`, and wait. https://pytorch.org/docs/stable/distributed.html#torch.distributed.send

    Args:
        tensor, dst, group, tag, group_dst: as for `isend`.

    Raises:
        as `isend`; RuntimeError: the other has gone, or did not come in time.
    """
    work = isend(tensor, dst, group, tag, group_dst)
    if work is not None:
        work.wait()


def recv(tensor, src: int | None = None, group=None, tag: int = 0, group_src: int | None = None) -> int:
    """`irecv`, and wait. https://pytorch.org/docs/stable/distributed.html#torch.distributed.recv

    Args:
        tensor, src, group, tag, group_src: as for `irecv`.

    Returns:
        the sender's global rank; -1 where this process is not in the group.

    Raises:
        as `irecv`; RuntimeError: the other has gone, or did not come in time, or sends another number of bytes.
    """
    work = irecv(tensor, src, group, tag, group_src)
    if work is None:
        return -1
    work.wait()
    return work.source_rank()


class P2POp:
    """A message for `batch_isend_irecv`. https://pytorch.org/docs/stable/distributed.html#torch.distributed.P2POp

    Args:
        op: `isend` or `irecv`.
        tensor: what is sent, or written to.
        peer: the other's global rank; group_peer: its rank in the group instead.
        group: a ProcessGroup; the default one where it is None.
        tag: as for `isend`.

    Raises:
        ValueError: another function.
    """

    def __init__(self, op, tensor, peer: int | None = None, group=None, tag: int = 0, group_peer: int | None = None):
        if op not in (isend, irecv):
            raise ValueError("Invalid ``op``. Expected ``op`` to be of type ``torch.distributed.isend`` or "
                             "``torch.distributed.irecv``.")
        check_tensor(tensor, "tensor")
        self.op, self.tensor, self.group, self.tag = op, tensor, world.group_of(group), tag
        self.group_peer = world.place_in(self.group, peer, group_peer, "peer")
        self.peer = self.group.ranks[self.group_peer]

    def __repr__(self) -> str:
        return f"P2POp({self.op.__name__}, group={self.group.group_name}, tag={self.tag}, peer={self.peer})"


def batch_isend_irecv(p2p_op_list: list) -> list:
    """Send and receive several messages.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.batch_isend_irecv

    Args:
        p2p_op_list: `P2POp` objects.

    Returns:
        a Work of each.

    Raises:
        ValueError: something else in the list.
    """
    if not all(isinstance(each, P2POp) for each in p2p_op_list):
        raise ValueError("Invalid ``p2p_op_list``. Each op is expected to to be of type ``torch.distributed.P2POp``.")
    operator.itemgetter(0)(p2p_op_list)  # an empty list is an IndexError, as in PyTorch
    return [each.op(each.tensor, group=each.group, tag=each.tag,
                    **{"group_dst" if each.op is isend else "group_src": each.group_peer}) for each in p2p_op_list]


def send_object_list(object_list: list, dst: int | None = None, group=None, device=None, group_dst: int | None = None,
                     use_batch: bool = False, weights_only: bool = False) -> None:
    """Send objects to a rank; they are pickled.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.send_object_list

    Args:
        object_list: the objects.
        dst, group, group_dst: as for `isend`.
        device, use_batch: without effect.
        weights_only: as for `all_gather_object`.

    Raises:
        as `send`.
    """
    data = np.frombuffer(objects.dumped(list(object_list), weights_only), np.uint8)
    for array in (np.array([data.size], np.int64), data):
        send(tensors.made(array, CPU), dst, group, group_dst=group_dst)


def recv_object_list(object_list: list, src: int | None = None, group=None, device=None, group_src: int | None = None,
                     use_batch: bool = False, weights_only: bool = False) -> int:
    """Receive what `send_object_list` sends.
    https://pytorch.org/docs/stable/distributed.html#torch.distributed.recv_object_list

    Args:
        object_list: what is written to.
        src, group, group_src: as for `irecv`.
        device, use_batch: without effect.
        weights_only: as for `all_gather_object`.

    Returns:
        the sender's global rank.

    Raises:
        as `recv`.
    """
    size: Tensor = tensors.made(np.zeros(1, np.int64), CPU)
    recv(size, src, group, group_src=group_src)
    data = tensors.made(np.zeros(int(tensors.taken(size)[0]), np.uint8), CPU)
    rank = recv(data, src, group, group_src=group_src)
    object_list[:] = objects.loaded(tensors.taken(data).tobytes(), weights_only)
    return rank
