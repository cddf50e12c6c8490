"""`torch.utils._pytree`, which packages use though it is private: trees of containers.

Dictionaries keep their order and None is a leaf, unlike in `jax.tree_util`. `_pytree_nodes.py` knows the containers.
"""

import collections
import dataclasses
import importlib
import json
from typing import Any

from torchlike.utils._pytree_nodes import _DICTIONARIES as _DICTIONARIES
from torchlike.utils._pytree_nodes import _NAMED as _NAMED
from torchlike.utils._pytree_nodes import _RESULTS as _RESULTS
from torchlike.utils._pytree_nodes import _RETURN_TYPES as _RETURN_TYPES
from torchlike.utils._pytree_nodes import CONSTANT_NODES as CONSTANT_NODES
from torchlike.utils._pytree_nodes import SERIALIZED as SERIALIZED
from torchlike.utils._pytree_nodes import SUPPORTED_NODES as SUPPORTED_NODES
from torchlike.utils._pytree_nodes import ConstantNode as ConstantNode
from torchlike.utils._pytree_nodes import Context as Context
from torchlike.utils._pytree_nodes import DumpableContext as DumpableContext
from torchlike.utils._pytree_nodes import FlattenFn as FlattenFn
from torchlike.utils._pytree_nodes import FromDumpableContextFn as FromDumpableContextFn
from torchlike.utils._pytree_nodes import GetAttrKey as GetAttrKey
from torchlike.utils._pytree_nodes import KeyEntry as KeyEntry
from torchlike.utils._pytree_nodes import KeyPath as KeyPath
from torchlike.utils._pytree_nodes import MappingKey as MappingKey
from torchlike.utils._pytree_nodes import NodeDef as NodeDef
from torchlike.utils._pytree_nodes import PyTree as PyTree
from torchlike.utils._pytree_nodes import SequenceKey as SequenceKey
from torchlike.utils._pytree_nodes import SerializeNodeDef as SerializeNodeDef
from torchlike.utils._pytree_nodes import ToDumpableContextFn as ToDumpableContextFn
from torchlike.utils._pytree_nodes import UnflattenFn as UnflattenFn
from torchlike.utils._pytree_nodes import _deregister_pytree_node as _deregister_pytree_node
from torchlike.utils._pytree_nodes import _dict_flatten as _dict_flatten
from torchlike.utils._pytree_nodes import _dict_flatten_with_keys as _dict_flatten_with_keys
from torchlike.utils._pytree_nodes import _dict_unflatten as _dict_unflatten
from torchlike.utils._pytree_nodes import _list_flatten as _list_flatten
from torchlike.utils._pytree_nodes import _list_flatten_with_keys as _list_flatten_with_keys
from torchlike.utils._pytree_nodes import _list_unflatten as _list_unflatten
from torchlike.utils._pytree_nodes import _node_of as _node_of
from torchlike.utils._pytree_nodes import _private_register_pytree_node as _private_register_pytree_node
from torchlike.utils._pytree_nodes import _register_namedtuple as _register_namedtuple
from torchlike.utils._pytree_nodes import _register_pytree_node as _register_pytree_node
from torchlike.utils._pytree_nodes import is_constant_class as is_constant_class
from torchlike.utils._pytree_nodes import is_namedtuple as is_namedtuple
from torchlike.utils._pytree_nodes import is_namedtuple_class as is_namedtuple_class
from torchlike.utils._pytree_nodes import is_namedtuple_instance as is_namedtuple_instance
from torchlike.utils._pytree_nodes import is_structseq as is_structseq
from torchlike.utils._pytree_nodes import is_structseq_class as is_structseq_class
from torchlike.utils._pytree_nodes import is_structseq_instance as is_structseq_instance
from torchlike.utils._pytree_nodes import register_constant as register_constant
from torchlike.utils._pytree_nodes import register_dataclass as register_dataclass
from torchlike.utils._pytree_nodes import register_pytree_node as register_pytree_node


