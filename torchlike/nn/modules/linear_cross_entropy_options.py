"""How `linear_cross_entropy` takes its rows: https://pytorch.org/docs/stable/generated/torch.nn.LinearCrossEntropyOptions.html"""

import dataclasses

from torchlike._base import dtypes as dt

__all__ = ["LinearCrossEntropyOptions"]

_POLICIES = ("auto", "accurate", "balanced", "compact")
_HALVES = (dt.float16, dt.bfloat16)
_DTYPES = (*_HALVES, dt.float32, dt.float64)


def _factor(method) -> int:
    """N of "aspect_ratio:N" (1 without it); ValueError for another method."""
    name, colon, factor = method.partition(":")
    factor = factor if colon else "1"
    if name != "aspect_ratio" or not factor.isdigit() or not int(factor):
        raise ValueError(f"invalid chunking_method: {method!r}")
    return int(factor)


@dataclasses.dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """How `linear_cross_entropy` makes its logits in pieces.
    https://pytorch.org/docs/stable/generated/torch.nn.LinearCrossEntropyOptions.html

    Args:
        allow_retain_graph: whether backward may be called again. With "mean" and "sum", RuntimeError if not.
        batch_chunk_size: the rows of a piece.
        chunking_method: how the rows are chosen: "aspect_ratio:N" makes the logits of a piece about as large as the
            input, divided by N; "auto" chooses N by the dtype.
        acc_policy: "auto", "accurate", "balanced" or "compact"; everything is computed in `acc_dtype`, which is
            "accurate".
        acc_dtype: the dtype of logits and sums; None means float32 for half precision, else that of the input.

    Raises:
        ValueError: a value that is none of these.
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: dt.dtype | None = None

    def __post_init__(self):
        if self.acc_policy not in _POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto"):
            _factor(self.chunking_method)
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype is not None and self.acc_dtype not in _DTYPES:
            raise ValueError("acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, torch.float64}, "
                             f"got {self.acc_dtype!r}. Pass acc_dtype=None to let the op pick automatically.")

    def _chunk(self, rows: int, in_features: int, classes: int, dtype) -> int:
        """The rows of a piece; ValueError where the size and the method disagree."""
        given, method = self.batch_chunk_size, self.chunking_method
        if method == "auto":
            method = "aspect_ratio" if dtype in _HALVES else "aspect_ratio:2"
            method = None if given is not None else method
        if method is None:
            return max(1, rows if given is None else min(given, rows))
        target = -(-rows // -(-classes // in_features))
        size = min((1 << (target - 1).bit_length()) // _factor(method), rows)
        if given is not None and given != size:
            raise ValueError(f"batch_chunk_size (={given}) and chunking_method ('{method}') give different chunk sizes "
                             f"({given} vs {size}); pass only one.")
        return max(1, size)

    def _accumulated(self, dtype):
        """The dtype to compute in."""
        return self.acc_dtype or (dt.float32 if dtype in _HALVES else dtype)
