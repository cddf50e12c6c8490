"""Operators of torch.nn.functional: each row as a function, with the row's own signature.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import ONE, int_list, integer, numpys, static_number
from torchlike._api.generated import return_types
from torchlike._api.types import Number
from torchlike._base.dtypes import dtype
from torchlike._ops.all import ROWS
from torchlike._record.bind import binary, bind, unary
from torchlike._record.inplace import inplace
from torchlike._record.tensor import Tensor

_RELU = ROWS["relu"]
_LEAKY_RELU = ROWS["leaky_relu"]
_HARDTANH = ROWS["hardtanh"]
_HARDSWISH = ROWS["hardswish"]
_HARDSIGMOID = ROWS["hardsigmoid"]
_HARDSHRINK = ROWS["hardshrink"]
_SOFTSHRINK = ROWS["softshrink"]
_THRESHOLD = ROWS["threshold"]
_ELU = ROWS["elu"]
_CELU = ROWS["celu"]
_GELU = ROWS["gelu"]
_SILU = ROWS["silu"]
_MISH = ROWS["mish"]
_SOFTPLUS = ROWS["softplus"]
_RRELU_WITH_NOISE = ROWS["rrelu_with_noise"]
_GLU = ROWS["glu"]
__SOFTMAX = ROWS["_softmax"]
__LOG_SOFTMAX = ROWS["_log_softmax"]
__SCALED_DOT_PRODUCT_FLASH_ATTENTION_FOR_CPU = ROWS["_scaled_dot_product_flash_attention_for_cpu"]
__SAFE_SOFTMAX = ROWS["_safe_softmax"]
_CONVOLUTION = ROWS["convolution"]
__CTC_LOSS = ROWS["_ctc_loss"]
_NATIVE_DROPOUT_BACKWARD = ROWS["native_dropout_backward"]
_EMBEDDING = ROWS["embedding"]
__EMBEDDING_BAG = ROWS["_embedding_bag"]
_IM2COL = ROWS["im2col"]
_COL2IM = ROWS["col2im"]
_MAX_POOL2D_WITH_INDICES = ROWS["max_pool2d_with_indices"]
_MAX_POOL3D_WITH_INDICES = ROWS["max_pool3d_with_indices"]
_MAX_POOL2D_WITH_INDICES_BACKWARD = ROWS["max_pool2d_with_indices_backward"]
_AVG_POOL2D = ROWS["avg_pool2d"]
_AVG_POOL3D = ROWS["avg_pool3d"]
__ADAPTIVE_AVG_POOL2D = ROWS["_adaptive_avg_pool2d"]
_ADAPTIVE_MAX_POOL2D = ROWS["adaptive_max_pool2d"]
__ADAPTIVE_AVG_POOL3D = ROWS["_adaptive_avg_pool3d"]
_ADAPTIVE_MAX_POOL3D = ROWS["adaptive_max_pool3d"]
_MAX_UNPOOL2D = ROWS["max_unpool2d"]
_MAX_UNPOOL3D = ROWS["max_unpool3d"]
_FRACTIONAL_MAX_POOL2D = ROWS["fractional_max_pool2d"]
_FRACTIONAL_MAX_POOL3D = ROWS["fractional_max_pool3d"]
_UPSAMPLE_NEAREST1D = ROWS["upsample_nearest1d"]
__UPSAMPLE_NEAREST_EXACT1D = ROWS["_upsample_nearest_exact1d"]
_UPSAMPLE_NEAREST2D = ROWS["upsample_nearest2d"]
__UPSAMPLE_NEAREST_EXACT2D = ROWS["_upsample_nearest_exact2d"]
_UPSAMPLE_NEAREST3D = ROWS["upsample_nearest3d"]
__UPSAMPLE_NEAREST_EXACT3D = ROWS["_upsample_nearest_exact3d"]
_UPSAMPLE_LINEAR1D = ROWS["upsample_linear1d"]
_UPSAMPLE_BILINEAR2D = ROWS["upsample_bilinear2d"]
_UPSAMPLE_TRILINEAR3D = ROWS["upsample_trilinear3d"]
_UPSAMPLE_BICUBIC2D = ROWS["upsample_bicubic2d"]
__UPSAMPLE_BILINEAR2D_AA = ROWS["_upsample_bilinear2d_aa"]
__UPSAMPLE_BICUBIC2D_AA = ROWS["_upsample_bicubic2d_aa"]
_GRID_SAMPLER_2D = ROWS["grid_sampler_2d"]
_GRID_SAMPLER_3D = ROWS["grid_sampler_3d"]
_MSE_LOSS = ROWS["mse_loss"]
_SMOOTH_L1_LOSS = ROWS["smooth_l1_loss"]
_HUBER_LOSS = ROWS["huber_loss"]
_SOFT_MARGIN_LOSS = ROWS["soft_margin_loss"]
_BINARY_CROSS_ENTROPY = ROWS["binary_cross_entropy"]
_BINARY_CROSS_ENTROPY_WITH_LOGITS = ROWS["binary_cross_entropy_with_logits"]
_NLL_LOSS_FORWARD = ROWS["nll_loss_forward"]
_NLL_LOSS2D_FORWARD = ROWS["nll_loss2d_forward"]
_MULTI_MARGIN_LOSS = ROWS["multi_margin_loss"]
_MULTILABEL_MARGIN_LOSS = ROWS["multilabel_margin_loss"]
__LINEAR_CROSS_ENTROPY_CHUNKED = ROWS["_linear_cross_entropy_chunked"]
_NATIVE_LAYER_NORM = ROWS["native_layer_norm"]
_NATIVE_GROUP_NORM = ROWS["native_group_norm"]
__NATIVE_BATCH_NORM = ROWS["_native_batch_norm"]
_CONSTANT_PAD_ND = ROWS["constant_pad_nd"]
_REFLECTION_PAD1D = ROWS["reflection_pad1d"]
_REPLICATION_PAD1D = ROWS["replication_pad1d"]
_REFLECTION_PAD2D = ROWS["reflection_pad2d"]
_REPLICATION_PAD2D = ROWS["replication_pad2d"]
_REFLECTION_PAD3D = ROWS["reflection_pad3d"]
_REPLICATION_PAD3D = ROWS["replication_pad3d"]
_MKLDNN_RNN_LAYER = ROWS["mkldnn_rnn_layer"]
_PIXEL_SHUFFLE = ROWS["pixel_shuffle"]
_PIXEL_UNSHUFFLE = ROWS["pixel_unshuffle"]
_CHANNEL_SHUFFLE = ROWS["channel_shuffle"]
_record_relu = unary(ROWS["relu"])
_record_leaky_relu = unary(ROWS["leaky_relu"])
_record_hardswish = unary(ROWS["hardswish"])
_record_hardsigmoid = unary(ROWS["hardsigmoid"])
_record_hardshrink = unary(ROWS["hardshrink"])
_record_elu = unary(ROWS["elu"])
_record_silu = unary(ROWS["silu"])
_record_mish = unary(ROWS["mish"])
_record_softplus = unary(ROWS["softplus"])
_record_log_sigmoid = unary(ROWS["log_sigmoid"])
_record__prelu_kernel = binary(ROWS["_prelu_kernel"])


def relu(self: Tensor) -> Tensor:
    """max(x, 0), NaN kept."""
    return _record_relu(self)


def relu_(input: Tensor) -> Tensor:
    """`relu` in place."""
    return inplace(_RELU, (input,))


def leaky_relu(self: Tensor, negative_slope: Number = 0.01) -> Tensor:
    """x where it is positive, else `negative_slope` x."""
    return _record_leaky_relu(self) if negative_slope == 0.01 \
        else bind(_LEAKY_RELU, (self,), (None if negative_slope == 0.01 else negative_slope,))


def leaky_relu_(input: Tensor, negative_slope: Number = 0.01) -> Tensor:
    """`leaky_relu` in place."""
    return inplace(_LEAKY_RELU, (input,), (None if negative_slope == 0.01 else negative_slope,))


def hardtanh(self: Tensor, min_val: Number = -1, max_val: Number = 1) -> Tensor:
    """x, but not below `min_val` and not above `max_val`."""
    return bind(_HARDTANH, (self,), (), (static_number(min_val), static_number(max_val)))


def hardtanh_(input: Tensor, min_val: Number = -1, max_val: Number = 1) -> Tensor:
    """`hardtanh` in place."""
    return inplace(_HARDTANH, (input,), (), (static_number(min_val), static_number(max_val)))


def hardswish(self: Tensor) -> Tensor:
    """x min(max(x + 3, 0), 6) / 6."""
    return _record_hardswish(self)


def hardswish_(input: Tensor) -> Tensor:
    """`hardswish` in place."""
    return inplace(_HARDSWISH, (input,))


def hardsigmoid(self: Tensor) -> Tensor:
    """min(max(x + 3, 0), 6) / 6."""
    return _record_hardsigmoid(self)


def hardsigmoid_(input: Tensor) -> Tensor:
    """`hardsigmoid` in place."""
    return inplace(_HARDSIGMOID, (input,))


def hardshrink(self: Tensor, lambd: Number = 0.5) -> Tensor:
    """x where its absolute value is greater than `lambd`, else 0."""
    return _record_hardshrink(self) if lambd == 0.5 else bind(_HARDSHRINK, (self,), (None if lambd == 0.5 else lambd,))


def softshrink(self: Tensor, lambd: Number = 0.5) -> Tensor:
    """x moved by `lambd` towards 0, and 0 where it is nearer than that."""
    return bind(_SOFTSHRINK, (self,), (), (static_number(lambd),))


def threshold(self: Tensor, threshold: Number, value: Number) -> Tensor:
    """x where it is greater than `threshold`, else `value`."""
    return bind(_THRESHOLD, (self,), (threshold, value))


def threshold_(input: Tensor, threshold: Number, value: Number) -> Tensor:
    """`threshold` in place."""
    return inplace(_THRESHOLD, (input,), (threshold, value))


def elu(self: Tensor, alpha: Number = 1, scale: Number = 1, input_scale: Number = 1) -> Tensor:
    """`scale` x where it is positive, else `scale` alpha (exp(`input_scale` x) - 1)."""
    return _record_elu(self) if alpha is ONE and scale is ONE and input_scale is ONE \
        else bind(_ELU, (self,), (None if alpha is ONE else alpha, None if scale is ONE else scale,
        None if input_scale is ONE else input_scale))


def elu_(input: Tensor, alpha: Number = 1, scale: Number = 1, input_scale: Number = 1) -> Tensor:
    """`elu` in place."""
    return inplace(_ELU, (input,), (None if alpha is ONE else alpha, None if scale is ONE \
        else scale, None if input_scale is ONE else input_scale))


def celu(self: Tensor, alpha: Number = 1.0) -> Tensor:
    """max(0, x) + min(0, alpha (exp(x / alpha) - 1))."""
    return bind(_CELU, (self,), (), (static_number(alpha),))


def celu_(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """`celu` in place."""
    return inplace(_CELU, (input,), (), (static_number(alpha),))


def gelu(self: Tensor, *, approximate: str = "none") -> Tensor:
    """x times the normal distribution function at x, or its approximation by tanh."""
    return bind(_GELU, (self,), (), (approximate,))


def silu(self: Tensor) -> Tensor:
    """x times its sigmoid."""
    return _record_silu(self)


def silu_(input: Tensor) -> Tensor:
    """`silu` in place."""
    return inplace(_SILU, (input,))


def mish(self: Tensor) -> Tensor:
    """x tanh(softplus(x))."""
    return _record_mish(self)


def mish_(input: Tensor) -> Tensor:
    """`mish` in place."""
    return inplace(_MISH, (input,))


def softplus(self: Tensor, beta: Number = 1, threshold: Number = 20) -> Tensor:
    """log(1 + exp(`beta` x)) / `beta`, and x where `beta` x is above `threshold`."""
    return _record_softplus(self) if beta is ONE and threshold == 20 \
        else bind(_SOFTPLUS, (self,), (None if beta is ONE else beta, None if threshold == 20 else threshold))


def log_sigmoid(self: Tensor) -> Tensor:
    """The logarithm of the sigmoid."""
    return _record_log_sigmoid(self)


def _prelu_kernel(self: Tensor, weight: Tensor) -> Tensor:
    """PyTorch's operator `aten::_prelu_kernel`."""
    return _record__prelu_kernel(self, weight)


