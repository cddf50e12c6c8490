"""`torch.utils._pytree`, which packages use though it is private: trees of containers.

Dictionaries keep their order and None is a leaf, unlike in `jax.tree_util`. Not here: the textual forms of trees and specs.
"""

import collections
import dataclasses
from typing import Any, NamedTuple

Context = PyTree = KeyEntry = Any  # for annotations
KeyPath = tuple[KeyEntry, ...]

SUPPORTED_NODES = {}  # class -> NodeDef


class NodeDef(NamedTuple):
    """How a class is taken apart, put together, and how its children are called."""

    flatten_fn: Any
    unflatten_fn: Any
    keys: Any


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


_register_pytree_node = register_pytree_node


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


SUPPORTED_NODES[list] = NodeDef(lambda x: (x, None), lambda children, _: list(children), _sequence_keys)
SUPPORTED_NODES[tuple] = NodeDef(lambda x: (list(x), None), lambda children, _: tuple(children), _sequence_keys)
SUPPORTED_NODES[dict] = NodeDef(_dict_flatten, _dict_unflatten, _mapping_keys)
SUPPORTED_NODES[collections.OrderedDict] = NodeDef(
    lambda x: (list(x.values()), list(x)), lambda children, keys: collections.OrderedDict(zip(keys, children, strict=True)),
    _mapping_keys)
SUPPORTED_NODES[collections.defaultdict] = NodeDef(
    lambda x: (list(x.values()), [x.default_factory, list(x)]),
    lambda children, context: collections.defaultdict(context[0], zip(context[1], children, strict=True)), _mapping_keys)
SUPPORTED_NODES[collections.deque] = NodeDef(lambda x: (list(x), x.maxlen),
                                    lambda children, maxlen: collections.deque(children, maxlen=maxlen), _sequence_keys)
_NAMED = NodeDef(lambda x: (list(x), type(x)), lambda children, cls: cls(*children),
               lambda x: [GetAttrKey(name) for name in x._fields])


_DICTIONARIES = {dict, collections.OrderedDict, collections.defaultdict}  # a spec of one fits the others


def is_namedtuple_class(cls) -> bool:
    """Whether `cls` comes from `collections.namedtuple` or `typing.NamedTuple`."""
    return isinstance(cls, type) and issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)


def is_namedtuple_instance(x) -> bool:
    """Whether `x` is a named tuple."""
    return is_namedtuple_class(type(x))


is_namedtuple = is_namedtuple_instance


def _node_of(x):
    """(type as a spec names it, NodeDef), or (None, None) for a leaf."""
    found = SUPPORTED_NODES.get(type(x))
    if found is not None:
        return type(x), found
    return (collections.namedtuple, _NAMED) if is_namedtuple_instance(x) else (None, None)


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
        node = _NAMED if self.type is collections.namedtuple else SUPPORTED_NODES[self.type]
        return node.unflatten_fn([spec._built(leaves) for spec in self.children_specs], self.context)


def _in_order(spec, mapping) -> list:
    keys = spec.context[1] if spec.type is collections.defaultdict else spec.context
    if set(keys) != set(mapping):
        raise ValueError(f"Node keys mismatch; missing key(s): {set(keys) - set(mapping)}; extra key(s): "
                         f"{set(mapping) - set(keys)}.")
    return [mapping[key] for key in keys]


def LeafSpec() -> TreeSpec:  # noqa: N802 - a class in PyTorch
    """The form of a leaf."""
    return TreeSpec(None, None, [])


def tree_is_leaf(tree, is_leaf=None) -> bool:
    """Whether the tree is a leaf."""
    return (is_leaf is not None and is_leaf(tree)) or _node_of(tree)[1] is None


def tree_flatten(tree, is_leaf=None) -> tuple:
    """(leaves, TreeSpec)."""
    pairs, spec = tree_flatten_with_path(tree, is_leaf)
    return [leaf for _, leaf in pairs], spec


def tree_flatten_with_path(tree, is_leaf=None) -> tuple:
    """([(keys, leaf)], TreeSpec)."""
    found: list = []

    def walk(x, path):
        if tree_is_leaf(x, is_leaf):
            found.append((path, x))
            return LeafSpec()
        kind, node = _node_of(x)
        children, context = node.flatten_fn(x)
        keys = node.keys(x)
        return TreeSpec(kind, context, [walk(child, (*path, key)) for key, child in zip(keys, children, strict=True)])

    return found, walk(tree, ())


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
