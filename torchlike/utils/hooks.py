"""`torch.utils.hooks`: handles of hooks, and the helper of module hooks."""

import warnings

from torchlike.autograd.handles import RemovableHandle as RemovableHandle
from torchlike.nn.modules._backward_hook import BackwardHook as BackwardHook


def unserializable_hook(f):
    """Decorates a hook that is known not to be saved with its tensor: no warning about it."""
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor) -> None:
    """Warns about each hook of a leaf that will not be saved with it."""
    for hook in (tensor._hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, "
                          "you can decorate the function with @torch.utils.hooks.unserializable_hook to "
                          "suppress this warning",
                          stacklevel=2)
