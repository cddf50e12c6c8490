"""`torch.optim.lr_scheduler.CyclicLR`."""

import math

from torchlike.optim.lr_scheduler.scheduler import (
    LRScheduler,
    check_optimizer,
    cycled_option,
    one_each,
    saved_function,
    set_momentum,
    set_value,
    start_momentum,
    without,
)

_SCALE_MODES = {"triangular": "cycle", "triangular2": "cycle", "exp_range": "iterations"}


class CyclicLR(LRScheduler):
    """The rate goes up and down between two bounds, and the momentum down and up.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.CyclicLR.html

    Args:
        optimizer: the optimizer.
        base_lr, max_lr: the bounds; a list has one for each group.
        step_size_up, step_size_down: how many steps each way takes; None means the same.
        mode: how the height of cycles changes: "triangular" (not), "triangular2" (halved each time) or "exp_range" (by
            `gamma` at each step).
        gamma: the factor of "exp_range".
        scale_fn: a function that gives the height instead of `mode`.
        scale_mode: what `scale_fn` gets: "cycle", the cycle's number, or "iterations", that of the step.
        cycle_momentum: whether the momentum moves, too.
        base_momentum, max_momentum: its bounds; a list has one for each group.
        last_epoch: as for `LRScheduler`, here a step.

    Raises:
        TypeError: `optimizer` is no Optimizer.
        ValueError: an unknown `mode`, a wrong number of values, or an optimizer without momentum.
    """

    def __init__(self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode="triangular", gamma=1.0,
                 scale_fn=None, scale_mode="cycle", cycle_momentum=True, base_momentum=0.8, max_momentum=0.9,
                 last_epoch=-1):
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = one_each("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_value(group, "lr", rate)
        self.max_lrs = one_each("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in _SCALE_MODES and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else _SCALE_MODES[mode]
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._begin_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _begin_momentum(self, base, largest, last_epoch) -> None:
        self.use_beta1 = cycled_option(self.optimizer) == "betas"
        self.base_momentums = one_each("base_momentum", self.optimizer, base)
        self.max_momentums = one_each("max_momentum", self.optimizer, largest)
        if last_epoch == -1:
            start_momentum(self.optimizer, self.base_momentums, self.max_momentums, self.use_beta1)

    def scale_fn(self, x) -> float:
        """The height of a cycle.

        Args:
            x: the number of the cycle, or of the step.

        Returns:
            a float; 1 is the full height.
        """
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "exp_range":
            return self.gamma ** x
        return 1.0 if self.mode == "triangular" else 1 / 2.0 ** (x - 1)

    def get_lr(self):
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        part = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        at = cycle if self.scale_mode == "cycle" else self.last_epoch
        rates = [low + (top - low) * part * self.scale_fn(at)
                 for low, top in zip(self.base_lrs, self.max_lrs, strict=True)]
        if self.cycle_momentum:
            momentums = [top - (top - low) * part * self.scale_fn(at)
                         for low, top in zip(self.base_momentums, self.max_momentums, strict=True)]
            for group, momentum in zip(self.optimizer.param_groups, momentums, strict=True):
                set_momentum(group, momentum, self.use_beta1)
        return rates

    def state_dict(self):
        state = super().state_dict()
        custom = self._scale_fn_custom
        state["_scale_fn_custom"] = None if custom is None else saved_function(custom)
        return state

    def load_state_dict(self, state_dict) -> None:
        super().load_state_dict(without(state_dict, "_scale_fn_custom"))
        saved = state_dict["_scale_fn_custom"]
        if saved is not None:
            self._scale_fn_custom.__dict__.update(saved)
        if self._scale_fn_custom is None:
            self.scale_mode = _SCALE_MODES.get(self.mode, self.scale_mode)
