"""Modules whose inner values are computed again for the backward pass, instead of being kept. PyTorch has no page for them.

State dicts of a wrapped module have the names that they have without the wrapper.
"""

import enum
import functools
from collections.abc import Callable, Iterator

from torchlike._api.homes import name_below
from torchlike._base import absent
from torchlike.nn.modules.module import Module
from torchlike.utils.checkpoint import checkpoint

_INNER = "_checkpoint_wrapped_module"
OffloadWrapper, offload_wrapper = (
    absent.refusing(name, __name__, f"torch.distributed.algorithms._checkpoint.checkpoint_wrapper.{name} is not supported: "
                                    "torch.autograd.graph.save_on_cpu around a module's call does the same")
    for name in ("OffloadWrapper", "offload_wrapper"))


class CheckpointImpl(enum.Enum):
    """The two ways of `torch.utils.checkpoint`."""

    REENTRANT = enum.auto()
    NO_REENTRANT = enum.auto()


class ActivationWrapper(Module):
    """A module around another. What it lacks is that one's.

    Args:
        mod: the other.
    """

    def __init__(self, mod: Module):
        super().__init__()
        self._checkpoint_wrapped_module = mod
        self._register_state_dict_hook(_without_prefix)
        self._register_load_state_dict_pre_hook(_with_prefix)

    def forward(self, *args, **kwargs):
        """Defined by subclasses.

        Raises:
            ValueError: it is not.
        """
        raise ValueError("Subclasses should implement forward().")

    def __getattr__(self, name: str):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__(_INNER), name)

    def __getitem__(self, key):
        return self._checkpoint_wrapped_module.__getitem__(key)

    def named_parameters(self, *args, **kwargs) -> Iterator:
        """Those of the other module, under the names that they have there.

        Args:
            args, kwargs: as for `Module.named_parameters`.
        """
        for name, parameter in super().named_parameters(*args, **kwargs):
            yield name.replace(f"{_INNER}.", ""), parameter


def _without_prefix(module, state_dict, prefix, *args) -> None:
    for name in list(state_dict):
        if name.startswith(f"{prefix}{_INNER}."):
            state_dict[prefix + name.removeprefix(f"{prefix}{_INNER}.")] = state_dict.pop(name)


def _with_prefix(state_dict, prefix, *args) -> None:
    for name in list(state_dict):
        if name.startswith(prefix):
            state_dict[f"{prefix}{_INNER}.{name.removeprefix(prefix)}"] = state_dict.pop(name)


class CheckpointWrapper(ActivationWrapper):
    """A module that is computed again for the backward pass. `checkpoint_wrapper` makes it.

    Args:
        mod: the module.
        checkpoint_impl: a way of `torch.utils.checkpoint`.
        checkpoint_fn: a function like it, instead.
        checkpoint_fn_kwargs: its arguments.
    """

    def __init__(self, mod: Module, checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT, checkpoint_fn=None,
                 **checkpoint_fn_kwargs):
        super().__init__(mod)
        self.checkpoint_impl = checkpoint_impl
        given = {} if checkpoint_fn is not None else {"use_reentrant": checkpoint_impl is CheckpointImpl.REENTRANT}
        self.checkpoint_fn = functools.partial(checkpoint_fn or checkpoint, **given, **checkpoint_fn_kwargs)

    def forward(self, *args, **kwargs):
        """The module's output.

        Args:
            args, kwargs: the module's.

        Returns:
            what it returns.
        """
        if self.checkpoint_impl is not CheckpointImpl.REENTRANT or not kwargs:
            return self.checkpoint_fn(self._checkpoint_wrapped_module, *args, **kwargs)
        count, names = len(args), list(kwargs)  # this way takes no arguments by name

        def called(*given):
            return self._checkpoint_wrapped_module(*given[:count], **dict(zip(names, given[count:], strict=True)))

        return self.checkpoint_fn(called, *args, *kwargs.values())


def checkpoint_wrapper(module: Module, checkpoint_impl: CheckpointImpl = CheckpointImpl.NO_REENTRANT, checkpoint_fn=None,
                       **checkpoint_fn_kwargs) -> Module:
    """A module that is computed again for the backward pass.

    Args:
        module: the module.
        checkpoint_impl, checkpoint_fn, checkpoint_fn_kwargs: as for `CheckpointWrapper`.

    Returns:
        a CheckpointWrapper.
    """
    return CheckpointWrapper(module, checkpoint_impl, checkpoint_fn, **checkpoint_fn_kwargs)


def apply_activation_checkpointing(model: Module, checkpoint_wrapper_fn: Callable = checkpoint_wrapper,
                                   check_fn: Callable = lambda _: True, auto_wrap_policy: Callable | None = None) -> None:
    """Wraps modules in a model, in place; the model itself is not wrapped.

    Args:
        model: the model.
        checkpoint_wrapper_fn: what wraps a module.
        check_fn: which of them to wrap.
        auto_wrap_policy: says so instead: a function of a module, `recurse`, whether it is asked about the modules in it,
            and `nonwrapped_numel`, how many elements its parameters have that are in no wrapper yet.

    Raises:
        ValueError: a policy that is no function.
    """
    if auto_wrap_policy is not None and not callable(auto_wrap_policy):
        raise ValueError(f"Expected {auto_wrap_policy} to be callable or be a pre-defined wrap policy")
    policy = auto_wrap_policy or (lambda module, recurse, nonwrapped_numel: recurse or check_fn(module))
    if policy(module=model, recurse=True, nonwrapped_numel=_numel(model)):
        for name, child in list(model.named_children()):
            setattr(model, name, _wrapped(child, policy, checkpoint_wrapper_fn)[0])


def _wrapped(module, policy, wrap) -> tuple[Module, int]:
    """(the module or a wrapper around it, how many elements in it are in wrappers)."""
    total, inside = _numel(module), 0
    if not policy(module=module, recurse=True, nonwrapped_numel=total):
        return module, 0
    for name, child in list(module.named_children()):
        made, count = _wrapped(child, policy, wrap)
        setattr(module, name, made)
        inside += count
    if policy(module=module, recurse=False, nonwrapped_numel=total - inside):
        return wrap(module), total
    return module, inside


def _numel(module) -> int:
    return sum(p.numel() for p in module.parameters())


name_below(".distributed.algorithms._checkpoint.checkpoint_wrapper")
