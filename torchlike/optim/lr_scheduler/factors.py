"""Schedules that multiply the rate by a number that follows from the epoch."""

from bisect import bisect_right
from collections import Counter

from torchlike.optim.lr_scheduler.scheduler import LRScheduler


class _Factors(LRScheduler):
    """Schedules by factors: `_factor` is this epoch's rate over that of the epoch before (None means 1), `_whole` this
    epoch's rate over the initial one, the closed form.
    """

    def get_lr(self):
        self._warn_outside_step()
        factor = self._factor()
        return self._groups_lr() if factor is None else [group["lr"] * factor for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self):
        factor = self._whole()
        return [base * factor for base in self.base_lrs]

    def _factor(self):
        raise NotImplementedError

    def _whole(self):
        raise NotImplementedError


class StepLR(_Factors):
    """The rate is multiplied by a factor at regular intervals.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.StepLR.html

    Args:
        optimizer: the optimizer.
        step_size: how many epochs are between them.
        gamma: the factor.
        last_epoch: as for `LRScheduler`.
    """

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return None if self.last_epoch == 0 or self.last_epoch % self.step_size != 0 else self.gamma

    def _whole(self):
        return self.gamma ** (self.last_epoch // self.step_size)


class MultiStepLR(_Factors):
    """The rate is multiplied by a factor at given epochs.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.MultiStepLR.html

    Args:
        optimizer: the optimizer.
        milestones: the epochs; one that is given twice counts twice.
        gamma: the factor.
        last_epoch: as for `LRScheduler`.
    """

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return self.gamma ** self.milestones[self.last_epoch] if self.last_epoch in self.milestones else None

    def _whole(self):
        return self.gamma ** bisect_right(sorted(self.milestones.elements()), self.last_epoch)


class ConstantLR(_Factors):
    """The rate is multiplied by a factor at first, and is whole from a given epoch on.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ConstantLR.html

    Args:
        optimizer: the optimizer.
        factor: from 0 to 1.
        total_iters: that epoch.
        last_epoch: as for `LRScheduler`.

    Raises:
        ValueError: `factor` is out of range.
    """

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if factor > 1.0 or factor < 0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self.last_epoch == 0:
            return self.factor
        return 1.0 / self.factor if self.last_epoch == self.total_iters else None

    def _whole(self):
        return self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor)


class LinearLR(_Factors):
    """The rate times a factor that changes linearly.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.LinearLR.html

    Args:
        optimizer: the optimizer.
        start_factor: the factor at first, above 0 and up to 1.
        end_factor: the factor at last, from 0 to 1.
        total_iters: how many epochs it takes.
        last_epoch: as for `LRScheduler`.

    Raises:
        ValueError: a factor is out of range.
    """

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self.last_epoch == 0:
            return self.start_factor
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        way = self.end_factor - self.start_factor
        return 1.0 + way / (self.total_iters * self.start_factor + (self.last_epoch - 1) * way)

    def _whole(self):
        way = self.end_factor - self.start_factor
        return self.start_factor + way * min(self.total_iters, self.last_epoch) / self.total_iters


class ExponentialLR(_Factors):
    """The rate is multiplied by a factor at every epoch.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ExponentialLR.html

    Args:
        optimizer: the optimizer.
        gamma: the factor.
        last_epoch: as for `LRScheduler`.
    """

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        return None if self._is_initial else self.gamma

    def _whole(self):
        return self.gamma ** self.last_epoch


class PolynomialLR(_Factors):
    """The rate falls to zero as a power of the remaining share of epochs.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.PolynomialLR.html

    Args:
        optimizer: the optimizer.
        total_iters: how many epochs it takes.
        power: the exponent.
        last_epoch: as for `LRScheduler`.
    """

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _factor(self):
        if self._is_initial or self.last_epoch > self.total_iters:
            return None
        left, before = (1.0 - epoch / self.total_iters for epoch in (self.last_epoch, self.last_epoch - 1))
        return (left / before) ** self.power

    def _whole(self):
        return (1.0 - min(self.total_iters, self.last_epoch) / self.total_iters) ** self.power
