"""A state_dict as a nested dictionary of jax arrays, as flax and optax have their parameters, and the reverse."""

from collections import OrderedDict
from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._record.facade import device_of, own_work
from torchlike._record.leaf import leaf, to_jax
from torchlike._record.tensor import Tensor


def state_dict_to_tree(state_dict: Mapping[str, Tensor]) -> dict:
    """A state_dict as nested dictionaries of jax arrays: names are split at their dots, ``{"fc.weight": w}`` to
    ``{"fc": {"weight": w}}``.

    Args:
        state_dict: name -> Tensor.

    Returns:
        The dictionaries. The arrays are copies, of the tensors' shapes and dtypes; 64 bits stay 64.

    Raises:
        TypeError: something is no Tensor.
        ValueError: a name is also the beginning of another one.
    """
    tree: dict = {}
    for name, value in state_dict.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"state_dict_to_tree: {name!r} is no Tensor, but a {type(value).__name__}")
        *parents, last = name.split(".")
        place = tree
        for parent in parents:
            place = place.setdefault(parent, {})
            if not isinstance(place, dict):
                raise ValueError(f"state_dict_to_tree: {name!r} lies below another tensor's name")
        if last in place:
            raise ValueError(f"state_dict_to_tree: {name!r} is also the beginning of other names")
        with own_work():
            place[last] = jnp.copy(to_jax(value))
    return tree


def tree_to_state_dict(tree: Mapping, like: Mapping[str, Tensor] | None = None) -> OrderedDict:
    """A state_dict of nested dictionaries of arrays: the reverse of `state_dict_to_tree`.

    Args:
        tree: the dictionaries, of jax or numpy arrays.
        like: a state_dict with the names, the shapes, the order, and the dtypes and devices that the result gets; None means
            those of the arrays.

    Returns:
        name -> Tensor, copies.

    Raises:
        KeyError: names are missing, or `like` has them not.
        ValueError: another shape than in `like`, or a key that is no text, empty or has dots.
    """
    flat = dict(_flat(tree, ""))
    if like is None:
        return OrderedDict((name, copied(array)) for name, array in flat.items())
    missing, unexpected = [n for n in like if n not in flat], [n for n in flat if n not in like]
    if missing or unexpected:
        parts = [f"{what} key(s): {', '.join(map(repr, names))}" for what, names in
                 (("missing", missing), ("unexpected", unexpected)) if names]
        raise KeyError(f"tree_to_state_dict: {'; '.join(parts)}")
    made = OrderedDict()
    for name, x in like.items():
        if tuple(np.shape(flat[name])) != tuple(x.shape):
            raise ValueError(f"tree_to_state_dict: {name!r} has shape {tuple(np.shape(flat[name]))} instead of "
                             f"{tuple(x.shape)}")
        made[name] = copied(flat[name]).to(device=x.device, dtype=x.dtype)
    return made


def _flat(tree, prefix):
    """(name, array) of all leaves."""
    for key, value in tree.items():
        if not isinstance(key, str) or not key or "." in key:
            raise ValueError(f"tree_to_state_dict: the key {key!r} cannot be part of a name")
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def copied(array) -> Tensor:
    """A Tensor of an array. A copy: in-place operators take the buffers of what no Tensor holds any more, and JAX may have
    given this one to other arrays.

    Args:
        array: (*), jax's or numpy's.

    Returns:
        (*), of its dtype, on its device.
    """
    if not isinstance(array, jax.Array):
        return leaf(np.asarray(array))
    with own_work():
        return leaf(jnp.copy(array), device_of(array))
