"""One stage of a pipeline: a module, and what is kept of the microbatches that it has seen.
https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.stage.PipelineStage

A stage knows no schedule and sends no messages: `_executor.py` gives it the inputs and gradients of a microbatch, and takes
its outputs and the gradients of its inputs.
"""

import contextlib
from collections.abc import Callable
from typing import Any, NamedTuple

from torchlike._c10d import world
from torchlike._c10d.debug import DebugLevel, get_debug_level
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributed.pipelining import _backward
from torchlike.distributed.pipelining._metadata import as_tuple, check_alike, described, metas_of, warn_of_differences
from torchlike.fx import Graph
from torchlike.nn.modules.module import Module
from torchlike.nn.parallel import DistributedDataParallel
from torchlike.utils._pytree import tree_leaves

__all__ = ["PipelineStage", "build_stage"]


class _Metas(NamedTuple):
    """The metadata of a stage's tensors, each a tuple or None: it is not known."""

    inputs: Any = None
    outputs: Any = None
    input_grads: Any = None
    output_grads: Any = None


class _PipelineStageBase:
    """What all stages have.

    Args:
        submodule: its module.
        stage_index, num_stages: its place, and how many there are.
        device: where its tensors are.
        group: the ranks of the pipeline; the default group where it is None.
        dw_builder: of zero-bubble schedules: called after each backward pass, gives a function that computes the gradients
            of the weights. None lets autograd do that.

    Raises:
        ValueError: a place beyond the last. RuntimeError: more ranks than stages.
    """

    def __init__(self, submodule: Module, stage_index: int, num_stages: int, device, group=None,
                 dw_builder: Callable[[], Callable[..., None]] | None = None):
        if stage_index >= num_stages:
            raise ValueError(f"Stage index {stage_index} is out of range of {num_stages}")
        self.submod, self.stage_index, self.num_stages = submodule, stage_index, num_stages
        self.device, self.group, self.dw_builder = device, group, dw_builder
        self.group_rank, self.group_size = world.get_rank(group), world.get_world_size(group)
        if self.group_size > num_stages:
            raise RuntimeError(f"Pipeline group size {self.group_size} cannot be larger than number of stages {num_stages}")
        self.log_prefix = f"[Stage {stage_index}]"
        self.has_backward = False
        self.chunks: int | None = None
        self.stage_index_to_group_rank = {i: i % self.group_size for i in range(num_stages)}
        self.output_chunks: list[Any] = []
        self.fwd_cache: dict[int, tuple] = {}  # microbatch -> (outputs, inputs), until its backward pass
        self.dw_runner: dict[int, Callable[..., None]] = {}
        self._user_meta = self._stage_meta = _Metas()
        self._is_for_backward: bool | None = None  # whether the metadata is of steps that have a backward pass
        self.is_new = True  # whether the next stage is still to be told what its inputs are like

    @property
    def is_first(self) -> bool:
        """Whether it is the first stage."""
        return self.stage_index == 0

    @property
    def is_last(self) -> bool:
        """Whether it is the last stage."""
        return self.stage_index == self.num_stages - 1

    def clear_runtime_states(self) -> None:
        """Forget the microbatches of the last step."""
        self.fwd_cache.clear()
        self.dw_runner.clear()
        self.output_chunks.clear()
        if self._is_for_backward is not self.has_backward:  # what requires grad differs: stages tell one another anew
            self._is_for_backward, self._stage_meta, self.is_new = self.has_backward, _Metas(), True

    @property
    def knows_inputs(self) -> bool:
        """Whether it has been told what its inputs are like."""
        return self._stage_meta.inputs is not None

    @property
    def knows_outputs(self) -> bool:
        """Whether it knows, by a first microbatch, what its outputs are like."""
        return self._stage_meta.outputs is not None

    def learn_inputs(self, metas: tuple | None) -> None:
        """Keep what the inputs are like.

        Args:
            metas: their metadata.
        """
        self._stage_meta = self._stage_meta._replace(inputs=metas, input_grads=_grads_of(metas))
        self._compare("input", self._user_meta.inputs, metas)

    def _learn_outputs(self, output: Any) -> None:
        if self.is_last and self._user_meta.outputs is not None and not isinstance(output, Tensor | tuple | list):
            return  # nobody receives it: it may be anything, as in PyTorch where the program has said what it is like
        metas = metas_of(as_tuple(output))
        self._stage_meta = self._stage_meta._replace(outputs=metas, output_grads=_grads_of(metas))
        self._compare("output", self._user_meta.outputs, metas)
        if self.has_backward:
            self._compare("input_grad", self._user_meta.input_grads, self._stage_meta.input_grads)
            self._compare("output_grad", self._user_meta.output_grads, self._stage_meta.output_grads)

    def _compare(self, label, expected, found) -> None:
        what = f"Stage {self.stage_index} {label}"
        if get_debug_level() is DebugLevel.DETAIL and label in ("input", "output") and expected and found:
            check_alike(what, expected, found)
        warn_of_differences(what, expected, found)

    def _without_sync(self):
        is_replica = isinstance(self.submod, DistributedDataParallel)
        return self.submod.no_sync() if is_replica else contextlib.nullcontext()

    def forward_one_chunk(self, fwd_chunk_id: int, args: tuple, kwargs: dict[str, Any] | None = None,
                          save_forward_output: bool = True) -> Any:
        """The forward pass with one microbatch.

        Args:
            fwd_chunk_id: the microbatch.
            args: its inputs: those of the program at the first stage, else what the stage before has sent.
            kwargs: more of the program's.
            save_forward_output: whether the last stage keeps its output for the whole batch.

        Returns:
            what the module returns.

        Raises:
            RuntimeError: the module has failed; the cause is its ``__cause__``. PipeliningMetadataError: inputs or outputs
                are no tensors, or not like those of the first microbatch.
        """
        kwargs = kwargs or {}
        if not self.knows_inputs:  # of the first stage
            self.learn_inputs(metas_of(as_tuple(args)))
        try:
            with self._without_sync():
                output = self.submod(*args, **kwargs)
        except Exception as error:
            raise RuntimeError(f"""
            {self.log_prefix} failed to run forward:
            args: {described(args)}
            kwargs: {described(kwargs)}
            """) from error
        outputs = tuple(output) if type(output) is list else output if type(output) is tuple else (output,)
        if not self.knows_outputs:
            self._learn_outputs(output)
        elif not self.is_last:
            check_alike(f"Stage {self.stage_index} forward outputs", self._stage_meta.outputs,
                        metas_of(as_tuple(outputs)))
        if self.is_last and save_forward_output:
            self.output_chunks.append(output)
        if self.has_backward:
            self.fwd_cache[fwd_chunk_id] = outputs, [*tree_leaves(args), *tree_leaves(kwargs)]
        return output

    def backward_one_chunk(self, bwd_chunk_id: int, loss=None, output_grads: tuple | None = None, full_backward: bool = True,
                           last_backward: bool = False) -> tuple:
        """The backward pass with one microbatch.

        Args:
            bwd_chunk_id: the microbatch.
            loss: of the last stage.
            output_grads: the gradients of the outputs of the others, None where there is none.
            full_backward: False leaves the gradients of the weights to `backward_weight_one_chunk`.
            last_backward: whether it is the step's last, in which a `DistributedDataParallel` averages.

        Returns:
            the gradients of the inputs, None where there is none.

        Raises:
            RuntimeError: it has failed; the cause is its ``__cause__``.
        """
        outputs, inputs = self.fwd_cache.pop(bwd_chunk_id)
        roots = loss if self.is_last else outputs
        if full_backward or self.dw_builder is not None:
            self._prepare_sync(last_backward, outputs)
            grads = _backward.whole(roots, output_grads, inputs)
            if self.dw_builder is not None:
                self.dw_runner[bwd_chunk_id] = self.dw_builder()
            if full_backward and self.dw_builder is not None:
                self.dw_runner.pop(bwd_chunk_id)()
        else:
            grads, weights = _backward.inputs_first(roots, output_grads, inputs, list(self.submod.parameters()))
            self.dw_runner[bwd_chunk_id] = weights.run
        if self.is_last and not self.is_first:  # they are for the user alone from now on, who needs no history
            for x in tree_leaves(outputs):
                if isinstance(x, Tensor) and not x._is_view():
                    x.detach_()
        return grads[:len(self._stage_meta.inputs or ())]

    def backward_weight_one_chunk(self, bwd_chunk_id: int, last_backward: bool = False) -> None:
        """The gradients of the weights, which a backward pass of the inputs has left.

        Args:
            bwd_chunk_id: the microbatch.
            last_backward: as for `backward_one_chunk`.

        Raises:
            AssertionError: there was no such pass.
        """
        if bwd_chunk_id not in self.dw_runner:
            raise AssertionError(f"{self.log_prefix} Attempted to run backward_weight_one_chunk for chunk {bwd_chunk_id} "
                                 "without first calling `backward_one_chunk(full_backward=False)`")
        self._prepare_sync(last_backward, None)
        self.dw_runner.pop(bwd_chunk_id)()

    def _prepare_sync(self, last_backward: bool, outputs) -> None:
        if last_backward and isinstance(self.submod, DistributedDataParallel):
            self.submod.reducer.prepare(outputs)

    def scale_grads(self, grad_scale_factor: int) -> None:
        """Divide the gradients of the parameters; once a step, after its last backward pass.

        Args:
            grad_scale_factor: the number of microbatches where the loss is a mean, 1 where it is a sum.
        """
        if grad_scale_factor == 1:
            return
        with no_grad():
            for p in self.submod.parameters():
                if p.grad is not None:
                    p.grad.div_(grad_scale_factor)


