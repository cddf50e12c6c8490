"""Pickles as PyTorch writes them: tensors by their storages, classes and functions under PyTorch's names."""

import pickle
import types
import warnings
from collections import OrderedDict
from typing import ClassVar

from torchlike._api.typed_storages import TypedStorage
from torchlike._api.untyped_storage import UntypedStorage
from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError
from torchlike._base.settings import layout as Layout
from torchlike._base.settings import sparse_coo, strided
from torchlike._base.size import Size
from torchlike._compile.backends.registry import backend_of
from torchlike._modes.torch_dispatch import is_wrapper
from torchlike._record.parameter import Parameter
from torchlike._record.tensor import Tensor
from torchlike._serialization import config
from torchlike._serialization.pickled_names import STORAGE_OF, Named, path_of
from torchlike._serialization.storage import Saved

_HOOK = ("backward hook {!r} on tensor will not be serialized.  If this is expected, you can decorate the function with "
         "@torch.utils.hooks.unserializable_hook to suppress this warning")
_UTILS = "torch._utils"
_TYPES = "Cannot save multiple tensors or storages that view the same data as different types"
_NO_OPERATION = "Serializing tensors on the meta device under skip_data context manager is a no-op"
_V2, _V3 = Named(_UTILS, "_rebuild_tensor_v2"), Named(_UTILS, "_rebuild_tensor_v3")
_SPARSE, _LAYOUT = Named(_UTILS, "_rebuild_sparse_tensor"), Named("torch.serialization", "_get_layout")
_PARAMETER = Named(_UTILS, "_rebuild_parameter")
_PARAMETER_WITH_STATE = Named(_UTILS, "_rebuild_parameter_with_state")
_META, _WRAPPER = Named(_UTILS, "_rebuild_meta_tensor_no_storage"), Named(_UTILS, "_rebuild_wrapper_subclass")
_FROM_TYPE = Named("torch._tensor", "_rebuild_from_type_v2")
_TENSOR, _UNTYPED = Named("torch", "Tensor"), Named("torch.storage", "UntypedStorage")


