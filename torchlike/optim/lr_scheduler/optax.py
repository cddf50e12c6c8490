"""Schedules of optax."""

import jax

from torchlike.optim.lr_scheduler.scheduler import LRScheduler, without


class OptaxLR(LRScheduler):
    """The rate is ``schedule(epoch)``, whatever it was at first.
    https://optax.readthedocs.io/en/latest/api/optimizer_schedules.html

    ``schedule``: an `optax.Schedule` (a function from the step's number to the rate) for all groups, or a list of one for
    each: ValueError for a wrong length, TypeError for what cannot be called. Each is called on the CPU. The schedules are
    not in `state_dict`.
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
        """As of LRScheduler, without the schedules."""
        return without(self.__dict__, "optimizer", "schedules")

    def get_lr(self):
        """The rates of this epoch."""
        self._warn_outside_step()
        return self._get_closed_form_lr()

    def _get_closed_form_lr(self):
        with jax.default_device(jax.local_devices(backend="cpu")[0]):
            return [float(function(self.last_epoch)) for function in self.schedules]
