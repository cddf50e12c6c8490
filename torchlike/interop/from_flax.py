"""Modules of flax, linen's and nnx's, as torchlike Modules.

A call is one instruction of the trace, a kernel that runs the flax module; its gradient is the kernel's, by `jax.vjp`. flax
computes in JAX's 32 bits unless jax_enable_x64 is set, as it does on its own.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import linen, nnx
from jax import tree_util as tree

from torchlike import nn
from torchlike._base.errors import UnsupportedError, different_devices
from torchlike._random.generator import draw
from torchlike._record.facade import aux_kernel, plain_forms, record
from torchlike._record.leaf import leaf
from torchlike._record.parameter import Parameter
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.interop.trees import copied

_CONTRARY = ("deterministic", "use_running_average")  # arguments that are true where a module does not train


class _Collection(nn.Module):
    """A place in the tree of names."""


class _Flax(nn.Module):
    """What both kinds share: tensors by the names of flax's variables, and the call as a kernel."""

    def _register(self, name: str, array, is_parameter: bool) -> None:
        *parents, last = name.split(".")
        place: nn.Module = self
        for parent in parents:
            if parent not in place._modules:
                place.add_module(parent, _Collection())
            place = place._modules[parent]
        value = copied(array)
        if is_parameter and value.is_floating_point() | value.is_complex():
            place.register_parameter(last, Parameter(value))
        else:
            place.register_buffer(last, value)

    def _values(self, names) -> list:
        found = {**dict(self.named_parameters(remove_duplicate=False)), **dict(self.named_buffers(remove_duplicate=False))}
        return [found[name] for name in names]

    def _bound(self, token, function, parameters, buffers, keys, args, kwargs):
        """The output of ``function(parameters, buffers, keys, args, kwargs)``, which gives (output, new buffers): lists of
        arrays for lists of Tensors. `token` tells the function from others.
        """
        leaves, structure = tree.tree_flatten((args, kwargs))
        leaves = [copied(x) if isinstance(x, jax.Array | np.ndarray) else x for x in leaves]
        given = [x for x in leaves if isinstance(x, Tensor)]
        static = tuple(None if isinstance(x, Tensor) else (type(x), x) for x in leaves)
        # clones: they are written to below, while the graph may have saved them
        operands = [*parameters, *(b.detach().clone() for b in buffers), *keys, *given]
        _check_devices(operands)
        counts = len(parameters), len(buffers), len(keys)
        ins = plain_forms(operands)
        key = ("flax", token, structure, static, counts, ins, jax.config.jax_enable_x64)

        def flat(*arrays):
            with jax.enable_x64(key[-1]):
                arrays = [a.astype(jax.dtypes.canonicalize_dtype(a.dtype)) for a in arrays]
                ends = np.cumsum(counts)
                *lists, rest = (arrays[a:b] for a, b in zip((0, *ends), (*ends, None), strict=True))
                tensors = iter(rest)
                full = [next(tensors) if entry is None else entry[1] for entry in static]
                output, new = function(*lists, *tree.tree_unflatten(structure, full))
                outs, form = tree.tree_flatten(output)
                return tuple(jnp.asarray(x) for x in (*outs, *new)), form

        kernel = aux_kernel(key, "flax", flat, ins)
        results = record(kernel, operands)
        count = len(results) - len(buffers)
        with no_grad():
            for buffer, new in zip(buffers, results[count:], strict=True):
                buffer.copy_(new)
        return tree.tree_unflatten(kernel.aux, results[:count])


def _check_devices(operands) -> None:
    devices = dict.fromkeys(str(x.device) for x in operands)
    if len(devices) > 1:
        raise different_devices(devices)


