"""`torch.save` and `torch.load`, in PyTorch's own file format.
https://pytorch.org/docs/stable/notes/serialization.html
"""

import contextlib
import dataclasses
import io
import mmap as mmap_flags
import os
import pickle
import struct
import sys
import threading
import warnings
from collections.abc import Callable
from typing import Any, TypeAlias

from torchlike._api.untyped_storage import UntypedStorage
from torchlike._base.device import device
from torchlike._base.errors import UnsupportedError
from torchlike._base.forkable import forkable
from torchlike._compile.backends.registry import backend_of
from torchlike._serialization import archive, config, legacy, pickled_names
from torchlike._serialization.config import LoadEndianness
from torchlike._serialization.locations import _package_registry as _package_registry
from torchlike._serialization.locations import (
    default_restore_location,
    location_tag,
    register_package,
    restoring,
    validate_cuda_device,
)
from torchlike._serialization.pickled_names import told
from torchlike._serialization.pickler import pickler
from torchlike._serialization.storage import StorageType, restored, storage_id
from torchlike._serialization.unpickler import (
    Blocked,
    Failed,
    FreeMixin,
    NotAllowed,
    WeightsUnpickler,
    unsafe_globals,
)

__all__ = [
    "LoadEndianness", "StorageType", "add_safe_globals", "check_module_version_greater_or_equal", "clear_safe_globals",
    "default_restore_location", "get_crc32_options", "get_default_load_endianness", "get_default_mmap_options",
    "get_safe_globals", "get_unsafe_globals_in_checkpoint", "load", "location_tag", "register_package", "safe_globals",
    "save", "set_crc32_options", "set_default_load_endianness", "set_default_mmap_options", "skip_data",
    "validate_cuda_device"]

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
_PAIR = "Expected tuple of length 2 (global, str of callable full path), but got tuple of length: {}"
_NO_CHECKPOINT = "Expected input to be a checkpoint returned by torch.save"
_OLD_MAPPED = (
    "mmap can only be used with files saved with `torch.save({}_use_new_zipfile_serialization=True), please torch.save your "
    "checkpoint with this option in order to use mmap.")
_NOT_ONLY = "Cannot use ``weights_only=True`` with"
_SCRIPTED = "constants.pkl"
_VARIABLES, _TRUE = ("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"), ("1", "y", "yes", "true")
_trusted: list = []
_LOCK = forkable(threading.Lock())


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
        if not isinstance(entry, tuple):
            found[".".join(pickled_names.path_of(entry))] = entry
        elif len(entry) != 2:
            raise ValueError(_PAIR.format(len(entry)))
        elif not isinstance(entry[1], str):
            raise TypeError(f"Expected second item in tuple to be str of callable full path, but got: {type(entry[1])}")
        else:
            found[entry[1]] = entry[0]
    return found


def get_unsafe_globals_in_checkpoint(f) -> list[str]:
    """The classes and functions in a file that `load` would refuse with `weights_only`.
    https://pytorch.org/docs/stable/notes/serialization.html#torch.serialization.get_unsafe_globals_in_checkpoint

    Args:
        f: as for `load`.

    Returns:
        their names, ``"module.name"``.

    Raises:
        ValueError: the file is none of today's format.
        UnpicklingError: its pickle has what checkpoints do not have.
        RuntimeError, EOFError: a broken file.
    """
    with open(f, "rb") if isinstance(f, str | os.PathLike) else contextlib.nullcontext(f) as file:
        if not archive.is_archive(file):
            raise ValueError(_NO_CHECKPOINT)
        reader = archive.Reader(file)
        if _SCRIPTED in reader.entries:
            raise ValueError(f"{_NO_CHECKPOINT} but got a torchscript checkpoint")
        return list(unsafe_globals(reader.read("data.pkl").tobytes(), _allowed()))


# -- settings

def get_default_load_endianness() -> LoadEndianness | None:
    """The byte order of files that do not tell theirs; None means this machine's.
    https://pytorch.org/docs/stable/notes/serialization.html#torch.serialization.get_default_load_endianness"""
    return config.load.endianness


def set_default_load_endianness(endianness) -> None:
    """Sets what `get_default_load_endianness` tells.
    https://pytorch.org/docs/stable/notes/serialization.html#torch.serialization.set_default_load_endianness

    Args:
        endianness: a LoadEndianness, or None.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(endianness, LoadEndianness) and endianness is not None:
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    config.load.endianness = endianness


def get_crc32_options() -> bool:
    """Whether `save` writes checksums.
    https://pytorch.org/docs/stable/notes/serialization.html#torch.serialization.get_crc32_options"""
    return config.save.compute_crc32


