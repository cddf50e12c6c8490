"""`torch.compile`, and what it makes of a module."""

from collections.abc import Callable, Sized
from typing import Any

from torchlike._record import compile_request
from torchlike.nn.modules.module import Module

_OWN = ("_orig_mod", "_torchdynamo_orig_callable", "__dict__", "forward")


def compile(model: Callable | None = None, *, fullgraph: bool = False, dynamic: bool | None = None,
            backend: str | Callable | None = None, mode: str | None = None, options: dict | None = None,
            name: str | None = None, disable: bool = False, recompile_limit: int | None = None,
            isolate_recompiles: bool = False, shapes_spec: Any = None, dynamic_shapes: Any = None):
    """A function or module whose traces are compiled before they run for the first time. Without it, what is recorded
    runs operator by operator until its program is ready; with it the first call waits for the program, and so does the
    first call with other shapes. The program is that of the trace, which goes on to the next look at a value: forward,
    backward and the optimizer's step are one program in both cases. Differs from PyTorch: Python runs in each call, so
    there are no graph breaks, guards or recompilations, and ``fullgraph=True`` refuses nothing. Names in `options` are
    not checked. https://pytorch.org/docs/stable/generated/torch.compile.html

    Args:
        model: a function, a Module (which comes back inside an `OptimizedModule`) or a class (whose calls are compiled);
            None gives a decorator.
        backend: a name. "eager" and "aot_eager" leave the function to the background compiler.
        disable: whether to return `model` itself.
        fullgraph, dynamic, mode, options: checked as in PyTorch, without effect.
        name, recompile_limit, isolate_recompiles: without effect.
        shapes_spec, dynamic_shapes: without effect; two names of one argument, the second of PyTorch 2.14.

    Returns:
        The compiled form of `model`.

    Raises:
        RuntimeError: `mode` and `options` together, or an unknown `mode`.
        AssertionError: `model` cannot be called.
        InvalidBackend: an unknown `backend`.
        UnsupportedError: a function as `backend`, which would get an FX graph.
    """
    if model is None:
        def decorate(model):
            if model is None:
                raise RuntimeError("Model can't be None")
            return compile(model, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options,
                           disable=disable)

        return decorate
    model = innermost(model)
    call = model.__call__ if isinstance(model, type | Module) else model
    made = compile_request.compile(call, backend=backend, mode=mode, options=options)
    if disable:
        return model
    if isinstance(model, Module):
        return OptimizedModule(model, made)
    if isinstance(model, type):
        setattr(model, "__call__", made)  # noqa: B010 - the class is the user's
        return model
    return made


def is_dynamo_supported() -> bool:
    """True: `compile` works wherever torchlike does."""
    return True


def innermost(model):
    """What a compiled function or module was made of.

    Args:
        model: any object.

    Returns:
        The original, or `model` itself.
    """
    if isinstance(model, OptimizedModule):
        return model._orig_mod
    return getattr(model, "_torchdynamo_orig_callable", model) if hasattr(model, "__wrapped__") else model


class OptimizedModule(Module):
    """What `torch.compile` makes of a module: its calls are compiled. It has all attributes of the module, which is
    `_orig_mod`; the state dict's paths begin with that name.
    https://pytorch.org/docs/stable/generated/torch.compile.html

    Args:
        mod: the module.
        call: its compiled forward.
    """

    training: bool

    def __init__(self, mod: Module, call: Callable) -> None:
        object.__setattr__(self, "_orig_mod", mod)  # the base class's constructor asks for it
        super().__init__()
        del self.__dict__["training"], self.__dict__["_orig_mod"]
        self._orig_mod = mod
        self._torchdynamo_orig_callable = mod.forward
        self.__dict__["forward"] = call

    def __len__(self) -> int:
        if not isinstance(self._orig_mod, Sized):
            raise TypeError(f"{type(self._orig_mod).__name__} does not support len()")
        return len(self._orig_mod)

    def __getattr__(self, name):
        if name == "_orig_mod":
            return self.__dict__["_modules"]["_orig_mod"]
        return getattr(self._orig_mod, name)

    def __setattr__(self, name, value):
        if hasattr(type(self), name) or name in _OWN:
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __delattr__(self, name):
        if hasattr(type(self), name) or name in _OWN:
            super().__delattr__(name)
        else:
            delattr(self._orig_mod, name)

    def __reduce__(self):
        return compile, (self._orig_mod,)

    def __dir__(self):
        return sorted({*dir(self._orig_mod), *super().__dir__()})


def _training(self):
    return self._orig_mod.training


def _set_training(self, value):
    self._orig_mod.training = value


setattr(OptimizedModule, "training", property(_training, _set_training))  # noqa: B010 - the base class has it as a value