class PicklerMixin:
    """Pickles to a file; mixed into the Pickler of a pickle module. `storages` are those of the pickled tensors, in order;
    `more` is what stands behind the number of elements of each."""

    def __init__(self, file, protocol, more=()):
        super().__init__(file, protocol=protocol)  # pyrefly: ignore[bad-argument-count, unexpected-keyword]
        self.more = more
        self.storages: dict = {}  # id of a Storage -> Saved
        self._types: dict = {}  # name -> Named, so that each is written once

    def persistent_id(self, obj):
        """What PyTorch writes for a storage."""
        if isinstance(obj, _Reference):
            kind, saved, count = obj.kind, obj.saved, obj.count
        elif isinstance(obj, TypedStorage):
            kind, saved, count = self._kind(obj.dtype), self._saved(obj._untyped_storage, obj.dtype), obj._size()
        elif isinstance(obj, UntypedStorage):
            kind, saved, count = _UNTYPED, self._saved(obj, dt.uint8), obj.nbytes()
        else:
            return None
        return "storage", kind, str(saved.key), saved.location, count, *self.more

    def _kind(self, dtype):
        """The storage class of a dtype."""
        name = STORAGE_OF[dtype]
        return self._types.setdefault(name, Named("torch", name))

    def _saved(self, storage, dtype):
        found = self.storages.get(storage._cdata)
        if found is None:
            found = self.storages[storage._cdata] = Saved(storage, dtype, len(self.storages))
        elif found.dtype is not dtype and storage.nbytes() and backend_of(storage.device).has_values:
            raise RuntimeError(_TYPES)
        return found

    def reducer_override(self, obj):
        """How to make torchlike's own objects again."""
        if isinstance(obj, Tensor):
            return self._tensor(obj) if type(obj).__reduce_ex__ is Tensor.__reduce_ex__ else NotImplemented
        if isinstance(obj, dt.dtype):
            return obj.name
        if isinstance(obj, dev.device):
            return dev.device, (obj.type,) if obj.index is None else (obj.type, obj.index)
        if isinstance(obj, Layout):
            return _LAYOUT, (repr(obj),)
        if isinstance(obj, Size):
            return Size, (tuple(obj),)
        return NotImplemented

    def save(self, obj, save_persistent_id=True):
        """As in `pickle`, but PyTorch's own functions go by their names."""
        if not isinstance(obj, Named):
            super().save(obj, save_persistent_id)
        elif id(obj) in self.memo:
            self.write(self.get(self.memo[id(obj)][0]))
        else:
            self._global(obj, obj.module, obj.name)

    def save_global(self, obj, name=None):
        """A class or function."""
        module, path = path_of(obj, name)
        if "<locals>" in path:
            pickle.dumps(obj)  # raises as PyTorch does, whose pickler is C's: its texts are others, and change with Python
        if module is None or not module.startswith("torch"):
            super().save_global(obj, name)
        else:
            self._global(obj, module, path)

    def _global(self, obj, module, name):
        self.write(pickle.GLOBAL + f"{module}\n{name}\n".encode())
        self.memoize(obj)

    def _tensor(self, x):
        is_parameter = isinstance(x, Parameter)
        state = dict(x.__dict__)
        if is_wrapper(x) and x._cell.inner is None:
            form = (type(x), x.dtype, tuple(x.size()), x.stride(), x.storage_offset(), x.layout, x.device, x.requires_grad)
            return _FROM_TYPE, (_WRAPPER, type(x), form, state)
        made = self._plain(x, x.requires_grad and not is_parameter)
        if is_parameter:
            args = (_Made(made), x.requires_grad, OrderedDict())
            return (_PARAMETER_WITH_STATE, (*args, state)) if state else (_PARAMETER, args)
        for hook in (x._hooks or {}).values():
            warnings.warn(_HOOK.format(hook), stacklevel=4)
        if state or type(x) is not Tensor:
            return _FROM_TYPE, (made[0], _TENSOR if type(x) is Tensor else type(x), made[1], state)
        return made

    def _plain(self, x, requires_grad):
        cell = x._cell.inner._cell if is_wrapper(x) else x._cell
        if cell.layout is not strided:
            more = (cell.coalesced,) if cell.layout is sparse_coo else ()
            return _SPARSE, (cell.layout, (*cell.indices, cell.values, cell.aval.shape, *more))
        aval = cell.aval
        form = aval.offset, tuple(aval.shape), aval.strides
        if not backend_of(aval.device).has_values:
            if config.local.skip_data:
                warnings.warn(_NO_OPERATION, stacklevel=4)
            return _META, (aval.dtype, *form[1:], requires_grad)
        bits = {name: True for name, has in (("conj", x.is_conj()), ("neg", x.is_neg())) if has}
        more = (bits,) if bits else ()
        storage = x.untyped_storage()
        if aval.dtype not in STORAGE_OF:
            reference = _Reference(_UNTYPED, self._saved(storage, dt.uint8), storage.nbytes())
            return _V3, (reference, *form, requires_grad, OrderedDict(), aval.dtype, *more)
        reference = _Reference(self._kind(aval.dtype), self._saved(storage, aval.dtype),
                               storage.nbytes() // aval.dtype.itemsize)
        return _V2, (reference, *form, requires_grad, OrderedDict(), *more)


class Pickler(PicklerMixin, pickle._Pickler):  # type: ignore[name-defined]
    """That of Python's `pickle`."""

    dispatch: ClassVar[dict] = {**pickle._Pickler.dispatch,  # type: ignore[attr-defined]
                                types.FunctionType: PicklerMixin.save_global}


def pickler(module):
    """The class of picklers of a pickle module. UnsupportedError for one whose Pickler is not `pickle`'s in Python."""
    if module is pickle or getattr(module, "Pickler", None) is pickle.Pickler:
        return Pickler
    if not (isinstance(module.Pickler, type) and issubclass(module.Pickler, pickle._Pickler)):  # type: ignore[attr-defined]
        raise UnsupportedError(f"torch.save(pickle_module=...) of a Pickler in C: {module.__name__}")
    return type("Pickler", (PicklerMixin, module.Pickler), {"dispatch": dict(module.Pickler.dispatch)})


class _Reference:
    """A tensor's storage."""

    def __init__(self, kind, saved, count):
        self.kind, self.saved, self.count = kind, saved, count


class _Made:
    """The result of a call, as an argument of another."""

    def __init__(self, reduced):
        self.reduced = reduced

    def __reduce__(self):
        return self.reduced