@dataclasses.dataclass(init=True, frozen=True, eq=True, repr=False)
class TreeSpec:
    """The form of a tree: ``type`` (None: a leaf), ``context``, and the forms of the children."""

    type: Any
    context: Any
    children_specs: list

    @property
    def num_leaves(self) -> int:
        """How many leaves the tree has."""
        return 1 if self.is_leaf() else sum(spec.num_leaves for spec in self.children_specs)

    @property
    def num_nodes(self) -> int:
        """How many nodes, leaves among them."""
        return 1 + sum(spec.num_nodes for spec in self.children_specs)

    @property
    def num_children(self) -> int:
        """How many children the root has."""
        return len(self.children_specs)

    def is_leaf(self) -> bool:
        """Whether the tree is a leaf."""
        return self.type is None

    def children(self) -> list:
        """The forms of the children."""
        return list(self.children_specs)

    def child(self, index):
        """The form of a child."""
        return self.children_specs[index]

    def __hash__(self):
        return hash((self.type, str(self.context), tuple(self.children_specs)))

    def __repr__(self, indent=0):
        if self.is_leaf():
            return "*"
        indent += 2
        children = [spec.__repr__(indent) for spec in self.children_specs]
        separator = ",\n" + " " * indent
        return f"TreeSpec({self.type.__name__}, {self.context}, [{separator.join(children)}])"

    def flatten_up_to(self, tree) -> list:
        """The parts of `tree` at the leaves of this form. ValueError where it has another form."""
        if self.is_leaf():
            return [tree]
        kind, node = _node_of(tree)
        if kind is not self.type and not {kind, self.type} <= _DICTIONARIES:
            raise ValueError(f"Node type mismatch; expected {self.type!r}, but got {kind or type(tree)!r}.")
        children, context = node.flatten_fn(tree)
        if len(children) != self.num_children:
            raise ValueError(f"Node arity mismatch; expected {self.num_children}, but got {len(children)}.")
        if isinstance(tree, dict):
            children = _in_order(self, tree)
        elif context != self.context:
            raise ValueError(f"Node context mismatch for custom node type {self.type!r}.")
        pairs = zip(self.children_specs, children, strict=True)
        return [leaf for spec, child in pairs for leaf in spec.flatten_up_to(child)]

    def unflatten(self, leaves):
        """The tree with these leaves. ValueError for another number of them."""
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a "
                             f"pytree that holds {self.num_leaves} items ({self}).")
        return self._built(iter(leaves))

    def _built(self, leaves):
        if self.is_leaf():
            return next(leaves)
        children = [spec._built(leaves) for spec in self.children_specs]
        if self.type.__module__ in _RETURN_TYPES:
            return self.type(*children)
        node = _NAMED if self.type is collections.namedtuple else SUPPORTED_NODES[self.type]
        return node.unflatten_fn(children, self.context)


def _in_order(spec, mapping) -> list:
    keys = spec.context[1] if spec.type is collections.defaultdict else spec.context
    if set(keys) != set(mapping):
        raise ValueError(f"Node keys mismatch; missing key(s): {set(keys) - set(mapping)}; extra key(s): "
                         f"{set(mapping) - set(keys)}.")
    return [mapping[key] for key in keys]


PyTreeSpec = TreeSpec


class LeafSpec(TreeSpec):
    """The form of a leaf."""

    def __init__(self):
        super().__init__(None, None, [])

    def __eq__(self, other):
        return isinstance(other, TreeSpec) and other.is_leaf()

    __hash__ = TreeSpec.__hash__


def _get_node_type(tree):
    """The class as a spec names it."""
    return _node_of(tree)[0] or type(tree)


def tree_is_leaf(tree, is_leaf=None) -> bool:
    """Whether the tree is a leaf."""
    return (is_leaf is not None and is_leaf(tree)) or _node_of(tree)[1] is None


_is_leaf = tree_is_leaf


def _broadcast_to_and_flatten(tree, treespec, is_leaf=None):
    """The leaves of `tree` as often as there are leaves below them in the form; None where it does not fit."""
    if tree_is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    kind, node = _node_of(tree)
    if treespec.is_leaf() or kind is not treespec.type:
        return None
    children, context = node.flatten_fn(tree)
    if len(children) != treespec.num_children or context != treespec.context:
        return None
    found: list = []
    for child, spec in zip(children, treespec.children_specs, strict=True):
        part = _broadcast_to_and_flatten(child, spec, is_leaf)
        if part is None:
            return None
        found += part
    return found


