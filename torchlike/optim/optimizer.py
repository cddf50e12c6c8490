"""The base of all optimizers: parameter groups, state, hooks, state_dict in PyTorch's format.

https://pytorch.org/docs/stable/optim.html#base-class
"""

import collections
import copy
import functools
import itertools

from torchlike._tensor import Tensor
from torchlike._trace.trace import soft_boundary
from torchlike.autograd.grad_mode import enable_grad, no_grad

required = object()


class Optimizer:
    """``params`` is an iterable of tensors or of group dictionaries; ``defaults`` the options."""

    def __init__(self, params, defaults):
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                             "torch.FloatTensor")
        self.defaults = defaults
        self.state = collections.defaultdict(dict)
        self.param_groups: list = []
        self._pre_hooks: dict = {}
        self._post_hooks: dict = {}
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if "step" in cls.__dict__:
            cls.step = _with_hooks(cls.step)

    def __repr__(self):
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            text += "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
        return text + ")"

    def add_param_group(self, param_group):
        """Add a group with its own options."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        group = dict(param_group)
        params = group["params"]
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but the ordering of tensors "
                            "in sets will change between runs. Please use a list instead.")
        params = list(params)
        if params and isinstance(params[0], tuple):
            group["param_names"] = [name for name, _ in params]
            params = [p for _, p in params]
        for p in params:
            if not isinstance(p, Tensor):
                raise TypeError("optimizer can only optimize Tensors, but one of the params is "
                                 f"torch.{type(p).__name__}" if False else
                                f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
            if not p.is_leaf and not p.retains_grad:
                raise ValueError("can't optimize a non-leaf Tensor")
        group["params"] = params
        for name, default in self.defaults.items():
            if default is required and name not in group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            group.setdefault(name, default)
        seen = set(map(id, itertools.chain.from_iterable(g["params"] for g in self.param_groups)))
        if seen & set(map(id, params)):
            raise ValueError("some parameters appear in more than one parameter group")
        self.param_groups.append(group)

    def zero_grad(self, set_to_none=True):
        """Forget the gradients (or set them to zero)."""
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none or p._grad is None:
                    p._grad = None
                else:
                    if p._grad.grad_fn is not None:
                        p._grad.detach_()
                    p._grad.requires_grad_(False)
                    p._grad.zero_()

    def step(self, closure=None):
        """One update; subclasses define `_update` on a group."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with no_grad():
            for group in self.param_groups:
                self._update(group)
        soft_boundary()
        return loss

    def _update(self, group):
        raise TypeError(f"{type(self).__name__} defines no update")

    def register_step_pre_hook(self, hook):
        """``hook(optimizer, args, kwargs)`` before each step."""
        return _register(self._pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """``hook(optimizer, args, kwargs)`` after each step."""
        return _register(self._post_hooks, hook)

    # -- state_dict

    def state_dict(self):
        """{'state': {index: ...}, 'param_groups': [...]} as PyTorch writes it."""
        index: dict = {}
        groups = []
        for group in self.param_groups:
            packed = {k: v for k, v in group.items() if k != "params"}
            for p in group["params"]:
                index.setdefault(id(p), len(index))
            packed["params"] = [index[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {(index[id(k)] if isinstance(k, Tensor) else k): v for k, v in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict):
        """Continue from `state_dict`'s result; ValueError where the groups differ."""
        saved = copy.deepcopy(state_dict["param_groups"])
        groups = self.param_groups
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(groups, saved, strict=True)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
        ids = itertools.chain.from_iterable(g["params"] for g in saved)
        mine = itertools.chain.from_iterable(g["params"] for g in groups)
        by_id = dict(zip(ids, mine, strict=True))
        state = collections.defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in by_id:
                state[by_id[key]] = _cast(by_id[key], value)
            else:
                state[key] = value
        for group, old in zip(groups, saved, strict=True):
            old["params"] = group["params"]
            group.clear()
            group.update(old)
        self.state = state


def _type_name(x) -> str:
    """The type as torch.typename says it."""
    kind = type(x)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _cast(param, value, key=None):
    if isinstance(value, Tensor):
        if key == "step":
            return value.detach().clone()
        return value.detach().to(dtype=param.dtype if param.is_floating_point() else None, device=param.device).clone()
    if isinstance(value, dict):
        return {k: _cast(param, v, k) for k, v in value.items()}
    return value


class _Handle:
    def __init__(self, hooks, key):
        self.hooks, self.key = hooks, key

    def remove(self):
        """Take the hook away."""
        self.hooks.pop(self.key, None)


def _register(hooks, hook):
    key = max(hooks, default=-1) + 1
    hooks[key] = hook
    return _Handle(hooks, key)


def _with_hooks(step):
    @functools.wraps(step)
    def wrapped(self, *args, **kwargs):
        for hook in list(self._pre_hooks.values()):
            changed = hook(self, args, kwargs)
            if changed is not None:
                args, kwargs = changed
        out = step(self, *args, **kwargs)
        for hook in list(self._post_hooks.values()):
            hook(self, args, kwargs)
        return out
    return wrapped
