"""Linear maps, embeddings, normalisation and distances of `torch.nn.functional`.

https://pytorch.org/docs/stable/nn.functional.html. Channels are dimension 1 throughout.
"""

import warnings

from torchlike import _api
from torchlike._base import dtypes as dt
from torchlike._modes.composite import composite
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.nn._functional_pad import pad
from torchlike.nn._sizes import _pair

_PADDING_IDX = "Padding_idx must be within num_embeddings"


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out=None) -> Tensor:
    """x W^T + b: (*, I) and a weight (O, I) or (I) give (*, O) or (*)."""
    return _api.linear(input, weight, bias) if out is None else _api.linear_out(input, weight, bias, out=out)


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x1^T W x2 + b: (*, I1), (*, I2) and a weight (O, I1, I2) give (*, O)."""
    return _api.bilinear(input1, input2, weight, bias)


def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0, dilation=1,
           groups: int = 1) -> Tensor:
    """Cross-correlation of (N, C, L) or (C, L) with a weight (O, C / groups, K)."""
    return _api.conv1d(input, weight, bias, stride, padding, dilation, groups)


def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0, dilation=1,
           groups: int = 1) -> Tensor:
    """Cross-correlation of (N, C, H, W) or (C, H, W) with a weight (O, C / groups, KH, KW)."""
    return _api.conv2d(input, weight, bias, stride, padding, dilation, groups)


def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0, dilation=1,
           groups: int = 1) -> Tensor:
    """Cross-correlation of (N, C, D, H, W) or (C, D, H, W) with a weight (O, C / groups, KD, KH, KW)."""
    return _api.conv3d(input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0,
                     output_padding=0, groups: int = 1, dilation=1) -> Tensor:
    """The transpose of `conv1d`; the weight is (C, O / groups, K)."""
    return _api.conv_transpose1d(input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0,
                     output_padding=0, groups: int = 1, dilation=1) -> Tensor:
    """The transpose of `conv2d`; the weight is (C, O / groups, KH, KW)."""
    return _api.conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups, dilation)


def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride=1, padding=0,
                     output_padding=0, groups: int = 1, dilation=1) -> Tensor:
    """The transpose of `conv3d`; the weight is (C, O / groups, KD, KH, KW)."""
    return _api.conv_transpose3d(input, weight, bias, stride, padding, output_padding, groups, dilation)


def unfold(input: Tensor, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """The sliding blocks of (N, C, H, W) or (C, H, W) as columns: (N, C KH KW, L)."""
    return _api.im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def fold(input: Tensor, output_size, kernel_size, dilation=1, padding=0, stride=1) -> Tensor:
    """The sum of sliding blocks (N, C KH KW, L) in their places: (N, C, H, W)."""
    return _api.col2im(input, _pair(output_size), _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channels in `groups` groups, dealt out one of each group in turn."""
    return _api.channel_shuffle(input, groups)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Integers (*) as rows (*, num_classes) of zeros and a one; -1 classes means just enough."""
    return _api.one_hot(tensor, num_classes)


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(*, C r^2, H, W) to (*, C, H r, W r)."""
    return _api.pixel_shuffle(input, upscale_factor)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """(*, C, H r, W r) to (*, C r^2, H, W)."""
    return _api.pixel_unshuffle(input, downscale_factor)


