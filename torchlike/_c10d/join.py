"""Ranks with fewer inputs than others: they go on taking part in the collectives. https://pytorch.org/docs/stable/distributed.algorithms.join.html"""

import abc
import warnings
from typing import Any, NamedTuple

import numpy as np

from torchlike._c10d.work import Work

_SKEW = 1000  # steps: a rank that is done as long before the others is told about
_EARLY = "Detected at least one rank that exhausted inputs. Throwing across all ranks."
_SKEWED = ("Detected uneven input skew of greater than {0}. This means that rank {1} has at least {0} fewer inputs than "
           "other currently-active ranks. This level of skew could lead to performance degradation during training.")


class JoinHook:
    """What a rank that is done does in the place of the collectives of a `Joinable`.
    https://pytorch.org/docs/stable/distributed.algorithms.join.html#torch.distributed.algorithms.JoinHook
    """

    def main_hook(self) -> None:
        """Called again and again while other ranks have inputs: the collectives of one step."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Called once when all ranks are done.

        Args:
            is_last_joiner: whether this rank is one of the last.
        """


class _Config(NamedTuple):
    """What the `Join` around tells a `Joinable`."""

    enable: bool
    throw_on_early_termination: bool
    is_first_joinable: bool


_DISABLED = _Config(False, False, False)


class Joinable(abc.ABC):
    """What runs collectives in each step.
    https://pytorch.org/docs/stable/distributed.algorithms.join.html#torch.distributed.algorithms.Joinable
    """

    _join_config: _Config = _DISABLED

    @abc.abstractmethod
    def join_hook(self, **kwargs) -> JoinHook:
        """The `JoinHook` of this one.

        Args:
            kwargs: what `Join` was given for all.
        """

    @property
    @abc.abstractmethod
    def join_device(self):
        """The device of the collectives."""

    @property
    @abc.abstractmethod
    def join_process_group(self) -> Any:
        """Their process group."""


def counted(group, name: str, flag: int) -> int:
    """How many ranks say 1."""
    return int(group.run(name, "all_reduce", ("sum",), np.array([flag], np.int32))[0])


class Join:
    """Inside, ranks may have different numbers of inputs.
    https://pytorch.org/docs/stable/distributed.algorithms.join.html#torch.distributed.algorithms.Join

    Args:
        joinables: what runs collectives in each step, all on one process group.
        enable: False, and nothing is different.
        throw_on_early_termination: whether all ranks raise as soon as one is done.
        kwargs: for their `Joinable.join_hook`.

    Raises:
        ValueError: no joinables; different groups or devices. TypeError: one that is no Joinable.
        RuntimeError: at the end or in a step, `throw_on_early_termination`, and a rank is done.
    """

    def __init__(self, joinables: list, enable: bool = True, throw_on_early_termination: bool = False, **kwargs):
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables, self._enable, self._throw = joinables, enable, throw_on_early_termination
        for each in joinables:
            if not hasattr(each, "join_hook"):
                raise TypeError(f"The joinable {each} of type {type(each)} does not have a join_hook method")
        self._hooks = [each.join_hook(**kwargs) for each in joinables]
        groups = {each.join_process_group for each in joinables}
        if len(groups) > 1:
            raise ValueError("Using join context manager with multiple process groups")
        if len({each.join_device for each in joinables}) > 1:
            raise ValueError("Using join context manager with multiple devices")
        self._group = groups.pop()
        for i, each in enumerate(joinables):
            each._join_config = _Config(enable, throw_on_early_termination, i == 0)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback) -> None:
        try:
            if self._enable and kind is None:
                self._stay()
        finally:
            for each in self._joinables:
                each._join_config = _DISABLED

    def _stay(self) -> None:
        """Take part until all ranks are done."""
        steps = 0
        while counted(self._group, "joined", 0):
            if self._throw:
                counted(self._group, "joined early", 1)
                raise RuntimeError(f"Rank {self._group.global_rank} exhausted all inputs.")
            if steps == _SKEW:
                warnings.warn(_SKEWED.format(_SKEW, self._group.global_rank), stacklevel=3)
            for hook in self._hooks:
                hook.main_hook()
            steps += 1
        for hook in self._hooks:
            hook.post_hook(not steps)

    @staticmethod
    def notify_join_context(joinable: Joinable) -> Work | None:
        """To be called by a `Joinable` before the collectives of each step: ranks that are done take part in them.

        Args:
            joinable: the caller.

        Returns:
            a Work, done, whose result is the number of ranks that are not done; None outside of a `Join`, and for others
            than the first joinable.

        Raises:
            RuntimeError: a rank is done, and `throw_on_early_termination` is set.
        """
        config = joinable._join_config
        if not config.is_first_joinable or not config.enable:
            return None
        group = joinable.join_process_group
        back, entry = group.start("joined", "all_reduce", ("sum",), np.array([1], np.int32))
        count: list = []
        work = group.work(entry, [back], lambda values: count.append(int(values[0][0])), count)
        work.wait()
        if config.throw_on_early_termination and count[0] < group.size():
            counted(group, "joined early", 0)
            raise RuntimeError(_EARLY)
        return work
