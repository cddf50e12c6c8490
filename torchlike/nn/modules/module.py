"""`Module`: the base class of every layer and model.

https://pytorch.org/docs/stable/generated/torch.nn.Module.html
"""

import inspect
from collections import OrderedDict
from typing import Any, TypeVar

from torchlike._record import compile_request
from torchlike._record.parameter import Parameter
from torchlike._record.tensor import Tensor
from torchlike.nn._typename import typename
from torchlike.nn.modules import _global_hooks
from torchlike.nn.modules._global_hooks import (
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
    run_registration_hooks,
)
from torchlike.nn.modules.module_conversion import ModuleConversion
from torchlike.nn.modules.module_hooks import ModuleHooks, call_with_hooks
from torchlike.nn.modules.module_iterators import ModuleIterators
from torchlike.nn.modules.module_state import _EXTRA_STATE_KEY_SUFFIX as _EXTRA_STATE_KEY_SUFFIX
from torchlike.nn.modules.module_state import ModuleState
from torchlike.nn.modules.module_state import _IncompatibleKeys as _IncompatibleKeys
from torchlike.nn.parameter import Buffer

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

# Under PyTorch's names, which debuggers and profilers look up.
_global_backward_pre_hooks = _global_hooks.backward_pre
_global_backward_hooks = _global_hooks.backward
_global_forward_hooks = _global_hooks.forward
_global_forward_pre_hooks = _global_hooks.forward_pre
_global_buffer_registration_hooks = _global_hooks.buffer_registration
_global_module_registration_hooks = _global_hooks.module_registration
_global_parameter_registration_hooks = _global_hooks.parameter_registration