def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
              norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    """`weight[input]`: integers of shape (*) and a table (V, D) give (*, D).

    Row `padding_idx` gets no gradient; rows looked up whose norm exceeds `max_norm` are first scaled
    down in place. IndexError on an index outside the table.
    """
    if padding_idx is None:
        padding_idx = -1
    elif not -weight.size(0) <= padding_idx < weight.size(0):
        raise AssertionError(_PADDING_IDX)
    elif padding_idx < 0:
        padding_idx += weight.size(0)
    if max_norm is not None:
        _renormalise_rows(weight, input, max_norm, norm_type)
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

    The bags are the rows of an integer `input` (B, N), or the pieces of (N) that start at `offsets` (B); with a table
    `weight` (V, D) they give (B, D), zeros for an empty bag. `per_sample_weights`, shaped as `input`, multiply the rows
    of a sum. Index `padding_idx` does not count. ValueError and RuntimeError for arguments that do not fit;
    UnsupportedError for ``sparse=True`` with a gradient.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.embedding_bag.html"""
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
        _renormalise_rows(weight, input, max_norm, norm_type)
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError("embedding_bag: per_sample_weights was not None. per_sample_weights is only supported for "
                                  f"mode='sum' (got mode='{mode}'). Please open a feature request on GitHub.")
    return _api.embedding_bag(weight, input, offsets, scale_grad_by_freq, number, sparse, per_sample_weights,
                              include_last_offset, padding_idx)[0]


def _renormalise_rows(weight, rows, max_norm, norm_type):
    """Scales every row of `weight` that `rows` names down to a norm of at most `max_norm`."""
    with no_grad():
        table = weight.detach()
        norm = table.norm(norm_type, 1, keepdim=True)
        named = _api.zeros(table.size(0), dtype=table.dtype, device=table.device)
        named = named.index_fill_(0, rows.reshape(-1), 1.0).unsqueeze(1)
        too_long = (norm > max_norm) & (named > 0)
        table.mul_(_api.where(too_long, max_norm / (norm + 1e-7), _api.ones_like(norm)))


def _check_more_than_one(size) -> None:
    count = size[0]
    for extent in size[2:]:
        count *= extent
    if count == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def batch_norm(input: Tensor, running_mean: Tensor | None, running_var: Tensor | None,
               weight: Tensor | None = None, bias: Tensor | None = None, training: bool = False,
               momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """Normalises each channel over the batch; in training the running statistics are updated.

    ValueError for a single value a channel in training, and for an `eps` that is not positive then.
    """
    if training:
        _check_more_than_one(input.size())
        if eps <= 0.0:
            raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    elif eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return _api.batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, True)


def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
                  weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True,
                  momentum: float = 0.1, eps: float = 1e-5) -> Tensor:
    """Normalises each channel of each sample over its spatial dimensions (N, C, *).

    It is `batch_norm` of (1, N C, *). ValueError for a single spatial element.
    """
    size = input.size()
    if use_input_stats:
        spatial = 1
        for extent in size[2:]:
            spatial *= extent
        if spatial == 1:
            raise ValueError(f"Expected more than 1 spatial element when training, got input size {size}")
    elif running_mean is None or running_var is None:
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is "
                           "false")
    batch, channels = size[0], size[1]
    means, variances, weight, bias = (
        None if v is None else v.repeat(batch) for v in (running_mean, running_var, weight, bias))
    flat = input.contiguous().view(1, batch * channels, *size[2:])
    out = _api.batch_norm(flat, weight, bias, means, variances, use_input_stats, momentum, eps, True)
    with no_grad():
        for running, repeated in ((running_mean, means), (running_var, variances)):
            if running is not None:
                running.copy_(repeated.view(batch, channels).mean(0))
    return out.view(size)


def layer_norm(input: Tensor, normalized_shape, weight: Tensor | None = None, bias: Tensor | None = None,
               eps: float = 1e-5) -> Tensor:
    """Normalises over the last dimensions, which must be `normalized_shape`; RuntimeError if not."""
    return _api.layer_norm(input, normalized_shape, weight, bias, eps)


def rms_norm(input: Tensor, normalized_shape, weight: Tensor | None = None,
             eps: float | None = None) -> Tensor:
    """Divides by the root mean square over the last dimensions, `normalized_shape`."""
    return _api.rms_norm(input, normalized_shape, weight, eps)


def group_norm(input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None,
               eps: float = 1e-5) -> Tensor:
    """Normalises each of `num_groups` groups of channels of each sample of (N, C, *)."""
    if input.dim() < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.dim()}")
    size = input.size()
    _check_more_than_one([size[0] * size[1] // num_groups, num_groups, *size[2:]])
    return _api.group_norm(input, num_groups, weight, bias, eps)


def normalize(input: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out=None) -> Tensor:
    """`input` divided by its p-norm along `dim`, which counts as at least `eps`."""
    scale = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / scale if out is None else _api.div(input, scale, out=out)


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75,
                        k: float = 1.0) -> Tensor:
    """x / (k + alpha mean(x^2 over `size` neighbouring channels)) ** beta, for (N, C, *)."""
    dim = input.dim()
    if dim < 3:
        raise ValueError("Expected 3D or higher dimensionality                          input "
                         f"(got {dim} dimensions)")
    if input.numel() == 0:
        return input
    shape = input.size()
    square = input.mul(input).reshape(shape[0], 1, shape[1], -1)
    square = pad(square, (0, 0, size // 2, (size - 1) // 2))
    mean = _api.avg_pool2d(square, (size, 1), stride=1).reshape(shape)
    return input / mean.mul(alpha).add(k).pow(beta)


def pairwise_distance(x1: Tensor, x2: Tensor, p: float = 2.0, eps: float = 1e-6,
                      keepdim: bool = False) -> Tensor:
    """The p-norm of x1 - x2 + eps along the last dimension, broadcasting."""
    return _api.pairwise_distance(x1, x2, p, eps, keepdim)


def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) along `dim`, broadcasting."""
    return _api.cosine_similarity(x1, x2, dim, eps)


def pdist(input: Tensor, p: float = 2.0) -> Tensor:
    """The p-norm distances between all pairs of rows, as one vector.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.pdist.html"""
    return _api.pdist(input, p)


@composite("conv_tbc")
def conv_tbc(input, weight, bias, pad=0):
    """A convolution over time of (T, N, C_in) with (K, C_in, C_out): (T + 2 pad - K + 1, N, C_out). RuntimeError where
    shapes do not fit. https://pytorch.org/docs/stable/generated/torch.nn.functional.conv_tbc.html"""
    if input.dim() != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if weight.dim() != 3:
        raise RuntimeError("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if bias.dim() != 1:
        raise RuntimeError("Bias must be 1-D")
    if input.size(2) != weight.size(1):
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if weight.size(2) != bias.size(0):
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    return conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad).permute(2, 0, 1)


def native_channel_shuffle(input, groups):
    """`nn.functional.channel_shuffle`.
    https://pytorch.org/docs/stable/generated/torch.nn.ChannelShuffle.html"""
    return _api.channel_shuffle(input, groups)
