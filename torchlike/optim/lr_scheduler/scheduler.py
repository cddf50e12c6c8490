"""The base of all schedulers, and what they do to parameter groups.

A schedule is given by `get_lr`: the next rates from the present ones, so that schedulers of one
optimizer may be chained. Numbers are computed in PyTorch's order: results are equal to the last bit.
"""

import contextlib
import functools
import types
import warnings
import weakref

from torchlike._record.tensor import Tensor
from torchlike.optim.optimizer import Optimizer

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed form "
    "is used instead of the new chainable form, where available. Please open an issue if you are unable to replicate "
    "your use case: https://github.com/pytorch/pytorch/issues/new/choose.")
_SEE = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
_OVERRIDDEN = ("Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, "
               f"make sure to call `optimizer.step()` before `lr_scheduler.step()`. {_SEE}")
_WRONG_ORDER = ("Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should "
                "call them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this "
                f"will result in PyTorch skipping the first value of the learning rate schedule. {_SEE}")
_NO_INITIAL_LR = ("param 'initial_lr' is not specified in param_groups[{}] when resuming scheduler with last_epoch >= 0.\n"
                  "This typically happens when:\n"
                  "1. You're trying to resume training from a checkpoint but haven't properly loaded the optimizer "
                  "state\n"
                  "2. You're using last_epoch >= 0 for a fresh training run (not recommended)")


class LRScheduler:
    """The base of schedulers, which set the rates of an optimizer's groups. Subclasses define `get_lr`.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.LRScheduler.html

    Args:
        optimizer: the optimizer.
        last_epoch: the epoch to go on from; -1 starts at 0, from the groups' present rates.

    Raises:
        TypeError: `optimizer` is no Optimizer.
        KeyError: a group has no "initial_lr", which another `last_epoch` than -1 needs.
    """

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1):
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _kept(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(_NO_INITIAL_LR.format(i))
        self.base_lrs = values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _watch_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        """Set the rates of epoch 0, or of the epoch after `last_epoch`."""
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self):
        """The attributes of the scheduler, without the optimizer and without what is only code."""
        return without(self.__dict__, "optimizer")

    def load_state_dict(self, state_dict) -> None:
        """Goes on from a state. Functions that the schedule was given stay those of this scheduler.

        Args:
            state_dict: what `state_dict` gave.
        """
        self.__dict__.update(state_dict)

    def get_last_lr(self):
        """The rates that the last step has set, a list with one for each group."""
        return self._last_lr

    def get_lr(self):
        """To be overridden: the rates of this epoch, a list with one for each group. Only `step` calls it; `get_last_lr`
        is for users.

        Raises:
            NotImplementedError: the class does not override it.
        """
        raise NotImplementedError

    def step(self, epoch=None) -> None:
        """Sets the rates of the next epoch.

        Args:
            epoch: deprecated: the epoch to go to; it warns.
        """
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn(_OVERRIDDEN, UserWarning, stacklevel=2)
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(_WRONG_ORDER, UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch=None) -> None:
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        closed = None if epoch is None else getattr(self, "_get_closed_form_lr", None)
        with self._within_step():
            rates = (closed or self.get_lr)()
        self._set(rates)

    @contextlib.contextmanager
    def _within_step(self):
        """A block in which `get_lr` does not warn."""
        self._get_lr_called_within_step = True
        try:
            yield
        finally:
            self._get_lr_called_within_step = False

    def _warn_outside_step(self) -> None:
        """Warns in `get_lr` outside of a step: its result is then the next rate and not the last one."""
        if not self._get_lr_called_within_step:
            warnings.warn("To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                          UserWarning, stacklevel=3)

    def _set(self, rates) -> None:
        """Give the groups these rates."""
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_value(group, "lr", rate)
        self._last_lr = values(self.optimizer, "lr")

    def _groups_lr(self):
        """The present rates of the groups."""
        return values(self.optimizer, "lr")


class _LRScheduler(LRScheduler):
    """The name that LRScheduler had before PyTorch 2."""


def check_optimizer(optimizer) -> None:
    """Checks the type of an optimizer.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.check_optimizer.html

    Args:
        optimizer: any object.

    Raises:
        TypeError: it is no Optimizer.
    """
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def _watch_steps(optimizer) -> None:
    """Makes the optimizer note that its `step` was called. The reference is weak, because the optimizer must not refer to
    itself.
    """
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    function, reference = optimizer.step.__func__, weakref.ref(optimizer)

    @functools.wraps(function)
    def step(*args, **kwargs):
        owner = reference()
        owner._opt_called = True
        return function(owner, *args, **kwargs)

    step._wrapped_by_lr_sched = True
    optimizer.step = step


# -- values of parameter groups: numbers, or Tensors, which are written in place

def values(optimizer, key) -> list:
    """An option of every group.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.values.html

    Args:
        optimizer: the optimizer.
        key: the option's name.

    Returns:
        a list; Tensors are copied.
    """
    return [_kept(group[key]) for group in optimizer.param_groups]


def set_value(group, key, value) -> None:
    """Changes an option of a group; a Tensor is overwritten in place.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.set_value.html

    Args:
        group: a parameter group, a dict.
        key: the option's name.
        value: a number or a Tensor.
    """
    if not isinstance(group[key], Tensor):
        group[key] = value
        return
    group[key].fill_(value.squeeze() if isinstance(value, Tensor) else value)


def one_each(name, optimizer, value) -> list:
    """One value for each group.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.one_each.html

    Args:
        name: the argument's name, for the error.
        optimizer: the optimizer.
        value: a list or tuple with one for each group, or one for all.

    Returns:
        a list; Tensors are copied.

    Raises:
        ValueError: a wrong number of values.
    """
    groups = optimizer.param_groups
    if not isinstance(value, list | tuple):
        value = [value] * len(groups)
    elif len(value) != len(groups):
        raise ValueError(f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
                         f"param_groups has {len(groups)}.")
    return [_kept(v) for v in value]


def _kept(value):
    return value.clone() if isinstance(value, Tensor) else value


# -- momentum that moves against the rate: of SGD, or the first beta of an Adam

def cycled_option(optimizer) -> str:
    """Where an optimizer has its momentum.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.cycled_option.html

    Args:
        optimizer: the optimizer.

    Returns:
        "betas" or "momentum".

    Raises:
        ValueError: it has neither.
    """
    if "betas" in optimizer.defaults:
        return "betas"
    if "momentum" in optimizer.defaults:
        return "momentum"
    raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")


def start_momentum(optimizer, base, largest, use_beta1) -> None:
    """Sets every group to the largest momentum, and writes both ends into it.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.start_momentum.html

    Args:
        optimizer: the optimizer.
        base, largest: lists with one value for each group.
        use_beta1: whether the momentum is the first of "betas".
    """
    for top, low, group in zip(largest, base, optimizer.param_groups, strict=True):
        set_momentum(group, top, use_beta1)
        group["max_momentum"] = top
        group["base_momentum"] = low


def set_momentum(group, value, use_beta1) -> None:
    """Changes the momentum of a group.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.set_momentum.html

    Args:
        group: a parameter group, a dict.
        value: the momentum.
        use_beta1: whether it is the first of "betas".
    """
    if use_beta1:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


# -- state

def without(entries: dict, *names) -> dict:
    """A dict without some of its keys.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.without.html

    Args:
        entries: the dict.
        names: the keys to leave out.

    Returns:
        a new dict.
    """
    return {key: value for key, value in entries.items() if key not in names}


def saved_function(function):
    """What a checkpoint keeps of a function.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.saved_function.html

    Args:
        function: a function or a callable object.

    Returns:
        The attributes of a callable object, None for a plain function.
    """
    return None if isinstance(function, types.FunctionType) else function.__dict__.copy()
