"""Schedules: classes that run a pipeline, each with an order of its own.
https://pytorch.org/docs/stable/distributed.pipelining.html#module-torch.distributed.pipelining.schedules

`_orders.py` has the orders, `_executor.py` runs them. A class of a user's may set ``pipeline_order`` in its ``__init__``.
"""

import csv
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from torchlike._base.errors import UnsupportedError
from torchlike.autograd.grad_mode import is_grad_enabled
from torchlike.distributed.pipelining import _orders
from torchlike.distributed.pipelining._executor import Batch, Run
from torchlike.distributed.pipelining._mapping import checked_places, generate_stage_to_rank_mapping
from torchlike.distributed.pipelining._orders import _Action, _ComputationType  # noqa: F401 - PyTorch has them here
from torchlike.distributed.pipelining.microbatch import (
    TensorChunkSpec,
    _split_tensor,
    merge_chunks,
    split_args_kwargs_into_chunks,
)
from torchlike.distributed.pipelining.stage import _PipelineStageBase

__all__ = ["PipelineScheduleMulti", "PipelineScheduleSingle", "Schedule1F1B", "ScheduleDualPipeV", "ScheduleGPipe",
           "ScheduleInterleaved1F1B", "ScheduleInterleavedZeroBubble", "ScheduleLoopedBFS", "ScheduleZBVZeroBubble",
           "get_schedule_class"]
_NO_GRAD = ("step() requires gradients to be enabled for backward computation; it should not be used under torch.no_grad() "
            "context. Please call eval() instead.")
_TARGETS = TensorChunkSpec(0)


class _PipelineSchedule(ABC):
    """What all schedules have.

    Args:
        n_microbatches: into how many parts a batch is divided.
        loss_fn: of the last stage's output and the target; None runs no backward passes.
        args_chunk_spec, kwargs_chunk_spec: how the inputs are divided, see `split_args_kwargs_into_chunks`.
        output_merge_spec: how outputs are put together, see `merge_chunks`.
        scale_grads: whether gradients are divided by `n_microbatches`: where the loss is a mean, not a sum.
    """

    pipeline_order: Any = None

    def __init__(self, n_microbatches: int, loss_fn: Callable | None = None, args_chunk_spec: tuple | None = None,
                 kwargs_chunk_spec: dict | None = None, output_merge_spec=None, scale_grads: bool = True):
        self._n_microbatches, self._loss_fn, self.scale_grads = n_microbatches, loss_fn, scale_grads
        self._args_chunk_spec, self._kwargs_chunk_spec = args_chunk_spec, kwargs_chunk_spec
        self._output_merge_spec = output_merge_spec
        self._has_backward = loss_fn is not None
        self._needs_autograd = True

    @abstractmethod
    def _all_stages(self) -> list[_PipelineStageBase]:
        """The stages of this rank."""

    @abstractmethod
    def _own_order(self) -> list[_Action | None]:
        """The actions of this rank."""

    def step(self, *args, target=None, losses: list | None = None, return_outputs: bool = True,
             loss_kwargs: dict[str, Any] | None = None, **kwargs):
        """Run a batch through the pipeline: forward, and backward if there is a loss.

        Args:
            args: the inputs of the first stage; other ranks give none.
            target: for the loss, on the rank of the last stage.
            losses: a list that gets the loss of each microbatch there.
            return_outputs: whether that rank returns the outputs.
            loss_kwargs: more for the loss.
            kwargs: for the stages of this rank.

        Returns:
            the outputs of the whole batch on the rank of the last stage; None on the others.

        Raises:
            RuntimeError: under `torch.no_grad`; a stage fails, here or on another rank. ValueError: the inputs cannot be
                divided into so many microbatches. PipeliningMetadataError: the tensors between stages do not fit.
        """
        if self._has_backward and self._needs_autograd and not is_grad_enabled():
            raise RuntimeError(_NO_GRAD)
        stages = self._all_stages()
        for stage in stages:
            stage.has_backward, stage.chunks = self._has_backward, self._n_microbatches
            stage.clear_runtime_states()
        args_split, kwargs_split = self._split_inputs(args, kwargs)
        targets = None if target is None else _split_tensor(target, _TARGETS, self._n_microbatches)
        self._check_inputs(args_split, kwargs_split, targets, losses)
        run = Run(stages, self._own_order(), Batch(args_split, kwargs_split, targets, self._loss_fn, loss_kwargs or {},
                                                   return_outputs, self._n_microbatches if self.scale_grads else 1))
        run.all()
        last = next((stage for stage in stages if stage.is_last), None)
        if last is None:
            return None
        if losses is not None:
            self._put_losses(run.losses, losses)
        return merge_chunks(last.output_chunks, self._output_merge_spec) if return_outputs else None

    def eval(self, *args, target=None, losses: list | None = None, **kwargs):
        """`step` without backward passes.

        Args:
            args, target, losses, kwargs: as for `step`.

        Returns:
            as `step`.

        Raises:
            as `step`.
        """
        before, self._has_backward = self._has_backward, False
        try:
            return self.step(*args, target=target, losses=losses, **kwargs)
        finally:
            self._has_backward = before

    def _put_losses(self, found: dict, losses: list) -> None:
        if len(found) != self._n_microbatches:
            raise RuntimeError(f"Expecting {self._n_microbatches} losses but got {len(found)}")
        losses[:] = [found[i] for i in range(self._n_microbatches)]

    def _split_inputs(self, args: tuple, kwargs: dict) -> tuple[list, list]:
        if not args and not kwargs:
            return [()] * self._n_microbatches, [{}] * self._n_microbatches
        return split_args_kwargs_into_chunks(args, kwargs, self._n_microbatches, self._args_chunk_spec,
                                             self._kwargs_chunk_spec)

    def _check_inputs(self, arg_mbs: list, kwarg_mbs: list, target_mbs: list | None, losses) -> None:
        for name, given in (("arg_mbs", arg_mbs), ("kwarg_mbs", kwarg_mbs), ("target_mbs", target_mbs)):
            if given is not None and len(given) != self._n_microbatches:
                raise ValueError(f"Expecting {self._n_microbatches} {name} but got {len(given)}")
        if losses is not None and not isinstance(losses, list):
            raise TypeError(f"losses must be a list but got a {type(losses)}")


