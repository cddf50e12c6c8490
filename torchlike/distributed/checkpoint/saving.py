"""`save`, `async_save` and `load` of `torch.distributed.checkpoint`."""

import concurrent.futures
import os
import threading
from collections.abc import Mapping
from typing import ClassVar

from torchlike._base.errors import UnsupportedError
from torchlike._base.turns import place
from torchlike._compile.jax_private import own_work
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributed.checkpoint import plan, protocol
from torchlike.distributed.checkpoint.default_planner import DefaultLoadPlanner, DefaultSavePlanner
from torchlike.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter, metadata_of, object_of
from torchlike.distributed.checkpoint.flat import flatten, name_of, put
from torchlike.distributed.checkpoint.metadata import Metadata
from torchlike.distributed.checkpoint.parts import part_of
from torchlike.distributed.checkpoint.ranks import Ranks

# What a subclass of the writer and the reader may do in its own way; else there is a shorter one.
_METHODS = ("reset", "prepare_local_plan", "prepare_global_plan", "set_up_storage_writer", "write_data", "finish",
            "read_metadata", "set_up_storage_reader", "read_data")


def save(state_dict, *, checkpoint_id=None, storage_writer=None, planner=None, process_group=None, no_dist=False,
         use_collectives=True) -> Metadata:
    """Writes the tensors and values of a nested dict to a directory, in place of the checkpoint that was there. If it
    fails, or a rank ends, the old one is whole. All ranks of the group call it.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.state_dict_saver.save

    Args:
        state_dict: the dict. An object with a `state_dict` (a Module, an optimizer) is written as that. A tensor that
            several ranks have is written by one of them; of a DTensor each writes its part.
        checkpoint_id: the directory, the same for all ranks.
        storage_writer: a `StorageWriter` instead, as `FileSystemWriter` is one.
        planner: a `SavePlanner`, who says what is written.
        process_group: the ranks that save; the default group where it is None, and this process if there is none.
        no_dist: whether this process saves by itself.
        use_collectives: without effect.

    Returns:
        the Metadata of the checkpoint.

    Raises:
        CheckpointException: writing failed on one of the ranks; a tensor has not the same size on all of them.
        RuntimeError: neither a directory nor a writer is given.
    """
    writer = _place(storage_writer, FileSystemWriter, checkpoint_id)
    turn = _Turn()
    turn.run(*_saving(state_dict, writer, planner, Ranks(process_group, no_dist), is_later=False))
    return turn.future.result()


def async_save(state_dict, *, checkpoint_id=None, storage_writer=None, planner=None, process_group=None,
               async_checkpointer_type=None, async_stager=None, no_dist=False, use_collectives=True):
    """`save` in a thread. Later writes to the tensors do not change what is saved; nothing is copied for that, because
    nobody writes to a jax array. The ranks may run other collectives meanwhile.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.state_dict_saver.async_save

    Args:
        state_dict, checkpoint_id, storage_writer, planner, process_group, no_dist, use_collectives: as for `save`.
        async_checkpointer_type: without effect.
        async_stager: refused.

    Returns:
        a `concurrent.futures.Future`, which raises what `save` does. That a rank has ended it says when the group's
        time-out has passed, or another collective has failed for that.

    Raises:
        UnsupportedError: an `async_stager`.
    """
    if async_stager is not None:
        raise UnsupportedError("torch.distributed.checkpoint.async_save(async_stager=)")
    writer = _place(storage_writer, FileSystemWriter, checkpoint_id)
    turn, ranks = _Turn(), Ranks(process_group, no_dist, in_background=True)
    saving = _saving(state_dict, writer, planner, ranks, is_later=True)
    threading.Thread(target=turn.run, args=saving, name="torchlike-checkpoint").start()
    return turn.future


def _saving(state_dict, writer, planner, ranks, is_later) -> tuple:
    """The function that saves what is there now, and its arguments."""
    plain = {key: x.state_dict() if _is_stateful(x) else x for key, x in state_dict.items()}
    if planner is None and _is_ours(writer, FileSystemWriter):
        return _write, writer, ranks, *_staged(plain)
    if is_later:
        plain = _copied(plain)
    return _write_planned, plain, writer, DefaultSavePlanner() if planner is None else planner, ranks


def _is_ours(place, kind) -> bool:
    own = type(place)
    return isinstance(place, kind) and all(getattr(own, name, None) is getattr(kind, name, None) for name in _METHODS)


def _copied(value):
    """Nested dicts and lists with tensors that nobody else has."""
    if isinstance(value, Mapping):
        return {key: _copied(x) for key, x in value.items()}
    if isinstance(value, list):
        return [_copied(x) for x in value]
    return value.detach().clone() if isinstance(value, Tensor) else value


def _write_planned(state_dict, writer, planner, ranks) -> Metadata:
    try:
        return protocol.save(state_dict, writer, planner, ranks)
    except BaseException:
        if ranks.rank == 0 and isinstance(writer, FileSystemWriter):
            writer.abandon()
        raise


