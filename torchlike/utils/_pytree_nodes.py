"""Which classes are containers of a tree, how each is taken apart and put together, and how its children are called.

`_pytree.py` shows all of it under PyTorch's names.
"""

import collections
import dataclasses
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from torchlike._base.size import Size

Context = PyTree = KeyEntry = DumpableContext = Any  # for annotations
FlattenFn = Callable[[PyTree], tuple[list[Any], Context]]
UnflattenFn = Callable[[Iterable[Any], Context], PyTree]
ToDumpableContextFn = Callable[[Context], DumpableContext]
FromDumpableContextFn = Callable[[DumpableContext], Context]
KeyPath = tuple[KeyEntry, ...]

SUPPORTED_NODES = {}  # class -> NodeDef


class NodeDef(NamedTuple):
    """How a class is taken apart, put together, and how its children are called."""

    flatten_fn: Any
    unflatten_fn: Any
    keys: Any


class SerializeNodeDef(NamedTuple):
    """The name of a class in texts, and what makes its context a text and back."""

    typ: type
    serialized_type_name: str
    to_dumpable_context: Any = None
    from_dumpable_context: Any = None


SERIALIZED: dict = {}  # class -> SerializeNodeDef


class SequenceKey(NamedTuple):
    """``[idx]``."""

    idx: int

    def __str__(self):
        return f"[{self.idx!r}]"

    def get(self, sequence):
        """The child."""
        return sequence[self.idx]


class MappingKey(NamedTuple):
    """``[key]``."""

    key: Any

    def __str__(self):
        return f"[{self.key!r}]"

    def get(self, mapping):
        """The child."""
        return mapping[self.key]


class GetAttrKey(NamedTuple):
    """``.name``."""

    name: str

    def __str__(self):
        return f".{self.name}"

    def get(self, obj):
        """The child."""
        return getattr(obj, self.name)


def register_pytree_node(cls, flatten_fn, unflatten_fn, *, serialized_type_name=None, to_dumpable_context=None,
                         from_dumpable_context=None, flatten_with_keys_fn=None) -> None:
    """``flatten_fn(x)``: (children, context); ``unflatten_fn(children, context)``: x. ValueError if `cls` is known."""
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    def keys(x):
        if flatten_with_keys_fn is None:
            return [SequenceKey(i) for i in range(len(flatten_fn(x)[0]))]
        return [key for key, _ in flatten_with_keys_fn(x)[0]]

    SUPPORTED_NODES[cls] = NodeDef(flatten_fn, unflatten_fn, keys)
    if serialized_type_name is not None:
        SERIALIZED[cls] = SerializeNodeDef(cls, serialized_type_name, to_dumpable_context, from_dumpable_context)


_register_pytree_node = _private_register_pytree_node = register_pytree_node


def _deregister_pytree_node(cls) -> None:
    """Forgets a class."""
    del SUPPORTED_NODES[cls]
    SERIALIZED.pop(cls, None)


def register_dataclass(cls, *, field_names=None, drop_field_names=None, serialized_type_name=None) -> None:
    """A class that is made of its fields: those of a dataclass that its constructor takes, or `field_names`. ValueError
    where these are not the same; `drop_field_names` need not be among them."""
    if not dataclasses.is_dataclass(cls):
        if field_names is None:
            raise ValueError("field_names must be specified with a list of all fields used to "
                             f"initialize {cls}, as it is not a dataclass.")
    elif field_names is None:
        field_names = [field.name for field in dataclasses.fields(cls) if field.init]
    else:
        _check_fields({field.name for field in dataclasses.fields(cls) if field.init} - set(drop_field_names or ()),
                      set(field_names))

    def flatten(x):
        there = [name for name in field_names if getattr(x, name) is not None]
        return [getattr(x, name) for name in there], [there, [name for name in field_names if name not in there]]

    def unflatten(values, context):
        return cls(**dict(zip(context[0], values, strict=True)), **dict.fromkeys(context[1]))

    def with_keys(x):
        values, (names, _) = flatten(x)
        return [(GetAttrKey(name), value) for name, value in zip(names, values, strict=True)], names

    register_pytree_node(cls, flatten, unflatten, serialized_type_name=serialized_type_name, flatten_with_keys_fn=with_keys)


def _check_fields(there, named) -> None:
    if there == named:
        return
    text = "field_names does not include all dataclass fields.\n"
    if there - named:
        text += (f"Missing fields in `field_names`: {there - named}. If you want to include these fields in the pytree, "
                 "please add them to `field_names`, otherwise please add them to `drop_field_names`.\n")
    if named - there:
        text += (f"Unexpected fields in `field_names`: {named - there}. "
                 "Please remove these fields, or add them to `drop_field_names`.\n")
    raise ValueError(text)


@dataclasses.dataclass(frozen=True, slots=True)
class ConstantNode:
    """The context of an object without leaves: the object."""

    value: Any


CONSTANT_NODES: set[type] = set()