class PipelineScheduleSingle(_PipelineSchedule):
    """A schedule of one stage a rank.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.schedules.PipelineScheduleSingle

    Args:
        stage: this rank's.
        n_microbatches: into how many parts a batch is divided.
        loss_fn: of the last stage's output and the target; None runs no backward passes.
        args_chunk_spec, kwargs_chunk_spec: how the inputs are divided, see `split_args_kwargs_into_chunks`.
        output_merge_spec: how outputs are put together, see `merge_chunks`.
        scale_grads: whether gradients are divided by `n_microbatches`: where the loss is a mean, not a sum.
    """

    def __init__(self, stage: _PipelineStageBase, n_microbatches: int, loss_fn: Callable | None = None,
                 args_chunk_spec: tuple | None = None, kwargs_chunk_spec: dict | None = None, output_merge_spec=None,
                 scale_grads: bool = True):
        super().__init__(n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec, scale_grads)
        self._stage, self._num_stages = stage, stage.num_stages
        self.pipeline_order = self._get_pipeline_order()

    @abstractmethod
    def _get_pipeline_order(self) -> dict[int, list[_Action | None]]:
        """The actions of each rank in slots of time, None in an empty one."""

    def _all_stages(self) -> list[_PipelineStageBase]:
        return [self._stage]

    def _own_order(self) -> list[_Action | None]:
        return self.pipeline_order[self._stage.stage_index]


class ScheduleGPipe(PipelineScheduleSingle):
    """All forward passes, then all backward passes.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.schedules.ScheduleGPipe

    Args:
        as `PipelineScheduleSingle`.
    """

    def _get_pipeline_order(self) -> dict[int, list[_Action | None]]:
        stages = self._num_stages
        return _orders.timeline({rank: _orders.gpipe(rank, self._n_microbatches) for rank in range(stages)}, stages)


class Schedule1F1B(PipelineScheduleSingle):
    """Backward passes as early as possible, so that a stage keeps few microbatches.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.schedules.Schedule1F1B

    Args:
        as `PipelineScheduleSingle`.

    Raises:
        ValueError: fewer microbatches than stages.
    """

    def _get_pipeline_order(self) -> dict[int, list[_Action | None]]:
        stages, count = self._num_stages, self._n_microbatches
        if count < stages:
            raise ValueError(f"Number of microbatches ({count}) must be greater than or equal to the number of stages "
                             f"({stages}).")
        return _orders.timeline({rank: _orders.one_forward_one_backward(rank, stages, count) for rank in range(stages)},
                                stages)