def _grads_of(metas: tuple | None) -> tuple | None:
    """The metadata of the gradients that belong to tensors: None where one requires no grad."""
    if metas is None:
        return None
    return tuple(meta._replace(requires_grad=False) if meta.requires_grad else None for meta in metas)


class PipelineStage(_PipelineStageBase):
    """A stage of a pipeline whose parts the program has made itself.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.stage.PipelineStage

    In the first step each stage tells the next one what its outputs are like. PyTorch runs the first microbatch twice for
    that; here buffers of the module change once.

    Args:
        submodule: the module.
        stage_index, num_stages: its place, and how many stages there are.
        device: where its tensors are.
        input_args, output_args: tensors like its inputs and outputs; what is found otherwise is warned of.
        output_grads, input_grads: the same of gradients.
        group: the ranks of the pipeline; the default group where it is None.
        dw_builder: of zero-bubble schedules: called after each backward pass, gives a function that computes the gradients
            of the weights. None lets autograd do that.
        get_mesh: without effect.

    Raises:
        ValueError: a place beyond the last. RuntimeError: more ranks than stages. PipeliningMetadataError: inputs or outputs
            that are no tensors.
    """

    def __init__(self, submodule: Module, stage_index: int, num_stages: int, device,
                 input_args: Tensor | tuple[Tensor, ...] | None = None,
                 output_args: Tensor | tuple[Tensor, ...] | None = None,
                 output_grads: Tensor | tuple[Tensor | None, ...] | None = None,
                 input_grads: Tensor | tuple[Tensor | None, ...] | None = None, group=None,
                 dw_builder: Callable[[], Callable[..., None]] | None = None, get_mesh=None):
        super().__init__(submodule, stage_index, num_stages, device, group, dw_builder)
        self._user_meta = _Metas(metas_of(as_tuple(input_args)), metas_of(as_tuple(output_args)),
                                 metas_of(as_tuple(input_grads, True)), metas_of(as_tuple(output_grads, True)))


