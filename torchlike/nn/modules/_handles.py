"""Storing hooks under handles."""

from torchlike.autograd.handles import RemovableHandle as RemovableHandle


def add_hook(hooks, hook, *, prepend=False, flags=()) -> RemovableHandle:
    """Stores `hook` in the ordered dict `hooks`.

    `flags` lists (dict, wanted) pairs: the hook's id is marked in each wanted dict, and the handle
    clears the marks as well.
    """
    handle = RemovableHandle(hooks, extra_dict=[d for d, _ in flags])
    hooks[handle.id] = hook
    for marks, wanted in flags:
        if wanted:
            marks[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle
