"""Lists and dicts of a Node's arguments, which cannot be changed in place: its users would not be told.

https://pytorch.org/docs/stable/fx.html
"""

from torchlike.utils._pytree import MappingKey, register_pytree_node

_HELP = """If you are attempting to modify the kwargs or args of a torch.fx.Node object,
instead create a new copy of it and assign the copy to the node:

    new_args = ...  # copy and mutate args
    node.args = new_args"""


def _refuse(self, *args, **kwargs):
    raise TypeError(f"{type(self).__name__!r} object does not support mutation. {_HELP}")


class immutable_list(list):  # noqa: N801 - PyTorch's name
    """A list that raises TypeError when it is changed."""

    __delitem__ = __iadd__ = __imul__ = __setitem__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __hash__(self):
        return hash(tuple(self))

    def __reduce__(self):
        return immutable_list, (tuple(self),)


class immutable_dict(dict):  # noqa: N801
    """A dict that raises TypeError when it is changed."""

    __delitem__ = __ior__ = __setitem__ = clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self):
        return hash(frozenset(self.items()))

    def __reduce__(self):
        return immutable_dict, (tuple(self.items()),)


register_pytree_node(immutable_list, lambda x: (list(x), None), lambda children, _: immutable_list(children),
                     serialized_type_name="torch.fx.immutable_collections.immutable_list")
register_pytree_node(immutable_dict, lambda x: (list(x.values()), list(x)),
                     lambda children, keys: immutable_dict(zip(keys, children, strict=True)),
                     serialized_type_name="torch.fx.immutable_collections.immutable_dict",
                     flatten_with_keys_fn=lambda x: ([(MappingKey(key), value) for key, value in x.items()], list(x)))
