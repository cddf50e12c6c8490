"""Filters of guards for the option ``guard_filter_fn`` of `torch.compile`. There are no guards here, so nothing calls them
but programs; what they say of guards is PyTorch's.
"""

from torchlike._record.parameter import Parameter


class _Collectives:
    """Whether guards are to agree between processes: kept and reported."""

    def __init__(self):
        self.enabled = False


_collectives = _Collectives()


def set_enable_guard_collectives(enabled: bool) -> bool:
    """Whether the processes of a group compile anew together. Kept and reported: nothing is compiled anew.
    https://pytorch.org/docs/stable/generated/torch.compiler.set_enable_guard_collectives.html

    Args:
        enabled: whether they do.

    Returns:
        whether they did.
    """
    before, _collectives.enabled = _collectives.enabled, bool(enabled)
    return before


def keep_portable_guards_unsafe(guard_entries) -> list[bool]:
    """Keeps those that another process could check: of global settings, shapes and tensors among the arguments.
    https://pytorch.org/docs/stable/generated/torch.compiler.keep_portable_guards_unsafe.html

    Args:
        guard_entries: objects with `guard_type` and `is_global`.

    Returns:
        for each whether it is kept.
    """
    return [entry.guard_type in ("GLOBAL_STATE", "SHAPE_ENV") or (entry.guard_type == "TENSOR_MATCH" and not entry.is_global)
            for entry in guard_entries]


def skip_guard_on_inbuilt_nn_modules_unsafe(guard_entries) -> list[bool]:
    """Drops those of modules of torch.nn.
    https://pytorch.org/docs/stable/generated/torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe.html

    Args:
        guard_entries: objects with `orig_guard`, whose source can tell.

    Returns:
        for each whether it is kept.
    """
    return [not entry.orig_guard.source.is_unspecialized_builtin_nn_module() for entry in guard_entries]


def skip_guard_on_all_nn_modules_unsafe(guard_entries) -> list[bool]:
    """Drops those of all modules.
    https://pytorch.org/docs/stable/generated/torch.compiler.skip_guard_on_all_nn_modules_unsafe.html

    Args:
        guard_entries: objects with `orig_guard`, whose source can tell.

    Returns:
        for each whether it is kept.
    """
    return [not entry.orig_guard.source.is_unspecialized_nn_module() for entry in guard_entries]


def keep_tensor_guards_unsafe(guard_entries, keep_parameters=False) -> list[bool]:
    """Keeps those of tensors.
    https://pytorch.org/docs/stable/generated/torch.compiler.keep_tensor_guards_unsafe.html

    Args:
        guard_entries: objects with `guard_type` and `value`.
        keep_parameters: whether those of parameters, too.

    Returns:
        for each whether it is kept.
    """
    return [entry.guard_type == "TENSOR_MATCH" and (keep_parameters or not isinstance(entry.value, Parameter))
            for entry in guard_entries]


def skip_guard_on_globals_unsafe(guard_entries) -> list[bool]:
    """Drops those of global variables.
    https://pytorch.org/docs/stable/generated/torch.compiler.skip_guard_on_globals_unsafe.html

    Args:
        guard_entries: objects with `is_global`.

    Returns:
        for each whether it is kept.
    """
    return [not entry.is_global for entry in guard_entries]


def skip_all_guards_unsafe(guard_entries) -> list[bool]:
    """Drops all.
    https://pytorch.org/docs/stable/generated/torch.compiler.skip_all_guards_unsafe.html

    Args:
        guard_entries: any objects.

    Returns:
        False for each.
    """
    return [False for _ in guard_entries]
