"""PowerSGD: gradients are sent as products of two matrices of low rank. Vogels, Karimireddy, Jaggi 2019,
https://arxiv.org/abs/1905.13727. https://pytorch.org/docs/stable/ddp_comm_hooks.html#powersgd-communication-hook
"""

import math

import numpy as np

from torchlike._api.joining import cat
from torchlike._api.random import randn
from torchlike._c10d import world
from torchlike._c10d.collectives import all_reduce
from torchlike._c10d.flat import flattened, unflattened
from torchlike._record.tensor import Tensor
from torchlike.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torchlike.futures import Future
from torchlike.nn.parallel.buckets import GradBucket
from torchlike.random import fork_rng, manual_seed


class PowerSGDState:
    """What `powerSGD_hook` keeps from step to step.
    https://pytorch.org/docs/stable/ddp_comm_hooks.html#torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook.PowerSGDState

    Args:
        process_group: the group; None for the default one.
        matrix_approximation_rank: the rank of the two matrices.
        start_powerSGD_iter: before this step gradients are sent as they are.
        min_compression_rate: a matrix that would shrink by less is sent as it is.
        use_error_feedback: whether what was left out is added to the next gradient.
        warm_start: whether a step begins with the matrices of the one before.
        orthogonalization_epsilon: added to the norms of columns.
        random_seed: of the first matrices, the same on all ranks.
        compression_stats_logging_frequency, batch_tensors_with_same_shape: without effect: nothing is logged, and XLA
            compiles all products of a step together.

    Raises:
        ValueError: error feedback or a warm start from the first step on.
    """

    def __init__(self, process_group, matrix_approximation_rank=1, start_powerSGD_iter=1000, min_compression_rate=2,
                 use_error_feedback=True, warm_start=True, orthogonalization_epsilon=0, random_seed=0,
                 compression_stats_logging_frequency=10000, batch_tensors_with_same_shape: bool = False):
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError("Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, because "
                             "PowerSGD can only be applied after the first two iterations in DDP.")
        self.process_group, self.matrix_approximation_rank = process_group, matrix_approximation_rank
        self.start_powerSGD_iter, self.min_compression_rate = start_powerSGD_iter, min_compression_rate
        self.use_error_feedback, self.warm_start = use_error_feedback, warm_start
        self.orthogonalization_epsilon = orthogonalization_epsilon
        self.compression_stats_logging_frequency = max(1, compression_stats_logging_frequency)
        self.batch_tensors_with_same_shape = batch_tensors_with_same_shape
        self.rng = np.random.RandomState(random_seed)
        self.error_dict: dict = {}
        self.q_memory_dict: dict = {}
        self.iter = 0
        self.total_numel_before_compression = self.total_numel_after_compression = 0

    def __getstate__(self) -> dict:
        return {name: value for name, value in self.__dict__.items() if name != "process_group"}

    def __setstate__(self, state) -> None:
        self.__dict__.update(state, process_group=world.default_group())

    def maybe_increase_iter(self, bucket: GradBucket) -> None:
        """Count the step, at its last bucket.

        Args:
            bucket: the one that is sent.
        """
        self.iter += bucket.is_last()

    def compression_stats(self) -> tuple:
        """(how many times smaller, elements before, elements after) of all that was sent so far."""
        after = self.total_numel_after_compression
        return self.total_numel_before_compression / after if after else 0, self.total_numel_before_compression, after


def powerSGD_hook(state: PowerSGDState, bucket: GradBucket) -> Future[Tensor]:  # noqa: N802 - PyTorch's name
    """Averages gradients as products of two matrices of low rank.
    https://pytorch.org/docs/stable/ddp_comm_hooks.html#torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook.powerSGD_hook

    Args:
        state: see there.
        bucket: the gradients.

    Returns:
        a Future of about their average.
    """
    return _sent(state, bucket, [g.reshape(g.shape[0], -1) if g.dim() else g.reshape(1, 1) for g in bucket.gradients()])


