"""Parameters that are computed from others.

https://pytorch.org/docs/stable/generated/torch.nn.utils.parametrize.register_parametrization.html
"""

import collections.abc
import contextlib
import copy
import dataclasses
from typing import Any

from torchlike._record.parameter import Parameter
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.nn.modules.container import ModuleDict, ModuleList
from torchlike.nn.modules.module import Module

_KEEP = "Registering a parametrization may not change the {what} of the tensor, unless {flag} is enabled.\n"


@dataclasses.dataclass(slots=True)
class _Cache:
    """How many `cached` are open, and what was computed in them: {(id of the module, name): tensor}."""

    depth: int = 0
    kept: dict = dataclasses.field(default_factory=dict)


_cache = _Cache()


@contextlib.contextmanager
def cached():
    """A context manager inside which each parametrized tensor is computed at most once.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.parametrize.cached.html
    """
    _cache.depth += 1
    try:
        yield
    finally:
        _cache.depth -= 1
        if not _cache.depth:
            _cache.kept.clear()


def _register(module, name, tensor) -> None:
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


def _check(before, after, names=("unparametrized {}", "parametrized {}"), flag="`unsafe` flag") -> None:
    if not isinstance(after, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
    for what in ("dtype", "shape"):
        old, new = getattr(before, what), getattr(after, what)
        if old != new:
            raise ValueError(f"{_KEEP.format(what=what, flag=flag)}{names[0].format(what)}: {old}\n"
                             f"{names[1].format(what)}: {new}")


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, in order, and what they compute it from: `original`, or `original0`,
    `original1` and so on.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.parametrize.ParametrizationList.html

    Args:
        modules: the parametrizations, modules.
        original: the tensor. The `right_inverse` of a parametrization, if it has one, turns it into what is kept.
        unsafe: whether parametrizations may change dtype and shape.

    Raises:
        ValueError: no modules, a `right_inverse` that gives no tensors, or without `unsafe` another dtype or shape.
    """

    def __init__(self, modules, original, unsafe: bool = False):
        if not len(modules):
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        with no_grad():
            new = original
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    with contextlib.suppress(NotImplementedError):
                        new = module.right_inverse(new)
        if not isinstance(new, Tensor | collections.abc.Sequence):
            raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                             f"Got {type(new).__name__}")
        before = original.detach()
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            original.data = new.detach()
            _register(self, "original", original)
        else:
            for i, part in enumerate(tuple(new)):
                _register(self, f"original{i}", Parameter(part) if isinstance(original, Parameter) else part)
        if not unsafe:
            _check(before, self())

    def right_inverse(self, value) -> None:
        """Changes the originals so that the tensor becomes a value.

        Args:
            value: a tensor.

        Raises:
            RuntimeError: a parametrization has no `right_inverse`.
        """
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            if self.is_tensor:
                self.original.data = value.detach()
                return
            for i, part in enumerate(value):
                getattr(self, f"original{i}").data = part.detach()

    def forward(self):
        first, *rest = self
        x = first(self.original) if self.is_tensor else first(*(getattr(self, f"original{i}") for i in range(self.ntensors)))
        for module in rest:
            x = module(x)
        return x


def _get_state(self):
    raise RuntimeError("Serialization of parametrized modules is only supported through state_dict(). See:\n"
                       "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
                       "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training")


def _deep_copy(self, memo):
    made = self.__new__(self.__class__)
    memo[id(self)] = made
    made.__dict__ = copy.deepcopy(self.__dict__, memo)
    made.__class__ = type(type(self).__name__, (type(self).__bases__[0],), dict(type(self).__dict__))
    return made


def _give_own_class(module) -> None:
    """Gives the module a class of its own, which holds the properties of its parametrized tensors."""
    base = type(module)
    own: dict[str, Any] = {"__getstate__": _get_state, "__module__": __name__}
    if not hasattr(base, "__deepcopy__"):
        own["__deepcopy__"] = _deep_copy
    module.__class__ = type(f"Parametrized{base.__name__}", (base,), own)


def _property(name):
    def read(self):
        if not _cache.depth:
            return self.parametrizations[name]()
        key = (id(self), name)
        if key not in _cache.kept:
            _cache.kept[key] = self.parametrizations[name]()
        return _cache.kept[key]

    def write(self, value):
        self.parametrizations[name].right_inverse(value)

    return property(read, write)


def is_parametrized(module, tensor_name=None) -> bool:
    """Whether a module, or one of its tensors, is parametrized.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.parametrize.is_parametrized.html

    Args:
        module: the module.
        tensor_name: a tensor's name, or None for any.

    Returns:
        a bool.
    """
    found = getattr(module, "parametrizations", None)
    if not isinstance(found, ModuleDict):
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """Makes a tensor of a module the result of a parametrization, computed whenever it is read. Assigning to the tensor
    goes through `right_inverse`. Several parametrizations follow one another.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.parametrize.register_parametrization.html

    Args:
        module: the module.
        tensor_name: the name of a parameter or buffer.
        parametrization: a module from the original tensor to the new one, possibly with a `right_inverse`.
        unsafe: whether it may change dtype and shape.

    Returns:
        The module.

    Raises:
        ValueError: there is no such tensor, or without `unsafe` another dtype or shape.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            now = getattr(module, tensor_name)
            _check(now, parametrization(now), (f"module.{tensor_name}.{{}}", f"parametrization(module.{tensor_name}).{{}}"),
                   "the `unsafe` flag")
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        made = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _give_own_class(module)
            module.parametrizations = ModuleDict()
        setattr(type(module), tensor_name, _property(tensor_name))
        module.parametrizations[tensor_name] = made
    else:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
                         f"'{tensor_name}'")
    return module


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Makes a parametrized tensor a plain parameter or buffer again.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.parametrize.remove_parametrizations.html

    Args:
        module: the module.
        tensor_name: the tensor's name.
        leave_parametrized: whether it keeps its present value instead of the original one.

    Returns:
        The module.

    Raises:
        ValueError: the tensor is not parametrized, or there are several originals and `leave_parametrized` is False.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    found = module.parametrizations[tensor_name]
    if not found.is_tensor and not leave_parametrized:
        raise ValueError("Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms "
                         "of a sequence of tensors.")
    value = getattr(module, tensor_name) if leave_parametrized else None
    if not found.is_tensor:
        original = Parameter(value.detach()) if value.requires_grad else value.detach()
    else:
        original = found.original
        if value is not None:
            original.data = value.detach()
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _register(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module) -> type:
    """The class that a module had before it was parametrized.

    Args:
        module: the module.

    Returns:
        a class.
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module: Module, to_module: Module, tensor_name=None) -> Module:
    """Registers the parametrizations of one module on another, which then shares the originals.

    Args:
        from_module, to_module: the modules.
        tensor_name: a tensor's name, or None for all.

    Returns:
        `to_module`.
    """
    if not is_parametrized(from_module):
        return to_module
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        source = from_module.parametrizations[name]
        for module in source:
            register_parametrization(to_module, name, module)
        for original in source._parameters:
            setattr(to_module.parametrizations[name], original, getattr(source, original))
    return to_module
