"""Schedules of optax."""

import jax

from torchlike.optim.lr_scheduler.scheduler import LRScheduler, without


class OptaxLR(LRScheduler):
    """The rate is what a schedule of optax gives, whatever it was at first. Not in PyTorch.
    https://optax.readthedocs.io/en/latest/api/optimizer_schedules.html

    Args:
        optimizer: the optimizer.
        schedule: an `optax.Schedule` (a function from the step's number to the rate), or a list with one for each group.
            They are called on the CPU and are not part of the state.
        last_epoch: as for `LRScheduler`, here a step.

    Raises:
        ValueError: a wrong number of schedules.
        TypeError: one of them is no function.
    """

    def __init__(self, optimizer, schedule, last_epoch: int = -1):
        count = len(optimizer.param_groups)
        schedules = list(schedule) if isinstance(schedule, list | tuple) else [schedule] * count
        if len(schedules) != count:
            raise ValueError(f"Expected {count} schedules, but got {len(schedules)}")
        for function in schedules:
            if not callable(function):
                raise TypeError(f"schedule should be a function, but got {type(function).__name__}")
        self.schedules = schedules
        super().__init__(optimizer, last_epoch)

    def state_dict(self):
        return without(self.__dict__, "optimizer", "schedules")

    def get_lr(self):
        self._warn_outside_step()
        return self._get_closed_form_lr()

    def _get_closed_form_lr(self):
        with jax.default_device(jax.local_devices(backend="cpu")[0]):
            return [float(function(self.last_epoch)) for function in self.schedules]
