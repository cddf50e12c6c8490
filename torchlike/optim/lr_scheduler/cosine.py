"""Schedules along half a cosine."""

import math

from torchlike.optim.lr_scheduler.scheduler import LRScheduler


def _height(bottom, top, part):
    """Where the cosine is after this part of the way (in radians) from `top` to `bottom`."""
    return bottom + (top - bottom) * (1 + math.cos(part)) / 2


class CosineAnnealingLR(LRScheduler):
    """The rate goes down along half a cosine, and up again.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.CosineAnnealingLR.html

    Args:
        optimizer: the optimizer.
        T_max: how many epochs the way down takes.
        eta_min: the lowest rate.
        last_epoch: as for `LRScheduler`.
    """

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):  # noqa: N803 - PyTorch's name
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._warn_outside_step()
        if self._is_initial:
            return self._groups_lr()
        low, groups = self.eta_min, self.optimizer.param_groups
        if self._step_count == 1 and self.last_epoch > 0:
            part = self.last_epoch * math.pi / self.T_max
            return [_height(low, base, part) for base, _ in zip(self.base_lrs, groups, strict=True)]
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # at the bottom the quotient below is 0 / 0
            rise = 1 - math.cos(math.pi / self.T_max)
            return [group["lr"] + (base - low) * rise / 2 for base, group in zip(self.base_lrs, groups, strict=True)]
        now, before = (1 + math.cos(math.pi * epoch / self.T_max) for epoch in (self.last_epoch, self.last_epoch - 1))
        return [now / before * (group["lr"] - low) + low for group in groups]

    def _get_closed_form_lr(self):
        part = math.pi * self.last_epoch / self.T_max
        return [_height(self.eta_min, base, part) for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """The rate goes down along half a cosine, and jumps back to where it began.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.CosineAnnealingWarmRestarts.html

    Args:
        optimizer: the optimizer.
        T_0: how many epochs the first way down takes.
        T_mult: how many times as long each next one takes; an integer.
        eta_min: the lowest rate.
        last_epoch: as for `LRScheduler`.

    Raises:
        ValueError: a number is out of range or of a wrong type.
    """

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):  # noqa: N803 - PyTorch's names
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, float | int):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        self._warn_outside_step()
        part = math.pi * self.T_cur / self.T_i
        return [_height(self.eta_min, base, part) for base in self.base_lrs]

    def step(self, epoch=None) -> None:
        """Sets the rates of the next epoch.

        Args:
            epoch: the epoch to go to instead, which may be a fraction.
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self._advance()
        else:
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        with self._within_step():
            rates = self.get_lr()
        self._set(rates)

    def _advance(self) -> None:
        self.T_cur += 1
        if self.T_cur >= self.T_i:
            self.T_cur %= self.T_i
            self.T_i *= self.T_mult

    def _go_to(self, epoch) -> None:
        """Finds the period that an epoch is in."""
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult ** n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult ** n
