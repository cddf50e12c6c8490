"""`torch.utils.hooks`: handles of hooks, and the helper of module hooks."""

import warnings

from torchlike.autograd.handles import RemovableHandle as RemovableHandle
from torchlike.nn.modules._backward_hook import BackwardHook as BackwardHook


def unserializable_hook(f):
    """Marks a hook of a tensor that is not meant to be saved, so that saving the tensor does not warn.

    Args:
        f: the hook.

    Returns:
        The hook.
    """
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor) -> None:
    """Warns about every hook of a leaf that is not saved with it.

    Args:
        tensor: a tensor.
    """
    for hook in (tensor._hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, "
                          "you can decorate the function with @torch.utils.hooks.unserializable_hook to "
                          "suppress this warning",
                          stacklevel=2)
