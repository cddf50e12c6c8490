"""`RemovableHandle`: what every `register_*_hook` returns."""

import weakref
from collections import OrderedDict


class RemovableHandle:
    """Takes a hook out of its dictionary again: ``handle.remove()``, or on leaving ``with handle:``.
    https://pytorch.org/docs/stable/generated/torch.utils.hooks.RemovableHandle.html

    Args:
        hooks_dict: the dictionary, from numbers to hooks; held weakly, so a handle keeps nothing alive.
        extra_dict: a dictionary, or a list of them, from which the same number goes too; likewise.
    """

    next_id = 0

    def __init__(self, hooks_dict, *, extra_dict=None):
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        extras = (extra_dict,) if isinstance(extra_dict, dict) else tuple(extra_dict or ())
        self.extra_dict_ref = tuple(weakref.ref(d) for d in extras)

    def remove(self) -> None:
        """Remove the hook; nothing happens if it is gone already."""
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            hooks = reference()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()

    def __getstate__(self):
        return self.hooks_dict_ref(), self.id, tuple(reference() for reference in self.extra_dict_ref)

    def __setstate__(self, state):
        hooks, self.id, *extras = state
        self.hooks_dict_ref = weakref.ref(OrderedDict() if hooks is None else hooks)
        self.extra_dict_ref = tuple(weakref.ref(d) for d in (extras[0] if extras else None) or ())
        # An id that has come back must never be given to a second hook.
        RemovableHandle.next_id = max(RemovableHandle.next_id, self.id + 1)


class MultiHandle(RemovableHandle):
    """One handle for several hooks.

    Args:
        handles: their handles.
    """

    def __init__(self, handles):
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()

    def __getstate__(self):
        return self.handles

    def __setstate__(self, state):
        self.handles = state


def add_hook(hooks, hook) -> RemovableHandle:
    """Stores a hook under a fresh number.

    Args:
        hooks: an ordered dictionary from numbers to hooks.
        hook: the hook.

    Returns:
        The handle that removes the hook.
    """
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle
