"""The base of all optimizers: parameter groups, state, hooks, state_dict in PyTorch's format.

https://pytorch.org/docs/stable/optim.html#base-class
"""

import copy
import functools
import itertools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from typing import Any, Self, TypeAlias

from torchlike._base import dtypes as dt
from torchlike._record.tensor import Tensor
from torchlike.autograd._profiler import recorder as profiling
from torchlike.autograd.handles import add_hook
from torchlike.nn._typename import typename
from torchlike.optim._implementations import _default_to_fused_or_foreach as _default_to_fused_or_foreach
from torchlike.optim._implementations import _get_capturable_supported_devices as _get_capturable_supported_devices
from torchlike.optim._implementations import _use_grad_for_differentiable as _use_grad_for_differentiable
from torchlike.utils._foreach_utils import _group_tensors_by_device_and_dtype

ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
params_t: TypeAlias = ParamsT
_PRE_HOOKS: OrderedDict = OrderedDict()  # of all optimizers
_POST_HOOKS: OrderedDict = OrderedDict()
_HOOKS = ("_optimizer_step_pre_hooks", "_optimizer_step_post_hooks",
          "_optimizer_state_dict_pre_hooks", "_optimizer_state_dict_post_hooks",
          "_optimizer_load_state_dict_pre_hooks", "_optimizer_load_state_dict_post_hooks")


class _Required:
    def __repr__(self):
        return "<required parameter>"


required = _Required()


def register_optimizer_step_pre_hook(hook):
    """Calls a hook before each step of any optimizer, ahead of the optimizer's own hooks.
    https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.register_step_pre_hook.html

    Args:
        hook: as for `Optimizer.register_step_pre_hook`.

    Returns:
        A handle whose ``remove()`` takes the hook away.
    """
    return add_hook(_PRE_HOOKS, hook)


def register_optimizer_step_post_hook(hook):
    """Calls a hook after each step of any optimizer, behind the optimizer's own hooks.
    https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.register_step_post_hook.html

    Args:
        hook: as for `Optimizer.register_step_post_hook`.

    Returns:
        A handle whose ``remove()`` takes the hook away.
    """
    return add_hook(_POST_HOOKS, hook)


