"""An optax transformation as kernels: one that makes the state of a parameter group, one that is its step.

The group's parameters are a flat dictionary to optax: its keys are the names that came with the parameters, else their
numbers. A state is a list of arrays, each with the name of its place in optax's state ("0.mu.weight").

optax computes in JAX's 32 bits unless a parameter has 64, so the results are those of optax on its own; torchlike's other
kernels are traced with 64-bit numbers.
"""

import re
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import tree_util as tree

from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError
from torchlike._base.lazy import optax
from torchlike._record.facade import function_kernel

_WIDE = (dt.float64, dt.complex128, dt.int64)
_OF_LABELS = ("hyperparams", "hyperparams_states", "inner_states")  # dictionaries of optax's, whose keys are no parameters
_TORCH_NAMES = {"learning_rate": "lr"}
_NO_LOSS = ("torchlike.optim.Optax: this transformation needs {}, which come from the loss: give step() a closure that "
            "returns the loss as a Tensor")
_NO_FUNCTION = "torchlike.optim.Optax with a transformation that needs {} (a line search evaluates the loss inside)"
_TWICE = ("torchlike.optim.Optax: several optax.inject_hyperparams of one transformation have a hyperparameter {!r}; give "
          "each its own parameter group")


def checked(tx):
    """What optax calls a transformation.

    Args:
        tx: an `optax.GradientTransformation` or `optax.MultiSteps`.

    Returns:
        An `optax.GradientTransformation`.

    Raises:
        TypeError: it is anything else.
    """
    if isinstance(tx, optax.MultiSteps):
        tx = tx.gradient_transformation()
    if not isinstance(tx, optax.GradientTransformation):
        raise TypeError(f"tx must be an optax.GradientTransformation, but got {type(tx).__name__}")
    return tx


def narrow_unless(wide: bool):
    """A block in which optax computes in JAX's 32 bits, as it does on its own.

    Args:
        wide: whether it is 64 bits instead.

    Returns:
        A context manager.
    """
    return jax.enable_x64(wide)


class Form(NamedTuple):
    """The state of one group.

    Args:
        tx: its transformation.
        keys: those of its parameters in the tree that optax sees.
        wide: whether a parameter has 64 bits.
        structure: of optax's state, a jax PyTreeDef.
        names, shapes, dtypes: those of the arrays of the state.
        owners: for each of these arrays the key of the parameter that it belongs to, or None.
        impls: for random keys, which travel as plain numbers, what kind they are; else None.
        hyper: the hyperparameters that `optax.inject_hyperparams` lets change and their values, by PyTorch's names.
    """

    tx: Any
    keys: tuple
    wide: bool
    structure: Any
    names: tuple
    shapes: tuple
    dtypes: tuple
    owners: tuple
    impls: tuple
    hyper: dict


def form_of(tx, keys, avals) -> Form:
    """What state a transformation has for some parameters. Nothing is computed but hyperparameters.

    Args:
        tx: the transformation.
        keys: those of the parameters.
        avals: their Avals.

    Returns:
        A `Form`.

    Raises:
        ValueError: two hyperparameters have one name.
    """
    wide = any(a.dtype in _WIDE for a in avals)
    found: dict = {}

    def init(params):
        state = tx.init(params)
        found["paths"] = [path for path, _ in tree.tree_flatten_with_path(state)[0]]
        leaves, found["structure"] = tree.tree_flatten(state)
        found["impls"] = tuple(_impl(x) for x in leaves)
        return [_plain(x) for x in leaves], _hyperparameters(state)

    with narrow_unless(wide):
        given = {key: jax.ShapeDtypeStruct(tuple(a.shape), a.dtype.np) for key, a in zip(keys, avals, strict=True)}
        leaves, hyper = jax.eval_shape(init, given)
        if hyper:
            zeros = jax.jit(lambda: init({key: jnp.zeros(s.shape, s.dtype) for key, s in given.items()})[1])
            hyper = {name: _number(value) for name, value in jax.device_get(zeros()).items()}
    return Form(tx, tuple(keys), wide, found["structure"], tuple(map(_path_name, found["paths"])),
                tuple(tuple(x.shape) for x in leaves), tuple(dt.from_np(x.dtype) for x in leaves),
                tuple(_owner(path, set(keys)) for path in found["paths"]), found["impls"], hyper)


def _number(value):
    """A Python number that rounds to this value: 0.1 of float32's 0.1."""
    return int(value) if np.issubdtype(value.dtype, np.integer) else float(str(value))


# -- places in optax's state

def _key(entry):
    for name in ("name", "key", "idx"):
        if hasattr(entry, name):
            return getattr(entry, name)
    return entry


def _path_name(path) -> str:
    return ".".join(str(_key(entry)) for entry in path)


def _owner(path, keys):
    """The key of the parameter that this place belongs to, or None."""
    before = None
    for entry in path:
        if isinstance(entry, tree.DictKey) and entry.key in keys and before not in _OF_LABELS:
            return entry.key
        before = _key(entry)
    return None


def _is_injected(x) -> bool:
    return hasattr(x, "hyperparams") and hasattr(x, "inner_state")


def _changeable(state) -> list:
    """Names of the scalar hyperparameters that no schedule of optax's sets."""
    scheduled = getattr(state, "hyperparams_states", {})
    return [name for name, value in state.hyperparams.items() if name not in scheduled and not jnp.ndim(value)]