def set_crc32_options(compute_crc32) -> None:
    """Sets whether `save` writes checksums. `load` reads files without them; programs for zip archives may not.
    https://pytorch.org/docs/stable/notes/serialization.html#torch.serialization.set_crc32_options

    Args:
        compute_crc32: whether it does.
    """
    config.save.compute_crc32 = compute_crc32


def get_default_mmap_options() -> int | None:
    """How `load` maps files: ``mmap.MAP_PRIVATE`` or ``mmap.MAP_SHARED``.
    https://pytorch.org/docs/stable/notes/serialization.html#torch.serialization.get_default_mmap_options"""
    return config.load.mmap_flags


class SourceChangeWarning(Warning):
    """Of models whose classes have changed since they were saved. It is never given: states are saved, not sources.
    https://pytorch.org/docs/stable/notes/serialization.html"""


class set_default_mmap_options:  # noqa: N801 - PyTorch's name
    """Sets how `load` maps files, until a block ends if it is used as a context manager.
    https://pytorch.org/docs/stable/notes/serialization.html#torch.serialization.set_default_mmap_options

    Args:
        flags: ``mmap.MAP_PRIVATE``: what is written to tensors leaves the file alone; or ``mmap.MAP_SHARED``.

    Raises:
        ValueError: other flags.
    """

    def __init__(self, flags):
        if flags not in (mmap_flags.MAP_PRIVATE, mmap_flags.MAP_SHARED):
            raise ValueError("Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or "
                             f"mmap.MAP_SHARED, but got {flags}")
        self.before = config.load.mmap_flags
        config.load.mmap_flags = flags

    def __enter__(self):
        pass

    def __exit__(self, *error):
        config.load.mmap_flags = self.before


def skip_data(materialize_fake_tensors=False):
    """A block in which `save` writes zeros for the values of tensors, and `load` reads none: they are zeros.
    https://pytorch.org/docs/stable/notes/serialization.html#torch.serialization.skip_data

    Args:
        materialize_fake_tensors: for PyTorch's signature.

    Returns:
        a context manager.
    """
    return config.locally("skip_data", True)


# -- save

def save(obj, f, pickle_module=pickle, pickle_protocol=DEFAULT_PROTOCOL, _use_new_zipfile_serialization=True,
         _disable_byteorder_record=False) -> None:
    """Writes an object, with the tensors in it, to a file that PyTorch reads, too. A file that exists is replaced whole
    or not at all. ``_use_new_zipfile_serialization=False`` means the format before PyTorch 1.6.
    https://pytorch.org/docs/stable/generated/torch.save.html

    Args:
        obj: the object.
        f: a path, or a binary file to write to.
        pickle_module: what pickles; its Pickler is made of Python's `pickle`'s.
        pickle_protocol: the protocol of the pickle.

    Raises:
        AttributeError: `f` is neither.
        RuntimeError: tensors of several dtypes on one memory; no such folder.
        UnsupportedError: a `pickle_module` whose Pickler is in C.
    """
    if not isinstance(f, str | os.PathLike) and not hasattr(f, "write"):
        raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
    make = pickler(pickle_module)
    if not _use_new_zipfile_serialization and config.local.skip_data:
        raise RuntimeError("Cannot use skip_data=True with _use_new_zipfile_serialization=False")
    name = "archive"
    if isinstance(f, str | os.PathLike):
        name = os.path.splitext(os.path.basename(os.fsdecode(f)))[0] or name
    written, storages = _pickled(obj, make, pickle_protocol) if _use_new_zipfile_serialization else \
        (_legacy_bytes(obj, make, pickle_protocol), None)
    with archive.replacing(f) if isinstance(f, str | os.PathLike) else contextlib.nullcontext(f) as file:
        if storages is None:
            file.write(written)
        else:
            _write(file, name, written, storages)