class PipelineScheduleMulti(_PipelineSchedule):
    """A schedule of several stages a rank.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.schedules.PipelineScheduleMulti

    Args:
        stages: this rank's.
        n_microbatches: into how many parts a batch is divided.
        loss_fn: of the last stage's output and the target; None runs no backward passes.
        args_chunk_spec, kwargs_chunk_spec: how the inputs are divided, see `split_args_kwargs_into_chunks`.
        output_merge_spec: how outputs are put together, see `merge_chunks`.
        use_full_backward: without effect.
        scale_grads: whether gradients are divided by `n_microbatches`: where the loss is a mean, not a sum.
        backward_requires_autograd: whether `step` may not run under `torch.no_grad`.
    """

    _style = "loop"

    def __init__(self, stages: list[_PipelineStageBase], n_microbatches: int, loss_fn: Callable | None = None,
                 args_chunk_spec: tuple | None = None, kwargs_chunk_spec: dict | None = None, output_merge_spec=None,
                 use_full_backward: bool | None = None, scale_grads: bool = True, backward_requires_autograd: bool = True):
        super().__init__(n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec, scale_grads)
        if use_full_backward is not None:
            warnings.warn("use_full_backward is without effect", FutureWarning, stacklevel=2)
        self._stages, self._num_stages = stages, stages[0].num_stages
        self.pp_group_size, self.rank = stages[0].group_size, stages[0].group_rank
        self._needs_autograd = backward_requires_autograd
        self._place_stages(generate_stage_to_rank_mapping(self.pp_group_size, self._num_stages, self._style))
        self.pipeline_order = {}

    def _place_stages(self, places: dict[int, int]) -> None:
        self.stage_index_to_group_rank = places
        for stage in self._stages:
            stage.stage_index_to_group_rank = places

    def _order_by(self, order: Callable[[int], _orders.Order]) -> None:
        """Take the order that a function gives for each rank."""
        self.pipeline_order = _orders.timeline({rank: order(rank) for rank in range(self.pp_group_size)}, self._num_stages)

    def _all_stages(self) -> list[_PipelineStageBase]:
        return self._stages

    def _own_order(self) -> list[_Action | None]:
        return self.pipeline_order[self.rank]

    def _dump_csv(self, filename: str) -> None:
        """Write the order to a file, a line for each rank."""
        with open(filename, "w", newline="") as file:
            csv.writer(file).writerows(self.pipeline_order[rank] for rank in self.pipeline_order)

    def _load_csv(self, filename: str, format: str = "compute_only") -> None:
        """Take an order from a file."""
        if format != "compute_only":
            raise AssertionError(f'format must be "compute_only", got {format}')
        with open(filename, newline="") as file:
            orders = {rank: [_Action.from_str(text) for text in row] for rank, row in enumerate(csv.reader(file))}
        self._place_stages(checked_places(orders, self.pp_group_size, self._num_stages, self._n_microbatches))
        self.pipeline_order = orders


class _PipelineScheduleRuntime(PipelineScheduleMulti):
    """The base of the schedules of several stages a rank.

    Args:
        as `PipelineScheduleMulti`.
        defer_pp_recv: without effect; what an action receives is asked for one action ahead.
    """

    def __init__(self, stages: list[_PipelineStageBase], n_microbatches: int, loss_fn: Callable | None = None,
                 args_chunk_spec: tuple | None = None, kwargs_chunk_spec: dict | None = None, output_merge_spec=None,
                 scale_grads: bool = True, backward_requires_autograd: bool = True, defer_pp_recv: bool = False):
        super().__init__(stages, n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec,
                         scale_grads=scale_grads, backward_requires_autograd=backward_requires_autograd)
        self.n_local_stages = len(stages)
        self._make_order()

    def _make_order(self) -> None:
        """Set ``pipeline_order``; a class whose order comes from elsewhere has none at first."""

    def _load_csv(self, filename: str, format: str = "compute_only") -> None:
        """Take an order from a file; messages in it are left out, since actions bring theirs along."""
        if format not in ("compute_only", "compute_comms"):
            raise NotImplementedError(f"{format=} is not implemented")
        super()._load_csv(filename)

    def _dump_csv(self, filename: str, format: str = "compute_comms") -> None:
        """Write the order to a file, a line for each rank."""
        if format != "compute_only":
            raise UnsupportedError("torch.distributed.pipelining: an order has no messages: format=\"compute_only\"")
        super()._dump_csv(filename)


class ScheduleLoopedBFS(_PipelineScheduleRuntime):
    """Each stage of a rank runs all microbatches, one stage after the other.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.schedules.ScheduleLoopedBFS

    Args:
        stages, n_microbatches, loss_fn, output_merge_spec, scale_grads, backward_requires_autograd: as for
            `PipelineScheduleMulti`.
        defer_pp_recv: without effect.
    """

    def __init__(self, stages: list[_PipelineStageBase], n_microbatches: int, loss_fn: Callable | None = None,
                 output_merge_spec=None, scale_grads: bool = True, backward_requires_autograd: bool = True,
                 defer_pp_recv: bool = False):
        super().__init__(stages, n_microbatches, loss_fn, output_merge_spec=output_merge_spec, scale_grads=scale_grads,
                         backward_requires_autograd=backward_requires_autograd)

    def _make_order(self) -> None:
        self._order_by(lambda rank: _orders.looped_bfs(rank, self.pp_group_size, self.n_local_stages, self._n_microbatches))


