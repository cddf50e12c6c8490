"""`torch.optim.lr_scheduler.ReduceLROnPlateau`."""

import math
import warnings

from torchlike.optim.lr_scheduler.scheduler import (
    EPOCH_DEPRECATION_WARNING,
    LRScheduler,
    check_optimizer,
    set_value,
    values,
)


class ReduceLROnPlateau(LRScheduler):
    """The rate is multiplied by a factor when a figure has not become better for some epochs.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html

    Args:
        optimizer: the optimizer.
        mode: "min" or "max": what is better.
        factor: less than 1.
        patience: how many epochs without improvement are allowed.
        threshold: by how much a figure must be better to count.
        threshold_mode: "rel" or "abs": whether that is a share of the best one.
        cooldown: for how many epochs after a reduction nothing counts.
        min_lr: the lowest rate; a list has one for each group.
        eps: the smallest change that is made.

    Raises:
        TypeError: `optimizer` is no Optimizer.
        ValueError: a number is out of range, or an unknown mode.
    """

    def __init__(self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel", cooldown=0,
                 min_lr=0, eps=1e-8):
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        self.factor = factor
        check_optimizer(optimizer)
        self.optimizer = optimizer
        count = len(optimizer.param_groups)
        if not isinstance(min_lr, list | tuple):
            self.default_min_lr, self.min_lrs = min_lr, [min_lr] * count
        elif len(min_lr) != count:
            raise ValueError(f"expected {count} min_lrs, got {len(min_lr)}")
        else:
            self.default_min_lr, self.min_lrs = None, list(min_lr)
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = values(optimizer, "lr")
        self._choose(mode, threshold, threshold_mode)
        self._reset()

    def _choose(self, mode, threshold, threshold_mode) -> None:
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode

    def _reset(self) -> None:
        """Forget all figures."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    @property
    def in_cooldown(self):
        """Whether figures do not count, after a reduction."""
        return self.cooldown_counter > 0

    def step(self, metrics, epoch=None) -> None:
        """Takes the figure of an epoch.

        Args:
            metrics: a number or a Tensor of one element, which is read.
            epoch: deprecated: the epoch's number; it warns.
        """
        current = float(metrics)
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(self.last_epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = values(self.optimizer, "lr")

    def _is_better(self, a, best) -> bool:
        relative = self.threshold_mode == "rel"
        if self.mode == "min":
            return a < (best * (1.0 - self.threshold) if relative else best - self.threshold)
        return a > (best * (self.threshold + 1.0) if relative else best + self.threshold)

    def _reduce_lr(self, epoch) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(f"The number of param groups in the `optimizer` ({len(groups)}) differs from when "
                                   f"`ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due to a new param "
                                   "group being added to the optimizer. Please modify the `min_lrs` field to match the "
                                   "length of the `optimizer` param groups.")
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, smallest in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, smallest)
            if old - new > self.eps:
                set_value(group, "lr", new)

    def load_state_dict(self, state_dict) -> None:
        super().load_state_dict(state_dict)
        self._choose(self.mode, self.threshold, self.threshold_mode)
