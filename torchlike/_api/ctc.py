"""`torch.ctc_loss`. https://pytorch.org/docs/stable/generated/torch.nn.functional.ctc_loss.html"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from torchlike._api import creation, from_data
from torchlike._api.generated import ops
from torchlike._base import dtypes as dt
from torchlike._modes import vmap_levels
from torchlike._modes.composite import composite
from torchlike._record.leaf import to_numpy
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state

MEAN, SUM = 1, 2
_WHERE = " (while checking arguments for ctc_loss_allocate_outputs)"


def _values(lengths, name) -> np.ndarray:
    """The lengths on the host, which say what is looked at and are checked: (slices of vmaps, N)."""
    if not isinstance(lengths, Tensor):
        return np.asarray(lengths, np.int64).reshape(1, -1)
    if lengths.dtype.category != dt.INT:
        raise RuntimeError(f"{name} must be integral")
    values = vmap_levels.known(lengths) if _differ(lengths) else None
    values = to_numpy(lengths) if values is None else values
    count = lengths.numel()
    return values.astype(np.int64).reshape(-1, count) if count else np.zeros((1, 0), np.int64)


def _differ(lengths) -> bool:
    """Whether the lengths are a tensor that differs between slices of a vmap."""
    return bool(state.thread.frames) and isinstance(lengths, Tensor) and vmap_levels.batched(lengths)


def _check_shapes(log_probs, targets, inputs, outputs, blank):
    if log_probs.dim() != 3:
        raise RuntimeError(f"Expected 3-dimensional tensor, but got {log_probs.dim()}-dimensional tensor for argument #1 "
                           f"'log_probs'{_WHERE}")
    if not 1 <= targets.dim() <= 2:
        raise RuntimeError(f"Expected 1 to 2 dimensions, but got {targets.dim()}-dimensional tensor for argument #2 "
                           f"'targets'{_WHERE}")
    if not 0 <= blank < log_probs.shape[2]:
        raise RuntimeError("blank must be in label range")
    for name, lengths in (("input_lengths", inputs), ("target_lengths", outputs)):
        if lengths.shape[1] != log_probs.shape[1]:
            raise RuntimeError(f"{name} must be of size batch_size")


def _check_lengths(log_probs, targets, inputs, outputs):
    for name, lengths in (("input_lengths", inputs), ("target_lengths", outputs)):
        if (lengths < 0).any():
            raise RuntimeError(f"Expected {name} to have value at least 0, but got value {lengths[lengths < 0][0]}{_WHERE}")
    frames = log_probs.shape[0]
    if (inputs > frames).any():
        raise RuntimeError(f"Expected input_lengths to have value at most {frames}, but got value "
                           f"{inputs[inputs > frames][0]}{_WHERE}")
    if targets.dim() == 1:
        sums = outputs.sum(1)
        others = sums[sums != targets.shape[0]]
        if others.size:
            raise RuntimeError(f"Expected tensor to have size {others[0]} at dimension 0, but got size "
                               f"{targets.shape[0]} for argument #2 'targets'{_WHERE}")
        return
    if targets.shape[0] != log_probs.shape[1]:
        raise RuntimeError(f"Expected tensor to have size {log_probs.shape[1]} at dimension 0, but got size "
                           f"{targets.shape[0]} for argument #2 'targets'{_WHERE}")
    if outputs.max(initial=0) > targets.shape[1]:
        raise RuntimeError(f"Expected tensor to have size at least {outputs.max()} at dimension 1, but got size "
                           f"{targets.shape[1]} for argument #2 'targets'{_WHERE}")


@composite("ctc_loss")
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: int | Sequence[int] | Tensor,
             target_lengths: int | Sequence[int] | Tensor, blank: int = 0, reduction: int = 0,
             zero_infinity: bool = False) -> Tensor:
    """The negative log-likelihood of label sequences: (T, N, C) log-probabilities give (N) losses, or (T, C) one.

    `targets` holds integers, padded (N, S) or one after another; the lengths are ints or integer tensors (N), whose
    values are read. `reduction` is 0 (none), 1 (the mean of losses by target length) or 2 (sum). With `zero_infinity`
    an infinite loss is 0. A label that is no class gives NaN. RuntimeError for shapes and lengths that do not fit,
    NotImplementedError for half precision. The gradient takes `log_probs` as normalised, as PyTorch's; PyTorch has no
    second one.
    """
    if isinstance(input_lengths, Tensor) != isinstance(target_lengths, Tensor):
        kinds = ["Tensor" if isinstance(x, Tensor) else type(x).__name__ for x in (input_lengths, target_lengths)]
        raise TypeError("ctc_loss() received an invalid combination of arguments - got (Tensor, Tensor, "
                        f"{', '.join(kinds)}, int, int, bool), but expected one of:\n * the lengths as tuples of ints\n"
                        " * the lengths as tensors")
    batched = log_probs.dim() == 3
    inputs, outputs = _values(input_lengths, "input_lengths"), _values(target_lengths, "target_lengths")
    rows = log_probs if batched else log_probs.unsqueeze(1)
    if not rows.numel():
        raise RuntimeError("log_probs tensor must not be empty")
    _check_shapes(rows, targets, inputs, outputs, blank)
    _check_lengths(rows, targets, inputs, outputs)
    longest = targets.shape[1] if targets.dim() == 2 else int(outputs.max(initial=0))
    read, written = (given.to(dt.int64).reshape(-1) if _differ(given) else
                     from_data.tensor(values[0].tolist(), dtype=dt.int64, device=rows.device)
                     for given, values in ((input_lengths, inputs), (target_lengths, outputs)))
    loss = ops._ctc_loss(rows, targets.to(dt.int64), read, written, blank, bool(zero_infinity), longest)[0]
    if zero_infinity:
        loss = ops.where_self(loss == float("inf"), creation.zeros((), dtype=loss.dtype, device=loss.device), loss)
    if reduction == MEAN:
        return (loss / written.clamp_min(1).to(loss.dtype)).mean()
    if reduction == SUM:
        return loss.sum()
    return loss if batched else loss.squeeze(0)


FUNCTIONS: dict = {"ctc_loss": ctc_loss}
