"""Which modules inside of a module are wrapped. https://pytorch.org/docs/stable/fsdp.html"""

import abc
import contextlib
import copy
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torchlike.nn.modules.activation import MultiheadAttention
from torchlike.nn.modules.container import ModuleDict, ModuleList
from torchlike.nn.modules.module import Module


def always_wrap_policy(*args, **kwargs) -> bool:
    """The policy that wraps every module.

    Args:
        args, kwargs: anything.

    Returns:
        True.
    """
    return True


class _Policy(abc.ABC):
    """What tells for all modules at once whether they are wrapped, and how."""

    @abc.abstractmethod
    def _run_policy(self, root_module: Module, ignored_modules: set, root_kwargs: dict) -> dict[Module, dict]:
        """The modules to wrap, with the arguments of the wrapper."""


class ModuleWrapPolicy(_Policy):
    """The policy that wraps modules of some classes.

    Args:
        module_classes: the classes.
    """

    def __init__(self, module_classes: Iterable[type[Module]]):
        self._module_classes = set(module_classes)

    def _run_policy(self, root_module, ignored_modules, root_kwargs) -> dict[Module, dict]:
        classes = tuple(self._module_classes)
        return {module: copy.copy(root_kwargs) for module in root_module.modules()
                if module not in ignored_modules and isinstance(module, classes)}

    def __call__(self, module, recurse, *args, **kwargs):
        return recurse or isinstance(module, tuple(self._module_classes))

    def __repr__(self) -> str:
        return f"{super().__repr__()}({self._module_classes})"


class CustomPolicy(_Policy):
    """The policy that asks a function.

    Args:
        lambda_fn: from a module to whether it is wrapped, or to a dict of arguments for its wrapper.
    """

    def __init__(self, lambda_fn: Callable[[Module], bool | dict[str, Any]]):
        self._lambda_fn = lambda_fn

    def _run_policy(self, root_module, ignored_modules, root_kwargs) -> dict[Module, dict]:
        found = {}
        for module in root_module.modules():
            if module in ignored_modules:
                continue
            told = self._lambda_fn(module)
            if not isinstance(told, dict | bool):
                raise ValueError("The lambda_fn passed to CustomPolicy should return False/True or a kwarg dict, but it "
                                 f"returned {told}")
            if told:
                found[module] = {**root_kwargs, **(told if isinstance(told, dict) else {})}
        return found


def lambda_auto_wrap_policy(module: Module, recurse: bool, nonwrapped_numel: int, lambda_fn: Callable) -> bool:
    """The policy that wraps what a function tells.

    Args:
        module: the module.
        recurse: whether the question is if modules inside may be wrapped.
        nonwrapped_numel: how many elements its parameters have that are not wrapped yet.
        lambda_fn: from a module to a bool.

    Returns:
        a bool.
    """
    return True if recurse else lambda_fn(module)


def transformer_auto_wrap_policy(module: Module, recurse: bool, nonwrapped_numel: int,
                                 transformer_layer_cls: set[type[Module]]) -> bool:
    """The policy that wraps layers of some classes.

    Args:
        module, recurse, nonwrapped_numel: as for `lambda_auto_wrap_policy`.
        transformer_layer_cls: the classes.

    Returns:
        a bool.
    """
    return recurse or isinstance(module, tuple(transformer_layer_cls))


def _or_policy(module: Module, recurse: bool, nonwrapped_numel: int, policies) -> bool:
    """The policy that wraps what one of several does."""
    return any(policy(module=module, recurse=recurse, nonwrapped_numel=nonwrapped_numel) for policy in policies)


def size_based_auto_wrap_policy(module: Module, recurse: bool, nonwrapped_numel: int, min_num_params: int = 100_000_000,
                                force_leaf_modules: set[type[Module]] | None = None,
                                exclude_wrap_modules: set[type[Module]] | None = None) -> bool:
    """The policy that wraps what is large.

    Args:
        module, recurse, nonwrapped_numel: as for `lambda_auto_wrap_policy`.
        min_num_params: how many elements are many.
        force_leaf_modules: classes of modules in which nothing is wrapped; MultiheadAttention where it is None.
        exclude_wrap_modules: classes of modules that are not wrapped; ModuleList and ModuleDict where it is None.

    Returns:
        a bool.
    """
    leaves = _LEAVES if force_leaf_modules is None else force_leaf_modules
    excluded = _EXCLUDED if exclude_wrap_modules is None else exclude_wrap_modules
    return nonwrapped_numel >= min_num_params and not isinstance(module, tuple(leaves if recurse else excluded))


