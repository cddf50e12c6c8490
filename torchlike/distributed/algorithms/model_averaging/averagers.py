"""Who averages parameters over the ranks now and then."""

import abc
import warnings
from collections.abc import Iterable

from torchlike._c10d import world
from torchlike._c10d.collectives import all_reduce
from torchlike._c10d.flat import flattened, unflattened
from torchlike.autograd.grad_mode import no_grad


class ModelAverager(abc.ABC):
    """Who averages parameters.

    Args:
        process_group: the group; the default one where it is None.
    """

    def __init__(self, process_group=None):
        self.process_group = world.group_of(process_group)
        self.step = 0

    @abc.abstractmethod
    def average_parameters(self, params) -> None:
        """Called after each step.

        Args:
            params: the parameters, or the groups of an optimizer.
        """


class PeriodicModelAverager(ModelAverager):
    """Averages parameters every `period` steps.
    https://pytorch.org/docs/stable/_modules/torch/distributed/algorithms/model_averaging/averagers.html

    Args:
        period: how many steps.
        warmup_steps: how many steps there are before the first average.
        process_group: the group; the default one where it is None.

    Raises:
        ValueError: a negative number of steps; no period.
    """

    def __init__(self, period, warmup_steps=0, process_group=None):
        super().__init__(process_group)
        if warmup_steps < 0:
            raise ValueError("Arg ``warmup_steps`` must be a non-negative number.")
        if period < 1:
            raise ValueError("Arg ``period`` must be a positive value.")
        if period == 1:
            warnings.warn("When period is 1, no need to use model averaging because the communication cost of all-reducing "
                          "parameters will be no less than the cost of all-reducing gradients by DistributedDataParallel in "
                          "the backward pass. Therefore, only DistributedDataParallel should be used for this case.",
                          stacklevel=2)
        self.period, self.warmup_steps = period, warmup_steps

    def average_parameters(self, params: Iterable) -> None:
        """Counts a step, and averages if it is time.

        Args:
            params: the parameters, or the groups of an optimizer: those with a gradient are averaged.
        """
        if self.step >= self.warmup_steps and not (self.step - self.warmup_steps) % self.period:
            average_parameters(params, self.process_group)
        self.step += 1


def average_parameters(params: Iterable, process_group) -> None:
    """Averages parameters over the ranks, in place.

    Args:
        params: the parameters, or the groups of an optimizer: those with a gradient are averaged.
        process_group: the group.
    """
    given = [p for each in params for p in (each["params"] if isinstance(each, dict) else [each])]
    by_dtype: dict = {}
    for p in given:
        if p.grad is not None:
            by_dtype.setdefault(p.dtype, []).append(p)
    with no_grad():
        for same in by_dtype.values():
            flat = flattened([p.detach() for p in same], 1 / process_group.size())
            all_reduce(flat, group=process_group)
            for p, new in zip(same, unflattened(flat, same), strict=True):
                p.data.copy_(new)
