"""`torch.ops`: operators under the names of PyTorch's dispatcher, ``torch.ops.aten.mm.default``.

They can be called, and they name operators: in the policies of selective checkpoints, say. Of other libraries than ``aten``,
those can be called that `torch.library` has registered; PyTorch's own are only named.
"""

import functools
import pathlib
from collections.abc import Callable, Mapping
from types import MappingProxyType

from torchlike import _ops as _table
from torchlike._api.families import own_names as _own_names
from torchlike._api.generated import nn_names as _nn_names
from torchlike._api.generated import ops as _row_forms
from torchlike._api.generated import space_names as _space_names
from torchlike._api.generated import torch_names as _torch_names
from torchlike._api.generated.methods import TensorMethods as _TensorMethods
from torchlike._base import unknown_names
from torchlike._base.errors import UnsupportedError
from torchlike._modes import torch_dispatch as _torch_dispatch
from torchlike._ops import dispatcher_names as _overloads
from torchlike._ops.all import ROWS as _ROWS
from torchlike._ops.function_schema import FunctionSchema as _FunctionSchema
from torchlike._record.tensor import Tensor


def _of_lists(form):
    """A row's form that takes lists of numbers, as PyTorch's dispatcher passes them, where it has tuples."""
    def call(*args, **kwargs):
        return form(*map(_hashable, args), **{name: _hashable(value) for name, value in kwargs.items()})

    return call


def _hashable(x):
    return tuple(x) if isinstance(x, list) and not any(isinstance(y, Tensor) for y in x) else x


class OpOverload:
    """One overload of an operator: ``torch.ops.aten.add.Tensor``. There is one object for each.

    A call is one of the operator; UnsupportedError where only the recorder has it.

    Args:
        packet: the `OpOverloadPacket`.
        overload: the name after the dot.
        row: the row of the table, None for what has none of its own.
        in_place: whether it is the row's in-place form.
    """

    __module__ = "torch._ops"
    dispatch_rules: Mapping = MappingProxyType({})  # those of `torch.library.register_torch_dispatch`

    def __init__(self, packet, overload, row=None, in_place=False):
        self._overloadpacket, self._overloadname, self._row, self._in_place = packet, overload, row, in_place
        self.__name__ = f"{packet.__name__}.{overload}"
        self.namespace = packet._qualified_op_name.partition("::")[0]

    def __call__(self, /, *args, **kwargs):
        if self._face is None:
            raise UnsupportedError(f"calling torch.ops.{self}")
        return self._face(*args, **kwargs)

    @functools.cached_property
    def _face(self):
        row, public = self._row, self._overloadpacket._face
        if row is None or (public is not None and (
                (row.is_private and len(row.schema.returns) == 1) or (self._in_place and row.view is not None))):
            return public
        form = getattr(_row_forms, row.name.replace(".", "_") + "_" * self._in_place, None)
        return public if form is None else _of_lists(form)

    @functools.cached_property
    def _schema(self):
        if self._row is None:
            raise UnsupportedError(f"the schema of torch.ops.{self}")
        return _FunctionSchema(self._row, self._overloadpacket.__name__, self._overloadname, self._in_place)

    def __deepcopy__(self, memo):
        return self

    def __str__(self):
        return f"{self._overloadpacket}.{self._overloadname}"

    def __repr__(self):
        return f"<OpOverload(op='{self._overloadpacket}', overload='{self._overloadname}')>"

    @property
    def overloadpacket(self):
        """The operator that this is an overload of."""
        return self._overloadpacket

    @property
    def writes_to_first(self) -> bool:
        """Whether it is an operator in place."""
        name = self._overloadpacket.__name__
        return name.endswith("_") and not name.endswith("__")

    def name(self) -> str:
        """The full name, ``aten::add.Tensor``."""
        end = "" if self._overloadname == "default" else f".{self._overloadname}"
        return f"{self._overloadpacket._qualified_op_name}{end}"


class OpOverloadPacket:
    """An operator with all its overloads: ``torch.ops.aten.add``. A call is one of the public function.

    Args:
        name: that of the operator.
        overloads: name of the overload -> (row or None, whether it is the row in place).
        namespace: that of the library.
    """

    __module__ = "torch._ops"

    def __init__(self, name, overloads, namespace="aten"):
        self.__name__, self._qualified_op_name = name, f"{namespace}::{name}"
        self._overloads = {o: OpOverload(self, o, row, in_place) for o, (row, in_place) in overloads.items()}

    def __call__(self, /, *args, **kwargs):
        face = self._face
        return next(iter(self._overloads.values()))(*args, **kwargs) if face is None else face(*args, **kwargs)

    @property
    def _face(self):
        """The public function; None where there is none."""
        return _face_of(self.__name__) if self._qualified_op_name.startswith("aten::") else None

    def __getattr__(self, name):
        overloads = self.__dict__.get("_overloads", {})
        if name not in overloads and "_qualified_op_name" in self.__dict__:
            _complete()
        found = overloads.get(name)
        if found is None:
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{name}'")
        return found

    def __deepcopy__(self, memo):
        return self

    def __str__(self):
        return self._qualified_op_name.replace("::", ".")

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self}')>"

    def overloads(self) -> list:
        """The names of the overloads that torchlike has."""
        return list(self._overloads)

    def __dir__(self):
        return [*super().__dir__(), *self._overloads]


