"""Hooks common to all modules, and the functions that register them.

https://pytorch.org/docs/stable/nn.html#common-hooks-for-all-modules. The dictionaries are module-level
state on purpose: that is what "global" means here.
"""

import dataclasses
from collections import OrderedDict

from torchlike.nn.modules._handles import RemovableHandle, add_hook

buffer_registration: OrderedDict = OrderedDict()
module_registration: OrderedDict = OrderedDict()
parameter_registration: OrderedDict = OrderedDict()
forward_pre: OrderedDict = OrderedDict()
forward: OrderedDict = OrderedDict()
forward_always_called: OrderedDict = OrderedDict()
forward_with_kwargs: OrderedDict = OrderedDict()
backward_pre: OrderedDict = OrderedDict()
backward: OrderedDict = OrderedDict()

_BOTH_KINDS = (
    "Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
    "Please use only one of them."
)


@dataclasses.dataclass(slots=True)
class _BackwardKind:
    """Whether `backward` holds full hooks (True), old ones (False), or was never used (None)."""

    full: bool | None = None


_kind = _BackwardKind()


def backward_is_full():
    """True or False once a global backward hook has been registered, None before."""
    return _kind.full


def run_registration_hooks(hooks, module, name, value):
    """`value`, as the registration hooks of `hooks` leave it.
    https://pytorch.org/docs/stable/generated/torch.nn.run_registration_hooks.html
    """
    for hook in hooks.values():
        replaced = hook(module, name, value)
        if replaced is not None:
            value = replaced
    return value


def register_module_buffer_registration_hook(hook) -> RemovableHandle:
    """Runs a hook whenever any module registers a buffer.
    https://pytorch.org/docs/stable/generated/torch.nn.register_module_buffer_registration_hook.html

    Args:
        hook: ``hook(module, name, buffer)`` returns None or another buffer.

    Returns:
        a handle, whose `remove` takes the hook away.
    """
    return add_hook(buffer_registration, hook)


def register_module_module_registration_hook(hook) -> RemovableHandle:
    """Runs a hook whenever any module registers a child.
    https://pytorch.org/docs/stable/generated/torch.nn.register_module_module_registration_hook.html

    Args:
        hook: ``hook(module, name, child)`` returns None or another module.

    Returns:
        a handle, whose `remove` takes the hook away.
    """
    return add_hook(module_registration, hook)


def register_module_parameter_registration_hook(hook) -> RemovableHandle:
    """Runs a hook whenever any module registers a parameter.
    https://pytorch.org/docs/stable/generated/torch.nn.register_module_parameter_registration_hook.html

    Args:
        hook: ``hook(module, name, parameter)`` returns None or another parameter.

    Returns:
        a handle, whose `remove` takes the hook away.
    """
    return add_hook(parameter_registration, hook)


def register_module_forward_pre_hook(hook) -> RemovableHandle:
    """Runs a hook before the forward pass of every module.
    https://pytorch.org/docs/stable/generated/torch.nn.register_module_forward_pre_hook.html

    Args:
        hook: ``hook(module, args)`` returns None or other arguments.

    Returns:
        a handle, whose `remove` takes the hook away.
    """
    return add_hook(forward_pre, hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False) -> RemovableHandle:
    """Runs a hook after the forward pass of every module.
    https://pytorch.org/docs/stable/generated/torch.nn.register_module_forward_hook.html

    Args:
        hook: ``hook(module, args, output)`` returns None or another output.
        with_kwargs: whether the hook gets the keyword arguments, too: ``hook(module, args, kwargs, output)``.
        always_call: whether it runs even if the forward pass raises.

    Returns:
        a handle, whose `remove` takes the hook away.
    """
    handle = add_hook(forward, hook, flags=[(forward_always_called, always_call)])
    if with_kwargs:
        forward_with_kwargs[handle.id] = True
    return handle


def register_module_full_backward_pre_hook(hook) -> RemovableHandle:
    """Runs a hook before the backward pass of every module.
    https://pytorch.org/docs/stable/generated/torch.nn.register_module_full_backward_pre_hook.html

    Args:
        hook: ``hook(module, grad_output)`` returns None or another tuple of gradients.

    Returns:
        a handle, whose `remove` takes the hook away.
    """
    return add_hook(backward_pre, hook)


def register_module_full_backward_hook(hook) -> RemovableHandle:
    """Runs a hook when the gradients of any module's inputs are known.
    https://pytorch.org/docs/stable/generated/torch.nn.register_module_full_backward_hook.html

    Args:
        hook: ``hook(module, grad_input, grad_output)`` returns None or another `grad_input`.

    Returns:
        a handle, whose `remove` takes the hook away.

    Raises:
        RuntimeError: there was a hook of the older kind, see `register_module_backward_hook`.
    """
    return _register_backward(hook, full=True)


def register_module_backward_hook(hook) -> RemovableHandle:
    """The older form of `register_module_full_backward_hook`, which sees the gradients of a module's last node only.

    Args:
        As for `register_module_full_backward_hook`.

    Returns:
        a handle, whose `remove` takes the hook away.

    Raises:
        RuntimeError: there was a full hook.
    """
    return _register_backward(hook, full=False)


def _register_backward(hook, full):
    if _kind.full is (not full):
        raise RuntimeError(_BOTH_KINDS)
    _kind.full = full
    return add_hook(backward, hook)
