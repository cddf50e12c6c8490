"""Schedulers made of schedulers, at once or one after the other."""

from bisect import bisect_right

from torchlike.optim.lr_scheduler.plateau import ReduceLROnPlateau
from torchlike.optim.lr_scheduler.scheduler import LRScheduler, set_value, values, without


class _Combined(LRScheduler):
    """``schedulers`` of one optimizer."""

    def _check(self, optimizer, schedulers) -> None:
        name = type(self).__name__
        for i, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {i} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs "
                                 f"to be specified when calling `step`, but got one at index {i} in the given schedulers "
                                 "sequence.")
            if optimizer != scheduler.optimizer:
                raise ValueError(f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                                 f"{type(scheduler).__name__} at index {i} has {scheduler.optimizer}, which is different "
                                 f"from {type(optimizer).__name__}.")

    def state_dict(self):
        state = without(self.__dict__, "optimizer", "_schedulers")
        state["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return state

    def load_state_dict(self, state_dict) -> None:
        super().load_state_dict(without(state_dict, "_schedulers"))
        for i, saved in enumerate(state_dict["_schedulers"]):
            self._schedulers[i].load_state_dict(saved)


class ChainedScheduler(_Combined):
    """All schedulers at each step.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.ChainedScheduler.html

    Args:
        schedulers: schedulers of one optimizer.
        optimizer: that optimizer; None means that of the first.

    Raises:
        ValueError: no schedulers, those of several optimizers, or a `ReduceLROnPlateau`.
        TypeError: one of them is no scheduler.
    """

    def __init__(self, schedulers, optimizer=None):
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler.")
        optimizer = optimizer or schedulers[0].optimizer
        self._check(optimizer, schedulers)
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = values(optimizer, "lr")

    def step(self) -> None:
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = values(self.optimizer, "lr")


class SequentialLR(_Combined):
    """One scheduler after the other.
    https://pytorch.org/docs/stable/generated/torch.optim.lr_scheduler.SequentialLR.html

    Args:
        optimizer: the optimizer.
        schedulers: schedulers of this optimizer.
        milestones: the epochs at which the next one begins: one less than schedulers.
        last_epoch: as for `LRScheduler`.

    Raises:
        ValueError: no schedulers, those of another optimizer, a `ReduceLROnPlateau`, or a wrong number of milestones.
        TypeError: one of them is no scheduler.
    """

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._check(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError("Sequential Schedulers expects number of schedulers provided to be one more than the number "
                             f"of milestone points, but got number of schedulers {len(schedulers)} and the number of "
                             f"milestones to be equal to {len(milestones)}")
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:  # each scheduler's first step began from the rates of the one before
            set_value(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched=None) -> None:
        """Takes back the first step of a scheduler and of all inside it.

        Args:
            sched: the scheduler; None means this one.
        """
        sched = self if sched is None else sched
        if hasattr(sched, "_schedulers"):
            for one in sched._schedulers:
                self.recursive_undo(one)
        elif hasattr(sched, "last_epoch"):
            sched.last_epoch -= 1

    def step(self) -> None:
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number > 0 and self._milestones[number - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()