def batched_powerSGD_hook(state: PowerSGDState, bucket: GradBucket) -> Future[Tensor]:  # noqa: N802 - PyTorch's name
    """As `powerSGD_hook`, of the whole bucket as one square matrix: less exact.
    https://pytorch.org/docs/stable/ddp_comm_hooks.html#torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook.batched_powerSGD_hook

    Args:
        state: see there.
        bucket: the gradients.

    Returns:
        a Future of about their average.
    """
    flat = bucket.buffer()
    side = math.ceil(math.sqrt(flat.numel()))
    padded = cat([flat, flat.new_zeros(side * side - flat.numel())]).reshape(side, side)
    return _sent(state, bucket, [padded], always=True)


def _sent(state, bucket, matrices, always=False) -> Future[Tensor]:
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return allreduce_hook(state.process_group, bucket)
    count, size = bucket.buffer().numel(), world.group_of(state.process_group).size()
    if state.use_error_feedback and bucket.index() in state.error_dict:
        matrices = [m + e for m, e in zip(matrices, state.error_dict[bucket.index()], strict=True)]
    small = [i for i, m in enumerate(matrices) if always or _shrinks(state, m)]
    whole = [i for i in range(len(matrices)) if i not in small]
    averaged: dict = {}
    if whole:
        parts = [matrices[i] for i in whole]
        averaged.update(zip(whole, _summed(state, parts, 1 / size), strict=True))
    if small:
        averaged.update(zip(small, _products(state, bucket.index(), [matrices[i] for i in small], size), strict=True))
    if state.use_error_feedback:
        state.error_dict[bucket.index()] = [m - averaged[i] for i, m in enumerate(matrices)]
    state.maybe_increase_iter(bucket)
    made: Future = Future()
    made.set_result(flattened([averaged[i] for i in range(len(matrices))])[:count])
    return made


def _shrinks(state, matrix) -> bool:
    """Whether it is sent as a product. Counts what is sent."""
    rows, columns = matrix.shape
    rank = min(rows, columns, state.matrix_approximation_rank)
    before, after = rows * columns, (rows + columns) * rank
    shrinks = after * state.min_compression_rate < before
    state.total_numel_before_compression += before
    state.total_numel_after_compression += after if shrinks else before
    return shrinks


def _products(state, index, matrices, size) -> list[Tensor]:
    """The averages of matrices: one step of subspace iteration, from the right factors of the step before."""
    rights = state.q_memory_dict.get(index) if state.warm_start else None
    if rights is None:
        with fork_rng(devices=[]):  # the same on all ranks, another one in each step
            manual_seed(state.rng.randint(1_000_000_000))
            rights = [randn(1, m.shape[1], _rank(state, m), dtype=m.dtype)[0].to(m.device) for m in matrices]
    rights = [_orthogonal(q, state.orthogonalization_epsilon) for q in rights]
    lefts = _summed(state, [m @ q for m, q in zip(matrices, rights, strict=True)])
    lefts = [_orthogonal(p, state.orthogonalization_epsilon) for p in lefts]
    rights = _summed(state, [m.t() @ p for m, p in zip(matrices, lefts, strict=True)], 1 / size)
    if state.warm_start:
        state.q_memory_dict[index] = rights
    return [p @ q.t() for p, q in zip(lefts, rights, strict=True)]


def _rank(state, matrix) -> int:
    return min(*matrix.shape, state.matrix_approximation_rank)


def _orthogonal(matrix, epsilon):
    """Its columns, orthogonal and of norm 1, by Gram and Schmidt."""
    columns: list[Tensor] = []
    for column in matrix.unbind(1):
        for before in columns:
            column = column - (before * column).sum() * before
        columns.append(column / (column.norm() + epsilon))
    return columns[0].new_empty(0) if not columns else _stacked(columns)


def _stacked(columns):
    return cat([column.reshape(-1, 1) for column in columns], 1)


def _summed(state, parts, factor=1.0) -> list[Tensor]:
    """Tensors summed over the ranks, at once."""
    flat = flattened(parts)
    all_reduce(flat, group=state.process_group)
    return list(unflattened(flat * factor if factor != 1.0 else flat, parts))