def _hyperparameters(state) -> dict:
    """Those of all `inject_hyperparams` in a state, by PyTorch's names."""
    found: dict = {}
    for injected in filter(_is_injected, tree.tree_leaves(state, is_leaf=_is_injected)):
        for name in _changeable(injected):
            if _TORCH_NAMES.get(name, name) in found:
                raise ValueError(_TWICE.format(name))
            found[_TORCH_NAMES.get(name, name)] = jnp.asarray(injected.hyperparams[name])
    return found


def _with_hyperparameters(state, values):
    """`state` with these values in the places of its hyperparameters."""
    def replaced(x):
        if not _is_injected(x):
            return x
        new = {name: values[_TORCH_NAMES.get(name, name)].astype(jnp.asarray(x.hyperparams[name]).dtype)
               for name in _changeable(x)}
        return x._replace(hyperparams={**x.hyperparams, **new})

    return tree.tree_map(replaced, state, is_leaf=_is_injected) if values else state


# -- random keys

def _impl(leaf):
    return jax.random.key_impl(leaf) if _is_random_key(leaf) else None


def _is_random_key(leaf) -> bool:
    return hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _plain(leaf):
    return jax.random.key_data(leaf) if _is_random_key(leaf) else jnp.asarray(leaf)


# -- kernels

def init_kernel(form: Form, ins):
    """The kernel that makes a group's state.

    Args:
        form: the group's `Form`.
        ins: the Avals of all its parameters.

    Returns:
        A kernel from the parameters to the arrays of the state.
    """
    def function(*arrays):
        with narrow_unless(form.wide):
            state = form.tx.init(dict(zip(form.keys, arrays, strict=True)))
            return tuple(_plain(x) for x in tree.tree_leaves(state))

    return function_kernel(("optax init", form.tx, form.keys, ins), "optax_init", lambda: function, ins)


class Step(NamedTuple):
    """What a step is about.

    Args:
        present: for each parameter whether it has a gradient.
        maximize: whether gradients are followed upwards.
        hyper: the names of the hyperparameters, those that are Tensors first.
        tensors: how many of them are Tensors.
        loss: whether the loss is known.
    """

    present: tuple
    maximize: bool
    hyper: tuple
    tensors: int
    loss: bool


def kept_leaves(form: Form, present) -> list:
    """Which arrays of the state a step leaves alone, because their parameter has no gradient.

    Args:
        form: the group's `Form`.
        present: for each parameter whether it has a gradient.

    Returns:
        A list with a bool for each array of the state.
    """
    absent = {key for key, is_there in zip(form.keys, present, strict=True) if not is_there}
    return [owner is not None and owner in absent for owner in form.owners]


def step_kernel(form: Form, step: Step, ins):
    """The step of a group.

    Args:
        form: the group's `Form`.
        step: the `Step`.
        ins: the Avals of its arrays.

    Returns:
        A kernel. Arrays: the parameters with a gradient and the state that changes; their gradients; the other parameters
        and state; the loss; the hyperparameters. Results: the first of these, updated.

    Raises:
        TypeError: the transformation needs the loss, which is not known.
        UnsupportedError: it needs something else, or its state changes its structure.
    """
    def function(*arrays):
        with narrow_unless(form.wide):
            return _stepped(form, step, iter(arrays))

    count = len(step.hyper) - step.tensors
    try:
        return function_kernel(("optax step", form.tx, form.keys, step, ins), "optax_step", lambda: function, ins,
                               (float,) * count)
    except TypeError as error:
        if "required keyword-only argument" not in str(error):
            raise
        missing = re.findall(r"'(\w+)'", str(error))
    if set(missing) <= {"value", "grad"}:
        raise TypeError(_NO_LOSS.format(", ".join(map(repr, missing))))
    raise UnsupportedError(_NO_FUNCTION.format(", ".join(map(repr, missing))))


def _stepped(form, step, arrays) -> tuple:
    kept = kept_leaves(form, step.present)
    params = {key: next(arrays) for key, there in zip(form.keys, step.present, strict=True) if there}
    leaves: list[Any] = [None if keep else next(arrays) for keep in kept]
    grads = {key: -next(arrays) if step.maximize else next(arrays) for key in params}
    for key, there in zip(form.keys, step.present, strict=True):
        if not there:
            params[key] = next(arrays)
            grads[key] = jnp.zeros_like(params[key])
    leaves = [next(arrays) if keep else leaf for keep, leaf in zip(kept, leaves, strict=True)]
    extra: dict = {"value": next(arrays).reshape(()), "grad": grads} if step.loss else {}
    values = {name: next(arrays).reshape(()) for name in step.hyper}
    state = tree.tree_unflatten(form.structure, [
        a if impl is None else jax.random.wrap_key_data(a, impl=impl) for a, impl in zip(leaves, form.impls, strict=True)])
    state = _with_hyperparameters(state, values)
    updates, new = form.tx.update(grads, state, params, **extra)
    if tree.tree_structure(new) != form.structure:
        raise UnsupportedError("torchlike.optim.Optax with a transformation whose state changes its structure")
    moved: Any = optax.apply_updates(params, updates)
    changed = zip(tree.tree_leaves(new), leaves, kept, strict=True)
    return (*(moved[key] for key, there in zip(form.keys, step.present, strict=True) if there),
            *(_plain(x).astype(old.dtype).reshape(old.shape) for x, old, keep in changed if not keep))