def tree_flatten(tree, is_leaf=None) -> tuple:
    """(leaves, TreeSpec)."""
    pairs, spec = tree_flatten_with_path(tree, is_leaf)
    return [leaf for _, leaf in pairs], spec


def tree_flatten_with_path(tree, is_leaf=None) -> tuple:
    """([(keys, leaf)], TreeSpec)."""
    found: list = []
    return found, _walk(tree, (), is_leaf, found)


def _walk(x, path, is_leaf, found):  # not inside: a function that knows itself is a ring, which would keep all leaves
    """The form of a part of a tree; its leaves with their keys are appended to `found`."""
    if tree_is_leaf(x, is_leaf):
        found.append((path, x))
        return LeafSpec()
    kind, node = _node_of(x)
    children, context = node.flatten_fn(x)
    parts = [_walk(child, (*path, key), is_leaf, found) for key, child in zip(node.keys(x), children, strict=True)]
    return TreeSpec(kind, context, parts)


def tree_unflatten(leaves, treespec):
    """The tree of this form with these leaves."""
    return treespec.unflatten(leaves)


def tree_leaves(tree, is_leaf=None) -> list:
    """The leaves."""
    return tree_flatten(tree, is_leaf)[0]


def tree_leaves_with_path(tree, is_leaf=None) -> list:
    """[(keys, leaf)]."""
    return tree_flatten_with_path(tree, is_leaf)[0]


def arg_tree_leaves(*args, **kwargs) -> list:
    """The leaves of a call's arguments."""
    return [leaf for x in (*args, *kwargs.values()) for leaf in tree_leaves(x)]


def tree_iter(tree, is_leaf=None):
    """The leaves, one after the other."""
    yield from tree_leaves(tree, is_leaf)


def tree_structure(tree, is_leaf=None) -> TreeSpec:
    """The form."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func, tree, *rests, is_leaf=None):
    """The tree with `func` of each leaf, and of the parts of the other trees at its place."""
    leaves, spec = tree_flatten(tree, is_leaf)
    return spec.unflatten(map(func, leaves, *(spec.flatten_up_to(rest) for rest in rests)))


def tree_map_(func, tree, *rests, is_leaf=None):
    """Calls `func` on each leaf, for its effects; returns the tree."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_with_path(func, tree, *rests, is_leaf=None):
    """``func(keys, leaf, ...)``."""
    pairs, spec = tree_flatten_with_path(tree, is_leaf)
    paths, leaves = [path for path, _ in pairs], [leaf for _, leaf in pairs]
    return spec.unflatten(map(func, paths, leaves, *(spec.flatten_up_to(rest) for rest in rests)))


def _chosen(types_or_pred):
    if isinstance(types_or_pred, type | tuple) or not callable(types_or_pred):
        return lambda x: isinstance(x, types_or_pred)
    return types_or_pred


def map_only(type_or_types_or_pred, /):
    """A decorator: the function is applied to objects of these types, and others are returned unchanged."""
    chosen = _chosen(type_or_types_or_pred)
    return lambda func: lambda x: func(x) if chosen(x) else x


def tree_map_only(type_or_types_or_pred, /, func, tree, is_leaf=None):
    """``func`` of the leaves of these types."""
    return tree_map(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred, /, func, tree, is_leaf=None):
    """Calls `func` on each leaf of these types, for its effects; returns the tree."""
    return tree_map_(map_only(type_or_types_or_pred)(func), tree, is_leaf=is_leaf)


def tree_all(pred, tree, is_leaf=None) -> bool:
    """Whether `pred` holds for all leaves."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred, tree, is_leaf=None) -> bool:
    """Whether `pred` holds for a leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all_only(type_or_types, /, pred, tree, is_leaf=None) -> bool:
    """Whether `pred` holds for all leaves of these types."""
    return all(pred(x) for x in tree_leaves(tree, is_leaf) if isinstance(x, type_or_types))


