"""`torch.optim.lr_scheduler.OneCycleLR`."""

import math

from torchlike.optim.lr_scheduler.scheduler import (
    LRScheduler,
    check_optimizer,
    cycled_option,
    one_each,
    set_momentum,
    start_momentum,
)


class OneCycleLR(LRScheduler):
    """The rate rises to a peak and falls far below where it began; the momentum does the reverse.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.OneCycleLR.html

    Args:
        optimizer: the optimizer.
        max_lr: the peak; a list has one for each group.
        total_steps: how many steps; None means `epochs` times `steps_per_epoch`.
        epochs, steps_per_epoch: see `total_steps`.
        pct_start: the share of the rise, from 0 to 1.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: whether the momentum moves, too.
        base_momentum, max_momentum: its bounds; a list has one for each group.
        div_factor: the peak over the initial rate.
        final_div_factor: the initial rate over the last one.
        three_phase: whether the fall stops at the initial rate before it goes on.
        last_epoch: as for `LRScheduler`, here a step.

    Raises:
        TypeError: `optimizer` is no Optimizer.
        ValueError: a number is out of range or of a wrong type, or a step after the last.
    """

    def __init__(self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3,
                 anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0,
                 final_div_factor=1e4, three_phase=False, last_epoch=-1):
        check_optimizer(optimizer)
        self.optimizer = optimizer
        self.total_steps = _count_steps(total_steps, epochs, steps_per_epoch)
        self._schedule_phases = _phases(pct_start, self.total_steps, three_phase)
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        tops = one_each("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for top, group in zip(tops, optimizer.param_groups, strict=True):
                group["initial_lr"] = top / div_factor
                group["max_lr"] = top
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = cycled_option(optimizer) == "betas"
            largest = one_each("max_momentum", optimizer, max_momentum)
            base = one_each("base_momentum", optimizer, base_momentum)
            if last_epoch == -1:
                start_momentum(optimizer, base, largest, self.use_beta1)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """The rates of this step. It sets the momentum, too.

        Raises:
            ValueError: the schedule is over.
        """
        self._warn_outside_step()
        if self.last_epoch > self.total_steps:
            raise ValueError(f"Tried to step {self.last_epoch} times. The specified number of total steps is "
                             f"{self.total_steps}")
        phase, part = self._place()
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                momentum = self._between(group[phase["start_momentum"]], group[phase["end_momentum"]], part)
                set_momentum(group, momentum, self.use_beta1)
        return rates

    def _place(self):
        """(the phase of this step, the share of it that is over)."""
        start = 0.0
        for phase in self._schedule_phases[:-1]:
            if self.last_epoch <= phase["end_step"]:
                break
            start = phase["end_step"]
        else:
            phase = self._schedule_phases[-1]
        return phase, (self.last_epoch - start) / (phase["end_step"] - start)

    def _between(self, start, end, part):
        if self._anneal_func_type == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)


def _count_steps(total_steps, epochs, steps_per_epoch) -> int:
    if total_steps is not None:
        if total_steps <= 0 or not isinstance(total_steps, int):
            raise ValueError(f"Expected positive integer total_steps, but got {total_steps}")
        return total_steps
    if epochs is None or steps_per_epoch is None:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, count in (("epochs", epochs), ("steps_per_epoch", steps_per_epoch)):
        if not isinstance(count, int) or count <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {count}")
    return epochs * steps_per_epoch


def _phases(pct_start, steps, three) -> list:
    """The phases, in the form that checkpoints hold."""
    rise = _phase(float(pct_start * steps) - 1, "initial_lr", "max_lr", "max_momentum", "base_momentum")
    if not three:
        return [rise, _phase(steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
    return [rise, _phase(float(2 * pct_start * steps) - 2, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
            _phase(steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum")]


def _phase(end_step, start_lr, end_lr, start_momentum, end_momentum) -> dict:
    return {"end_step": end_step, "start_lr": start_lr, "end_lr": end_lr, "start_momentum": start_momentum,
            "end_momentum": end_momentum}
