"""Reading PyTorch's pickles: freely, or only what weights are made of."""

import collections
import io
import os
import pickle
import pickletools
from typing import Any, ClassVar

from torchlike._api.legacy import CPU_TYPES, CUDA_TYPES
from torchlike._api.sparse.legacy import TYPES as SPARSE_TYPES
from torchlike._api.typed_storages import TypedStorage
from torchlike._api.untyped_storage import UntypedStorage
from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.size import Size
from torchlike._record.parameter import Parameter
from torchlike._record.tensor import Tensor
from torchlike._serialization import pickled_names
from torchlike._serialization.pickled_names import as_text, told
from torchlike._serialization.storage import REBUILDS, StorageType

# What PyTorch looks through for names, and calls a checkpoint.
_NAMES = (
    "GLOBAL", "NEWOBJ", "REDUCE", "BUILD", "APPEND", "APPENDS", "SETITEM", "SETITEMS", "MARK", "TUPLE", "TUPLE1", "TUPLE2",
    "TUPLE3", "NONE", "NEWFALSE", "NEWTRUE", "EMPTY_TUPLE", "EMPTY_LIST", "EMPTY_DICT", "EMPTY_SET", "BINPERSID", "BININT",
    "BININT1", "BININT2", "BINFLOAT", "BINGET", "LONG_BINGET", "BINPUT", "LONG_BINPUT", "BINUNICODE", "SHORT_BINSTRING",
    "LONG1", "PROTO")
_OPCODES = {opcode.code: opcode for opcode in pickletools.opcodes if opcode.name in _NAMES}
_LENGTHS = {pickletools.TAKEN_FROM_ARGUMENT1: 1, pickletools.TAKEN_FROM_ARGUMENT4U: 4}  # bytes that say how many follow
_ENCODINGS = ("latin1", "latin-1", "iso-8859-1", "utf-8", "utf8", "ascii")
BLOCKED = ("sys", "os", "posix", "nt")
_NOT_ALLOWED = (
    "Unsupported global: GLOBAL {0} was not an allowed global by default. Please use "
    "`torch.serialization.add_safe_globals([{0}])` or the `torch.serialization.safe_globals([{0}])` context manager to "
    "allowlist this global if you trust this class/function.")


class NotAllowed(pickle.UnpicklingError):
    """A class or function that is not trusted, but may be."""


class Failed(Exception):
    """`error` is what a `map_location` raised, or the device that it names."""

    def __init__(self, error):
        super().__init__(error)
        self.error = error


class Blocked(pickle.UnpicklingError):
    """A class or function of a module that is never trusted."""


def _bytes(data=b"", *encoding):
    """``bytearray`` of bytes or of a text. A number would allocate memory of that size, so it is refused."""
    if hasattr(data, "__index__"):
        raise pickle.UnpicklingError("bytearray of a size")
    return bytearray(_encode(data, *encoding)) if isinstance(data, str) and encoding else bytearray(data, *encoding)


def _encode(text, encoding="latin1", *errors):
    """``_codecs.encode`` of a text to bytes. Other encodings are not looked up: that imports modules."""
    if not isinstance(text, str):
        raise pickle.UnpicklingError(f"encode of {type(text).__name__}")
    if encoding not in _ENCODINGS:
        raise pickle.UnpicklingError(f"encode by {told(encoding)}")
    return text.encode(encoding, *errors)


_BUILTINS = {"bytearray": _bytes, "set": set, "complex": complex}
_SAFE = {
    "collections.OrderedDict": collections.OrderedDict, "collections.Counter": collections.Counter,
    "torch.nn.parameter.Parameter": Parameter, "torch.Size": Size, "torch.device": dev.device,
    "_codecs.encode": _encode, "torch.serialization._get_layout": pickled_names.layout,
    **_BUILTINS,
    **{f"torch.{name}": value for name, value in {**dt.BY_NAME, **dt.ALIASES}.items()},
    **{f"torch.{value.name}": value for value in dt.NAMES_ONLY},
    **REBUILDS,
    **{f"torch.{name}": StorageType(name) for name in pickled_names.STORAGES},
}
# These would allocate any size, so a pickle may name them, but not call them.
_NAMED = {
    "torch.Tensor": Tensor,
    "torch.storage.UntypedStorage": UntypedStorage,
    "torch.storage.TypedStorage": TypedStorage,
    **{f"{kind.__module__}.{name}": kind for kinds in (CPU_TYPES, CUDA_TYPES, SPARSE_TYPES) for name, kind in kinds.items()},
}
_DICTS = dict, collections.OrderedDict, collections.Counter
_OF_DICTS = "dict, collections.OrderedDict, collections.Counter"
_CALLED = {id(value) for value in _SAFE.values() if callable(value)}
_SAFE |= _NAMED


def path_of_global(module, name) -> str:
    """The name of a global of a pickle among those that may be loaded."""
    return name if module in ("builtins", "__builtin__") else f"{module}.{name}"


def unsafe_globals(data, allowed) -> set[str]:
    """The globals ``module.name`` in a pickle that neither `allowed` nor this module knows. UnpicklingError for what no
    checkpoint has, EOFError for one that does not end."""
    file, found = io.BytesIO(data), set()
    while (code := file.read(1).decode("latin1")) != pickle.STOP.decode():
        opcode = _OPCODES.get(code)
        if not code:
            raise EOFError("Ran out of input")
        if opcode is None:
            raise pickle.UnpicklingError(f"Unsupported operand {ord(code)}")
        if opcode.name == "GLOBAL":
            found.add(tuple(file.readline()[:-1].decode("utf-8") for _ in range(2)))
        elif opcode.arg is not None:
            length = _LENGTHS.get(opcode.arg.n)
            file.seek(opcode.arg.n if length is None else int.from_bytes(file.read(length), "little"), os.SEEK_CUR)
    found = {("builtins" if module == "__builtin__" else module, name) for module, name in found}
    return {".".join(pair) for pair in found if path_of_global(*pair) not in _SAFE and ".".join(pair) not in allowed}


