"""Runs the actions of one rank, in their order, with the messages that they need.

Whatever the schedule is, an action waits for what its stage is sent, computes, and sends on. What the next action will
receive is asked for before this one computes, so that it travels meanwhile. A stage whose neighbour is on the same rank
hands over without a message.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from torchlike._api.creation import zeros
from torchlike._c10d import world
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import is_grad_enabled
from torchlike.distributed.pipelining._messages import ACTIVATIONS, GRADIENTS, Mail
from torchlike.distributed.pipelining._metadata import PipeliningMetadataError, as_tuple, metas_of
from torchlike.distributed.pipelining._orders import B, F, I, W, _Action, parts
from torchlike.distributed.pipelining.stage import _PipelineStageBase


class Batch(NamedTuple):
    """What a step is given, by microbatch.

    Args:
        args, kwargs: for the first stage, and for all on this rank.
        targets: for the loss; None where there are none.
        loss_fn: of the output and the target; None computes no loss.
        loss_kwargs: more for it.
        keeps_outputs: whether the last stage keeps its outputs.
        divisor: what gradients are divided by in the end.
    """

    args: list[tuple]
    kwargs: list[dict]
    targets: list | None
    loss_fn: Callable | None
    loss_kwargs: dict
    keeps_outputs: bool
    divisor: int


class Run:
    """One step of one rank.

    Args:
        stages: those of this rank.
        actions: what it computes, in order.
        batch: what the step is given.
    """

    def __init__(self, stages: list[_PipelineStageBase], actions: Iterable[_Action | None], batch: Batch):
        self._stages, self._batch = {stage.stage_index: stage for stage in stages}, batch
        first = stages[0]
        self._group, self._count = world.group_of(first.group), first.num_stages
        self._place, self._has_backward = first.stage_index_to_group_rank, first.has_backward
        kinds = (F, B, I, W) if self._has_backward else (F,)
        steps = [[part for part in parts(action) if part.computation_type in kinds]
                 for action in actions if action is not None and action.is_compute_op]
        self._steps = [step for step in steps if step]
        self._mail = Mail(self._group, first.device, self._count, len(batch.args))
        self._local: dict[tuple, tuple] = {}
        self._left = {index: len(batch.args) for index in self._stages}
        self.losses: dict[int, Any] = {}

    def all(self) -> None:
        """Run all actions.

        Raises:
            Exception: whatever a stage or its messages raise; the other ranks are told of it.
        """
        action = None
        try:
            for step, following in zip(self._steps, [*self._steps[1:], []], strict=True):
                for action in step:
                    self._expect(action, waits=True)
                    if action is step[-1]:
                        for later in following:
                            self._expect(later, waits=False)
                    self._perform(action)
            action = None
            self._mail.finish()
        except Exception as error:
            self._tell(action, error)
            raise

    def _tell(self, action, error) -> None:
        """Have all ranks know why no more messages come. Who has been told by another rank tells nothing."""
        ledger = self._group.ledger
        if self._group.size() > 1 and ledger.failure is None:
            what = "" if action is None else f", in {action}"
            cause = error.__cause__ or error
            ledger.fail(f"The pipeline has failed on rank {self._group.global_rank}{what}: {type(cause).__name__}: {cause}")

    def _of(self, action: _Action) -> tuple[_PipelineStageBase, int]:
        assert action.microbatch_index is not None
        return self._stages[action.stage_index], action.microbatch_index

    def _expect(self, action: _Action, waits: bool) -> None:
        """Begin to receive what an action needs. What it is like the first message of a pipeline says: where that has not
        come, and this is not to wait for it, nothing begins yet."""
        stage, microbatch = self._of(action)
        index = stage.stage_index
        if action.computation_type is F and not stage.is_first and index - 1 not in self._stages:
            if not stage.knows_inputs and waits:
                stage.learn_inputs(self._mail.take_metadata(index, self._place[index - 1]))
            if stage.knows_inputs:
                self._mail.expect(ACTIVATIONS, index, microbatch, stage._stage_meta.inputs, self._place[index - 1])
        elif (action.computation_type in (B, I) and not stage.is_last and index + 1 not in self._stages
              and stage.knows_outputs):
            metas = [meta for meta in stage._stage_meta.output_grads if meta is not None]
            self._mail.expect(GRADIENTS, index, microbatch, metas, self._place[index + 1])

    def _perform(self, action: _Action) -> None:
        stage, microbatch = self._of(action)
        if action.computation_type is F:
            self._forward(stage, microbatch)
            return
        self._left[stage.stage_index] -= action.computation_type is not I
        is_last = not self._left[stage.stage_index]
        if action.computation_type is W:
            stage.backward_weight_one_chunk(microbatch, last_backward=is_last)
        else:
            self._backward(stage, microbatch, action.computation_type is B, is_last)
        if is_last and action.computation_type is not I:
            stage.scale_grads(self._batch.divisor)

    def _forward(self, stage, microbatch) -> None:
        batch = self._batch
        args = batch.args[microbatch] if stage.is_first else self._inputs(stage, microbatch)
        output = stage.forward_one_chunk(microbatch, args, batch.kwargs[microbatch], batch.keeps_outputs)
        if stage.is_last:
            self._add_loss(stage, output, microbatch)
            return
        outputs, following = as_tuple(output) or (), stage.stage_index + 1
        if following in self._stages:
            if not self._stages[following].knows_inputs:
                self._stages[following].learn_inputs(metas_of(outputs))
            self._local[ACTIVATIONS, following, microbatch] = outputs
            return
        if microbatch == 0 and stage.is_new:
            self._mail.send_metadata(following, metas_of(outputs), self._place[following])
            stage.is_new = False
        self._mail.send(ACTIVATIONS, following, microbatch, outputs, self._place[following])

    def _add_loss(self, stage, output, microbatch) -> None:
        batch = self._batch
        if batch.loss_fn is None:
            return
        if batch.targets is None and self._has_backward:
            raise PipeliningMetadataError(
                f"Stage {stage.stage_index}: loss_fn and target required for last stage")
        target: Any = batch.targets
        self.losses[microbatch] = batch.loss_fn(output, target[microbatch], **batch.loss_kwargs)

    def _inputs(self, stage, microbatch) -> tuple:
        """What the stage before has given, as leaves."""
        key = ACTIVATIONS, stage.stage_index, microbatch
        found = [x.detach() for x in self._local.pop(key)] if key in self._local else self._mail.take(*key)
        needs = self._has_backward and is_grad_enabled()
        return tuple(x.requires_grad_(needs and meta.requires_grad)
                     for x, meta in zip(found, stage._stage_meta.inputs, strict=True))

    def _backward(self, stage, microbatch, is_full, is_last) -> None:
        given = None if stage.is_last else self._grads(stage, microbatch)
        found = stage.backward_one_chunk(microbatch, self.losses.get(microbatch) if stage.is_last else None, given,
                                         is_full, is_last and is_full)
        if stage.is_first:
            return
        before = stage.stage_index - 1
        grads = [zeros(meta.shape, dtype=meta.dtype, device=stage.device) if grad is None else grad
                 for grad, meta in zip(found, stage._stage_meta.input_grads, strict=True) if meta is not None]
        if before in self._stages:
            self._local[GRADIENTS, before, microbatch] = tuple(grads)
        else:
            self._mail.send(GRADIENTS, before, microbatch, grads, self._place[before])

    def _grads(self, stage, microbatch) -> tuple:
        """The gradients of a stage's outputs, None of those that had no history in the first microbatch."""
        key = GRADIENTS, stage.stage_index, microbatch
        found: Iterable[Tensor] = self._local.pop(key) if key in self._local else self._mail.take(*key)
        grads = iter(found)
        return tuple(None if meta is None else next(grads) for meta in stage._stage_meta.output_grads)
