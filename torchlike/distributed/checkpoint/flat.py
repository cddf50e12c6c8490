"""Nested state dicts as flat ones: {"optimizer.state.0.exp_avg": value}."""

from collections.abc import Mapping

from torchlike._record.tensor import Tensor


def is_whole(value) -> bool:
    """Whether a value is one entry: no dictionary, and no list in which there is a tensor or a dictionary."""
    if isinstance(value, Mapping):
        return False
    return not isinstance(value, list) or not any(
        isinstance(x, Tensor) or (isinstance(x, Mapping | list) and not is_whole(x)) for x in value)


def flatten(value, path=()) -> dict:
    """{path: value} of everything below, in order; a path is a tuple of keys and positions."""
    if is_whole(value):
        return {path: value}
    found: dict = {}
    for key, inner in value.items() if isinstance(value, Mapping) else enumerate(value):
        found.update(flatten(inner, (*path, key)))
    return found


def name_of(path) -> str:
    """The name of an entry in the checkpoint."""
    return ".".join(map(str, path))


def put(root, path, value) -> None:
    """Put a value where the path leads."""
    for key in path[:-1]:
        root = root[key]
    root[path[-1]] = value