class _Turn:
    """Saves run one at a time, in the order in which the program has called them: so they do on all ranks."""

    _last: ClassVar[dict] = {}  # {rank: the last one}, {None: that of a process}
    _lock = threading.Lock()

    def __init__(self):
        self.future: concurrent.futures.Future = concurrent.futures.Future()
        self._process = os.getpid()
        with _Turn._lock:
            self._before, _Turn._last[place.rank] = _Turn._last.get(place.rank), self

    def run(self, function, *args) -> None:
        """Calls a function when those before have ended; the future gets what comes of it."""
        before, self._before = self._before, None
        if before is not None and before._process == self._process:  # in a forked process its thread is not there
            concurrent.futures.wait([before.future])
        try:
            self.future.set_result(function(*args))
        except BaseException as error:  # noqa: BLE001 - CheckpointException is one
            self.future.set_exception(error)


def load(state_dict, *, checkpoint_id=None, storage_reader=None, planner=None, process_group=None, no_dist=False) -> None:
    """Reads a checkpoint into a nested dict, in place and only what is asked for there. If it fails on one rank nothing
    has changed on any. There may be more or fewer ranks than have saved it.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.state_dict_loader.load

    Args:
        state_dict: the dict. Tensors keep their dtype, device and sharding; other values are replaced; an object with a
            `load_state_dict` gets it called. An object that was not the same on all ranks is this rank's, or the first's.
        checkpoint_id: the directory.
        storage_reader: a `StorageReader` instead, as `FileSystemReader` is one.
        planner: a `LoadPlanner`, who says what is read. With one, what was read before something failed stays.
        process_group, no_dist: as for `save`.

    Raises:
        CheckpointException: reading failed on one of the ranks, an entry is not in the checkpoint, or sizes differ.
        RuntimeError: neither a directory nor a reader is given.
    """
    reader = _place(storage_reader, FileSystemReader, checkpoint_id)
    stateful = {key: x for key, x in state_dict.items() if _is_stateful(x)}
    plain = {key: stateful[key].state_dict() if key in stateful else state_dict[key] for key in sorted(state_dict)}
    ranks = Ranks(process_group, no_dist)
    if planner is None and _is_ours(reader, FileSystemReader):
        _load(plain, reader, ranks)
    else:
        protocol.load(plain, reader, DefaultLoadPlanner() if planner is None else planner, ranks)
    for key, value in plain.items():
        if key in stateful:
            stateful[key].load_state_dict(value)
        else:
            state_dict[key] = value


def _load(plain, reader, ranks) -> None:
    entries = flatten(plain)
    parts = {path: part_of(x) for path, x in entries.items() if isinstance(x, Tensor)}
    values = _read(reader, ranks, entries, parts)
    with no_grad():
        for path, value in values.items():
            if path in parts:
                parts[path].fill(value)
            else:
                put(plain, path, value)


def _place(given, kind, checkpoint_id):
    if given is not None:
        if checkpoint_id is not None:
            given.reset(checkpoint_id)
        return given
    if checkpoint_id is None:
        raise RuntimeError("`checkpoint_id` must be specified if storage_reader/storage_writer is None.")
    return kind(checkpoint_id)


def _is_stateful(x) -> bool:
    return hasattr(x, "state_dict") and hasattr(x, "load_state_dict")


def _staged(state_dict) -> tuple:
    """({name: jax array}, {name: Part}, {name: other object}, {name: the keys that lead to it}) of what is to be saved, as
    it is now."""
    entries = flatten(state_dict)
    paths = {name_of(path): path for path in entries}
    parts = {name_of(path): part_of(x) for path, x in entries.items() if isinstance(x, Tensor)}
    objects = {name_of(path): x for path, x in entries.items() if not isinstance(x, Tensor)}
    return {name: part.array() for name, part in parts.items()}, parts, objects, paths


def _write(writer, ranks, arrays, parts, objects, paths) -> Metadata:
    metadata = plan.joined(ranks.agree("save", lambda: plan.offered(parts, objects, paths, writer.begin(), ranks.size == 1)))
    mine = {plan.part_name(name, place): arrays[name] for name, places in metadata["parts"].items()
            for place, rank in places if rank == ranks.rank and 0 not in place[1]}
    try:
        with own_work():
            ranks.agree("save", lambda: writer.write(metadata["data"], ranks.rank, mine))
    except BaseException:
        if ranks.rank == 0:
            writer.discard(metadata["data"])
        raise
    ranks.agree("save", lambda: writer.publish(metadata) if ranks.rank == 0 else None)
    return metadata_of(metadata)


def _read(reader, ranks, entries, parts) -> dict:
    """{path: value}, values of parts as jax arrays."""
    names = {path: name_of(path) for path in entries}
    wanted = {names[path]: (part.place, part.array()) for path, part in parts.items()}
    metadata, arrays = {}, {}

    def check() -> None:
        metadata.update(reader.contents())
        for path, name in names.items():
            _check(name, entries[path], metadata)

    def read() -> None:
        with own_work():
            arrays.update(reader.read(metadata, wanted))

    ranks.agree("load", check)
    ranks.agree("load", read)
    return {path: arrays[name] if name in wanted else object_of(metadata, name, ranks.rank) for path, name in names.items()}


def _check(name, entry, metadata) -> None:
    size = metadata["tensors"].get(name, (None,))[0]
    if size is None and name not in metadata["objects"]:
        raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
    if isinstance(entry, Tensor) and size is not None and size != list(entry.shape):
        raise ValueError(f"Size mismatch between saved torch.Size({size}) and current: torch.Size({list(entry.shape)}) for "
                         f"{name}")
    if isinstance(entry, Tensor) != (size is not None):
        raise RuntimeError(f"{name} is {'a' if size is not None else 'no'} tensor in the checkpoint")