_LEAVES: set[type[Module]] = {MultiheadAttention}
_EXCLUDED: set[type[Module]] = {ModuleList, ModuleDict}
vars(size_based_auto_wrap_policy).update(FORCE_LEAF_MODULES=_LEAVES, EXCLUDE_WRAP_MODULES=_EXCLUDED)
_open: list[tuple[Any, dict]] = []  # what `enable_wrap` was given, inside of it


@contextlib.contextmanager
def enable_wrap(*, wrapper_cls: Any, **wrapper_kwargs: Any) -> Iterator[None]:
    """Inside, `wrap` wraps.

    Args:
        wrapper_cls: the class that does, of a module.
        wrapper_kwargs: further arguments of it.

    Yields:
        None.

    Raises:
        NotImplementedError: inside of another one.
    """
    if _open:
        raise NotImplementedError("You are already within an autowrap context and we currently do not supported nested "
                                  "autowrap.")
    _open.append((wrapper_cls, wrapper_kwargs))
    try:
        yield
    finally:
        _open.pop()


def wrap(module: Module, **wrap_overrides: Any) -> Module:
    """Wrap a module, inside of `enable_wrap`.

    Args:
        module: the module.
        wrap_overrides: arguments of the wrapper that go before those of `enable_wrap`.

    Returns:
        the wrapper; outside of `enable_wrap` the module.
    """
    if not _open:
        return module
    wrapper, kwargs = _open[0]
    return _wrapper_of(module, wrapper, {**kwargs, **wrap_overrides})


def _wrapper_of(module, wrapper, kwargs) -> Module:
    return wrapper(module, **{**kwargs, **getattr(module, "_wrap_overrides", {})})


def wrap_inside(root: Module, policy, wrapper: Callable, ignored: set, ignored_params: set, kwargs: dict) -> None:
    """Wrap the modules inside of one that a policy tells.

    Args:
        root: the outer one, which is not wrapped.
        policy: a policy.
        wrapper: the class that wraps.
        ignored, ignored_params: modules that are not wrapped, and parameters that do not count, by their ids.
        kwargs: arguments of the wrapper.

    Raises:
        ValueError: a module has been wrapped before.
    """
    for name, child in root.named_modules():
        if child not in ignored and isinstance(wrapper, type) and isinstance(child, wrapper):
            raise ValueError("FSDP auto wrapping requires modules to not already have FSDP applied but found "
                             f"{name} in\n{root}")
    if isinstance(policy, _Policy):
        _replace(root, policy._run_policy(root, ignored, kwargs), wrapper)
        return
    _ask(root, policy, wrapper, ignored, ignored_params, kwargs, is_root=True)


def _replace(root, targets, wrapper) -> None:
    """From the innermost on, each once."""
    made: dict[Module, Module] = {}

    def visit(module):
        for name, child in list(module.named_children()):
            if child not in made:
                visit(child)
                made[child] = wrapper(child, **targets[child]) if child in targets else child
            if made[child] is not child:
                setattr(module, name, made[child])

    visit(root)


def _ask(module, policy, wrapper, ignored, ignored_params, kwargs, is_root=False) -> tuple[Module, int]:
    """(the module, wrapped if it shall be, how many elements are wrapped)."""
    count = sum(p.numel() for p in module.parameters() if id(p) not in ignored_params)
    if not policy(module=module, recurse=True, nonwrapped_numel=count):
        return module, 0
    wrapped = 0
    for name, child in list(module.named_children()):
        if child not in ignored:
            found, inside = _ask(child, policy, wrapper, ignored, ignored_params, kwargs)
            setattr(module, name, found)
            wrapped += inside
    if not is_root and policy(module=module, recurse=False, nonwrapped_numel=count - wrapped):
        return _wrapper_of(module, wrapper, kwargs), count
    return module, wrapped
