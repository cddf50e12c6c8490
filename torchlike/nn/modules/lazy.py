"""Modules that learn the shapes of their parameters from the first input.
https://pytorch.org/docs/stable/generated/torch.nn.modules.lazy.LazyModuleMixin.html
"""

import itertools
from typing import Any

from torchlike.autograd.grad_mode import no_grad
from torchlike.nn.parameter import UninitializedParameter, is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """A module that learns the shapes of its parameters from the first input. It stands first among the base classes.
    Until then its parameters can be converted, moved, saved and loaded. The first call runs `initialize_parameters`
    and turns the module into a `cls_to_become`.
    https://pytorch.org/docs/stable/generated/torch.nn.LazyModuleMixin.html

    Args:
        args, kwargs: those of the next base class.
    """

    cls_to_become: Any = None
    _parameters: dict
    _buffers: dict

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        module: Any = self
        self._load_hook = module._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = module.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def _save_to_state_dict(self, destination, prefix, keep_vars) -> None:
        module: Any = self
        for name, value in module._own_state().items():
            destination[prefix + name] = value if keep_vars or is_lazy(value) else value.detach()

    def _named(self):
        return itertools.chain(self._parameters.items(), self._buffers.items())

    def _lazy_load_hook(self, state_dict, prefix, *rest) -> None:
        """Gives the parameters the shapes of the state that is loaded."""
        for name, param in self._named():
            key = prefix + name
            if is_lazy(param) and key in state_dict and not is_lazy(state_dict[key]):
                with no_grad():
                    param.materialize(state_dict[key].shape)

    def initialize_parameters(self, *args, **kwargs) -> None:
        """To be overridden: gives every parameter its shape.

        Args:
            args, kwargs: the arguments of the first call.

        Raises:
            NotImplementedError: the class does not override it.
        """
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self) -> bool:
        """Whether a parameter or buffer of this very module has no shape yet."""
        return any(is_lazy(value) for _, value in self._named())

    def _infer_parameters(self, module, args, kwargs=None) -> None:
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {module._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _replicate_for_data_parallel(self):
        raise RuntimeError("Modules with uninitialized parameters can't be used with `DataParallel`. Run a dummy forward "
                           "pass to correctly initialize the modules")


class LazyLayer(LazyModuleMixin):
    """A layer of torch.nn that takes one size, its attribute `_inferred`, from its first input; 0 until then."""

    _inferred = ""

    def _await(self, names, device, dtype) -> None:
        """Makes these parameters uninitialized ones."""
        for name in names:
            setattr(self, name, UninitializedParameter(device=device, dtype=dtype))

    def reset_parameters(self):
        """Sets the parameters anew, if they have shapes."""
        layer: Any = super()
        if not self.has_uninitialized_params() and getattr(self, self._inferred) != 0:
            layer.reset_parameters()