def rrelu_with_noise(self: Tensor, noise: Tensor | None, lower: Number = 0.125, upper: Number = 0.3333333333333333,
                     training: bool = False) -> Tensor:
    """x where it is positive, else x times a slope that is drawn between `lower` and `upper` in training."""
    return bind(_RRELU_WITH_NOISE, (self, noise), (), (static_number(lower), static_number(upper), training))


def rrelu_with_noise_(input: Tensor, noise: Tensor | None, lower: Number = 0.125, upper: Number = 0.3333333333333333,
                      training: bool = False) -> Tensor:
    """`rrelu_with_noise` in place."""
    return inplace(_RRELU_WITH_NOISE, (input, noise), (), (static_number(lower), static_number(upper), training))


def glu(self: Tensor, dim: int = -1, *, axis: int | None = None) -> Tensor:
    """The first half along `dim` times the sigmoid of the second."""
    if axis is not None:
        dim = numpys("axis", dim, axis, -1)
    return bind(_GLU, (self,), (), (integer(dim),))


def _softmax(self: Tensor, dim: int, half_to_float: bool = False) -> Tensor:
    """PyTorch's operator `aten::_softmax`."""
    return bind(__SOFTMAX, (self,), (), (integer(dim), half_to_float))


def _log_softmax(self: Tensor, dim: int, half_to_float: bool = False) -> Tensor:
    """PyTorch's operator `aten::_log_softmax`."""
    return bind(__LOG_SOFTMAX, (self,), (), (integer(dim), half_to_float))