class FromLinen(_Flax):
    """A module of flax linen as a torchlike Module: ``FromLinen(module, module.init(key, x))``.
    https://flax-linen.readthedocs.io/en/latest/api_reference/flax.linen/module.html

    The arrays of the collection "params" become Parameters, those of the others buffers; the names are the places in the
    tree ("params.Dense_0.kernel"), so that `torchlike.interop.state_dict_to_tree` of the state_dict gives the variables
    back. Collections other than "params" are mutable, and what flax writes to them is written to the buffers; ValueError
    where it adds to one.

    Args:
        module: the `flax.linen.Module`.
        variables: flax's collections, nested dictionaries of arrays, which are copied.
        mode: the name of an argument that says whether the module trains, for `train()` and `eval()` to decide: "train" and
            the like are given ``training``, "deterministic" and "use_running_average" its contrary.
        rngs: the names of the streams that the module draws from, as in ``rngs=["dropout"]``: each call gives them a key of
            torchlike's generator.

    Raises:
        TypeError: `module` is none of linen's.
        ValueError: a name in `variables` has an empty part or a dot.
    """

    def __init__(self, module: linen.Module, variables: Mapping, *, mode: str | None = None, rngs: Sequence[str] = ()):
        super().__init__()
        if not isinstance(module, linen.Module):
            raise TypeError(f"FromLinen takes a flax.linen.Module, not {type(module).__name__}")
        self.linen, self.mode, self.rngs = module, mode, tuple(rngs)
        for path, array in _leaves(variables):
            if any(not key or "." in key for key in path):
                raise ValueError(f"FromLinen: the name {path} has an empty part or a dot")
            self._register(".".join(path), array, path[0] == "params")
        self._names = [name for name, _ in (*self.named_parameters(), *self.named_buffers())]
        self._count = len(list(self.parameters()))

    def forward(self, *args, **kwargs):
        """Calls ``module.apply``.

        Args:
            *args, **kwargs: what it takes after the variables, Tensors in the places of arrays. What is no tensor must be
                hashable, and each new value is compiled.

        Returns:
            Its output, with Tensors in the places of arrays.
        """
        if self.mode is not None:
            kwargs.setdefault(self.mode, self.training != (self.mode in _CONTRARY))
        values, count = self._values(self._names), self._count
        function = _apply_linen(self.linen, [tuple(name.split(".")) for name in self._names], self.rngs)
        return self._bound((_Same(self.linen), tuple(self._names), self.rngs), function, values[:count], values[count:],
                           _new_keys(len(self.rngs), values), args, kwargs)


def _apply_linen(module, paths, rngs):
    collections = sorted({path[0] for path in paths} - {"params"})

    def function(parameters, buffers, keys, args, kwargs):
        variables: dict = {}
        for path, array in zip(paths, (*parameters, *buffers), strict=True):
            _place(variables, path)[path[-1]] = array
        streams = {name: jax.random.wrap_key_data(key, impl="threefry2x32") for name, key in zip(rngs, keys, strict=True)}
        output, new = module.apply(variables, *args, rngs=streams, mutable=collections, **kwargs)
        if {path for path, _ in _leaves(new)} != {path for path in paths if path[0] in collections}:
            raise ValueError("FromLinen: the module changes which names there are in its variables")
        new = {**new, "params": variables.get("params", {})}
        return output, [_place(new, path)[path[-1]] for path in paths[len(parameters):]]

    return function


def _place(nested, path):
    """The dictionary that the last key of `path` is in, made where there is none."""
    for key in path[:-1]:
        nested = nested.setdefault(key, {})
    return nested


def _leaves(variables) -> list:
    """(path of keys, array) of all arrays in nested dictionaries."""
    found = tree.tree_flatten_with_path(linen.unbox(dict(variables)))[0]
    return [(tuple(str(entry.key) for entry in path), array) for path, array in found]


def _new_keys(count, values) -> list:
    """Keys as Tensors of two words each, from torchlike's generator."""
    device = values[0].device if values else None
    made = [leaf(draw("randint", None, 2, 0, 2**31 - 1, "int64").astype(np.uint32)) for _ in range(count)]
    return [x if device is None else x.to(device) for x in made]


