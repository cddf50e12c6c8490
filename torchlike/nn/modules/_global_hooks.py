"""Hooks common to all modules, and the functions that register them.

https://pytorch.org/docs/stable/nn.html#common-hooks-for-all-modules. The dictionaries are module-level
state on purpose: that is what "global" means here.
"""

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
# Whether `backward` holds full hooks (True), old ones (False), or was never used (None).
_kind = {"full": None}


def backward_is_full():
    """True or False once a global backward hook has been registered, None before."""
    return _kind["full"]


def run_registration_hooks(hooks, module, name, value):
    """`value` after every registration hook of `hooks` had its say."""
    for hook in hooks.values():
        replaced = hook(module, name, value)
        if replaced is not None:
            value = replaced
    return value


def register_module_buffer_registration_hook(hook) -> RemovableHandle:
    """`hook(module, name, buffer) -> None or new buffer` at every `register_buffer`."""
    return add_hook(buffer_registration, hook)


def register_module_module_registration_hook(hook) -> RemovableHandle:
    """`hook(module, name, submodule) -> None or new submodule` at every `register_module`."""
    return add_hook(module_registration, hook)


def register_module_parameter_registration_hook(hook) -> RemovableHandle:
    """`hook(module, name, param) -> None or new parameter` at every `register_parameter`."""
    return add_hook(parameter_registration, hook)


def register_module_forward_pre_hook(hook) -> RemovableHandle:
    """`hook(module, args) -> None or new args` before every module's forward."""
    return add_hook(forward_pre, hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False) -> RemovableHandle:
    """`hook(module, args, output) -> None or new output` after every module's forward.

    `with_kwargs` hands the keyword arguments over too; `always_call` runs it even if forward raised.
    """
    handle = add_hook(forward, hook, flags=[(forward_always_called, always_call)])
    if with_kwargs:
        forward_with_kwargs[handle.id] = True
    return handle


def register_module_full_backward_pre_hook(hook) -> RemovableHandle:
    """`hook(module, grad_output) -> None or new grad_output` before every module's backward."""
    return add_hook(backward_pre, hook)


def register_module_full_backward_hook(hook) -> RemovableHandle:
    """`hook(module, grad_input, grad_output) -> None or new grad_input` for every module.

    RuntimeError if an old-style global backward hook was registered before.
    """
    return _register_backward(hook, full=True)


def register_module_backward_hook(hook) -> RemovableHandle:
    """The old form of `register_module_full_backward_hook`; the two may not be mixed."""
    return _register_backward(hook, full=False)


def _register_backward(hook, full):
    if _kind["full"] is (not full):
        raise RuntimeError(_BOTH_KINDS)
    _kind["full"] = full
    return add_hook(backward, hook)