def _scaled_dot_product_flash_attention_for_cpu(query: Tensor, key: Tensor, value: Tensor, dropout_p: float = 0.0,
                                                is_causal: bool = False, *, attn_mask: Tensor | None = None,
                                                scale: float | None = None) -> tuple[Tensor, Tensor]:
    """(B, H, L, D), (B, Hkv, S, D), (B, Hkv, S, D) give (B, H, L, D) and the log-sum-exp (B, H, L)."""
    return bind(__SCALED_DOT_PRODUCT_FLASH_ATTENTION_FOR_CPU, (query, key, value, attn_mask),
        (None if dropout_p == 0.0 else dropout_p, scale), (is_causal,))


def _safe_softmax(self: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """Softmax in which a row of -inf gives zeros."""
    return bind(__SAFE_SOFTMAX, (self,), (), (integer(dim), dtype))


def convolution(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[int], padding: Sequence[int],
                dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int) -> Tensor:
    """The convolution of a batch with a set of kernels, plain or transposed, in groups."""
    return bind(_CONVOLUTION, (input, weight, bias), (), (int_list(stride), int_list(padding), int_list(dilation),
        transposed, int_list(output_padding), integer(groups)))


def _ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int,
              zero_infinity: bool, longest: int) -> tuple[Tensor, Tensor]:
    """(T, N, C) log-probabilities to (N) losses, and the forward variables. `longest` is at least every target's length."""
    return bind(__CTC_LOSS, (log_probs, targets, input_lengths, target_lengths), (), (integer(blank), zero_infinity,
        integer(longest)))