class FreeMixin:
    """Finds PyTorch's names in torchlike; mixed into the Unpickler of a pickle module."""

    storage: Any  # what gives the memory for a persistent id

    def find_class(self, module, name):
        """What the pickle calls ``module.name``; classes of storages are known by their names, as in PyTorch."""
        if name in pickled_names.STORAGES:
            return _SAFE[f"torch.{name}"]
        if module.split(".")[0] != pickled_names.THEIRS:
            return super().find_class(module, name)
        known = _SAFE.get(f"{module}.{name}")
        return pickled_names.resolve(module, name) if known is None or isinstance(known, StorageType) else known

    def persistent_load(self, saved_id):
        """The memory of a storage; in an old file also a module, whose source follows."""
        if isinstance(saved_id, tuple) and saved_id and as_text(saved_id[0]) == "module":
            return saved_id[1]
        return self.storage(saved_id)


class WeightsUnpickler(pickle._Unpickler):  # type: ignore[name-defined]
    """Reads tensors, numbers, texts and containers, and calls nothing else; the error for anything else says what it was.
    `allowed` is a dict from "module.name" to classes and functions that the user trusts.
    """

    dispatch: ClassVar[dict] = dict(pickle._Unpickler.dispatch)  # type: ignore[attr-defined]

    def __init__(self, file, storage, allowed, **options):
        super().__init__(file, **options)
        self.storage, self.allowed = storage, allowed
        self.trusted = {id(value) for value in allowed.values()}

    def find_class(self, module, name):
        """The object that the pickle calls ``module.name``."""
        path = path_of_global(module, name)
        if path in _SAFE:
            return _SAFE[path]
        if path in self.allowed:
            return self.allowed[path]
        if module.split(".")[0] in BLOCKED:
            raise Blocked(f"Trying to load unsupported GLOBAL {path} whose module {module} is blocked.")
        raise NotAllowed(_NOT_ALLOWED.format(path))

    def persistent_load(self, saved_id):
        if not isinstance(saved_id, tuple) or not saved_id or as_text(saved_id[0]) != "storage":
            raise pickle.UnpicklingError(f"Only persistent_load of storage is allowed, but got {told(saved_id)}")
        try:
            return self.storage(saved_id)
        except pickle.UnpicklingError:
            raise
        except Exception as error:  # noqa: BLE001 - of the caller's own function
            raise Failed(error) from None

    def _check_called(self, function):
        if id(function) not in _CALLED and id(function) not in self.trusted:
            raise pickle.UnpicklingError(f"Trying to call reduce for unrecognized function {told(function)}")

    def load_reduce(self):
        self._check_called(self.stack[-2])
        super().load_reduce()

    def load_newobj(self):
        self._check_called(self.stack[-2])
        super().load_newobj()

    def load_append(self):
        self._check_target(self.stack[-2], (list,), "append to lists")
        super().load_append()

    def load_appends(self):
        self._check_target(self.metastack[-1][-1], (list,), "extend lists")
        super().load_appends()

    def load_setitem(self):
        self._check_target(self.stack[-3], _DICTS, f"SETITEM for {_OF_DICTS}")
        super().load_setitem()

    def load_setitems(self):
        self._check_target(self.metastack[-1][-1], _DICTS, f"SETITEMS for {_OF_DICTS}")
        super().load_setitems()

    def _check_target(self, target, kinds, what):
        if type(target) not in kinds:
            raise pickle.UnpicklingError(f"Can only {what}, but got {type(target)}")

    def load_bytearray8(self):
        """As in `pickle`, but nothing is allocated for bytes that are not there."""
        size = int.from_bytes(self.read(8), "little")
        data = self.read(size)
        if len(data) != size:
            raise EOFError("Ran out of input")
        self.append(bytearray(data))

    def load_build(self):
        made = self.stack[-2]
        if type(made) is collections.OrderedDict:
            made.__dict__.update(self.stack.pop())
        elif id(type(made)) in self.trusted:
            super().load_build()
        else:
            raise pickle.UnpicklingError("Can only build Tensor, Parameter, OrderedDict objects, or types allowlisted via "
                                         f"`add_safe_globals`, but got {type(made)}")

    def refuse(self):
        raise pickle.UnpicklingError("Unsupported operand of a pickle")

    dispatch.update({pickle.REDUCE[0]: load_reduce, pickle.NEWOBJ[0]: load_newobj, pickle.BUILD[0]: load_build,
                     pickle.BYTEARRAY8[0]: load_bytearray8, pickle.APPEND[0]: load_append, pickle.APPENDS[0]: load_appends,
                     pickle.SETITEM[0]: load_setitem, pickle.SETITEMS[0]: load_setitems})
    dispatch.update(dict.fromkeys((code[0] for code in (
        pickle.INST, pickle.OBJ, pickle.NEWOBJ_EX, pickle.EXT1, pickle.EXT2, pickle.EXT4, pickle.NEXT_BUFFER,
        pickle.READONLY_BUFFER, pickle.PERSID)), refuse))
