"""Optimizers whose step is a rule applied to each parameter: SGD, the Adams and the rest.

A step is recorded as one instruction for each group. Nothing about it changes from step to step but
the numbers, so a training loop walks the same path of the prefix tree each time.
"""

import numpy as np

from torchlike._api import full_like
from torchlike._base import dtypes as dt
from torchlike._base.settings import strided
from torchlike._ops import promotion
from torchlike._record.bind import bind_kernel
from torchlike._record.facade import dense_like, form, tensor_of_values
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike.optim.group_step import getter, in_parts, make_plan, record, step_of
from torchlike.optim.optimizer import Optimizer
from torchlike.optim.rules import Rule

_FUSED = ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]
CAPTURABLE = ["cuda", "xpu", "hpu", "privateuseone", "xla"]


class RuleOptimizer(Optimizer):
    """An optimizer whose step is an update rule for each parameter; subclasses name the ``rule``. `_form` says how it
    applies to a group, `_start` makes the state of a parameter.
    """

    rule: Rule
    settings: dict = {}  # noqa: RUF012 - options that groups from old checkpoints may lack
    capturable_devices: list = CAPTURABLE
    capturable_names = "params and state_steps"
    is_of_elements = True  # whether the rule sees each element by itself, so that parts of parameters can be updated apart
    instead_of_sparse = ""  # what the error about sparse gradients adds
    _plans: dict | None = None

    def __setstate__(self, saved):
        super().__setstate__(saved)
        self._plans = None
        for group in self.param_groups:
            for name, value in self.settings.items():
                group.setdefault(name, value)
            for p in group["params"]:
                self._modernize(group, p, self.state.get(p, {}))

    def _modernize(self, group, p, entries) -> None:
        """Checkpoints of old hold the step count as a number."""
        for name in ("step", "mu_product", "eta", "mu"):
            if name in entries and not isinstance(entries[name], Tensor):
                entries[name] = scalar(float(entries[name]), p, group)

    def _form(self, group) -> tuple:
        """(flags, names of the states, numbers) of the rule for this group."""
        raise NotImplementedError

    def _start(self, entries, p, group) -> None:
        """Fill the state of a parameter that is met for the first time."""

    def _begin(self, entries, p, group) -> None:
        """`_start`, all of it or, after an interruption, nothing: a half of a state would never be made whole."""
        made: dict = {}
        self._start(made, p, group)
        entries.update(made)

    def step(self, closure=None):
        """One update of all parameters that have a gradient, with ``differentiable=True`` as part of the autograd graph.
        https://pytorch.org/docs/stable/generated/torch.optim.Optimizer.step.html

        Args:
            closure: computes the loss and its gradients anew and returns the loss; None means that the gradients are there.

        Returns:
            What the closure returned; None without one.
        """
        return step_of(closure, bool(self.defaults.get("differentiable")), self._update_groups)

    def _update_groups(self, loss):
        for i, group in enumerate(self.param_groups):
            self._update(i, group, group["params"])

    def _update(self, place, group, params, **changes):
        """Update these parameters of a group. `place` is where the plan is kept."""
        flags, names, values = self._form(group, **changes)
        if state.thread.grad:
            self._with_history(group, params, flags, names, values)
            return
        owned, grads = self._cells(group, params, names)
        if not grads:
            return
        plans = self._plans
        if plans is None:
            plans = self._plans = {}
        plan, are_parts = plans.get(place), False
        if plan is not None and plan.of_wrappers:
            owned, grads, are_parts = in_parts(owned, grads, 1 + len(names))
        cells = [c.aval for c in owned]
        cells += [c.aval for c in grads]
        if plan is None or not plan.holds(flags, names, values, owned, cells):
            if self._check(group, params, names):
                (owned, grads), are_parts = self._cells(group, params, names), False
            if not are_parts and self.is_of_elements:
                owned, grads, are_parts = in_parts(owned, grads, 1 + len(names))
            plan = plans[place] = make_plan(self.rule, flags, names, values, owned, grads, plan)
            plan.of_wrappers = are_parts
        record(plan, grads)

    def _cells(self, group, params, names):
        """The cells to overwrite, parameter by parameter with its states, and those of the gradients."""
        entries_of, get = self.state, getter(names) if names else None
        owned, grads = [], []
        for p in params:
            g = p._grad
            if g is None:
                continue
            owned.append(p._cell)
            grads.append(g._cell)
            if get is not None:
                entries = entries_of[p]
                if not entries:
                    self._begin(entries, p, group)
                for x in get(entries):
                    owned.append(x._cell)
        return owned, grads

    def _check(self, group, params, names) -> bool:
        """Refuse what PyTorch refuses. True if state was moved: scalars of a checkpoint go to where their
        parameter is, since an instruction runs on one device.
        """
        params = [p for p in params if p._grad is not None]
        if any(p._grad.layout is not strided for p in params):
            self._check_sparse(group)
        if group.get("capturable") and any(p.device.type not in self.capturable_devices for p in params):
            raise AssertionError(f"If capturable=True, {self.capturable_names} must be on supported devices: "
                                 f"{self.capturable_devices}.")
        moved = False
        for p in params:
            if group.get("fused") and not (p.device.type in _FUSED and p.is_floating_point()):
                raise RuntimeError("`fused=True` requires all the params to be floating point Tensors of supported "
                                   f"devices: {_FUSED} but {p.dtype!r} and {p.device.type}")
            for name in names:
                x = self.state[p][name]
                if x.device != p.device and not x.dim():
                    self.state[p][name] = x.to(p.device)
                    moved = True
        return moved

    def _check_sparse(self, group) -> None:
        """Refuses sparse gradients. An optimizer that takes them does not; its rule sees them as strided ones."""
        owner = next(cls for cls in type(self).__mro__ if "rule" in vars(cls))
        raise RuntimeError(f"{owner.__name__} does not support sparse gradients{self.instead_of_sparse}")

    def _with_history(self, group, params, flags, names, values):
        """The update as part of the autograd graph: each parameter's rule is a Node."""
        params = [p for p in params if p._grad is not None]
        for p in params:
            owned, grads = self._cells(group, [p], names)
            plan = make_plan(self.rule, flags, names, values, owned, grads, None)
            targets = [p, *(self.state[p][name] for name in names)]
            # the rule reads copies: what it saves for backward must survive the writes
            operands = [*(x.clone() for x in targets), p._grad, *plan.tensors]
            for x, new in zip(targets, bind_kernel(plan.parts[0], operands, plan.numbers), strict=True):
                x.copy_(new)


# -- the state of a parameter

def filled(p, value=0) -> Tensor:
    """A tensor like a parameter with one value everywhere. It is made without a program of its own, since there is one for
    every parameter.

    Args:
        p: the parameter.
        value: the number; for a complex parameter that of both parts.

    Returns:
        A tensor with the parameter's shape, dtype, device and, if they are dense, strides.
    """
    aval = p._cell.aval
    if aval.dtype.is_complex:
        value = complex(value, value)
    if p._cell.handler is not None:
        return full_like(p.detach(), value)
    return tensor_of_values(np.full(aval.shape, value, aval.dtype.np), dense_like(aval))


def scalar(value, p, group) -> Tensor:
    """A number of a parameter's state, such as the step count.

    Args:
        value: the number.
        p: the parameter.
        group: its group.

    Returns:
        A 0-d tensor on the parameter's device: float32, or float64 if that is the default dtype and the group is not fused.
    """
    double = promotion.default.dtype is dt.float64 and not group.get("fused")
    dtype = dt.float64 if double else dt.float32
    return tensor_of_values(np.full((), value, dtype.np), form((), dtype, p._cell.aval.device))


# -- checks and values of options

def check_lr(lr) -> None:
    """Refuses a learning rate that is out of range.

    Args:
        lr: a number or Tensor.

    Raises:
        ValueError: it is negative or NaN, or a Tensor of several elements.
    """
    check_one(lr)
    check("learning rate", lr)


def check_one(lr) -> None:
    """Refuses a learning rate of several elements.

    Args:
        lr: a number or Tensor.

    Raises:
        ValueError: it is a Tensor that has not one element.
    """
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError("Tensor lr must be 1-element")


def check(what, value) -> None:
    """Refuses a negative option.

    Args:
        what: its name in the message.
        value: the number.

    Raises:
        ValueError: it is negative or NaN.
    """
    if not value >= 0.0:
        raise ValueError(f"Invalid {what}: {value}")


def check_betas(betas) -> None:
    """Refuses betas that are out of range.

    Args:
        betas: the numbers.

    Raises:
        ValueError: one is outside of [0, 1).
    """
    for i, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {beta}")


def used(number) -> bool:
    """Whether a hyperparameter has an effect.

    Args:
        number: a number, or a Tensor, whose value is not read.

    Returns:
        False for a number that is 0.
    """
    return isinstance(number, Tensor) or number != 0