class _Same:
    """A part of a key: equal where the object is the same one, which it keeps alive."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return isinstance(other, _Same) and other.value is self.value

    def __hash__(self):
        return id(self.value)


class FromNNX(_Flax):
    """A module of flax nnx as a torchlike Module: ``FromNNX(nnx.Linear(3, 2, rngs=nnx.Rngs(0)))``.
    https://flax.readthedocs.io/en/stable/api_reference/flax.nnx/module.html

    The module's Variables are copied: `nnx.Param` become Parameters, all others buffers (random keys as the numbers that
    they consist of), by their places in the module ("linear.kernel"). What the module writes to other Variables than Params
    is written to the buffers: batch statistics, and the counts of its random numbers, which are the same as in flax.
    `train()` and `eval()` are the module's; before the first of them it is as it was.

    Args:
        module: the `flax.nnx.Module`.

    Raises:
        TypeError: `module` is none of nnx's. A call raises UnsupportedError where it writes to Params or changes its
            structure.
    """

    def __init__(self, module: nnx.Module):
        super().__init__()
        if not isinstance(module, nnx.Module):
            raise TypeError(f"FromNNX takes a flax.nnx.Module, not {type(module).__name__}")
        self._split(module)
        for name, array in zip(self._names, self._arrays(module), strict=True):
            self._register(name, array, name in self._names[:self._count])

    def _split(self, module) -> None:
        self._graph, parameters, others = nnx.split(module, nnx.Param, ...)
        paths = [path for state in (parameters, others) for path, _ in tree.tree_flatten_with_path(state)[0]]
        self._names = [_nnx_name(path) for path in paths]
        self._count = len(tree.tree_leaves(parameters))
        self._trees = tuple(tree.tree_structure(state) for state in (parameters, others))
        self._impls = [_impl(x) for x in tree.tree_leaves(others)]

    def _arrays(self, module) -> list:
        _, parameters, others = nnx.split(module, nnx.Param, ...)
        return [*tree.tree_leaves(parameters), *map(_plain, tree.tree_leaves(others))]

    def _merged(self, parameters, buffers):
        """The module with these arrays."""
        others = [a if impl is None else jax.random.wrap_key_data(a, impl=impl)
                  for a, impl in zip(buffers, self._impls, strict=True)]
        states = (tree.tree_unflatten(t, arrays) for t, arrays in zip(self._trees, (parameters, others), strict=True))
        return nnx.merge(self._graph, *states)

    def train(self, mode: bool = True):
        """Sets the mode, that of the module of flax too.

        Args:
            mode: whether it trains.

        Returns:
            This module.
        """
        super().train(mode)
        values = [jnp.asarray(x.detach().__jax_array__()) for x in self._values(self._names)]
        module = self._merged(values[:self._count], values[self._count:])
        if mode:
            module.train()
        else:
            module.eval()
        self._split(module)
        return self

    def forward(self, *args, **kwargs):
        """Calls the module.

        Args:
            *args, **kwargs: what it takes, Tensors in the places of arrays. What is no tensor must be hashable, and each new
                value is compiled.

        Returns:
            Its output, with Tensors in the places of arrays.
        """
        values = self._values(self._names)
        merged, trees, impls, count = self._merged, self._trees, self._impls, self._count

        def function(parameters, buffers, keys, args, kwargs):
            module = merged(parameters, buffers)
            output = module(*args, **kwargs)
            _, new, others = nnx.split(module, nnx.Param, ...)
            if (tree.tree_structure(new), tree.tree_structure(others)) != trees:
                raise UnsupportedError("FromNNX of a module that changes its structure when it is called")
            if any(a is not b for a, b in zip(tree.tree_leaves(new), parameters, strict=True)):
                raise UnsupportedError("FromNNX of a module that writes to its Params when it is called")
            return output, [_plain(x) for x in tree.tree_leaves(others)]

        token = (self._graph, *trees, tuple(impls))
        return self._bound(token, function, values[:count], values[count:], [], args, kwargs)


def _nnx_name(path) -> str:
    keys: list[Any] = [entry.key for entry in path if hasattr(entry, "key")]
    return ".".join(map(str, keys))


def _impl(leaf):
    return jax.random.key_impl(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else None


def _plain(leaf):
    return jax.random.key_data(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf
