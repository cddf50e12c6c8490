"""Linear maps, embeddings, reordered channels and distances of `torch.nn.functional`.

https://pytorch.org/docs/stable/nn.functional.html. Channels are dimension 1 of a batch.
"""

import warnings

from torchlike import _api
from torchlike._base import dtypes as dt
from torchlike._record.tensor import Tensor
from torchlike._record.wrong_calls import checked
from torchlike.autograd.grad_mode import no_grad

_PADDING_IDX = "Padding_idx must be within num_embeddings"


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out=None) -> Tensor:
    """x W^T + b.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.linear.html

    Args:
        input: (*, I).
        weight: (O, I) or (I), of the dtype of `input`.
        bias: (O), or a number of no dimension for a weight (I).
        out: a tensor that takes the result.

    Returns:
        (*, O), or (*) for a weight (I).
    """
    return _api.linear(input, weight, bias) if out is None else _api.linear_out(input, weight, bias, out=out)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x1^T W x2 + b.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.bilinear.html

    Args:
        input1: (*, I1).
        input2: (*, I2), with the same leading dimensions.
        weight: (O, I1, I2).
        bias: (O).

    Returns:
        (*, O).
    """
    return _api.bilinear(input1, input2, weight, bias)


def grouped_mm(mat_a: Tensor, mat_b: Tensor, *, offs: Tensor | None = None, bias: Tensor | None = None,
               out_dtype: dt.dtype | None = None) -> Tensor:
    """The products of matrices by groups, as of tokens that are sorted by their experts. On a CPU every group multiplies all
    rows, since a compiled program does not know where a group ends: the time grows with the number of groups.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.grouped_mm.html

    Args:
        mat_a: (M, K) or (G, M, K), of float32, bfloat16 or float16. Of matrices `mat_a` and `mat_b` one dimension must have
            the stride 1, the other one of a multiple of 16 bytes.
        mat_b: (G, K, N) or (K, N), of the dtype of `mat_a`.
        offs: (G), int32, where each group ends: of the rows of `mat_a`, of the columns of `mat_b`, of K if both have two
            dimensions. None if both have three.
        bias: None.
        out_dtype: None or the dtype of `mat_a`.

    Returns:
        (M, N), or (G, M, N) where both have the same number of dimensions. What is behind the last group is 0 (in PyTorch
        it is what was in the memory), and rows of the result are not padded to 16 bytes.

    Raises:
        RuntimeError: shapes, dtypes or strides are not as above, or there is a bias.
    """
    return _api._grouped_mm(mat_a, mat_b, offs=offs, bias=bias, out_dtype=out_dtype)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Deals the channels out: the first of each group, then the second of each, and so on.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.channel_shuffle.html

    Args:
        input: (N, C, *).
        groups: how many groups of neighbouring channels; divides C.

    Returns:
        The shape of `input`.
    """
    return _api.channel_shuffle(input, groups)


@checked
def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """Classes as vectors of zeros and a single one.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.one_hot.html

    Args:
        input: (*), int64, not negative.
        num_classes: the length of the vectors; -1 means the largest class and one, which reads the values.

    Returns:
        (*, num_classes), int64.
    """
    return _api.one_hot(input, num_classes)


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Turns channels into resolution, as sub-pixel convolutions need it.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.pixel_shuffle.html

    Args:
        input: (*, C r^2, H, W).
        upscale_factor: r.

    Returns:
        (*, C, H r, W r).
    """
    return _api.pixel_shuffle(input, upscale_factor)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """The inverse of `pixel_shuffle`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.pixel_unshuffle.html

    Args:
        input: (*, C, H r, W r).
        downscale_factor: r.

    Returns:
        (*, C r^2, H, W).
    """
    return _api.pixel_unshuffle(input, downscale_factor)


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
              norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    """Rows of a table: ``weight[input]``.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html

    Args:
        input: (*), int32 or int64.
        weight: (V, D).
        padding_idx: a row that gets no gradient; negative ones count from the end.
        max_norm: rows that are looked up are first scaled down, in place, to at most this norm.
        norm_type: the p of that norm.
        scale_grad_by_freq: whether to divide a row's gradient by how often it was looked up.
        sparse: whether the gradient of `weight` is sparse, with the rows that were looked up.

    Returns:
        (*, D), of the dtype of `weight`.

    Raises:
        AssertionError: `padding_idx` is outside of the table.
        IndexError: an index is outside of the table.
    """
    if padding_idx is None:
        padding_idx = -1
    elif not -weight.size(0) <= padding_idx < weight.size(0):
        raise AssertionError(_PADDING_IDX)
    elif padding_idx < 0:
        padding_idx += weight.size(0)
    if max_norm is not None:
        renormalise_rows(weight, input, max_norm, norm_type)
    return _api.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)


_BAG_MODES = {"sum": 0, "mean": 1, "max": 2}
_SWAPPED = ("Argument order of nn.functional.embedding_bag was changed. Usage `embedding_bag(weight, input, ...)` is "
            "deprecated, and should now be `embedding_bag(input, weight, ...)`.")


def _flat_bags(input, offsets, include_last_offset):
    """(indices, offsets, include_last_offset) of 1-d input with offsets, or of 2-d input, whose rows are bags."""
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError("if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
                             "length sequences. However, found offsets of type <class 'torch.Tensor'>")
        offsets = _api.arange(0, input.numel(), input.size(1), dtype=input.dtype, device=input.device)
        return input.reshape(-1), offsets, False
    if input.dim() != 1:
        raise ValueError(f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}")
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.dim() != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    return input, offsets, include_last_offset


def _bag_mode(mode, scale_grad_by_freq, sparse) -> int:
    if mode not in _BAG_MODES:
        raise ValueError("mode has to be one of sum, mean or max")
    if mode == "max" and scale_grad_by_freq:
        raise ValueError("max mode does not support scaling the gradient by the frequency")
    if mode == "max" and sparse:
        raise ValueError("max mode does not support sparse weights")
    return _BAG_MODES[mode]


def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: float | None = None,
                  norm_type: float = 2, scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False,
                  per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
                  padding_idx: int | None = None) -> Tensor:
    """Sums, means or maxima of table rows over bags of indices.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding_bag.html

    Args:
        input: (B, N), whose rows are bags, or (N) with `offsets`; int32 or int64.
        weight: (V, D).
        offsets: (B), where each bag of a flat `input` begins; the first is 0.
        mode: "sum", "mean" or "max".
        per_sample_weights: the shape of `input`; multiply the rows of a sum.
        include_last_offset: whether `offsets` is (B + 1) and ends with the length of `input`.
        padding_idx: an index that does not count and gets no gradient.
        max_norm, norm_type, scale_grad_by_freq, sparse: as for `embedding`.

    Returns:
        (B, D), zeros for an empty bag.

    Raises:
        ValueError: dimensions do not fit, `mode` is unknown, or "max" comes with `scale_grad_by_freq` or `sparse`.
        NotImplementedError: `per_sample_weights` with another mode than "sum".
    """
    if weight.dtype is dt.int64 and input.is_floating_point():
        warnings.warn(_SWAPPED, stacklevel=2)
        weight, input = input, weight
    if per_sample_weights is not None and input.size() != per_sample_weights.size():
        raise ValueError(f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then it must have "
                         f"the same shape as the input ({input.shape})")
    if weight.dim() != 2:
        raise ValueError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.dim()}")
    if per_sample_weights is not None and input.dim() == 2:
        per_sample_weights = per_sample_weights.reshape(-1)
    input, offsets, include_last_offset = _flat_bags(input, offsets, include_last_offset)
    number = _bag_mode(mode, scale_grad_by_freq, sparse)
    if max_norm is not None:
        renormalise_rows(weight, input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError("embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for "
                                  f"mode='sum' (got mode='{mode}'). Please open a feature request on GitHub.")
    return _api.embedding_bag(weight, input, offsets, scale_grad_by_freq, number, sparse, per_sample_weights,
                              include_last_offset, padding_idx)[0]


def renormalise_rows(weight, rows, max_norm, norm_type):
    """Scales every row of `weight` that `rows` names down to a norm of at most `max_norm`."""
    with no_grad():
        table = weight.detach()
        norm = table.norm(norm_type, 1, keepdim=True)
        named = _api.zeros(table.size(0), dtype=table.dtype, device=table.device)
        named = named.index_fill_(0, rows.reshape(-1), 1.0).unsqueeze(1)
        too_long = (norm > max_norm) & (named > 0)
        table.mul_(_api.where(too_long, max_norm / (norm + 1e-7), _api.ones_like(norm)))


@checked
def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6,
                      keepdim: bool = False) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dimension.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.pairwise_distance.html

    Args:
        x1, x2: (N, D) or (D), broadcast against each other.
        p: the exponent of the norm.
        eps: added to each difference, so that the gradient at 0 is finite.
        keepdim: whether the last dimension stays, with extent 1.

    Returns:
        (N), or (N, 1) with `keepdim`; without N for vectors.
    """
    return _api.pairwise_distance(x1, x2, p, eps, keepdim)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) along a dimension.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.cosine_similarity.html

    Args:
        x1, x2: (*), broadcast against each other.
        dim: the dimension along which the products are summed.
        eps: what the norms count as at least.

    Returns:
        The broadcast shape without `dim`.
    """
    return _api.cosine_similarity(x1, x2, dim, eps)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The p-norm distances between all pairs of rows.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.pdist.html

    Args:
        input: (N, M).
        p: the exponent of the norm, at least 0.

    Returns:
        (N (N - 1) / 2): row 0 with the rows after it, then row 1, and so on.
    """
    return _api.pdist(input, p)


def native_channel_shuffle(input, groups):
    """Another name of `channel_shuffle`.
    https://pytorch.org/docs/stable/generated/torch.nn.ChannelShuffle.html

    Args:
        As for `channel_shuffle`.

    Returns:
        As for `channel_shuffle`.
    """
    return _api.channel_shuffle(input, groups)
