"""`save`, `async_save` and `load` of `torch.distributed.checkpoint`."""

import concurrent.futures
import contextlib
import threading

import jax

from torchlike._base.errors import UnsupportedError
from torchlike._record.leaf import leaf, to_jax
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributed.checkpoint.flat import flatten, name_of, put
from torchlike.distributed.checkpoint.storage import CheckpointException, FileSystemReader, FileSystemWriter

_LOCK = threading.Lock()  # orbax saves one at a time


def save(state_dict, *, checkpoint_id=None, storage_writer=None, planner=None, process_group=None, no_dist=False,
         use_collectives=True) -> None:
    """Writes the tensors and values of a nested dict to a directory, in place of the checkpoint that was there. If it
    fails the old one is whole.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.state_dict_saver.save

    Args:
        state_dict: the dict. An object with a `state_dict` (a Module, an optimizer) is written as that.
        checkpoint_id: the directory.
        storage_writer: a `FileSystemWriter` instead.
        planner: refused.
        process_group, no_dist, use_collectives: without effect: there is one process.

    Raises:
        CheckpointException: writing failed.
        RuntimeError: no directory is given.
        UnsupportedError: a `planner`, or another writer.
    """
    writer = _place(storage_writer, FileSystemWriter, checkpoint_id, planner)
    _write(writer, *_staged(state_dict))


def async_save(state_dict, *, checkpoint_id=None, storage_writer=None, planner=None, process_group=None,
               async_checkpointer_type=None, async_stager=None, no_dist=False, use_collectives=True):
    """`save` in a thread. Later writes to the tensors do not change what is saved; nothing is copied for that, because
    nobody writes to a jax array.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.state_dict_saver.async_save

    Args:
        state_dict, checkpoint_id, storage_writer, planner, process_group, no_dist, use_collectives: as for `save`.
        async_checkpointer_type: without effect.
        async_stager: refused.

    Returns:
        a `concurrent.futures.Future`, which raises what `save` does.

    Raises:
        UnsupportedError: an `async_stager`, a `planner`, or another writer.
    """
    if async_stager is not None:
        raise UnsupportedError("torch.distributed.checkpoint.async_save(async_stager=)")
    writer = _place(storage_writer, FileSystemWriter, checkpoint_id, planner)
    staged = _staged(state_dict)
    executor = concurrent.futures.ThreadPoolExecutor(1, "torchlike-checkpoint")
    try:
        return executor.submit(_write, writer, *staged)
    finally:
        executor.shutdown(wait=False)


def load(state_dict, *, checkpoint_id=None, storage_reader=None, planner=None, process_group=None, no_dist=False) -> None:
    """Reads a checkpoint into a nested dict, in place and only what is asked for there. If it fails nothing has changed.
    https://pytorch.org/docs/stable/distributed.checkpoint.html#torch.distributed.checkpoint.state_dict_loader.load

    Args:
        state_dict: the dict. Tensors keep their dtype, device and sharding; other values are replaced; an object with a
            `load_state_dict` gets it called.
        checkpoint_id: the directory.
        storage_reader: a `FileSystemReader` instead.
        planner: refused.
        process_group, no_dist: without effect: there is one process.

    Raises:
        CheckpointException: reading failed, an entry is not in the checkpoint, or sizes differ.
        RuntimeError: no directory is given.
        UnsupportedError: a `planner`, or another reader.
    """
    reader = _place(storage_reader, FileSystemReader, checkpoint_id, planner)
    stateful = {key: x for key, x in state_dict.items() if _is_stateful(x)}
    plain = {key: x.state_dict() if key in stateful else x for key, x in state_dict.items()}
    with _failing("load"):
        entries = flatten(plain)
        values = _read(reader, entries)
    with no_grad():
        for path, value in values.items():
            if isinstance(entries[path], Tensor):
                entries[path].copy_(leaf(value, entries[path].device))
            else:
                put(plain, path, value)
    for key, value in plain.items():
        if key in stateful:
            stateful[key].load_state_dict(value)
        else:
            state_dict[key] = value


def _place(given, kind, checkpoint_id, planner):
    if planner is not None:
        raise UnsupportedError("torch.distributed.checkpoint: planner=")
    if given is not None:
        if not isinstance(given, kind):
            raise UnsupportedError(f"torch.distributed.checkpoint with a {type(given).__name__}: there is {kind.__name__}")
        return given
    if checkpoint_id is None:
        raise RuntimeError("`checkpoint_id` must be specified if storage_reader/storage_writer is None.")
    return kind(checkpoint_id)


def _is_stateful(x) -> bool:
    return hasattr(x, "state_dict") and hasattr(x, "load_state_dict")


def _staged(state_dict) -> tuple:
    """({name: jax array}, metadata) of what is to be saved, as it is now."""
    entries = flatten({key: x.state_dict() if _is_stateful(x) else x for key, x in state_dict.items()})
    tensors = {name_of(path): x for path, x in entries.items() if isinstance(x, Tensor)}
    objects = {name_of(path): x for path, x in entries.items() if not isinstance(x, Tensor)}
    sizes = {name: (list(x.shape), x.dtype) for name, x in tensors.items()}
    return {name: to_jax(x) for name, x in tensors.items()}, {"tensors": sizes, "objects": objects}


@contextlib.contextmanager
def _failing(what):
    """Errors inside as a CheckpointException."""
    try:
        yield
    except Exception as error:
        raise CheckpointException(what, {0: error}) from error


def _write(writer, arrays, metadata) -> None:
    with _LOCK, _failing("save"), jax.enable_x64(True):
        writer.write(arrays, metadata)


def _read(reader, entries) -> dict:
    """{path: value}, values of tensors as jax arrays."""
    metadata = reader.read_metadata()
    names = {path: name_of(path) for path in entries}
    for path, name in names.items():
        _check(name, entries[path], metadata)
    wanted = {names[path]: to_jax(x) for path, x in entries.items() if isinstance(x, Tensor)}
    with jax.enable_x64(True):
        arrays = reader.read(metadata["data"], wanted)
    return {path: arrays[name] if name in wanted else metadata["objects"][name] for path, name in names.items()}


def _check(name, entry, metadata) -> None:
    size = metadata["tensors"].get(name, (None,))[0]
    if size is None and name not in metadata["objects"]:
        raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
    if isinstance(entry, Tensor) and size is not None and size != list(entry.shape):
        raise ValueError(f"Size mismatch between saved torch.Size({size}) and current: torch.Size({list(entry.shape)}) for "
                         f"{name}")
    if isinstance(entry, Tensor) != (size is not None):
        raise RuntimeError(f"{name} is {'a' if size is not None else 'no'} tensor in the checkpoint")