class Optimizer:
    """The base of all optimizers: parameter groups, their state, hooks and `state_dict`. Subclasses define `step`.
    https://pytorch.org/docs/stable/optim.html#base-class

    Args:
        params: the tensors to optimize, of any shape and dtype: Tensors, (name, Tensor) pairs, or dictionaries of which each
            is a group, with these under "params" and its own options beside them. Kept in ``param_groups``.
        defaults: the options of groups that do not give them.

    Raises:
        TypeError: `params` is a single Tensor, or has something else than Tensors in it, or a set of them.
        ValueError: `params` is empty, or a group is refused: see `add_param_group`.
    """

    OptimizerPreHook: TypeAlias = Callable[
        [Self, tuple[Any, ...], dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]] | None]
    OptimizerPostHook: TypeAlias = Callable[[Self, tuple[Any, ...], dict[str, Any]], None]
    _group_tensors_by_device_and_dtype = staticmethod(_group_tensors_by_device_and_dtype)

    def __init__(self, params: ParamsT, defaults: dict[str, Any]):
        self.defaults = defaults
        for name in _HOOKS:
            setattr(self, name, OrderedDict())
        _hook_step(type(self))
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, but "
                            f"got {typename(params)}")
        self.state: defaultdict[Any, Any] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups: list[Any] = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state):
        self.__dict__.update(state)
        for name in _HOOKS:
            self.__dict__.setdefault(name, OrderedDict())
        _hook_step(type(self))
        self.defaults.setdefault("differentiable", False)

    def __repr__(self):
        groups = []
        for i, group in enumerate(self.param_groups):
            lines = [f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params"]
            groups.append("".join([f"\nParameter Group {i}\n", *lines]))
        return f"{type(self).__name__} ({''.join(groups)})"

    @staticmethod
    def profile_hook_step(func):
        """A step that runs its hooks around itself, as those of all classes do.

        Args:
            func: the step, a function of the optimizer.

        Returns:
            The function.
        """
        return func if getattr(func, "hooked", False) else _with_hooks(func)

    def step(self, closure=None):
        """One update of all parameters that have a gradient. Hooks of the optimizer and of all optimizers run around it.
        https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.step.html

        Args:
            closure: computes the loss and its gradients anew and returns the loss; None means that the gradients are there.

        Raises:
            NotImplementedError: the subclass does not define it.
        """
        raise NotImplementedError

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or sets them to zero.
        https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html

        Args:
            set_to_none: True means that ``grad`` becomes None; False that the tensor stays, detached, and is zero.
        """
        for group in self.param_groups:
            for p in group["params"]:
                g = p._grad
                if g is None:
                    continue
                if set_to_none:
                    p._grad = None
                    continue
                if g.grad_fn is not None:
                    g.detach_()
                else:
                    g.requires_grad_(False)
                g.zero_()

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group of parameters. Warns where a parameter is twice in it.
        https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.add_param_group.html

        Args:
            param_group: a dictionary with "params", a Tensor or an ordered collection of Tensors or (name, Tensor) pairs,
                and options; those it lacks are added to it from the defaults.

        Raises:
            TypeError: it is no dictionary, its "params" are a set, or one of them is no Tensor.
            ValueError: a parameter is no leaf (unless the optimizer is differentiable) or belongs to another group; an
                option without a default is missing; or only some parameters have names.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        _separate_names(param_group)
        params = param_group["params"]
        self._check_params(params)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        mine = set(params)
        if len(params) != len(mine):
            warnings.warn("optimizer contains a parameter group with duplicate parameters; in future, this will cause "
                          "an error; see github.com/pytorch/pytorch/issues/40967 for more information", stacklevel=3)
        named = "param_names" in param_group
        for group in self.param_groups:
            if ("param_names" in group) != named:
                raise ValueError("all optimizer param groups should be with/without names. cannot add param group "
                                 f"{'with names' if named else 'without names'} to the optimizer")
        if any(p in mine for group in self.param_groups for p in group["params"]):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(param_group)

    def _check_params(self, params) -> None:
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {typename(p)}")
            if not (self.defaults.get("differentiable") or p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")

    # -- hooks

    def register_step_pre_hook(self, hook):
        """Calls a hook before each step.
        https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.register_step_pre_hook.html

        Args:
            hook: called as ``hook(optimizer, args, kwargs)``; `args` begin with the optimizer. It returns None or a new
                (args, kwargs) for the step, else the step raises RuntimeError.

        Returns:
            A handle whose ``remove()`` takes the hook away.
        """
        return add_hook(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """Calls a hook after each step.
        https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.register_step_post_hook.html

        Args:
            hook: called as ``hook(optimizer, args, kwargs)``; what it returns is ignored.

        Returns:
            A handle whose ``remove()`` takes the hook away.
        """
        return add_hook(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook, prepend: bool = False):
        """Calls a hook before `state_dict`.
        https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.register_state_dict_pre_hook.html

        Args:
            hook: called as ``hook(optimizer)``.
            prepend: whether it runs before those that are there already, and not after them.

        Returns:
            A handle whose ``remove()`` takes the hook away.
        """
        return _ordered(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend: bool = False):
        """Calls a hook after `state_dict`.
        https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.register_state_dict_post_hook.html

        Args:
            hook: called as ``hook(optimizer, state_dict)``; it may change the dictionary, or return another one.
            prepend: as for `register_state_dict_pre_hook`.

        Returns:
            A handle whose ``remove()`` takes the hook away.
        """
        return _ordered(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend: bool = False):
        """Calls a hook before `load_state_dict`.
        https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.register_load_state_dict_pre_hook.html

        Args:
            hook: called as ``hook(optimizer, state_dict)`` with a shallow copy; it may return another dictionary.
            prepend: as for `register_state_dict_pre_hook`.

        Returns:
            A handle whose ``remove()`` takes the hook away.
        """
        return _ordered(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend: bool = False):
        """Calls a hook after `load_state_dict`.
        https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.register_load_state_dict_post_hook.html

        Args:
            hook: called as ``hook(optimizer)``.
            prepend: as for `register_state_dict_pre_hook`.

        Returns:
            A handle whose ``remove()`` takes the hook away.
        """
        return _ordered(self._optimizer_load_state_dict_post_hooks, hook, prepend)

    # -- state_dict

    def state_dict(self) -> dict[str, Any]:
        """What `load_state_dict` goes on from: ``{"state": {number: entries}, "param_groups": [options]}``. Parameters
        appear as their numbers, counted through all groups; the tensors of the state are not copied.
        https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.state_dict.html
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict = {}
        start = 0
        packed = []
        for group in self.param_groups:
            params = group["params"]
            for i, p in enumerate(params, start):
                numbers.setdefault(id(p), i)
            start += len(params)
            packed.append({**{k: v for k, v in group.items() if k != "params"},
                           "params": [numbers[id(p)] for p in params]})
        state = {numbers[id(k)] if isinstance(k, Tensor) else k: v for k, v in self.state.items()}
        result: dict[str, Any] = {"state": state, "param_groups": packed}
        for hook in self._optimizer_state_dict_post_hooks.values():
            result = _first_not_none(hook(self, result), result)
        return result

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over options and state of a `state_dict`. A state tensor gets its parameter's device, and its dtype if the
        parameter has a floating one; step counts keep theirs.
        https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.load_state_dict.html

        Args:
            state_dict: what `state_dict` gave for an optimizer with groups of the same sizes. Parameters are matched by
                number.

        Raises:
            ValueError: its groups differ from this optimizer's in number or size.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            state_dict = _first_not_none(hook(self, state_dict), state_dict)
        mine, theirs = self.param_groups, copy.deepcopy(state_dict["param_groups"])
        if len(mine) != len(theirs):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(mine, theirs, strict=True)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of "
                             "optimizer's group")
        state: defaultdict = defaultdict(dict)
        owners = {number: (p, b) for a, b in zip(mine, theirs, strict=True)
                  for number, p in zip(b["params"], a["params"], strict=True)}
        for key, value in state_dict["state"].items():
            p, group = owners.get(key, (None, None))
            state[key if p is None else p] = value if p is None else _adapt(p, value, group)
        for a, b in zip(mine, theirs, strict=True):
            b["params"] = a["params"]
            if "param_names" in a:
                b.setdefault("param_names", a["param_names"])
        self.__setstate__({"state": state, "param_groups": theirs})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)