def register_constant(cls) -> None:
    """Objects of this class are nodes without leaves. TypeError unless they can be compared and hashed."""
    for name in ("__eq__", "__hash__"):
        if getattr(cls, name) in (None, getattr(object, name) if name == "__eq__" else None):
            raise TypeError(f"register_constant(cls) expects `cls` to have a non-default `{name}` implementation.")
    register_pytree_node(cls, lambda x: ([], ConstantNode(x)), lambda _, context: context.value,
                         flatten_with_keys_fn=lambda x: ([], ConstantNode(x)))
    CONSTANT_NODES.add(cls)


def is_constant_class(cls) -> bool:
    """Whether `register_constant` knows the class."""
    return isinstance(cls, type) and cls in CONSTANT_NODES


def _dict_flatten(d: dict) -> tuple:
    return list(d.values()), list(d)


def _dict_flatten_with_keys(d: dict) -> tuple:
    return [(MappingKey(key), value) for key, value in d.items()], list(d)


def _dict_unflatten(values, context) -> dict:
    return dict(zip(context, values, strict=True))


def _mapping_keys(x):
    return [MappingKey(key) for key in x]


def _sequence_keys(x):
    return [SequenceKey(i) for i in range(len(x))]


def _list_flatten(d: list) -> tuple:
    return d, None


def _list_flatten_with_keys(d: list) -> tuple:
    return [(SequenceKey(i), value) for i, value in enumerate(d)], None


def _list_unflatten(values, context) -> list:
    return list(values)


SUPPORTED_NODES[list] = NodeDef(_list_flatten, _list_unflatten, _sequence_keys)
SUPPORTED_NODES[tuple] = NodeDef(lambda x: (list(x), None), lambda children, _: tuple(children), _sequence_keys)
SUPPORTED_NODES[Size] = NodeDef(lambda x: (list(x), None), lambda children, _: tuple(children), _sequence_keys)
SERIALIZED[Size] = SerializeNodeDef(Size, "torch.Size")
SUPPORTED_NODES[dict] = NodeDef(_dict_flatten, _dict_unflatten, _mapping_keys)
SUPPORTED_NODES[collections.OrderedDict] = NodeDef(
    lambda x: (list(x.values()), list(x)), lambda children, keys: collections.OrderedDict(zip(keys, children, strict=True)),
    _mapping_keys)
SUPPORTED_NODES[collections.defaultdict] = NodeDef(
    lambda x: (list(x.values()), [x.default_factory, list(x)]),
    lambda children, context: collections.defaultdict(context[0], zip(context[1], children, strict=True)), _mapping_keys)
SUPPORTED_NODES[collections.deque] = NodeDef(lambda x: (list(x), x.maxlen),
                                    lambda children, maxlen: collections.deque(children, maxlen=maxlen), _sequence_keys)
_RETURN_TYPES = ("torch.return_types", "torchlike.return_types")  # with and without `install`
_NAMED = NodeDef(lambda x: (list(x), type(x)), lambda children, cls: cls(*children),
               lambda x: [GetAttrKey(name) for name in x._fields])
_RESULTS = NodeDef(lambda x: (list(x), None), None, _sequence_keys)  # of torch.return_types: put together by their classes
_DICTIONARIES = {dict, collections.OrderedDict, collections.defaultdict}  # a spec of one fits the others


def is_namedtuple_class(cls) -> bool:
    """Whether `cls` comes from `collections.namedtuple` or `typing.NamedTuple`."""
    named = isinstance(cls, type) and issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)
    return named and not is_structseq_class(cls)


def is_structseq_class(cls) -> bool:
    """Whether `cls` is of `torch.return_types`, or such as `time.struct_time`."""
    return isinstance(cls, type) and issubclass(cls, tuple) and (
        cls.__module__ in _RETURN_TYPES or isinstance(getattr(cls, "n_sequence_fields", None), int))


def is_structseq_instance(x) -> bool:
    """Whether `x` is of such a class."""
    return is_structseq_class(type(x))


def is_structseq(x) -> bool:
    """Whether `x` is such a class, or of one."""
    return is_structseq_class(x if isinstance(x, type) else type(x))


def is_namedtuple_instance(x) -> bool:
    """Whether `x` is a named tuple."""
    return is_namedtuple_class(type(x))


is_namedtuple = is_namedtuple_instance


def _node_of(x):
    """(type as a spec names it, NodeDef), or (None, None) for a leaf."""
    found = SUPPORTED_NODES.get(type(x))
    if found is not None:
        return type(x), found
    if type(x).__module__ in _RETURN_TYPES and is_structseq_instance(x):
        return type(x), _RESULTS
    return (collections.namedtuple, _NAMED) if is_namedtuple_instance(x) else (None, None)


def _register_namedtuple(cls, *, serialized_type_name) -> None:
    """Gives a class of named tuples its name in texts; they are containers anyway."""
    SERIALIZED[cls] = SerializeNodeDef(cls, serialized_type_name)