class PipeInfo(NamedTuple):
    """What a stage must know of the whole: its Graph, how many stages there are, and whether the Graph has a loss."""

    graph: Graph
    num_stages: int
    has_loss_and_backward: bool


class _PipelineStage(_PipelineStageBase):
    """A stage of a `Pipe`.

    Args:
        stage_module: its module.
        stage_index: its number.
        pipe_info: what `Pipe.info` gives.
        device: where its tensors are.
        group: the ranks of the pipeline; the default group where it is None.
    """

    def __init__(self, stage_module: Module, stage_index: int, pipe_info: PipeInfo, device, group=None):
        super().__init__(stage_module, stage_index, pipe_info.num_stages, device, group)
        self.pipe_info = pipe_info
        self.submod.to(device)


def build_stage(stage_module: Module, stage_index: int, pipe_info: PipeInfo, device, group=None) -> _PipelineStage:
    """The stage of a rank, of a module of a `Pipe`.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.stage.build_stage

    Args:
        stage_module: what `Pipe.get_stage_module` gives, or something else that takes and gives the same.
        stage_index: its number.
        pipe_info: what `Pipe.info` gives.
        device: where its tensors are.
        group: the ranks of the pipeline; the default group where it is None.

    Returns:
        the stage.
    """
    return _PipelineStage(stage_module, stage_index, pipe_info, device, group)
