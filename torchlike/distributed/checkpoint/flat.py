"""Nested state dicts as flat ones: {"optimizer.state.0.exp_avg": value}."""

from collections.abc import Mapping

from torchlike._record.tensor import Tensor


def is_whole(value) -> bool:
    """Whether a value is one entry: no dict, and no list with a tensor or a dict in it.

    Args:
        value: any object.

    Returns:
        a bool.
    """
    if isinstance(value, Mapping):
        return False
    return not isinstance(value, list) or not any(
        isinstance(x, Tensor) or (isinstance(x, Mapping | list) and not is_whole(x)) for x in value)


def flatten(value, path=()) -> dict:
    """The entries of nested dicts and lists, in order.

    Args:
        value: the outermost dict.
        path: what the paths begin with.

    Returns:
        a dict from paths, tuples of keys and positions, to entries.
    """
    if is_whole(value):
        return {path: value}
    found: dict = {}
    for key, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
        found.update(flatten(inner, (*path, key)))
    return found


def name_of(path) -> str:
    """The name of an entry in the checkpoint.

    Args:
        path: a tuple of keys and positions.

    Returns:
        them with dots between.
    """
    return ".".join(map(str, path))


def put(root, path, value) -> None:
    """Puts a value at a path.

    Args:
        root: the outermost dict, which is changed.
        path: a tuple of keys and positions.
        value: the value.
    """
    for key in path[:-1]:
        root = root[key]
    root[path[-1]] = value