def _adapt(p, value, group, key=None):
    """A loaded state value with the parameter's dtype and device; the step count keeps its own."""
    if isinstance(value, Tensor):
        if key == "step":
            on_device = group.get("capturable", False) or group.get("fused", False)
            return value.to(dtype=dt.float32, device=p.device) if on_device else value
        return value.to(dtype=p.dtype, device=p.device) if p.is_floating_point() else value.to(device=p.device)
    if isinstance(value, dict):
        return {k: _adapt(p, v, group, k) for k, v in value.items()}
    if isinstance(value, Iterable):
        return type(value)(_adapt(p, v, group) for v in value)  # pyrefly: ignore[bad-argument-count]
    return value


def _separate_names(group) -> None:
    """Turn "params" into a list of tensors, and the names given with them into "param_names"."""
    params = group["params"]
    if isinstance(params, set):
        raise TypeError("optimizer parameters need to be organized in ordered collections, but the ordering of tensors "
                        "in sets will change between runs. Please use a list instead.")
    params = [params] if isinstance(params, Tensor) else list(params)
    names = [p[0] for p in params if isinstance(p, tuple)]
    group["params"] = [p[1] if isinstance(p, tuple) else p for p in params]
    if not names:
        return
    if len(names) != len(params):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    group["param_names"] = names


def _first_not_none(a, b):
    return b if a is None else a


def _ordered(hooks, hook, prepend):
    handle = add_hook(hooks, hook)
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


# -- hooks around step

def _hook_step(cls) -> None:
    """Let the class's step run its hooks; once, whichever class in the hierarchy defines it."""
    if not getattr(cls.step, "hooked", False):
        cls.step = _with_hooks(cls.step)


def _with_hooks(step):

    @functools.wraps(step)
    def hooked_step(*args, **kwargs):
        optimizer = args[0]
        for hook in _chain(_PRE_HOOKS, optimizer._optimizer_step_pre_hooks):
            changed = hook(optimizer, args, kwargs)
            if changed is not None:
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(f"{step} must return None or a tuple of (new_args, new_kwargs), but got "
                                       f"{changed}.")
                args, kwargs = changed
        out = step(*args, **kwargs)
        for hook in _chain(optimizer._optimizer_step_post_hooks, _POST_HOOKS):
            hook(optimizer, args, kwargs)
        return out

    hooked_step.hooked = True
    return hooked_step


def _chain(first, second):
    return itertools.chain(first.values(), second.values()) if first or second else ()


# -- spans of a profile

def _step_name(optimizer) -> str:
    return f"Optimizer.step#{type(optimizer).__name__}.step"


def _begin_span(optimizer, args, kwargs) -> None:
    recorder = profiling.running()
    if recorder is not None:
        recorder.begin(_step_name(optimizer))


def _end_span(optimizer, args, kwargs) -> None:
    recorder = profiling.running()
    span = recorder.innermost(_step_name(optimizer)) if recorder is not None else None
    if span is not None:
        recorder.end(span)


_marks: list = []  # one entry for each profiler that runs


def _mark_steps(on) -> None:
    """Steps are spans while a profiler runs, and cost nothing else."""
    if on:
        _marks.append(())
        if len(_marks) == 1:
            add_hook(_PRE_HOOKS, _begin_span)
            add_hook(_POST_HOOKS, _end_span)
        return
    if _marks:
        _marks.pop()
    if not _marks:  # found by what they are: an interruption may have lost their handles
        for hooks, own in ((_PRE_HOOKS, _begin_span), (_POST_HOOKS, _end_span)):
            for key in [key for key, hook in hooks.items() if hook is own]:
                hooks.pop(key, None)


profiling.start_hooks.append(_mark_steps)