def _legacy_bytes(obj, make, protocol) -> bytes:
    """The object in the format before PyTorch 1.6."""
    file = io.BytesIO()
    for part in (legacy.MAGIC_NUMBER, legacy.PROTOCOL_VERSION, legacy.MACHINE):
        pickle.dump(part, file, protocol)
    made = make(file, protocol, (None,))
    made.dump(obj)
    storages = sorted(made.storages.values(), key=lambda saved: str(saved.key))
    pickle.dump([str(saved.key) for saved in storages], file, protocol)
    for saved in storages:
        data = saved.data()
        file.write((len(data) // saved.dtype.itemsize).to_bytes(8, "little") + data)
    return file.getvalue()


def _pickled(obj, make, protocol) -> tuple:
    file = io.BytesIO()
    made = make(file, protocol)
    made.dump(obj)
    return file.getbuffer(), made.storages.values()


def _write(file, name, written, storages) -> None:
    out = archive.Writer(file, name)
    out.add("data.pkl", written)
    out.add(".format_version", b"1")
    out.add(".storage_alignment", str(config.save.storage_alignment).encode())
    out.add("byteorder", sys.byteorder.encode())
    for saved in storages:
        out.add(f"data/{saved.key}", saved.storage.nbytes() if config.local.skip_data else saved.data())
    out.add("version", b"3\n")
    out.close()


# -- load

def check_module_version_greater_or_equal(module, req_version_tuple, error_if_malformed=True) -> bool:
    """Whether the version of a module is at least another one.

    Args:
        module: with a ``__version__``.
        req_version_tuple: numbers, (2, 1).
        error_if_malformed: whether to raise where the version is none, else it warns.

    Returns:
        the answer; True where the version is none.

    Raises:
        RuntimeError: the version is none.
    """
    parts = module.__version__.split(".")
    try:
        return tuple(type(x)(parts[i]) for i, x in enumerate(req_version_tuple)) >= req_version_tuple
    except Exception as error:  # whatever the parts say
        text = (f"'{module.__name__}' module version string is malformed '{module.__version__}' and cannot be compared with "
                f"tuple {req_version_tuple}")
        if error_if_malformed:
            raise RuntimeError(text) from error
    warnings.warn(text + ", but continuing assuming that requirement is met", stacklevel=2)
    return True


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
        mmap: only for paths: the values are read from the file when they are used, see `set_default_mmap_options`. None
            means ``torch.utils.serialization.config.load.mmap``.
        pickle_load_args: for the unpickler, such as `encoding`.

    Returns:
        The object.

    Raises:
        RuntimeError: a broken file, `weights_only` with a `pickle_module`, or `mmap` of the format before PyTorch 1.6.
        ValueError: `mmap` with a file, or an archive whose records say what is none.
        AttributeError: `f` is neither a path nor a seekable file.
        UnpicklingError: something that `weights_only` does not allow, or a broken pickle.
        EOFError: an empty file.
        UnsupportedError: the format before PyTorch 0.1.10; a file from before PyTorch 1.6 to a GPU.
        Exception: without `weights_only` a broken pickle may raise anything, such as ImportError or TypeError, and run code.
    """
    weights_only = _chosen(weights_only, pickle_module)
    if weights_only and pickle_load_args:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
    options = _Options(map_location, pickle_module or pickle, weights_only, pickle_load_args)
    is_path, mapped = isinstance(f, str | os.PathLike), config.load.mmap if mmap is None else mmap
    for method in () if is_path else ("seek", "tell", "read"):
        try:
            getattr(f, method)
        except AttributeError as error:
            raise AttributeError(str(error) + _NOT_SEEKABLE) from None
    with open(f, "rb") if is_path else contextlib.nullcontext(f) as file, config.locally("map_location", map_location):
        if archive.is_archive(file):
            if mapped and not is_path:
                raise ValueError("f must be a file path in order to use the mmap argument")
            return _load(file, options, f if mapped else None)
        if mapped:
            raise RuntimeError(_OLD_MAPPED.format(f"{f}, " if isinstance(f, str) else ""))
        if not file.read(1):
            raise EOFError("Ran out of input")
        file.seek(-1, os.SEEK_CUR)
        return _load_legacy(file, options)


@dataclasses.dataclass
class _Options:
    map_location: Any
    pickle_module: Any
    weights_only: bool
    arguments: dict


def _chosen(weights_only, pickle_module) -> bool:
    """Whether only weights are loaded: what the call says, the environment, or the default."""
    forced, forbidden = (os.getenv(name, "0").lower() in _TRUE for name in _VARIABLES)
    if forced and forbidden:
        raise RuntimeError("Only one of `{}` or `{}` should be set, but both were set.".format(*_VARIABLES))
    if weights_only is None and forbidden:
        warnings.warn(f"Environment variable {_VARIABLES[1]} detected, since the`weights_only` argument was not explicitly "
                      "passed to `torch.load`, forcing weights_only=False.", stacklevel=3)
        return False
    chosen = forced or (pickle_module is None if weights_only is None else weights_only)
    if chosen and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    return chosen


def _load(file, options, path):
    """The object of an archive, whose storages lie in the file itself if there is a `path`."""
    reader = archive.Reader(file)
    if _SCRIPTED in reader.entries:
        if options.weights_only:
            raise RuntimeError(f"{_NOT_ONLY} TorchScript archives passed to ``torch.load``. {_CHANGED}")
        raise UnsupportedError("torch.load of a TorchScript archive")
    whole = None if path is None else UntypedStorage.from_file(
        path, config.load.mmap_flags == mmap_flags.MAP_SHARED, os.path.getsize(path))
    restore = restoring(options.map_location)
    reader.check_format()
    found: dict = {}

    def storage(saved_id):
        kind, key, location, count = storage_id(saved_id, 5, found)
        if key in found:
            return found[key]
        made = restored(kind, location, count, _memory(reader, whole, kind, key, count), restore)
        if backend_of(made.device).has_values:  # without them each tensor has a dtype of its own
            found[key] = made
        return made

    return _unpickled(io.BytesIO(reader.read("data.pkl").tobytes()), storage, options)


def _memory(reader, whole, kind, key, count) -> UntypedStorage:
    """The bytes of a storage of an archive."""
    if config.local.skip_data:
        return UntypedStorage(min(count * kind.dtype.itemsize, reader.place(f"data/{key}")[1]))
    if whole is not None:
        start, size = reader.place(f"data/{key}")
        return UntypedStorage.on_memory(whole._bytes.memory()[start:start + size],
                                        is_alone=config.load.mmap_flags != mmap_flags.MAP_SHARED)
    memory = reader.read(f"data/{key}")
    if reader.byteorder != sys.byteorder and memory.size % kind.dtype.itemsize == 0:
        memory.view(kind.dtype.np).byteswap(inplace=True)
    return UntypedStorage.on_memory(memory, is_alone=True)


def _load_legacy(file, options):
    """The object of a file from before PyTorch 1.6."""
    if _is_tar(file):
        if options.weights_only:
            raise RuntimeError(f"{_NOT_ONLY} files saved in the legacy .tar format. {_CHANGED}")
        raise UnsupportedError("torch.load of a file in the format before PyTorch 0.1.10")
    restore, within = restoring(options.map_location), legacy.Within(file)
    storages = legacy.Storages(file, lambda kind, location, count, memory: restored(kind, location, count, memory, restore))

    def storage(saved_id):
        kind, key, location, count, view = storage_id(saved_id, 6)
        return storages.get(kind, key, location, count, view)

    def plain():
        return _unpickled(within, storage, _Options(None, pickle, True, {}))

    number = plain()
    if not isinstance(number, int) or number != legacy.MAGIC_NUMBER:  # a tensor would compare by itself
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = plain()
    if not isinstance(version, int) or version != legacy.PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {version if isinstance(version, int) else told(version)}")
    plain()  # what machine wrote it
    with config.locally("values_follow", True):
        found = _unpickled(within if options.weights_only else file, storage, options)
    storages.read(plain())
    return found


def _is_tar(file) -> bool:
    at = file.tell()
    begins = file.read(512)[257:262]
    file.seek(at)
    return begins == b"ustar"


def _unpickled(data, storage, options):
    arguments = {"encoding": "utf-8", **options.arguments}
    if not options.weights_only:
        kind = type("Unpickler", (FreeMixin, options.pickle_module.Unpickler), {"storage": staticmethod(storage)})
        return kind(data, **arguments).load()
    allowed = _allowed()
    try:
        return WeightsUnpickler(data, storage, allowed, **arguments).load()
    except Failed as failed:
        raise failed.error from None
    except NotAllowed as error:
        failure = _NOT_ALLOWED.format(error)
    except Blocked as error:
        failure = _BLOCKED.format(error)
    except pickle.UnpicklingError as error:
        failure = _OTHER.format(error)
    except MemoryError as error:
        raise RuntimeError("not enough memory for what the file describes") from error
    except (LookupError, ValueError, EOFError, AssertionError, AttributeError, TypeError, OverflowError, RecursionError,
            struct.error) as error:
        failure = _OTHER.format(f"{type(error).__name__}: {error}")
    raise pickle.UnpicklingError("Weights only load failed. " + failure + _END)
