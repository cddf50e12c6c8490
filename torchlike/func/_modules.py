"""Modules as functions of their parameters. https://pytorch.org/docs/stable/func.api.html#utilities-for-working-with-torch-nn-modules"""

import contextlib

from torchlike import _api
from torchlike._record.tensor import Tensor


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """Calls a module with other tensors in the places of its parameters and buffers.
    https://pytorch.org/docs/stable/generated/torch.func.functional_call.html

    Args:
        module: the module; it is unchanged afterwards.
        parameter_and_buffer_dicts: a dict from paths to tensors, or a sequence of dicts without common paths.
        args: a tuple of arguments, or the only one.
        kwargs: a dict of keyword arguments.
        tie_weights: whether tensors that are tied in the module change together.
        strict: whether every path must be given and exist.

    Returns:
        The module's result.

    Raises:
        ValueError: a path in two dicts, or several values for tied tensors.
        RuntimeError: missing or unexpected paths, with `strict`.
    """
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with reparametrized(module, _merged(parameter_and_buffer_dicts), tie_weights=tie_weights, strict=strict):
        return module(*args, **(kwargs or {}))


@contextlib.contextmanager
def reparametrized(module, given, *, tie_weights, strict):
    """A block in which a module has other tensors in the places of its parameters and buffers; see `functional_call`."""
    places = {name: (owner, key) for name, owner, key in _places(module)}
    if strict:
        _check_strict(type(module).__name__, given, places)
    if tie_weights:
        given = _tied(given, places)
    swapped = [(_table(*places[name]), places[name][1], value) for name, value in given.items() if name in places]
    tables, before = [table for table, _, _ in swapped], [{key: table[key]} for table, key, _ in swapped]
    restored = map(dict.update, reversed(tables), reversed(before))
    try:
        for table, key, value in swapped:
            table[key] = value
        yield module
    finally:
        _ = [*restored]  # C from the first to the last of them: no interruption comes in between


def replace_all_batch_norm_modules_(root):
    """Makes all batch norms inside a module forget their running statistics, to which a vmap could not write.
    https://pytorch.org/docs/stable/func.batch_norm.html

    Args:
        root: the module.

    Returns:
        The module.
    """
    for module in root.modules():
        forget = getattr(module, "_forget_statistics", None)
        if forget is not None:
            forget()
    return root


def _merged(dicts) -> dict:
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, list | tuple) or not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    merged: dict = {}
    for d in dicts:
        twice = sorted(set(merged) & set(d))
        if twice:
            raise ValueError(f"{twice} appeared in multiple dictionaries; behavior of functional call is ambiguous")
        merged.update(d)
    return merged


def _places(module):
    """(name, Module, key) of every parameter and buffer, tied ones under each name."""
    for prefix, owner in module.named_modules(remove_duplicate=False):
        for table in (owner._parameters, owner._buffers):
            for key, value in table.items():
                if value is not None:
                    yield (f"{prefix}.{key}" if prefix else key), owner, key


def _table(owner, key) -> dict:
    return owner._parameters if key in owner._parameters else owner._buffers


def _check_strict(kind, given, places) -> None:
    missing, unexpected = sorted(set(places) - set(given)), sorted(set(given) - set(places))
    problems = []
    if unexpected:
        problems.append(f"Unexpected key(s): {', '.join(repr(n) for n in unexpected)}.")
    if missing:
        problems.append(f"Missing key(s): {', '.join(repr(n) for n in missing)}.")
    if problems:
        raise RuntimeError(f"Error(s) in reparametrizing for {kind}:\n\t" + "\n\t".join(problems))


def _tied(given, places) -> dict:
    """`given` with every other path of the same tensors."""
    names: dict = {}
    for name, (owner, key) in places.items():
        names.setdefault(id(_table(owner, key)[key]), []).append(name)
    found = dict(given)
    for group in names.values():
        values = {id(given[name]): given[name] for name in group if name in given}
        if len(values) > 1:
            raise ValueError(f"functional_call got multiple values for keys {sorted(group)}, which are tied. Consider using "
                             "tie_weights=False")
        for name in group:
            for value in values.values():
                found.setdefault(name, value)
    return found


def stack_module_state(models) -> tuple:
    """The parameters and buffers of several modules, stacked.
    https://pytorch.org/docs/stable/generated/torch.func.stack_module_state.html

    Args:
        models: modules of one class and mode.

    Returns:
        two dicts, of parameters and of buffers, from paths to tensors (len(models), *).

    Raises:
        RuntimeError: there are none, or classes or modes differ.
    """
    if not models:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if not (all(m.training for m in models) or not any(m.training for m in models)):
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if any(type(m) is not type(models[0]) for m in models):
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    parameters = [dict(m.named_parameters()) for m in models]
    buffers = [dict(m.named_buffers()) for m in models]
    return ({name: _stacked([p[name] for p in parameters]) for name in parameters[0]},
            {name: _stacked([b[name] for b in buffers]) for name in buffers[0]})


def _stacked(tensors) -> Tensor:
    made = _api.stack([x.detach() for x in tensors])
    return made.requires_grad_() if tensors[0].requires_grad else made


def functionalize(func, *, remove="mutations"):
    """The function itself: what is recorded has no views and writes.

    Args:
        func: the function.
        remove: "mutations" or "mutations_and_views", which makes no difference.

    Returns:
        The function.

    Raises:
        RuntimeError: another `remove`.
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid "
                           "options are:\n     remove='mutations': all inplace and out= operators will be removed from the "
                           "program, and replaced\n     with their out-of-place equivalents.\n     "
                           "remove='mutations_and_views': In addition to the above, all aliasing operators {view} will be\n"
                           "     replaced with their non-aliasing counterparts, {view}_copy.\n")
    return func
