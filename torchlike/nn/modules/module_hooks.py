"""The hooks of one module: their registration, and the call that runs them.

`Module.__call__` goes straight to `forward` where there is no hook; everything here is the other case.
"""

import functools
import warnings
import weakref

from torchlike._record.tensor import Tensor
from torchlike.nn.modules import _global_hooks
from torchlike.nn.modules._backward_hook import BackwardHook
from torchlike.nn.modules._handles import RemovableHandle, add_hook

_BOTH_KINDS = (
    "Cannot use both regular backward hooks and full backward hooks on a single Module. "
    "Please use only one of them."
)
_NOT_FULL = "Please use register_full_backward_hook to get the documented behavior."


class WrappedHook:
    """A hook that may get a module as its first argument. The module is held weakly.
    https://pytorch.org/docs/stable/generated/torch.nn.WrappedHook.html

    Args:
        hook: the hook.
        module: the module, or None.
    """

    def __init__(self, hook, module=None):
        self.hook = hook
        functools.update_wrapper(self, hook)
        self.with_module = module is not None
        if self.with_module:
            self.module = weakref.ref(module)

    def __call__(self, *args, **kwargs):
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self):
        state = {"hook": self.hook, "with_module": self.with_module}
        if self.with_module:
            state["module"] = self.module()
        return state

    def __setstate__(self, state):
        self.hook = state["hook"]
        self.with_module = state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


class ModuleHooks:
    """What `Module` has for registering hooks.
    https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_forward_hook
    """

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False) -> RemovableHandle:
        """Runs a hook before the forward pass.

        Args:
            hook: ``hook(module, args)`` returns None or other arguments; with `with_kwargs` ``hook(module, args,
                kwargs)`` returns None or (args, kwargs).
            prepend: whether it runs before the hooks that are there.
            with_kwargs: whether it gets the keyword arguments, too.

        Returns:
            a handle, whose `remove` takes the hook away.
        """
        return add_hook(self._forward_pre_hooks, hook, prepend=prepend,
                        flags=[(self._forward_pre_hooks_with_kwargs, with_kwargs)])

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False,
                              always_call=False) -> RemovableHandle:
        """Runs a hook after the forward pass.

        Args:
            hook: ``hook(module, args, output)``, with `with_kwargs` ``hook(module, args, kwargs, output)``, returns None
                or another output.
            prepend: whether it runs before the hooks that are there.
            with_kwargs: whether it gets the keyword arguments, too.
            always_call: whether it runs even if the forward pass raises; the output is None then.

        Returns:
            a handle, whose `remove` takes the hook away.
        """
        return add_hook(self._forward_hooks, hook, prepend=prepend,
                        flags=[(self._forward_hooks_with_kwargs, with_kwargs),
                               (self._forward_hooks_always_called, always_call)])

    def register_full_backward_pre_hook(self, hook, prepend=False) -> RemovableHandle:
        """Runs a hook before the module's backward pass.

        Args:
            hook: ``hook(module, grad_output)`` returns None or another tuple of gradients.
            prepend: whether it runs before the hooks that are there.

        Returns:
            a handle, whose `remove` takes the hook away.
        """
        return add_hook(self._backward_pre_hooks, hook, prepend=prepend)

    def register_full_backward_hook(self, hook, prepend=False) -> RemovableHandle:
        """Runs a hook when the gradients of the module's inputs are known.

        Args:
            hook: ``hook(module, grad_input, grad_output)`` returns None or another `grad_input`.
            prepend: whether it runs before the hooks that are there.

        Returns:
            a handle, whose `remove` takes the hook away.

        Raises:
            RuntimeError: the module has a hook of the older kind.
        """
        if self._is_full_backward_hook is False:
            raise RuntimeError(_BOTH_KINDS)
        self._is_full_backward_hook = True
        return add_hook(self._backward_hooks, hook, prepend=prepend)

    def register_backward_hook(self, hook) -> RemovableHandle:
        """Registers a hook of the older kind, which sees the gradients of the module's last node only.

        Args:
            hook: ``hook(module, grad_input, grad_output)``.

        Returns:
            a handle, whose `remove` takes the hook away.

        Raises:
            RuntimeError: the module has a full hook.
        """
        if self._is_full_backward_hook is True:
            raise RuntimeError(_BOTH_KINDS)
        self._is_full_backward_hook = False
        return add_hook(self._backward_hooks, hook)

    def _get_backward_hooks(self):
        """(full backward hooks, old backward hooks), the global ones first."""
        hooks = {True: [], False: []}
        for kind, found in ((_global_hooks.backward_is_full(), _global_hooks.backward),
                            (self._is_full_backward_hook, self._backward_hooks)):
            if kind is not None:
                hooks[kind] += found.values()
        return hooks[True], hooks[False]

    def _get_backward_pre_hooks(self):
        return [*_global_hooks.backward_pre.values(), *self._backward_pre_hooks.values()]


def call_with_hooks(module, args, kwargs):
    """The forward pass with every hook around it, in PyTorch's order. `Module.__call__` uses it where there is a hook.
    https://pytorch.org/docs/stable/generated/torch.nn.Module.html

    Args:
        module: the module.
        args, kwargs: the arguments of the call.

    Returns:
        The result, as the hooks leave it.
    """
    call = _Call(module, args, kwargs)
    try:
        return call.run()
    except Exception:
        call.run_always_called()
        raise