class ScheduleInterleaved1F1B(_PipelineScheduleRuntime):
    """1F1B with several stages a rank: the bubble is so many times shorter.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.schedules.ScheduleInterleaved1F1B

    Args:
        stages, n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec, scale_grads,
            backward_requires_autograd: as for `PipelineScheduleMulti`.
        defer_pp_recv: without effect.

    Raises:
        ValueError: a number of microbatches that is no multiple of that of rounds, ``max(1, n_microbatches // ranks)``.
    """

    _name, _is_zero_bubble = "Interleaved 1F1B", False

    def _make_order(self) -> None:
        ranks, count = self.pp_group_size, self._n_microbatches
        self.number_of_rounds = max(1, count // ranks)
        self.microbatches_per_round = count // self.number_of_rounds
        if count % self.number_of_rounds != 0:
            raise ValueError(f"{self._name} requires the number of microbatches to be a multiple of the number of rounds "
                             f"({self.number_of_rounds}), but got {count}.")
        self._order_by(lambda rank: _orders.interleaved(rank, ranks, self.n_local_stages, count, self._is_zero_bubble))


class ScheduleInterleavedZeroBubble(ScheduleInterleaved1F1B):
    """Interleaved 1F1B in which the gradients of weights fill the bubble.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.schedules.ScheduleInterleavedZeroBubble

    Args:
        as `ScheduleInterleaved1F1B`.

    Raises:
        ValueError: as `ScheduleInterleaved1F1B`.
    """

    _name, _is_zero_bubble = "Zero bubble", True


class _ScheduleV(_PipelineScheduleRuntime):
    """A schedule of two stages a rank, the first one and the last one going down the ranks and up again."""

    _style = "v"

    def _make_order(self) -> None:
        if self.n_local_stages != 2:
            raise ValueError(f"ZBV requires exactly 2 stages per rank, but got {self.n_local_stages}.")
        self.num_stages = self._num_stages


class ScheduleZBVZeroBubble(_ScheduleV):
    """Two stages a rank, in the form of a V, whose bubble the gradients of weights fill.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.schedules.ScheduleZBVZeroBubble

    Args:
        stages, n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec, scale_grads,
            backward_requires_autograd: as for `PipelineScheduleMulti`.
        defer_pp_recv: without effect.

    Raises:
        ValueError: another number of stages than two.
    """

    def _make_order(self) -> None:
        super()._make_order()
        self._order_by(lambda rank: _orders.zero_bubble_v(rank, self.pp_group_size, self._n_microbatches))


class ScheduleDualPipeV(_ScheduleV):
    """Two stages a rank, in the form of a V, one of which runs forward while the other one runs backward.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.schedules.ScheduleDualPipeV

    Args:
        stages, n_microbatches, loss_fn, args_chunk_spec, kwargs_chunk_spec, output_merge_spec, scale_grads,
            backward_requires_autograd: as for `PipelineScheduleMulti`.
        defer_pp_recv: without effect.

    Raises:
        ValueError: another number of stages than two; fewer microbatches than stages.
    """

    def _make_order(self) -> None:
        super()._make_order()
        if self._n_microbatches < self._num_stages:
            raise ValueError("DualPipeV requires at least as many microbatches as stages, but got "
                             f"{self._n_microbatches} microbatches and {self._num_stages} stages.")
        self._order_by(lambda rank: _orders.dual_pipe_v(rank, self.pp_group_size, self._n_microbatches))


_CLASSES = {
    "1F1B": Schedule1F1B,
    "Interleaved1F1B": ScheduleInterleaved1F1B,
    "GPipe": ScheduleGPipe,
    "LoopedBFS": ScheduleLoopedBFS,
    "InterleavedZeroBubble": ScheduleInterleavedZeroBubble,
    "PipelineScheduleSingle": PipelineScheduleSingle,
    "PipelineScheduleMulti": PipelineScheduleMulti,
    "ZBVZeroBubble": ScheduleZBVZeroBubble,
    "DualPipeV": ScheduleDualPipeV,
}


def get_schedule_class(schedule_name: str) -> type[_PipelineSchedule]:
    """The class of a schedule.

    Args:
        schedule_name: its name without "Schedule", in any case.

    Returns:
        the class.

    Raises:
        ValueError: there is none.
    """
    for name, found in _CLASSES.items():
        if name.lower() == schedule_name.lower():
            return found
    raise ValueError(f"Unknown schedule name '{schedule_name}'. The valid options are {list(_CLASSES)}")
