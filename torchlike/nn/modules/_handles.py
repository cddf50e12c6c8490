"""`RemovableHandle`: what every `register_*_hook` returns."""

import itertools
import weakref
from collections import OrderedDict


class RemovableHandle:
    """Takes a hook out again: ``handle.remove()``, or on leaving ``with handle:``.

    Holds the hook dictionaries weakly, so a handle keeps no module alive.
    https://pytorch.org/docs/stable/generated/torch.utils.hooks.RemovableHandle.html
    """

    _ids = itertools.count()

    def __init__(self, hooks_dict, *, extra_dict=None):
        self.id = next(RemovableHandle._ids)
        extras = [extra_dict] if isinstance(extra_dict, dict) else (extra_dict or ())
        self._refs = tuple(weakref.ref(d) for d in (hooks_dict, *extras))

    @property
    def hooks_dict_ref(self):
        """Weak reference to the dictionary that holds the hook."""
        return self._refs[0]

    def remove(self) -> None:
        """Removes the hook; does nothing if it is gone already."""
        for ref in self._refs:
            hooks = ref()
            if hooks is not None:
                hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.remove()

    def __getstate__(self):
        return self.id, tuple(ref() for ref in self._refs)

    def __setstate__(self, state):
        self.id, dicts = state
        self._refs = tuple(weakref.ref(OrderedDict() if d is None else d) for d in dicts)
        # A revived id must never be handed out a second time.
        RemovableHandle._ids = itertools.count(max(self.id, next(RemovableHandle._ids)) + 1)


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