class _Call:
    """One call of a module: the arguments and the result as the hooks change them."""

    def __init__(self, module, args, kwargs):
        self.module = module
        self.args = args
        self.kwargs = kwargs
        self.result = None
        self.called = set()  # ids of always-called hooks that have run

    def run(self):
        module = self.module
        full, old = module._get_backward_hooks()
        pre = module._get_backward_pre_hooks()
        self._forward_pre_hooks()
        backward_hook = None
        if full or pre:
            backward_hook = BackwardHook(module, full, pre)
            self.args = backward_hook.setup_input_hook(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        self._forward_hooks()
        if backward_hook is not None:
            if not isinstance(self.result, (Tensor, tuple)):
                warnings.warn("For backward hooks to be called, module output should be a Tensor or a "
                              f"tuple of Tensors but received {type(self.result)}", stacklevel=5)
            self.result = backward_hook.setup_output_hook(self.result)
        if old:
            _attach_old_hooks(module, old, self.args, self.result)
        return self.result

    def _forward_pre_hooks(self):
        module = self.module
        for key, hook in (*_global_hooks.forward_pre.items(), *module._forward_pre_hooks.items()):
            if key not in module._forward_pre_hooks_with_kwargs:
                got = hook(module, self.args)
                if got is not None:
                    self.args = got if isinstance(got, tuple) else (got,)
                continue
            got = hook(module, self.args, self.kwargs)
            if got is None:
                continue
            if not (isinstance(got, tuple) and len(got) == 2):
                raise RuntimeError("forward pre-hook must return None or a tuple of "
                                   f"(new_args, new_kwargs), but got {got}.")
            self.args, self.kwargs = got

    def _forward_hooks(self):
        module = self.module
        always = (module._forward_hooks_always_called, _global_hooks.forward_always_called)
        for key, hook in (*_global_hooks.forward.items(), *module._forward_hooks.items()):
            if key in always[0] or key in always[1]:
                self.called.add(key)
            self._one_forward_hook(key, hook)

    def _one_forward_hook(self, key, hook):
        if key in self.module._forward_hooks_with_kwargs or key in _global_hooks.forward_with_kwargs:
            got = hook(self.module, self.args, self.kwargs, self.result)
        else:
            got = hook(self.module, self.args, self.result)
        if got is not None:
            self.result = got

    def run_always_called(self):
        """After an error: the hooks that asked to be called whatever happens, if they have not been."""
        module = self.module
        for always, hooks, word in (
            (_global_hooks.forward_always_called, _global_hooks.forward, "global module forward"),
            (module._forward_hooks_always_called, module._forward_hooks, "module forward"),
        ):
            for key, hook in list(hooks.items()):
                if key not in always or key in self.called:
                    continue
                try:
                    self._one_forward_hook(key, hook)
                except Exception as error:  # noqa: BLE001 - hooks that always run, run after any error
                    warnings.warn(f"{word} hook with ``always_call=True`` raised an exception that was "
                                  f"silenced as another error was raised in forward: {error}",
                                  stacklevel=4)


def _attach_old_hooks(module, hooks, inputs, result):
    """Registers old-style backward hooks on the node of the first tensor found in `result`."""
    var = result
    while not isinstance(var, Tensor):
        if isinstance(var, dict):
            var = next(v for v in var.values() if isinstance(v, Tensor))
        else:
            var = var[0]
    node = var.grad_fn
    if node is None:
        return
    for hook in hooks:
        node.register_hook(WrappedHook(hook, module))
    complaint = _old_hook_complaint(inputs, result, node)
    if complaint is not None:
        warnings.warn(complaint, FutureWarning, stacklevel=5)


def _old_hook_complaint(inputs, result, node):
    """Why an old-style hook misses gradients here, or None."""
    outputs, inputs = _as_tensors(result), _as_tensors(inputs)
    if outputs is None:
        return ("Using non-full backward hooks on a Module that does not return a single Tensor or a "
                "tuple of Tensors is deprecated and will be removed in future versions. This hook will "
                f"be missing some of the grad_output. {_NOT_FULL}")
    if inputs is None:
        return ("Using non-full backward hooks on a Module that does not take as input a single Tensor "
                "or a tuple of Tensors is deprecated and will be removed in future versions. This hook "
                f"will be missing some of the grad_input. {_NOT_FULL}")
    nodes = {t.grad_fn for t in outputs if t.grad_fn is not None}
    if len(nodes) > 1:
        return ("Using a non-full backward hook when outputs are generated by different autograd Nodes "
                "is deprecated and will be removed in future versions. This hook will be missing some "
                f"grad_output. {_NOT_FULL}")
    if node not in nodes:
        return ("Using a non-full backward hook when outputs are nested in python data structure is "
                "deprecated and will be removed in future versions. This hook will be missing some "
                "grad_output.")
    if {t.grad_fn for t in inputs if t.grad_fn is not None} != {n for n, _ in node.next_functions}:
        return ("Using a non-full backward hook when the forward contains multiple autograd Nodes is "
                "deprecated and will be removed in future versions. This hook will be missing some "
                f"grad_input. {_NOT_FULL}")
    return None


def _as_tensors(value):
    """`value` as a tuple of tensors, or None if it is neither a tensor nor a tuple of tensors."""
    if isinstance(value, Tensor):
        return (value,)
    if isinstance(value, tuple) and all(isinstance(v, Tensor) for v in value):
        return value
    return None