# What `__setstate__` fills in for modules pickled without it.
_HOOK_DICTS = (
    "_backward_pre_hooks", "_backward_hooks", "_forward_hooks", "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called", "_forward_pre_hooks", "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)
_NO_PERSISTENT = (
    "Registering a non-persistent buffer on a Module subclass that implements register_buffer() without "
    "the persistent argument is not allowed."
)


T_destination = TypeVar("T_destination", bound=dict[str, Any])


class Module(ModuleIterators, ModuleHooks, ModuleState, ModuleConversion):
    """A part of a model: it holds parameters, buffers and other modules, and computes `forward`. Assigning a `Parameter`,
    a `Buffer` or a `Module` to an attribute registers it; before ``super().__init__()`` that raises AttributeError.
    The attribute `training` says which mode it is in. Call the module and not `forward`, so that hooks run.
    https://pytorch.org/docs/stable/generated/torch.nn.Module.html

    Args:
        args, kwargs: for the next base class where `call_super_init` is True, else none.

    Raises:
        TypeError: arguments that nobody takes.
    """

    T_destination = T_destination
    dump_patches = False
    call_super_init = False
    # Saved with the state dict, so that a newer class recognises an older checkpoint.
    _version = 1

    def __init__(self, *args, **kwargs):
        if not self.call_super_init:
            if kwargs:
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument "
                                f"'{next(iter(kwargs))}'")
            if args:
                raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but "
                                f"{len(args) + 1} were given")
        state = self.__dict__  # not by __setattr__, which reads these entries
        state["training"] = True
        state["_parameters"] = {}
        state["_buffers"] = {}
        state["_non_persistent_buffers_set"] = set()
        state["_is_full_backward_hook"] = None
        for name in _HOOK_DICTS:
            state[name] = OrderedDict()
        state["_modules"] = {}
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    # forward may have any signature, so it is an attribute and not a declared method.
    def _forward_unimplemented(self, *input):
        """Override this with the computation; call the module, not `forward`, so that hooks run."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function')

    forward = _forward_unimplemented

    # -- calling ---------------------------------------------------------------------------------

    def __call__(self, *args, **kwargs):
        if not (self._forward_hooks or self._forward_pre_hooks or self._backward_hooks
                or self._backward_pre_hooks or _global_forward_hooks or _global_forward_pre_hooks
                or _global_backward_hooks or _global_backward_pre_hooks):
            return self.forward(*args, **kwargs)
        return call_with_hooks(self, args, kwargs)

    _call_impl = __call__

    _compiled_call_impl = None

    def compile(self, *args, **kwargs) -> None:
        """Compiles the calls of this module.
        https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.compile

        Args:
            args, kwargs: those of `torch.compile`.
        """
        forward = getattr(self.forward, "_torchdynamo_orig_callable", self.forward)
        made = self._compiled_call_impl = compile_request.compile(forward, *args, **kwargs)
        self.__dict__["forward"] = made

    # -- registration ----------------------------------------------------------------------------

    def register_buffer(self, name, tensor, persistent=True):
        """Adds a tensor that is state but not trained.

        Args:
            name: the attribute's name.
            tensor: a Tensor, or None, which keeps the name.
            persistent: whether it is part of the `state_dict`.

        Raises:
            AttributeError: before ``super().__init__()``.
            KeyError: the name is taken, empty, or has a dot.
            TypeError: the name is no string, or `tensor` no Tensor.
        """
        self._check_name("buffer", "_buffers", name)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{typename(tensor)}' object to buffer '{name}' "
                            "(torch Tensor or None required)")
        self._buffers[name] = run_registration_hooks(
            _global_hooks.buffer_registration, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name, param):
        """Adds a parameter.

        Args:
            name: the attribute's name.
            param: a Parameter, or None, which keeps the name.

        Raises:
            AttributeError: before ``super().__init__()``.
            KeyError: the name is taken, empty, or has a dot.
            TypeError: the name is no string, or `param` no Parameter.
            ValueError: `param` was computed from other tensors.
        """
        self._check_name("parameter", "_parameters", name)
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(f"cannot assign '{typename(param)}' object to parameter '{name}' "
                                "(torch.nn.Parameter or None required)")
            if param.grad_fn is not None:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                    f"created explicitly. To express '{name}' as a function of another Tensor, compute "
                    "the value in the forward() method.")
            param = run_registration_hooks(_global_hooks.parameter_registration, self, name, param)
        self._parameters[name] = param

    def add_module(self, name, module):
        """Adds a child.

        Args:
            name: the attribute's name.
            module: a Module, or None, which keeps the name.

        Raises:
            KeyError: the name is taken, empty, or has a dot.
            TypeError: the name is no string, or `module` no Module.
        """
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {typename(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._modules[name] = run_registration_hooks(
            _global_hooks.module_registration, self, name, module)

    def register_module(self, name, module):
        """Another name of `add_module`.

        Args:
            As for `add_module`.
        """
        self.add_module(name, module)

    def _check_name(self, kind, table, name):
        if table not in self.__dict__:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {typename(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in self.__dict__[table]:
            raise KeyError(f"attribute '{name}' already exists")

    # -- attributes ------------------------------------------------------------------------------

    def __getattr__(self, name):
        # Reached only after the normal look-up failed; parameters first: they are the hot path.
        state = self.__dict__
        if "_parameters" in state:
            found = state["_parameters"]
            if name in found:
                return found[name]
            found = state["_buffers"]
            if name in found:
                return found[name]
            found = state["_modules"]
            if name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        state = self.__dict__
        parameters = state.get("_parameters")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, state, self._buffers, self._modules)
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(f"cannot assign '{typename(value)}' as parameter '{name}' "
                                "(torch.nn.Parameter or None expected)")
            self.register_parameter(name, value)
        elif isinstance(value, Module) or name in state.get("_modules", ()):
            self._set_module(name, value)
        elif name in state.get("_buffers", ()) or (isinstance(value, Tensor) and isinstance(value, Buffer)):
            self._set_buffer(name, value)
        else:
            super().__setattr__(name, value)

    def _forget(self, name, *tables):
        """Takes `name` out of `tables`: it is about to be registered as something else."""
        for table in tables:
            table.pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _set_module(self, name, value):
        state = self.__dict__
        modules = state.get("_modules")
        if isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, state, self._parameters, self._buffers)
        elif value is not None:
            raise TypeError(f"cannot assign '{typename(value)}' as child module '{name}' "
                            "(torch.nn.Module or None expected)")
        modules[name] = run_registration_hooks(_global_hooks.module_registration, self, name, value)

    def _set_buffer(self, name, value):
        if value is not None and not isinstance(value, Tensor):
            raise TypeError(f"cannot assign '{typename(value)}' as buffer '{name}' "
                            "(torch.nn.Buffer, torch.Tensor or None expected)")
        if isinstance(value, Buffer):
            persistent = value.persistent
        else:
            persistent = name not in self._non_persistent_buffers_set
        register = self.register_buffer
        own = getattr(register, "__func__", None) is Module.register_buffer
        if own or "persistent" in inspect.signature(register).parameters:
            register(name, value, persistent)
        elif persistent:
            register(name, value)
        else:
            raise RuntimeError(_NO_PERSISTENT)

    def __delattr__(self, name):
        if name in self._parameters:
            del self._parameters[name]
        elif name in self._buffers:
            del self._buffers[name]
            self._non_persistent_buffers_set.discard(name)
        elif name in self._modules:
            del self._modules[name]
        else:
            super().__delattr__(name)

    def __dir__(self):
        keys = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        # The children of a Sequential have numbers for names, which cannot be typed as attributes.
        return sorted(key for key in keys if not key[0].isdigit())

    # -- looking up by dotted name -----------------------------------------------------------------

    def get_submodule(self, target) -> "Module":
        """The module at a path.

        Args:
            target: names with dots between them; "" is the module itself.

        Returns:
            The module.

        Raises:
            AttributeError: there is no module.
        """
        found = self
        for item in target.split(".") if target else ():
            found = _attribute(found, item)
            if not isinstance(found, Module):
                raise AttributeError(f"`{item}` is not an nn.Module")
        return found

    def set_submodule(self, target, module, strict=False):
        """Puts a module at a path.

        Args:
            target: names with dots between them.
            module: the module.
            strict: whether a module must be there already.

        Raises:
            ValueError: `target` is empty, or `module` no Module.
            AttributeError: something else is there, or with `strict` nothing.
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if (strict or hasattr(parent, name)) and not isinstance(_attribute(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target) -> Parameter:
        """The parameter at a path.

        Args:
            target: names with dots between them.

        Returns:
            The parameter.

        Raises:
            AttributeError: there is no parameter.
        """
        path, _, name = target.rpartition(".")
        found = _attribute(self.get_submodule(path), name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target) -> Tensor:
        """The buffer at a path.

        Args:
            target: names with dots between them.

        Returns:
            The tensor.

        Raises:
            AttributeError: there is no buffer.
        """
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        found = _attribute(owner, name)
        if name not in owner._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found

    # -- copying and printing ----------------------------------------------------------------------

    def __getstate__(self):
        state = self.__dict__.copy()
        compiled = state.pop("_compiled_call_impl", None)
        if compiled is not None and state.get("forward") is compiled:  # as in PyTorch, a copy is not compiled
            del state["forward"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        for name in _HOOK_DICTS:
            self.__dict__.setdefault(name, OrderedDict())
        self.__dict__.setdefault("_non_persistent_buffers_set", set())
        self.__dict__.setdefault("_is_full_backward_hook", None)

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self) -> str:
        """To be overridden: the module's settings, as its `repr` shows them."""
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = [f"({name}): {_indent(repr(module))}" for name, module in self._modules.items()]
        if not child_lines and len(extra_lines) <= 1:
            return f"{self._get_name()}({extra})"
        lines = "\n  ".join(extra_lines + child_lines)
        return f"{self._get_name()}(\n  {lines}\n)"


def _attribute(module, name):
    if not hasattr(module, name):
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    return getattr(module, name)


def _indent(text):
    """`text` with every line after the first pushed in by two, blank lines left empty."""
    first, *rest = text.split("\n")
    return "\n".join([first, *(f"  {line}" if line.strip() else "" for line in rest)])
