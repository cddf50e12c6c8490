"""`torch.save` and `torch.load`, in PyTorch's own file format.
https://pytorch.org/docs/stable/notes/serialization.html
"""

import contextlib
import io
import os
import pickle
import sys
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

from torchlike._base.device import device
from torchlike._base.errors import UnsupportedError
from torchlike._serialization import archive, legacy, pickled_names
from torchlike._serialization.pickler import Pickler
from torchlike._serialization.storage import StorageType, moved, restored
from torchlike._serialization.unpickler import Blocked, FreeMixin, NotAllowed, WeightsUnpickler

__all__ = ["add_safe_globals", "clear_safe_globals", "get_safe_globals", "load", "safe_globals", "save"]

DEFAULT_PROTOCOL = 2
MAP_LOCATION: TypeAlias = Callable[[Any, str], Any] | device | str | dict[str, str] | None
_CHANGED = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` from `False` to `True`. "
    "Re-running `torch.load` with `weights_only` set to `False` will likely succeed, but it can result in arbitrary code "
    "execution. Do it only if you got the file from a trusted source.")
_NOT_ALLOWED = (
    "This file can still be loaded, to do so you have two options, \033[1mdo those steps only if you trust the source of "
    f"the checkpoint\033[0m. \n\t(1) {_CHANGED}\n\t(2) Alternatively, to load with `weights_only=True` please check the "
    "recommended steps in the following error message.\n\tWeightsUnpickler error: {}")
_BLOCKED = f"{_CHANGED}\n\n\n{{}}"
_OTHER = (f"{_CHANGED}\nPlease file an issue with the following so that we can make `weights_only=True` compatible with "
          "your use case: WeightsUnpickler error: \n\n{}")
_END = ("\n\nCheck the documentation of torch.load to learn more about types accepted by default with weights_only "
        "https://pytorch.org/docs/stable/generated/torch.load.html.")
_NOT_SEEKABLE = (". You can only torch.load from a file that is seekable. Please pre-load the data into a buffer like "
                 "io.BytesIO and try to load from it instead.")
_trusted: list = []
_LOCK = threading.Lock()


# -- what may be loaded with weights_only

def add_safe_globals(safe_globals) -> None:
    """Trusts classes and functions in `load` with `weights_only`.
    https://pytorch.org/docs/stable/notes/serialization.html#torch.serialization.add_safe_globals

    Args:
        safe_globals: a list of them, or of pairs (class or function, "module.name").
    """
    with _LOCK:
        _trusted.extend(x for x in safe_globals if x not in _trusted)


def get_safe_globals() -> list:
    """What `add_safe_globals` was given, as a list."""
    with _LOCK:
        return list(_trusted)


def clear_safe_globals() -> None:
    """Trusts nothing more than `load` does by itself."""
    with _LOCK:
        _trusted.clear()


@contextlib.contextmanager
def safe_globals(safe_globals):
    """`add_safe_globals` for a block.
    https://pytorch.org/docs/stable/notes/serialization.html#torch.serialization.safe_globals

    Args:
        safe_globals: as for `add_safe_globals`.

    Yields:
        nothing.
    """
    before = get_safe_globals()
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        with _LOCK:
            _trusted[:] = before


def _allowed() -> dict:
    found = {}
    for entry in get_safe_globals():
        if isinstance(entry, tuple):
            value, path = entry
        else:
            value, path = entry, ".".join(pickled_names.path_of(entry))
        found[path] = value
    return found


# -- save

def save(obj, f, pickle_module=pickle, pickle_protocol=DEFAULT_PROTOCOL, _use_new_zipfile_serialization=True,
         _disable_byteorder_record=False) -> None:
    """Writes an object, with the tensors in it, to a file that PyTorch reads, too. A file that exists is replaced whole
    or not at all. ``_use_new_zipfile_serialization=False`` means the format before PyTorch 1.6.
    https://pytorch.org/docs/stable/generated/torch.save.html

    Args:
        obj: the object.
        f: a path, or a binary file to write to.
        pickle_module: only Python's `pickle`.
        pickle_protocol: the protocol of the pickle.

    Raises:
        AttributeError: `f` is neither.
        UnsupportedError: another `pickle_module`.
    """
    if pickle_module is not pickle:
        raise UnsupportedError("torch.save(pickle_module=...)")
    if not isinstance(f, str | os.PathLike) and not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    if not _use_new_zipfile_serialization:
        data = _legacy_bytes(obj, pickle_protocol)
        with archive.replacing(f) if isinstance(f, str | os.PathLike) else contextlib.nullcontext(f) as file:
            file.write(data)
        return
    written, storages = _pickled(obj, pickle_protocol)
    if isinstance(f, str | os.PathLike):
        name = os.path.splitext(os.path.basename(os.fspath(f)))[0] or "archive"
        with archive.replacing(f) as file:
            _write(file, name, written, storages, _disable_byteorder_record)
        return
    buffer = f if getattr(f, "seekable", bool)() else io.BytesIO()
    _write(buffer, "archive", written, storages, _disable_byteorder_record)
    if buffer is not f:
        f.write(buffer.getvalue())


def _legacy_bytes(obj, protocol) -> bytes:
    """The object in the format before PyTorch 1.6."""
    file = io.BytesIO()
    for part in (legacy.MAGIC_NUMBER, legacy.PROTOCOL_VERSION, legacy.MACHINE):
        pickle.dump(part, file, protocol)
    pickler = Pickler(file, protocol, (None,))
    pickler.dump(obj)
    legacy.check_dtypes(saved.storage.aval.dtype for saved in pickler.storages.values())
    storages = sorted(pickler.storages.values(), key=lambda saved: str(saved.key))
    pickle.dump([str(saved.key) for saved in storages], file, protocol)
    for saved in storages:
        file.write(saved.storage.aval.numel.to_bytes(8, "little") + saved.data())
    return file.getvalue()


def _pickled(obj, protocol) -> tuple:
    file = io.BytesIO()
    pickler = Pickler(file, protocol)
    pickler.dump(obj)
    return file.getbuffer(), pickler.storages.values()


def _write(file, name, written, storages, without_byteorder) -> None:
    out = archive.Writer(file, name)
    out.add("data.pkl", written)
    out.add(".format_version", b"1")
    out.add(".storage_alignment", str(archive.ALIGNMENT).encode())
    if not without_byteorder:
        out.add("byteorder", sys.byteorder.encode())
    for saved in storages:
        out.add(f"data/{saved.key}", saved.data())
    out.add("version", b"3\n")
    out.close()


# -- load

def load(f, map_location=None, pickle_module=None, *, weights_only=None, mmap=None, **pickle_load_args):
    """The object in a file that `save` or PyTorch wrote.
    https://pytorch.org/docs/stable/generated/torch.load.html

    Args:
        f: a path, or a seekable binary file.
        map_location: where tensors go: a device, its name, a dict of names, a function of storage and name, or None for
            where they were.
        pickle_module: what unpickles, without `weights_only`; None means Python's `pickle`.
        weights_only: whether to allow only tensors, numbers, texts, containers and what `add_safe_globals` was given;
            nothing else in the file runs then. None means True unless there is a `pickle_module`.
        mmap: only for paths, without effect: the file is read as a whole.
        pickle_load_args: for the unpickler, such as `encoding`.

    Returns:
        The object.

    Raises:
        RuntimeError: a broken file, or `weights_only` with a `pickle_module`.
        ValueError: `mmap` with a file.
        AttributeError: `f` is neither a path nor a seekable file.
        UnpicklingError: something that `weights_only` does not allow.
        EOFError: an empty file.
        UnsupportedError: the format before PyTorch 0.1.10; a file from before PyTorch 1.6 to a GPU.
    """
    if weights_only is None:
        weights_only = pickle_module is None
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if isinstance(f, str | os.PathLike):
        with open(f, "rb") as file:
            return _load(file, map_location, pickle_module or pickle, weights_only, pickle_load_args)
    if mmap:
        raise ValueError("f must be a file path in order to use the mmap argument")
    for method in ("seek", "tell", "read"):
        try:
            getattr(f, method)
        except AttributeError as error:
            raise AttributeError(str(error) + _NOT_SEEKABLE) from None
    return _load(f, map_location, pickle_module or pickle, weights_only, pickle_load_args)


def _load(file, map_location, pickle_module, weights_only, options):
    if not archive.is_archive(file):
        if not file.read(1):
            raise EOFError("Ran out of input")
        file.seek(-1, os.SEEK_CUR)
        return _load_legacy(file, map_location, pickle_module, weights_only, options)
    reader = archive.Reader(file)
    memories: dict = {}

    def storage(saved_id):
        kind, key, location = _storage_id(saved_id, 5)[1:4]
        if key not in memories:
            memories[key] = restored(kind, key, location, reader, map_location)
        return memories[key]

    return _unpickled(io.BytesIO(reader.read("data.pkl")), storage, pickle_module, weights_only, options)


def _load_legacy(file, map_location, pickle_module, weights_only, options):
    """The object of a file from before PyTorch 1.6."""
    if _is_tar(file):
        raise UnsupportedError("torch.load of a file in the format before PyTorch 0.1.10")
    storages = legacy.Storages(file, lambda location, memory: moved(location, map_location, memory))

    def storage(saved_id):
        kind, key, location, count, view = _storage_id(saved_id, 6)[1:]
        return storages.get(kind, key, location, count, view)

    def plain():
        return _unpickled(file, storage, pickle, True, {})

    if plain() != legacy.MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = plain()
    if version != legacy.PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {version}")
    plain()  # what machine wrote it
    found = _unpickled(file, storage, pickle_module, weights_only, options)
    storages.read(plain())
    return found


def _is_tar(file) -> bool:
    at = file.tell()
    begins = file.read(512)[257:262]
    file.seek(at)
    return begins == b"ustar"


def _unpickled(data, storage, pickle_module, weights_only, options):
    options = {"encoding": "utf-8", **options}
    if not weights_only:
        made = type("Unpickler", (FreeMixin, pickle_module.Unpickler), {"storage": staticmethod(storage)})(data, **options)
        return made.load()
    try:
        return WeightsUnpickler(data, storage, _allowed(), **options).load()
    except NotAllowed as error:
        failure = _NOT_ALLOWED.format(error)
    except Blocked as error:
        failure = _BLOCKED.format(error)
    except pickle.UnpicklingError as error:
        failure = _OTHER.format(error)
    except (LookupError, ValueError, EOFError, AssertionError, AttributeError, TypeError, OverflowError) as error:
        failure = _OTHER.format(f"{type(error).__name__}: {error}")
    raise pickle.UnpicklingError("Weights only load failed. " + failure + _END)


def _storage_id(saved_id, length) -> tuple:
    if not (isinstance(saved_id, tuple) and len(saved_id) == length and saved_id[0] == "storage"
            and isinstance(saved_id[1], StorageType) and isinstance(saved_id[2], str) and isinstance(saved_id[3], str)):
        raise pickle.UnpicklingError(f"no storage: {saved_id!r:.80}")
    return saved_id