def native_dropout_backward(grad_output: Tensor, mask: Tensor, scale: float) -> Tensor:
    """`grad_output` where `mask`, times `scale`: (*) and (*), integers become float32."""
    return bind(_NATIVE_DROPOUT_BACKWARD, (grad_output, mask), (scale,))


def embedding(weight: Tensor, indices: Tensor, padding_idx: int = -1, scale_grad_by_freq: bool = False,
              sparse: bool = False) -> Tensor:
    """`weight[indices]`: (*) integers and (V, D) give (*, D). An index out of bounds gives NaN rows."""
    return bind(_EMBEDDING, (weight, indices), (), (integer(padding_idx), scale_grad_by_freq, sparse))


def _embedding_bag(weight: Tensor, indices: Tensor, offsets: Tensor, per_sample_weights: Tensor | None,
                   scale_grad_by_freq: bool, mode: int, include_last_offset: bool,
                   padding_idx: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(V, D), (n), (bags) to (bags, D); then the bag of each index, how many count in each bag, and for maxima the rows."""
    return bind(__EMBEDDING_BAG, (weight, indices, offsets, per_sample_weights), (), (scale_grad_by_freq, integer(mode),
        include_last_offset, integer(padding_idx)))


def im2col(self: Tensor, kernel_size: int | Sequence[int], dilation: int | Sequence[int], padding: int | Sequence[int],
           stride: int | Sequence[int]) -> Tensor:
    """(N, C, H, W) to (N, C kh kw, L): each column is one block."""
    return bind(_IM2COL, (self,), (), (int_list(kernel_size), int_list(dilation), int_list(padding), int_list(stride)))


def col2im(self: Tensor, output_size: int | Sequence[int], kernel_size: int | Sequence[int], dilation: int | Sequence[int],
           padding: int | Sequence[int], stride: int | Sequence[int]) -> Tensor:
    """(N, C kh kw, L) to (N, C, H, W): blocks are put in their places and overlaps are summed."""
    return bind(_COL2IM, (self,), (), (int_list(output_size), int_list(kernel_size), int_list(dilation), int_list(padding),
        int_list(stride)))


def max_pool2d_with_indices(self: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
                            padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1,
                            ceil_mode: bool = False) -> tuple[Tensor, Tensor]:
    """(N, C, *) or (C, *) to the maxima of windows and their flat positions in each plane."""
    return bind(_MAX_POOL2D_WITH_INDICES, (self,), (), (int_list(kernel_size), int_list(stride), int_list(padding),
        int_list(dilation), ceil_mode))


def max_pool3d_with_indices(self: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
                            padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1,
                            ceil_mode: bool = False) -> tuple[Tensor, Tensor]:
    """(N, C, *) or (C, *) to the maxima of windows and their flat positions in each plane."""
    return bind(_MAX_POOL3D_WITH_INDICES, (self,), (), (int_list(kernel_size), int_list(stride), int_list(padding),
        int_list(dilation), ceil_mode))


def max_pool2d_with_indices_backward(grad_output: Tensor, self: Tensor, kernel_size: int | Sequence[int],
                                     stride: int | Sequence[int], padding: int | Sequence[int],
                                     dilation: int | Sequence[int], ceil_mode: bool, indices: Tensor) -> Tensor:
    """The gradient of the maxima put back in their places: (N, C, OH, OW) to the shape of `self`."""
    return bind(_MAX_POOL2D_WITH_INDICES_BACKWARD, (grad_output, self, indices), (), (int_list(kernel_size),
        int_list(stride), int_list(padding), int_list(dilation), ceil_mode))


def avg_pool2d(self: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
               padding: int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True,
               divisor_override: int | None = None) -> Tensor:
    """(N, C, *) or (C, *) to the means of windows."""
    return bind(_AVG_POOL2D, (self,), (), (int_list(kernel_size), int_list(stride), int_list(padding), ceil_mode,
        count_include_pad, integer(divisor_override)))


def avg_pool3d(self: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
               padding: int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True,
               divisor_override: int | None = None) -> Tensor:
    """(N, C, *) or (C, *) to the means of windows."""
    return bind(_AVG_POOL3D, (self,), (), (int_list(kernel_size), int_list(stride), int_list(padding), ceil_mode,
        count_include_pad, integer(divisor_override)))


def _adaptive_avg_pool2d(self: Tensor, output_size: int | Sequence[int]) -> Tensor:
    """PyTorch's operator `aten::_adaptive_avg_pool2d`."""
    return bind(__ADAPTIVE_AVG_POOL2D, (self,), (), (int_list(output_size),))


def adaptive_max_pool2d(self: Tensor, output_size: int | Sequence[int]) -> tuple[Tensor, Tensor]:
    """(N, C, *) or (C, *) to maxima over windows that make the output `output_size`, and their positions."""
    return bind(_ADAPTIVE_MAX_POOL2D, (self,), (), (int_list(output_size),))


def _adaptive_avg_pool3d(self: Tensor, output_size: int | Sequence[int]) -> Tensor:
    """PyTorch's operator `aten::_adaptive_avg_pool3d`."""
    return bind(__ADAPTIVE_AVG_POOL3D, (self,), (), (int_list(output_size),))


def adaptive_max_pool3d(self: Tensor, output_size: int | Sequence[int]) -> tuple[Tensor, Tensor]:
    """(N, C, *) or (C, *) to maxima over windows that make the output `output_size`, and their positions."""
    return bind(_ADAPTIVE_MAX_POOL3D, (self,), (), (int_list(output_size),))


def max_unpool2d(self: Tensor, indices: Tensor, output_size: int | Sequence[int]) -> Tensor:
    """Each value at its flat position in a block of zeros of `output_size`; out of bounds is dropped."""
    return bind(_MAX_UNPOOL2D, (self, indices), (), (int_list(output_size),))


def max_unpool3d(self: Tensor, indices: Tensor, output_size: int | Sequence[int]) -> Tensor:
    """Each value at its flat position in a block of zeros of `output_size`; out of bounds is dropped."""
    return bind(_MAX_UNPOOL3D, (self, indices), (), (int_list(output_size),))


def fractional_max_pool2d(self: Tensor, kernel_size: int | Sequence[int], output_size: int | Sequence[int],
                          random_samples: Tensor) -> tuple[Tensor, Tensor]:
    """(N, C, *) or (C, *) and numbers (N, C, dimensions) in [0, 1) to maxima and their flat positions."""
    return bind(_FRACTIONAL_MAX_POOL2D, (self, random_samples), (), (int_list(kernel_size), int_list(output_size)))


def fractional_max_pool3d(self: Tensor, kernel_size: int | Sequence[int], output_size: int | Sequence[int],
                          random_samples: Tensor) -> tuple[Tensor, Tensor]:
    """(N, C, *) or (C, *) and numbers (N, C, dimensions) in [0, 1) to maxima and their flat positions."""
    return bind(_FRACTIONAL_MAX_POOL3D, (self, random_samples), (), (int_list(kernel_size), int_list(output_size)))


def upsample_nearest1d(self: Tensor, output_size: Sequence[int], align_corners: bool,
                       scales: Sequence[float] | None = None) -> Tensor:
    """Images resized to `output_size` by nearest interpolation over 1 dimensions."""
    return bind(_UPSAMPLE_NEAREST1D, (self,), (), (int_list(output_size), align_corners, scales))


def _upsample_nearest_exact1d(self: Tensor, output_size: Sequence[int], align_corners: bool,
                              scales: Sequence[float] | None = None) -> Tensor:
    """Images resized to `output_size` by nearest interpolation over 1 dimensions."""
    return bind(__UPSAMPLE_NEAREST_EXACT1D, (self,), (), (int_list(output_size), align_corners, scales))


def upsample_nearest2d(self: Tensor, output_size: Sequence[int], align_corners: bool,
                       scales: Sequence[float] | None = None) -> Tensor:
    """Images resized to `output_size` by nearest interpolation over 2 dimensions."""
    return bind(_UPSAMPLE_NEAREST2D, (self,), (), (int_list(output_size), align_corners, scales))


def _upsample_nearest_exact2d(self: Tensor, output_size: Sequence[int], align_corners: bool,
                              scales: Sequence[float] | None = None) -> Tensor:
    """Images resized to `output_size` by nearest interpolation over 2 dimensions."""
    return bind(__UPSAMPLE_NEAREST_EXACT2D, (self,), (), (int_list(output_size), align_corners, scales))


def upsample_nearest3d(self: Tensor, output_size: Sequence[int], align_corners: bool,
                       scales: Sequence[float] | None = None) -> Tensor:
    """Images resized to `output_size` by nearest interpolation over 3 dimensions."""
    return bind(_UPSAMPLE_NEAREST3D, (self,), (), (int_list(output_size), align_corners, scales))


def _upsample_nearest_exact3d(self: Tensor, output_size: Sequence[int], align_corners: bool,
                              scales: Sequence[float] | None = None) -> Tensor:
    """Images resized to `output_size` by nearest interpolation over 3 dimensions."""
    return bind(__UPSAMPLE_NEAREST_EXACT3D, (self,), (), (int_list(output_size), align_corners, scales))


def upsample_linear1d(self: Tensor, output_size: Sequence[int], align_corners: bool,
                      scales: Sequence[float] | None = None) -> Tensor:
    """Images resized to `output_size` by linear interpolation over 1 dimensions."""
    return bind(_UPSAMPLE_LINEAR1D, (self,), (), (int_list(output_size), align_corners, scales))


def upsample_bilinear2d(self: Tensor, output_size: Sequence[int], align_corners: bool,
                        scales: Sequence[float] | None = None) -> Tensor:
    """Images resized to `output_size` by linear interpolation over 2 dimensions."""
    return bind(_UPSAMPLE_BILINEAR2D, (self,), (), (int_list(output_size), align_corners, scales))


def upsample_trilinear3d(self: Tensor, output_size: Sequence[int], align_corners: bool,
                         scales: Sequence[float] | None = None) -> Tensor:
    """Images resized to `output_size` by linear interpolation over 3 dimensions."""
    return bind(_UPSAMPLE_TRILINEAR3D, (self,), (), (int_list(output_size), align_corners, scales))


def upsample_bicubic2d(self: Tensor, output_size: Sequence[int], align_corners: bool,
                       scales: Sequence[float] | None = None) -> Tensor:
    """Images resized to `output_size` by cubic interpolation over 2 dimensions."""
    return bind(_UPSAMPLE_BICUBIC2D, (self,), (), (int_list(output_size), align_corners, scales))


def _upsample_bilinear2d_aa(self: Tensor, output_size: Sequence[int], align_corners: bool,
                            scales: Sequence[float] | None = None) -> Tensor:
    """Images resized to `output_size` by linear interpolation over 2 dimensions."""
    return bind(__UPSAMPLE_BILINEAR2D_AA, (self,), (), (int_list(output_size), align_corners, scales))


def _upsample_bicubic2d_aa(self: Tensor, output_size: Sequence[int], align_corners: bool,
                           scales: Sequence[float] | None = None) -> Tensor:
    """Images resized to `output_size` by cubic interpolation over 2 dimensions."""
    return bind(__UPSAMPLE_BICUBIC2D_AA, (self,), (), (int_list(output_size), align_corners, scales))


def grid_sampler_2d(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
    """The values of images at the points of `grid`, by interpolation."""
    return bind(_GRID_SAMPLER_2D, (input, grid), (), (integer(interpolation_mode), integer(padding_mode), align_corners))


def grid_sampler_3d(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
    """The values of images at the points of `grid`, by interpolation."""
    return bind(_GRID_SAMPLER_3D, (input, grid), (), (integer(interpolation_mode), integer(padding_mode), align_corners))


def mse_loss(self: Tensor, target: Tensor, reduction: int = 1) -> Tensor:
    """The squared difference of `self` and `target`, reduced."""
    return bind(_MSE_LOSS, (self, target), (), (integer(reduction),))


def smooth_l1_loss(self: Tensor, target: Tensor, reduction: int = 1, beta: float = 1.0) -> Tensor:
    """The absolute difference, squared below `beta`, reduced."""
    return bind(_SMOOTH_L1_LOSS, (self, target), (), (integer(reduction), static_number(beta)))


def huber_loss(self: Tensor, target: Tensor, reduction: int = 1, delta: float = 1.0) -> Tensor:
    """The squared difference up to `delta` and linear beyond, reduced."""
    return bind(_HUBER_LOSS, (self, target), (), (integer(reduction), static_number(delta)))


def soft_margin_loss(self: Tensor, target: Tensor, reduction: int = 1) -> Tensor:
    """log(1 + exp(-`target` x)), reduced."""
    return bind(_SOFT_MARGIN_LOSS, (self, target), (), (integer(reduction),))


def binary_cross_entropy(self: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = 1) -> Tensor:
    """The cross entropy of probabilities `target` and `self`, reduced."""
    return bind(_BINARY_CROSS_ENTROPY, (self, target, weight), (), (integer(reduction),))


def binary_cross_entropy_with_logits(self: Tensor, target: Tensor, weight: Tensor | None = None,
                                     pos_weight: Tensor | None = None, reduction: int = 0) -> Tensor:
    """The cross entropy of probabilities `target` and the sigmoid of `self`, reduced."""
    return bind(_BINARY_CROSS_ENTROPY_WITH_LOGITS, (self, target, weight, pos_weight), (), (integer(reduction),))


def nll_loss_forward(self: Tensor, target: Tensor, weight: Tensor | None, reduction: int,
                     ignore_index: int) -> return_types.nll_loss_forward:
    """(N, C) or (C) log-probabilities at the target classes; the second result is the sum of weights."""
    return return_types.nll_loss_forward(*bind(_NLL_LOSS_FORWARD, (self, target, weight), (), (integer(reduction),
        integer(ignore_index))))


def nll_loss2d_forward(self: Tensor, target: Tensor, weight: Tensor | None, reduction: int,
                       ignore_index: int) -> return_types.nll_loss2d_forward:
    """(N, C, H, W) log-probabilities at target classes (N, H, W)."""
    return return_types.nll_loss2d_forward(*bind(_NLL_LOSS2D_FORWARD, (self, target, weight), (), (integer(reduction),
        integer(ignore_index))))


def multi_margin_loss(self: Tensor, target: Tensor, weight: Tensor | None, p: int, margin: Number, reduction: int) -> Tensor:
    """By how much other classes come nearer than `margin` to the target's, to the power of `p`, reduced."""
    return bind(_MULTI_MARGIN_LOSS, (self, target, weight), (), (integer(p), static_number(margin), integer(reduction)))


def multilabel_margin_loss(self: Tensor, target: Tensor, reduction: int) -> Tensor:
    """By how much other classes come nearer than 1 to each of the targets, reduced."""
    return bind(_MULTILABEL_MARGIN_LOSS, (self, target), (), (integer(reduction),))


def _linear_cross_entropy_chunked(input: Tensor, linear_weight: Tensor, target: Tensor, linear_bias: Tensor | None,
                                  weight: Tensor | None, reduction: int, ignore_index: int, chunk: int,
                                  acc_dtype: dtype) -> Tensor:
    """(N, D), (C, D) and integers (N) to losses (N), or to their sum or mean, in the dtype of `input`."""
    return bind(__LINEAR_CROSS_ENTROPY_CHUNKED, (input, linear_weight, target, linear_bias, weight), (),
        (integer(reduction), integer(ignore_index), integer(chunk), acc_dtype))


def native_layer_norm(input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None, bias: Tensor | None,
                      eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """The output, and the mean and reciprocal deviation that the gradient needs."""
    return bind(_NATIVE_LAYER_NORM, (input, weight, bias), (eps,), (int_list(normalized_shape),))


def native_group_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, N: int, C: int, HxW: int, group: int,
                      eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """The output, and each group's mean and reciprocal deviation, (N, group)."""
    return bind(_NATIVE_GROUP_NORM, (input, weight, bias), (eps,), (integer(N), integer(C), integer(HxW), integer(group)))


def _native_batch_norm(input: Tensor, weight: Tensor | None, bias: Tensor | None, running_mean: Tensor | None,
                       running_var: Tensor | None, training: bool, momentum: float,
                       eps: float) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """The output, the saved mean and reciprocal deviation, and the new running statistics."""
    return bind(__NATIVE_BATCH_NORM, (input, weight, bias, running_mean, running_var), (momentum, eps), (training,))


def constant_pad_nd(self: Tensor, pad: Sequence[int], value: Number = 0) -> Tensor:
    """Padded by `value`; negative sizes crop."""
    return bind(_CONSTANT_PAD_ND, (self,), (None if value == 0 else value,), (int_list(pad),))


def reflection_pad1d(self: Tensor, padding: int | Sequence[int]) -> Tensor:
    """Padded by the elements next to the edges, mirrored."""
    return bind(_REFLECTION_PAD1D, (self,), (), (int_list(padding),))


def replication_pad1d(self: Tensor, padding: int | Sequence[int]) -> Tensor:
    """Padded by copies of the elements at the edges."""
    return bind(_REPLICATION_PAD1D, (self,), (), (int_list(padding),))


def reflection_pad2d(self: Tensor, padding: int | Sequence[int]) -> Tensor:
    """Padded by the elements next to the edges, mirrored."""
    return bind(_REFLECTION_PAD2D, (self,), (), (int_list(padding),))


def replication_pad2d(self: Tensor, padding: int | Sequence[int]) -> Tensor:
    """Padded by copies of the elements at the edges."""
    return bind(_REPLICATION_PAD2D, (self,), (), (int_list(padding),))


def reflection_pad3d(self: Tensor, padding: int | Sequence[int]) -> Tensor:
    """Padded by the elements next to the edges, mirrored."""
    return bind(_REFLECTION_PAD3D, (self,), (), (int_list(padding),))


def replication_pad3d(self: Tensor, padding: int | Sequence[int]) -> Tensor:
    """Padded by copies of the elements at the edges."""
    return bind(_REPLICATION_PAD3D, (self,), (), (int_list(padding),))


def mkldnn_rnn_layer(input: Tensor, weight0: Tensor, weight1: Tensor, weight2: Tensor, weight3: Tensor, hx_: Tensor,
                     cx_: Tensor, reverse: bool, batch_sizes: Sequence[int], mode: int, hidden_size: int, num_layers: int,
                     has_biases: bool, bidirectional: bool, batch_first: bool,
                     train: bool) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(T, N, I) and a state of (N, H) each give (T, N, H), the last state, and the workspace (T, N, 5 H)."""
    return bind(_MKLDNN_RNN_LAYER, (input, weight0, weight1, weight2, weight3, hx_, cx_), (), (reverse,
        int_list(batch_sizes), integer(mode), integer(hidden_size), integer(num_layers), has_biases, bidirectional,
        batch_first, train))


def pixel_shuffle(self: Tensor, upscale_factor: int) -> Tensor:
    """(*, C r^2, H, W) to (*, C, H r, W r)."""
    return bind(_PIXEL_SHUFFLE, (self,), (), (integer(upscale_factor),))


def pixel_unshuffle(self: Tensor, downscale_factor: int) -> Tensor:
    """(*, C, H r, W r) to (*, C r^2, H, W)."""
    return bind(_PIXEL_UNSHUFFLE, (self,), (), (integer(downscale_factor),))


def channel_shuffle(self: Tensor, groups: int) -> Tensor:
    """Channels (N, g k, *) reordered as if (g, k) were transposed."""
    return bind(_CHANNEL_SHUFFLE, (self,), (), (integer(groups),))


__all__ = [
    "relu",
    "relu_",
    "leaky_relu",
    "leaky_relu_",
    "hardtanh",
    "hardtanh_",
    "hardswish",
    "hardswish_",
    "hardsigmoid",
    "hardsigmoid_",
    "hardshrink",
    "softshrink",
    "threshold",
    "threshold_",
    "elu",
    "elu_",
    "celu",
    "celu_",
    "gelu",
    "silu",
    "silu_",
    "mish",
    "mish_",
    "softplus",
    "log_sigmoid",
    "_prelu_kernel",
    "rrelu_with_noise",
    "rrelu_with_noise_",
    "glu",
    "_softmax",
    "_log_softmax",
    "_scaled_dot_product_flash_attention_for_cpu",
    "_safe_softmax",
    "convolution",
    "_ctc_loss",
    "native_dropout_backward",
    "embedding",
    "_embedding_bag",
    "im2col",
    "col2im",
    "max_pool2d_with_indices",
    "max_pool3d_with_indices",
    "max_pool2d_with_indices_backward",
    "avg_pool2d",
    "avg_pool3d",
    "_adaptive_avg_pool2d",
    "adaptive_max_pool2d",
    "_adaptive_avg_pool3d",
    "adaptive_max_pool3d",
    "max_unpool2d",
    "max_unpool3d",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "upsample_nearest1d",
    "_upsample_nearest_exact1d",
    "upsample_nearest2d",
    "_upsample_nearest_exact2d",
    "upsample_nearest3d",
    "_upsample_nearest_exact3d",
    "upsample_linear1d",
    "upsample_bilinear2d",
    "upsample_trilinear3d",
    "upsample_bicubic2d",
    "_upsample_bilinear2d_aa",
    "_upsample_bicubic2d_aa",
    "grid_sampler_2d",
    "grid_sampler_3d",
    "mse_loss",
    "smooth_l1_loss",
    "huber_loss",
    "soft_margin_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "nll_loss_forward",
    "nll_loss2d_forward",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "_linear_cross_entropy_chunked",
    "native_layer_norm",
    "native_group_norm",
    "_native_batch_norm",
    "constant_pad_nd",
    "reflection_pad1d",
    "replication_pad1d",
    "reflection_pad2d",
    "replication_pad2d",
    "reflection_pad3d",
    "replication_pad3d",
    "mkldnn_rnn_layer",
    "pixel_shuffle",
    "pixel_unshuffle",
    "channel_shuffle",
]