class _OpNamespace:
    """``torch.ops.aten``, or another library."""

    def __init__(self, name, packets):
        self.name, self._packets, self._made = name, packets, {}

    def __getattr__(self, name):
        if "_made" not in self.__dict__:  # a copy that is being made
            raise AttributeError(name)
        if name in ("__origin__", "__self__"):  # the typing and inspect modules ask for them
            raise AttributeError(f"Invalid attribute '{name}' for '_OpNamespace' '{self.name}'")
        found = self._made.get(name)
        if found is None:
            if name not in self._packets:
                _complete()
            if name not in self._packets:
                error = AttributeError(f"'_OpNamespace' '{self.name}' object has no attribute '{name}'")
                raise unknown_names.hinted(error, name, self._packets)
            found = self._made[name] = OpOverloadPacket(name, self._packets[name], self.name)
        return found

    def __dir__(self):
        return list(self._packets)


_NAMES = pathlib.Path(__file__).parent / "_api" / "generated" / "dispatcher_names.txt"
_UNDER_OTHER_NAMES = {  # operators that a method calls
    "_local_scalar_dense": "item", "lift_fresh": "contiguous", "lift_fresh_copy": "clone"}


def _face_of(name):
    name = _UNDER_OTHER_NAMES.get(name, name)
    for names in (_torch_names, _space_names, Tensor, _nn_names):
        if name in vars(names):
            return vars(names)[name]
    return None


def _all_packets() -> dict:
    found = _overloads.packets(_ROWS)
    in_place = [name for name in _own_names(_TensorMethods) if name.endswith("_") and not name.startswith("_")]
    for name in (*_torch_names.__all__, *_space_names.__all__, *_nn_names.__all__, *in_place):
        found.setdefault(name, {}).setdefault("default", (None, False))
    return found


@functools.cache
def _complete() -> None:
    """Add what only PyTorch's dispatcher has: names that programs and packages have handlers for. A call is one of the
    public function, and refused where there is none."""
    for line in _NAMES.read_text().splitlines():
        full, *overloads = line.split()
        library, _, name = full.partition("::")
        space = __getattr__(library)
        known, made = space._packets.setdefault(name, {}), space._made.get(name)
        for overload in overloads:
            known.setdefault(overload, (None, False))
            if made is not None:
                made._overloads.setdefault(overload, OpOverload(made, overload))


aten = _OpNamespace("aten", _all_packets())
_namespaces = {"aten": aten}
loaded_libraries: set = set()  # paths
libraries: dict[str, Callable] = {}  # "package/folder/library" -> what registers its operators, in Python


def by_name(name: str) -> OpOverload:
    """The overload of a name, also of one that only the recorder knows.

    Args:
        name: "add.Tensor", or "mm.default".

    Returns:
        The one `OpOverload` of this name.
    """
    packet, _, overload = name.partition(".")
    if packet not in aten._packets:
        aten._packets[packet] = {}
    found = getattr(aten, packet)
    if overload not in found._overloads:
        found._overloads[overload] = OpOverload(found, overload)
    return found._overloads[overload]


_torch_dispatch.supplied.supply(by_name)
vars(_table).update(OpOverload=OpOverload, OpOverloadPacket=OpOverloadPacket)  # PyTorch's home of them is `torch._ops`


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.ops' has no attribute '{name}'")
    return _namespaces.setdefault(name, _OpNamespace(name, {}))


def register(operator) -> OpOverload:
    """Makes an operator of a library ``torch.ops.<namespace>.<name>.<overload>``.

    Args:
        operator: a `torchlike._library.operator.Operator`.

    Returns:
        The overload, which calls it.

    Raises:
        RuntimeError: there is one of this name.
    """
    space = __getattr__(operator.namespace)
    space._packets.setdefault(operator.name, {})
    packet = getattr(space, operator.name)
    if operator.overload in packet._overloads:
        raise RuntimeError(f"Tried to register an operator ({operator.text}) with the same name and overload name multiple "
                           "times. Each overload's schema should only be registered with a single call to def().")
    made = packet._overloads[operator.overload] = OpOverload(packet, operator.overload)
    made._face = operator
    made._schema, made.dispatch_rules, operator.face = operator.text, operator.dispatch_rules, made
    return made


def load_library(path) -> None:
    """Registers the operators of a package whose C++ torchlike has in Python; C++ itself is not loaded.

    Args:
        path: of the package's shared library.

    Raises:
        OSError: as where the file cannot be loaded: torchlike does not have its operators.
    """
    if path in loaded_libraries:
        return
    place = pathlib.PurePath(path)
    parts = (*place.parts[:-1], place.name.partition(".")[0])
    register_all = libraries.get("/".join(parts[-2:])) or libraries.get("/".join(parts[-3:]))
    if register_all is None:
        raise OSError(f"Could not load this library: {path}: torchlike cannot call operators in C++")
    register_all()
    loaded_libraries.add(path)
