"""Pickles as PyTorch writes them: tensors by their storages, classes and functions under PyTorch's names."""

import pickle
import types
import warnings
from collections import OrderedDict
from typing import ClassVar

from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError
from torchlike._base.settings import layout as Layout
from torchlike._base.settings import sparse_coo, strided
from torchlike._base.size import Size
from torchlike._compile.backends.registry import backend_of
from torchlike._record.parameter import Parameter
from torchlike._record.tensor import Tensor
from torchlike._serialization.pickled_names import STORAGE_OF, Named, path_of
from torchlike._serialization.storage import Saved, storage_and_layout

_HOOK = ("backward hook {!r} on tensor will not be serialized.  If this is expected, you can decorate the function with "
         "@torch.utils.hooks.unserializable_hook to suppress this warning")
_UTILS = "torch._utils"
_V2, _V3 = Named(_UTILS, "_rebuild_tensor_v2"), Named(_UTILS, "_rebuild_tensor_v3")
_SPARSE, _LAYOUT = Named(_UTILS, "_rebuild_sparse_tensor"), Named("torch.serialization", "_get_layout")
_PARAMETER = Named(_UTILS, "_rebuild_parameter")
_PARAMETER_WITH_STATE = Named(_UTILS, "_rebuild_parameter_with_state")
_FROM_TYPE = Named("torch._tensor", "_rebuild_from_type_v2")
_TENSOR, _UNTYPED = Named("torch", "Tensor"), Named("torch.storage", "UntypedStorage")


class Pickler(pickle._Pickler):  # type: ignore[name-defined]
    """Pickles to a file. `storages` are those of the pickled tensors, in order; `more` is what stands behind the number of
    elements of each."""

    def __init__(self, file, protocol, more=()):
        super().__init__(file, protocol)
        self.more = more
        self.storages: dict = {}  # id of a Storage -> Saved
        self._types: dict = {}  # name -> Named, so that each is written once

    def persistent_id(self, obj):
        """What PyTorch writes for a storage."""
        if not isinstance(obj, _Reference):
            return None
        return "storage", obj.kind, str(obj.saved.key), obj.saved.location, obj.count, *self.more

    def reducer_override(self, obj):
        """How to make torchlike's own objects again."""
        if isinstance(obj, Tensor):
            return self._tensor(obj)
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
            raise AttributeError(f"Can't pickle local object '{path}'")
        if module is None or not module.startswith("torch"):
            super().save_global(obj, name)
        else:
            self._global(obj, module, path)

    dispatch: ClassVar[dict] = {**pickle._Pickler.dispatch, types.FunctionType: save_global}  # type: ignore[attr-defined]

    def _global(self, obj, module, name):
        self.write(pickle.GLOBAL + f"{module}\n{name}\n".encode())
        self.memoize(obj)

    def _tensor(self, x):
        if not backend_of(x._cell.aval.device).has_values:
            raise UnsupportedError("torch.save of a tensor on the meta device")
        is_parameter = isinstance(x, Parameter)
        made = self._plain(x, x.requires_grad and not is_parameter)
        state = dict(x.__dict__)
        if is_parameter:
            args = (_Made(made), x.requires_grad, OrderedDict())
            return (_PARAMETER_WITH_STATE, (*args, state)) if state else (_PARAMETER, args)
        for hook in (x._hooks or {}).values():
            warnings.warn(_HOOK.format(hook), stacklevel=4)
        if state or type(x) is not Tensor:
            return _FROM_TYPE, (made[0], _TENSOR if type(x) is Tensor else type(x), made[1], state)
        return made

    def _plain(self, x, requires_grad):
        cell = x._cell
        if cell.layout is not strided:
            more = (cell.coalesced,) if cell.layout is sparse_coo else ()
            return _SPARSE, (cell.layout, (*cell.indices, cell.values, cell.aval.shape, *more))
        storage, offset, size, strides = storage_and_layout(x)
        saved = self.storages.get(id(storage))
        if saved is None:
            saved = self.storages[id(storage)] = Saved(storage, len(self.storages))
        dtype = storage.aval.dtype
        name = STORAGE_OF.get(dtype)
        count = storage.aval.numel
        if name is None:
            reference = _Reference(_UNTYPED, saved, count * dtype.itemsize)
            return _V3, (reference, offset, size, strides, requires_grad, OrderedDict(), dtype)
        kind = self._types.setdefault(name, Named("torch", name))
        return _V2, (_Reference(kind, saved, count), offset, size, strides, requires_grad, OrderedDict())


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