def tree_any_only(type_or_types, /, pred, tree, is_leaf=None) -> bool:
    """Whether `pred` holds for a leaf of these types."""
    return any(pred(x) for x in tree_leaves(tree, is_leaf) if isinstance(x, type_or_types))


def keystr(kp) -> str:
    """The text of keys: ``['a'][1].name``."""
    return "".join(map(str, kp))


def key_get(obj, kp):
    """What is at these keys."""
    for key in kp:
        obj = key.get(obj)
    return obj


# -- texts of specs, as PyTorch's protocol 1 has them

_SERIALIZED_TYPES = {list: "builtins.list", tuple: "builtins.tuple", dict: "builtins.dict",
                     collections.OrderedDict: "collections.OrderedDict", collections.defaultdict: "collections.defaultdict",
                     collections.deque: "collections.deque"}
_PROTOCOL = 1


def _name_of(spec) -> str:
    if spec.type is collections.namedtuple:
        return "collections.namedtuple"
    name = SERIALIZED[spec.type].serialized_type_name if spec.type in SERIALIZED else _SERIALIZED_TYPES.get(spec.type)
    if name is None:
        raise NotImplementedError(f"No registered serialization name for {spec.type} found. "
                                  "Please update your _register_pytree_node call with a `serialized_type_name` kwarg.")
    return name


def _context_as_data(spec):
    if spec.type is collections.namedtuple:
        if spec.context not in SERIALIZED:
            raise NotImplementedError(f"Can't serialize TreeSpec of namedtuple class {spec.context} because we didn't "
                                      "register a serializated_type_name. Please register using `_register_namedtuple`.")
        return SERIALIZED[spec.context].serialized_type_name
    if spec.type is collections.defaultdict:
        factory, keys = spec.context
        return {"default_factory_module": factory.__module__, "default_factory_name": factory.__qualname__,
                "dict_context": keys}
    dump = SERIALIZED[spec.type].to_dumpable_context if spec.type in SERIALIZED else None
    return json.dumps(spec.context) if dump is None else dump(spec.context)


def _as_data(spec) -> dict:
    if spec.is_leaf():
        return {"type": None, "context": None, "children_spec": []}
    return {"type": _name_of(spec), "context": _context_as_data(spec),
            "children_spec": [_as_data(child) for child in spec.children_specs]}


def _from_data(data) -> TreeSpec:
    if data["type"] is None:
        return LeafSpec()
    children = [_from_data(child) for child in data["children_spec"]]
    named = {definition.serialized_type_name: definition for definition in SERIALIZED.values()}
    if data["type"] == "collections.namedtuple":
        return TreeSpec(collections.namedtuple, named[data["context"]].typ, children)
    if data["type"] == "collections.defaultdict":
        told = data["context"]
        factory = getattr(importlib.import_module(told["default_factory_module"]), told["default_factory_name"])
        return TreeSpec(collections.defaultdict, [factory, told["dict_context"]], children)
    own = {name: cls for cls, name in _SERIALIZED_TYPES.items()}
    if data["type"] in own:
        return TreeSpec(own[data["type"]], json.loads(data["context"]), children)
    if data["type"] not in named:
        raise NotImplementedError(f"Deserializing {data['type']} in pytree is not registered.")
    definition = named[data["type"]]
    return TreeSpec(definition.typ, (definition.from_dumpable_context or json.loads)(data["context"]), children)


def treespec_dumps(treespec, protocol=None) -> str:
    """A form as a text, which `treespec_loads` reads. ValueError for another protocol than 1."""
    if protocol not in (None, _PROTOCOL):
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{_PROTOCOL}]")
    return json.dumps((_PROTOCOL, _as_data(treespec)))


def treespec_loads(serialized) -> TreeSpec:
    """A form from its text. ValueError for another protocol than 1."""
    protocol, data = json.loads(serialized)
    if protocol != _PROTOCOL:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{_PROTOCOL}]")
    return _from_data(data)


class _Asterisk(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return "*"


def treespec_pprint(treespec) -> str:
    """The tree with an asterisk for each leaf."""
    return repr(treespec.unflatten([_Asterisk("*")] * treespec.num_leaves))
