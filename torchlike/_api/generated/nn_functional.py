"""Operators of torch.nn.functional: functions of the torch namespace.

Written by ``python -m compat.api`` from the operator table: do not edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import ONE, int_list, integer, numpys, static_number
from torchlike._api.generated import return_types
from torchlike._api.out import written
from torchlike._api.types import Number
from torchlike._ops.all import ROWS
from torchlike._record.bind import bind, unary
from torchlike._record.tensor import Tensor

_HARDSHRINK = ROWS["hardshrink"]
_THRESHOLD = ROWS["threshold"]
_CELU = ROWS["celu"]
_CONVOLUTION = ROWS["convolution"]
_GRID_SAMPLER_2D = ROWS["grid_sampler_2d"]
_GRID_SAMPLER_3D = ROWS["grid_sampler_3d"]
_BINARY_CROSS_ENTROPY_WITH_LOGITS = ROWS["binary_cross_entropy_with_logits"]
_CONSTANT_PAD_ND = ROWS["constant_pad_nd"]
_MKLDNN_RNN_LAYER = ROWS["mkldnn_rnn_layer"]
_PIXEL_SHUFFLE = ROWS["pixel_shuffle"]
_PIXEL_UNSHUFFLE = ROWS["pixel_unshuffle"]
_CHANNEL_SHUFFLE = ROWS["channel_shuffle"]
_LEAKY_RELU = ROWS["leaky_relu"]
_HARDTANH = ROWS["hardtanh"]
_SOFTSHRINK = ROWS["softshrink"]
_ELU = ROWS["elu"]
_GELU = ROWS["gelu"]
_SOFTPLUS = ROWS["softplus"]
_RRELU_WITH_NOISE = ROWS["rrelu_with_noise"]
_GLU = ROWS["glu"]
_NATIVE_DROPOUT_BACKWARD = ROWS["native_dropout_backward"]
_IM2COL = ROWS["im2col"]
_COL2IM = ROWS["col2im"]
_MAX_POOL2D_WITH_INDICES = ROWS["max_pool2d_with_indices"]
_MAX_POOL3D_WITH_INDICES = ROWS["max_pool3d_with_indices"]
_MAX_POOL2D_WITH_INDICES_BACKWARD = ROWS["max_pool2d_with_indices_backward"]
_AVG_POOL2D = ROWS["avg_pool2d"]
_AVG_POOL3D = ROWS["avg_pool3d"]
_ADAPTIVE_MAX_POOL2D = ROWS["adaptive_max_pool2d"]
_ADAPTIVE_MAX_POOL3D = ROWS["adaptive_max_pool3d"]
_FRACTIONAL_MAX_POOL2D = ROWS["fractional_max_pool2d"]
_FRACTIONAL_MAX_POOL3D = ROWS["fractional_max_pool3d"]
_UPSAMPLE_NEAREST1D = ROWS["upsample_nearest1d"]
_UPSAMPLE_NEAREST2D = ROWS["upsample_nearest2d"]
_UPSAMPLE_NEAREST3D = ROWS["upsample_nearest3d"]
_UPSAMPLE_LINEAR1D = ROWS["upsample_linear1d"]
_UPSAMPLE_BILINEAR2D = ROWS["upsample_bilinear2d"]
_UPSAMPLE_TRILINEAR3D = ROWS["upsample_trilinear3d"]
_UPSAMPLE_BICUBIC2D = ROWS["upsample_bicubic2d"]
_MSE_LOSS = ROWS["mse_loss"]
_SMOOTH_L1_LOSS = ROWS["smooth_l1_loss"]
_HUBER_LOSS = ROWS["huber_loss"]
_BINARY_CROSS_ENTROPY = ROWS["binary_cross_entropy"]
_NLL_LOSS_FORWARD = ROWS["nll_loss_forward"]
_NLL_LOSS2D_FORWARD = ROWS["nll_loss2d_forward"]
_MULTI_MARGIN_LOSS = ROWS["multi_margin_loss"]
_MULTILABEL_MARGIN_LOSS = ROWS["multilabel_margin_loss"]
_REFLECTION_PAD1D = ROWS["reflection_pad1d"]
_REPLICATION_PAD1D = ROWS["replication_pad1d"]
_REFLECTION_PAD2D = ROWS["reflection_pad2d"]
_REPLICATION_PAD2D = ROWS["replication_pad2d"]
_REFLECTION_PAD3D = ROWS["reflection_pad3d"]
_REPLICATION_PAD3D = ROWS["replication_pad3d"]
_record_relu = unary(ROWS["relu"])
_record_hardshrink = unary(ROWS["hardshrink"])
_record_leaky_relu = unary(ROWS["leaky_relu"])
_record_hardswish = unary(ROWS["hardswish"])
_record_hardsigmoid = unary(ROWS["hardsigmoid"])
_record_elu = unary(ROWS["elu"])
_record_silu = unary(ROWS["silu"])
_record_mish = unary(ROWS["mish"])
_record_softplus = unary(ROWS["softplus"])
_record_log_sigmoid = unary(ROWS["log_sigmoid"])


def relu(input: Tensor) -> Tensor:
    """max(x, 0), NaN kept.

    Args:
        input: Tensor of any shape.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.relu.html
    """
    return _record_relu(input)


def hardshrink(input: Tensor, lambd: Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """x where its absolute value is greater than `lambd`, else 0.

    Args:
        input: Tensor of any shape.
        lambd: the bound.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.hardshrink.html
    """
    if out is not None:
        return written(out, "hardshrink", (input,), hardshrink, input, lambd)
    return _record_hardshrink(input) if lambd == 0.5 else bind(_HARDSHRINK, (input,), (None if lambd == 0.5 else lambd,))


def threshold(input: Tensor, threshold: Number, value: Number, *, out: Tensor | None = None) -> Tensor:
    """x where it is greater than `threshold`, else `value`.

    Args:
        input: Tensor of any shape.
        threshold: the bound.
        value: a factor, or what is written.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.threshold.html
    """
    if out is not None:
        return written(out, "threshold", (input,), lambda: bind(_THRESHOLD, (input,), (threshold, value)))
    return bind(_THRESHOLD, (input,), (threshold, value))


def celu(input: Tensor, alpha: Number = 1.0) -> Tensor:
    """max(0, x) + min(0, alpha (exp(x / alpha) - 1)).

    Args:
        input: Tensor of any shape.
        alpha: a factor of the second operand.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.celu.html
    """
    return bind(_CELU, (input,), (), (static_number(alpha),))


def convolution(input: Tensor, weight: Tensor, bias: Tensor | None, stride: Sequence[int], padding: Sequence[int],
                dilation: Sequence[int], transposed: bool, output_padding: Sequence[int], groups: int) -> Tensor:
    """The convolution of a batch with a set of kernels, plain or transposed, in groups.

    Args:
        input: Tensor of any shape.
        weight: the weights.
        bias: what is added, one number for each output channel.
        stride: the step of the window along each spatial dimension.
        padding: how much is added on both sides of each spatial dimension.
        dilation: the distance of the window's elements.
        transposed: whether the convolution is transposed.
        output_padding: how much larger the result is on one side.
        groups: channels are split into so many parts, each with weights of its own.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.convolution.html
    """
    return bind(_CONVOLUTION, (input, weight, bias), (), (int_list(stride), int_list(padding), int_list(dilation),
        transposed, int_list(output_padding), integer(groups)))


def grid_sampler_2d(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
    """The values of images at the points of `grid`, by interpolation.

    Args:
        input: Tensor of any shape.
        grid: (N, H, W, 2) positions in [-1, 1].
        interpolation_mode: 0: bilinear, 1: nearest, 2: bicubic.
        padding_mode: 0: zeros, 1: border, 2: reflection.
        align_corners: whether the corner elements of both grids coincide.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.grid_sampler_2d.html
    """
    return bind(_GRID_SAMPLER_2D, (input, grid), (), (integer(interpolation_mode), integer(padding_mode), align_corners))


def grid_sampler_3d(input: Tensor, grid: Tensor, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
    """The values of images at the points of `grid`, by interpolation.

    Args:
        input: Tensor of any shape.
        grid: (N, H, W, 2) positions in [-1, 1].
        interpolation_mode: 0: bilinear, 1: nearest, 2: bicubic.
        padding_mode: 0: zeros, 1: border, 2: reflection.
        align_corners: whether the corner elements of both grids coincide.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.grid_sampler_3d.html
    """
    return bind(_GRID_SAMPLER_3D, (input, grid), (), (integer(interpolation_mode), integer(padding_mode), align_corners))


def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None,
                                     pos_weight: Tensor | None = None, reduction: int = 0) -> Tensor:
    """The cross entropy of probabilities `target` and the sigmoid of `self`, reduced.

    Args:
        input: Tensor of any shape.
        target: what `input` should be, of its shape or of classes.
        weight: the weights.
        pos_weight: (C) weights of positive answers.
        reduction: 0: none, 1: the mean, 2: the sum.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.binary_cross_entropy_with_logits.html
    """
    return bind(_BINARY_CROSS_ENTROPY_WITH_LOGITS, (input, target, weight, pos_weight), (), (integer(reduction),))


def constant_pad_nd(input: Tensor, pad: Sequence[int], value: Number = 0) -> Tensor:
    """Padded by `value`; negative sizes crop.

    Args:
        input: Tensor of any shape.
        pad: how much before and after each dimension, the last dimension first.
        value: a factor, or what is written.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.constant_pad_nd.html
    """
    return bind(_CONSTANT_PAD_ND, (input,), (None if value == 0 else value,), (int_list(pad),))


def mkldnn_rnn_layer(input: Tensor, weight0: Tensor, weight1: Tensor, weight2: Tensor, weight3: Tensor, hx_: Tensor,
                     cx_: Tensor, reverse: bool, batch_sizes: Sequence[int], mode: int, hidden_size: int, num_layers: int,
                     has_biases: bool, bidirectional: bool, batch_first: bool,
                     train: bool) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(T, N, I) and a state of (N, H) each give (T, N, H), the last state, and the workspace (T, N, 5 H).

    Args:
        input: Tensor of any shape.
        weight0: (4 H, I), what the input is multiplied by.
        weight1: (4 H, H), what the state is multiplied by.
        weight2: (4 H), added to the gates.
        weight3: (4 H), added to the gates.
        hx_: (N, H), the first state.
        cx_: (N, H), the first cells.
        reverse: go from the last step to the first.
        batch_sizes: accepted, not used.
        mode: the kind.
        hidden_size: H.
        num_layers: accepted, not used.
        has_biases: accepted, not used.
        bidirectional: accepted, not used.
        batch_first: accepted, not used.
        train: accepted, not used.

    Returns:
        A tuple of 4 Tensors.

    https://pytorch.org/docs/stable/generated/torch.mkldnn_rnn_layer.html
    """
    return bind(_MKLDNN_RNN_LAYER, (input, weight0, weight1, weight2, weight3, hx_, cx_), (), (reverse,
        int_list(batch_sizes), integer(mode), integer(hidden_size), integer(num_layers), has_biases, bidirectional,
        batch_first, train))


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """(*, C r^2, H, W) to (*, C, H r, W r).

    Args:
        input: Tensor of any shape.
        upscale_factor: how much larger each side becomes.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.pixel_shuffle.html
    """
    return bind(_PIXEL_SHUFFLE, (input,), (), (integer(upscale_factor),))


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """(*, C, H r, W r) to (*, C r^2, H, W).

    Args:
        input: Tensor of any shape.
        downscale_factor: how much smaller each side becomes.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.pixel_unshuffle.html
    """
    return bind(_PIXEL_UNSHUFFLE, (input,), (), (integer(downscale_factor),))


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channels (N, g k, *) reordered as if (g, k) were transposed.

    Args:
        input: Tensor of any shape.
        groups: channels are split into so many parts, each with weights of its own.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.channel_shuffle.html
    """
    return bind(_CHANNEL_SHUFFLE, (input,), (), (integer(groups),))


def leaky_relu(input: Tensor, negative_slope: Number = 0.01, *, out: Tensor | None = None) -> Tensor:
    """x where it is positive, else `negative_slope` x.

    Args:
        input: Tensor of any shape.
        negative_slope: the slope below 0.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.leaky_relu.html
    """
    if out is not None:
        return written(out, "leaky_relu", (input,), leaky_relu, input, negative_slope)
    return _record_leaky_relu(input) if negative_slope == 0.01 \
        else bind(_LEAKY_RELU, (input,), (None if negative_slope == 0.01 else negative_slope,))


def hardtanh(input: Tensor, min_val: Number = -1, max_val: Number = 1, *, out: Tensor | None = None) -> Tensor:
    """x, but not below `min_val` and not above `max_val`.

    Args:
        input: Tensor of any shape.
        min_val: the lower bound.
        max_val: the upper bound.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.hardtanh.html
    """
    if out is not None:
        return written(out, "hardtanh", (input,), hardtanh, input, min_val, max_val)
    return bind(_HARDTANH, (input,), (), (static_number(min_val), static_number(max_val)))


def hardswish(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x min(max(x + 3, 0), 6) / 6.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.hardswish.html
    """
    if out is not None:
        return written(out, "hardswish", (input,), hardswish, input)
    return _record_hardswish(input)


def hardsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """min(max(x + 3, 0), 6) / 6.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.hardsigmoid.html
    """
    if out is not None:
        return written(out, "hardsigmoid", (input,), hardsigmoid, input)
    return _record_hardsigmoid(input)


def softshrink(input: Tensor, lambd: Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """x moved by `lambd` towards 0, and 0 where it is nearer than that.

    Args:
        input: Tensor of any shape.
        lambd: the bound.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.softshrink.html
    """
    if out is not None:
        return written(out, "softshrink", (input,), softshrink, input, lambd)
    return bind(_SOFTSHRINK, (input,), (), (static_number(lambd),))


def elu(input: Tensor, alpha: Number = 1, scale: Number = 1, input_scale: Number = 1, *,
        out: Tensor | None = None) -> Tensor:
    """`scale` x where it is positive, else `scale` alpha (exp(`input_scale` x) - 1).

    Args:
        input: Tensor of any shape.
        alpha: a factor of the second operand.
        scale: a factor.
        input_scale: a factor of the argument.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.elu.html
    """
    if out is not None:
        return written(out, "elu", (input,), elu, input, alpha, scale, input_scale)
    return _record_elu(input) if alpha is ONE and scale is ONE and input_scale is ONE \
        else bind(_ELU, (input,), (None if alpha is ONE else alpha, None if scale is ONE else scale,
        None if input_scale is ONE else input_scale))


def gelu(input: Tensor, *, approximate: str = "none", out: Tensor | None = None) -> Tensor:
    """x times the normal distribution function at x, or its approximation by tanh.

    Args:
        input: Tensor of any shape.
        approximate: "none", or "tanh" for a formula with tanh.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.gelu.html
    """
    if out is not None:
        return written(out, "gelu", (input,), gelu, input, approximate=approximate)
    return bind(_GELU, (input,), (), (approximate,))


def silu(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x times its sigmoid.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.silu.html
    """
    if out is not None:
        return written(out, "silu", (input,), silu, input)
    return _record_silu(input)


def mish(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """x tanh(softplus(x)).

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.mish.html
    """
    if out is not None:
        return written(out, "mish", (input,), mish, input)
    return _record_mish(input)


def softplus(input: Tensor, beta: Number = 1, threshold: Number = 20, *, out: Tensor | None = None) -> Tensor:
    """log(1 + exp(`beta` x)) / `beta`, and x where `beta` x is above `threshold`.

    Args:
        input: Tensor of any shape.
        beta: a factor of `input`.
        threshold: the bound.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.softplus.html
    """
    if out is not None:
        return written(out, "softplus", (input,), softplus, input, beta, threshold)
    return _record_softplus(input) if beta is ONE and threshold == 20 \
        else bind(_SOFTPLUS, (input,), (None if beta is ONE else beta, None if threshold == 20 else threshold))


def log_sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The logarithm of the sigmoid.

    Args:
        input: Tensor of any shape.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape of `input`.

    https://pytorch.org/docs/stable/generated/torch.log_sigmoid.html
    """
    if out is not None:
        return written(out, "log_sigmoid", (input,), log_sigmoid, input)
    return _record_log_sigmoid(input)


def rrelu_with_noise(input: Tensor, noise: Tensor | None, lower: Number = 0.125, upper: Number = 0.3333333333333333,
                     training: bool = False, *, out: Tensor | None = None) -> Tensor:
    """x where it is positive, else x times a slope that is drawn between `lower` and `upper` in training.

    Args:
        input: Tensor of any shape.
        noise: the slope of each element.
        lower: the lower bound of slopes.
        upper: use the upper triangle.
        training: draw at random, as in training.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.rrelu_with_noise.html
    """
    if out is not None:
        return written(out, "rrelu_with_noise", (input, noise), rrelu_with_noise, input, noise, lower, upper, training)
    return bind(_RRELU_WITH_NOISE, (input, noise), (), (static_number(lower), static_number(upper), training))


def glu(input: Tensor, dim: int = -1, *, axis: int | None = None, out: Tensor | None = None) -> Tensor:
    """The first half along `dim` times the sigmoid of the second.

    Args:
        input: Tensor of any shape.
        dim: the dimension; negative ones count from the last.
        axis: numpy's name of `dim`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.glu.html
    """
    if axis is not None:
        dim = numpys("axis", dim, axis, -1)
    if out is not None:
        return written(out, "glu", (), glu, input, dim)
    return bind(_GLU, (input,), (), (integer(dim),))


def native_dropout_backward(grad_output: Tensor, mask: Tensor, scale: float, *, out: Tensor | None = None) -> Tensor:
    """`grad_output` where `mask`, times `scale`: (*) and (*), integers become float32.

    Args:
        grad_output: the gradient of the result.
        mask: bool, of a shape that broadcasts with `input`.
        scale: a factor.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor of the shape that the operands broadcast to.

    https://pytorch.org/docs/stable/generated/torch.native_dropout_backward.html
    """
    if out is not None:
        return written(out, "native_dropout_backward", (grad_output, mask), native_dropout_backward, grad_output, mask,
            scale)
    return bind(_NATIVE_DROPOUT_BACKWARD, (grad_output, mask), (scale,))


def im2col(input: Tensor, kernel_size: int | Sequence[int], dilation: int | Sequence[int], padding: int | Sequence[int],
           stride: int | Sequence[int], *, out: Tensor | None = None) -> Tensor:
    """(N, C, H, W) to (N, C kh kw, L): each column is one block.

    Args:
        input: Tensor of any shape.
        kernel_size: the shape of the window.
        dilation: the distance of the window's elements.
        padding: how much is added on both sides of each spatial dimension.
        stride: the step of the window along each spatial dimension.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.im2col.html
    """
    if out is not None:
        return written(out, "im2col", (), im2col, input, kernel_size, dilation, padding, stride)
    return bind(_IM2COL, (input,), (), (int_list(kernel_size), int_list(dilation), int_list(padding), int_list(stride)))


def col2im(input: Tensor, output_size: int | Sequence[int], kernel_size: int | Sequence[int], dilation: int | Sequence[int],
           padding: int | Sequence[int], stride: int | Sequence[int], *, out: Tensor | None = None) -> Tensor:
    """(N, C kh kw, L) to (N, C, H, W): blocks are put in their places and overlaps are summed.

    Args:
        input: Tensor of any shape.
        output_size: the spatial shape of the result.
        kernel_size: the shape of the window.
        dilation: the distance of the window's elements.
        padding: how much is added on both sides of each spatial dimension.
        stride: the step of the window along each spatial dimension.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.col2im.html
    """
    if out is not None:
        return written(out, "col2im", (), col2im, input, output_size, kernel_size, dilation, padding, stride)
    return bind(_COL2IM, (input,), (), (int_list(output_size), int_list(kernel_size), int_list(dilation), int_list(padding),
        int_list(stride)))


def max_pool2d_with_indices(input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
                            padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False, *,
                            out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:
    """(N, C, *) or (C, *) to the maxima of windows and their flat positions in each plane.

    Args:
        input: Tensor of any shape.
        kernel_size: the shape of the window.
        stride: the step of the window along each spatial dimension.
        padding: how much is added on both sides of each spatial dimension.
        dilation: the distance of the window's elements.
        ceil_mode: let windows go over the end.
        out: written to and returned; resized if it has no elements.

    Returns:
        A tuple of 2 Tensors.

    https://pytorch.org/docs/stable/generated/torch.max_pool2d_with_indices.html
    """
    if out is not None:
        return written(out, "max_pool2d_with_indices", (), max_pool2d_with_indices, input, kernel_size, stride, padding,
            dilation, ceil_mode)
    return bind(_MAX_POOL2D_WITH_INDICES, (input,), (), (int_list(kernel_size), int_list(stride), int_list(padding),
        int_list(dilation), ceil_mode))


def max_pool3d_with_indices(input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
                            padding: int | Sequence[int] = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False, *,
                            out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:
    """(N, C, *) or (C, *) to the maxima of windows and their flat positions in each plane.

    Args:
        input: Tensor of any shape.
        kernel_size: the shape of the window.
        stride: the step of the window along each spatial dimension.
        padding: how much is added on both sides of each spatial dimension.
        dilation: the distance of the window's elements.
        ceil_mode: let windows go over the end.
        out: written to and returned; resized if it has no elements.

    Returns:
        A tuple of 2 Tensors.

    https://pytorch.org/docs/stable/generated/torch.max_pool3d_with_indices.html
    """
    if out is not None:
        return written(out, "max_pool3d_with_indices", (), max_pool3d_with_indices, input, kernel_size, stride, padding,
            dilation, ceil_mode)
    return bind(_MAX_POOL3D_WITH_INDICES, (input,), (), (int_list(kernel_size), int_list(stride), int_list(padding),
        int_list(dilation), ceil_mode))


def max_pool2d_with_indices_backward(grad_output: Tensor, input: Tensor, kernel_size: int | Sequence[int],
                                     stride: int | Sequence[int], padding: int | Sequence[int],
                                     dilation: int | Sequence[int], ceil_mode: bool, indices: Tensor, *,
                                     out: Tensor | None = None) -> Tensor:
    """The gradient of the maxima put back in their places: (N, C, OH, OW) to the shape of `self`.

    Args:
        grad_output: the gradient of the result.
        self: Tensor of any shape.
        kernel_size: the shape of the window.
        stride: the step of the window along each spatial dimension.
        padding: how much is added on both sides of each spatial dimension.
        dilation: the distance of the window's elements.
        ceil_mode: let windows go over the end.
        indices: integers, flat positions.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.max_pool2d_with_indices_backward.html
    """
    if out is not None:
        return written(out, "max_pool2d_with_indices_backward", (), max_pool2d_with_indices_backward, grad_output, input,
            kernel_size, stride, padding, dilation, ceil_mode, indices)
    return bind(_MAX_POOL2D_WITH_INDICES_BACKWARD, (grad_output, input, indices), (), (int_list(kernel_size),
        int_list(stride), int_list(padding), int_list(dilation), ceil_mode))


def avg_pool2d(input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
               padding: int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True,
               divisor_override: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """(N, C, *) or (C, *) to the means of windows.

    Args:
        input: Tensor of any shape.
        kernel_size: the shape of the window.
        stride: the step of the window along each spatial dimension.
        padding: how much is added on both sides of each spatial dimension.
        ceil_mode: let windows go over the end.
        count_include_pad: let means count the padding.
        divisor_override: what sums are divided by, in the place of the window's size.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.avg_pool2d.html
    """
    if out is not None:
        return written(out, "avg_pool2d", (), avg_pool2d, input, kernel_size, stride, padding, ceil_mode, count_include_pad,
            divisor_override)
    return bind(_AVG_POOL2D, (input,), (), (int_list(kernel_size), int_list(stride), int_list(padding), ceil_mode,
        count_include_pad, integer(divisor_override)))


def avg_pool3d(input: Tensor, kernel_size: int | Sequence[int], stride: int | Sequence[int] = (),
               padding: int | Sequence[int] = 0, ceil_mode: bool = False, count_include_pad: bool = True,
               divisor_override: int | None = None, *, out: Tensor | None = None) -> Tensor:
    """(N, C, *) or (C, *) to the means of windows.

    Args:
        input: Tensor of any shape.
        kernel_size: the shape of the window.
        stride: the step of the window along each spatial dimension.
        padding: how much is added on both sides of each spatial dimension.
        ceil_mode: let windows go over the end.
        count_include_pad: let means count the padding.
        divisor_override: what sums are divided by, in the place of the window's size.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.avg_pool3d.html
    """
    if out is not None:
        return written(out, "avg_pool3d", (), avg_pool3d, input, kernel_size, stride, padding, ceil_mode, count_include_pad,
            divisor_override)
    return bind(_AVG_POOL3D, (input,), (), (int_list(kernel_size), int_list(stride), int_list(padding), ceil_mode,
        count_include_pad, integer(divisor_override)))


def adaptive_max_pool2d(input: Tensor, output_size: int | Sequence[int], *,
                        out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:
    """(N, C, *) or (C, *) to maxima over windows that make the output `output_size`, and their positions.

    Args:
        input: Tensor of any shape.
        output_size: the spatial shape of the result.
        out: written to and returned; resized if it has no elements.

    Returns:
        A tuple of 2 Tensors.

    https://pytorch.org/docs/stable/generated/torch.adaptive_max_pool2d.html
    """
    if out is not None:
        return written(out, "adaptive_max_pool2d", (), adaptive_max_pool2d, input, output_size)
    return bind(_ADAPTIVE_MAX_POOL2D, (input,), (), (int_list(output_size),))


def adaptive_max_pool3d(input: Tensor, output_size: int | Sequence[int], *,
                        out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:
    """(N, C, *) or (C, *) to maxima over windows that make the output `output_size`, and their positions.

    Args:
        input: Tensor of any shape.
        output_size: the spatial shape of the result.
        out: written to and returned; resized if it has no elements.

    Returns:
        A tuple of 2 Tensors.

    https://pytorch.org/docs/stable/generated/torch.adaptive_max_pool3d.html
    """
    if out is not None:
        return written(out, "adaptive_max_pool3d", (), adaptive_max_pool3d, input, output_size)
    return bind(_ADAPTIVE_MAX_POOL3D, (input,), (), (int_list(output_size),))


def fractional_max_pool2d(input: Tensor, kernel_size: int | Sequence[int], output_size: int | Sequence[int],
                          random_samples: Tensor, *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:
    """(N, C, *) or (C, *) and numbers (N, C, dimensions) in [0, 1) to maxima and their flat positions.

    Args:
        input: Tensor of any shape.
        kernel_size: the shape of the window.
        output_size: the spatial shape of the result.
        random_samples: (N, C, 2 or 3) numbers in [0, 1).
        out: written to and returned; resized if it has no elements.

    Returns:
        A tuple of 2 Tensors.

    https://pytorch.org/docs/stable/generated/torch.fractional_max_pool2d.html
    """
    if out is not None:
        return written(out, "fractional_max_pool2d", (), fractional_max_pool2d, input, kernel_size, output_size,
            random_samples)
    return bind(_FRACTIONAL_MAX_POOL2D, (input, random_samples), (), (int_list(kernel_size), int_list(output_size)))


def fractional_max_pool3d(input: Tensor, kernel_size: int | Sequence[int], output_size: int | Sequence[int],
                          random_samples: Tensor, *, out: Sequence[Tensor] | None = None) -> tuple[Tensor, Tensor]:
    """(N, C, *) or (C, *) and numbers (N, C, dimensions) in [0, 1) to maxima and their flat positions.

    Args:
        input: Tensor of any shape.
        kernel_size: the shape of the window.
        output_size: the spatial shape of the result.
        random_samples: (N, C, 2 or 3) numbers in [0, 1).
        out: written to and returned; resized if it has no elements.

    Returns:
        A tuple of 2 Tensors.

    https://pytorch.org/docs/stable/generated/torch.fractional_max_pool3d.html
    """
    if out is not None:
        return written(out, "fractional_max_pool3d", (), fractional_max_pool3d, input, kernel_size, output_size,
            random_samples)
    return bind(_FRACTIONAL_MAX_POOL3D, (input, random_samples), (), (int_list(kernel_size), int_list(output_size)))


def upsample_nearest1d(input: Tensor, output_size: Sequence[int], align_corners: bool, scales: Sequence[float] | None = None,
                       *, out: Tensor | None = None) -> Tensor:
    """Images resized to `output_size` by nearest interpolation over 1 dimensions.

    Args:
        input: Tensor of any shape.
        output_size: the spatial shape of the result.
        align_corners: whether the corner elements of both grids coincide.
        scales: factors of the spatial shape, if they decide it.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.upsample_nearest1d.html
    """
    if out is not None:
        return written(out, "upsample_nearest1d", (), upsample_nearest1d, input, output_size, align_corners, scales)
    return bind(_UPSAMPLE_NEAREST1D, (input,), (), (int_list(output_size), align_corners, scales))


def upsample_nearest2d(input: Tensor, output_size: Sequence[int], align_corners: bool, scales: Sequence[float] | None = None,
                       *, out: Tensor | None = None) -> Tensor:
    """Images resized to `output_size` by nearest interpolation over 2 dimensions.

    Args:
        input: Tensor of any shape.
        output_size: the spatial shape of the result.
        align_corners: whether the corner elements of both grids coincide.
        scales: factors of the spatial shape, if they decide it.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.upsample_nearest2d.html
    """
    if out is not None:
        return written(out, "upsample_nearest2d", (), upsample_nearest2d, input, output_size, align_corners, scales)
    return bind(_UPSAMPLE_NEAREST2D, (input,), (), (int_list(output_size), align_corners, scales))


def upsample_nearest3d(input: Tensor, output_size: Sequence[int], align_corners: bool, scales: Sequence[float] | None = None,
                       *, out: Tensor | None = None) -> Tensor:
    """Images resized to `output_size` by nearest interpolation over 3 dimensions.

    Args:
        input: Tensor of any shape.
        output_size: the spatial shape of the result.
        align_corners: whether the corner elements of both grids coincide.
        scales: factors of the spatial shape, if they decide it.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.upsample_nearest3d.html
    """
    if out is not None:
        return written(out, "upsample_nearest3d", (), upsample_nearest3d, input, output_size, align_corners, scales)
    return bind(_UPSAMPLE_NEAREST3D, (input,), (), (int_list(output_size), align_corners, scales))


def upsample_linear1d(input: Tensor, output_size: Sequence[int], align_corners: bool, scales: Sequence[float] | None = None,
                      *, out: Tensor | None = None) -> Tensor:
    """Images resized to `output_size` by linear interpolation over 1 dimensions.

    Args:
        input: Tensor of any shape.
        output_size: the spatial shape of the result.
        align_corners: whether the corner elements of both grids coincide.
        scales: factors of the spatial shape, if they decide it.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.upsample_linear1d.html
    """
    if out is not None:
        return written(out, "upsample_linear1d", (), upsample_linear1d, input, output_size, align_corners, scales)
    return bind(_UPSAMPLE_LINEAR1D, (input,), (), (int_list(output_size), align_corners, scales))


def upsample_bilinear2d(input: Tensor, output_size: Sequence[int], align_corners: bool,
                        scales: Sequence[float] | None = None, *, out: Tensor | None = None) -> Tensor:
    """Images resized to `output_size` by linear interpolation over 2 dimensions.

    Args:
        input: Tensor of any shape.
        output_size: the spatial shape of the result.
        align_corners: whether the corner elements of both grids coincide.
        scales: factors of the spatial shape, if they decide it.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.upsample_bilinear2d.html
    """
    if out is not None:
        return written(out, "upsample_bilinear2d", (), upsample_bilinear2d, input, output_size, align_corners, scales)
    return bind(_UPSAMPLE_BILINEAR2D, (input,), (), (int_list(output_size), align_corners, scales))


def upsample_trilinear3d(input: Tensor, output_size: Sequence[int], align_corners: bool,
                         scales: Sequence[float] | None = None, *, out: Tensor | None = None) -> Tensor:
    """Images resized to `output_size` by linear interpolation over 3 dimensions.

    Args:
        input: Tensor of any shape.
        output_size: the spatial shape of the result.
        align_corners: whether the corner elements of both grids coincide.
        scales: factors of the spatial shape, if they decide it.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.upsample_trilinear3d.html
    """
    if out is not None:
        return written(out, "upsample_trilinear3d", (), upsample_trilinear3d, input, output_size, align_corners, scales)
    return bind(_UPSAMPLE_TRILINEAR3D, (input,), (), (int_list(output_size), align_corners, scales))


def upsample_bicubic2d(input: Tensor, output_size: Sequence[int], align_corners: bool, scales: Sequence[float] | None = None,
                       *, out: Tensor | None = None) -> Tensor:
    """Images resized to `output_size` by cubic interpolation over 2 dimensions.

    Args:
        input: Tensor of any shape.
        output_size: the spatial shape of the result.
        align_corners: whether the corner elements of both grids coincide.
        scales: factors of the spatial shape, if they decide it.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.upsample_bicubic2d.html
    """
    if out is not None:
        return written(out, "upsample_bicubic2d", (), upsample_bicubic2d, input, output_size, align_corners, scales)
    return bind(_UPSAMPLE_BICUBIC2D, (input,), (), (int_list(output_size), align_corners, scales))


def mse_loss(input: Tensor, target: Tensor, reduction: int = 1, *, out: Tensor | None = None) -> Tensor:
    """The squared difference of `self` and `target`, reduced.

    Args:
        input: Tensor of any shape.
        target: what `input` should be, of its shape or of classes.
        reduction: 0: none, 1: the mean, 2: the sum.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.mse_loss.html
    """
    if out is not None:
        return written(out, "mse_loss", (), mse_loss, input, target, reduction)
    return bind(_MSE_LOSS, (input, target), (), (integer(reduction),))


def smooth_l1_loss(input: Tensor, target: Tensor, reduction: int = 1, beta: float = 1.0, *,
                   out: Tensor | None = None) -> Tensor:
    """The absolute difference, squared below `beta`, reduced.

    Args:
        input: Tensor of any shape.
        target: what `input` should be, of its shape or of classes.
        reduction: 0: none, 1: the mean, 2: the sum.
        beta: a factor of `input`.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.smooth_l1_loss.html
    """
    if out is not None:
        return written(out, "smooth_l1_loss", (), smooth_l1_loss, input, target, reduction, beta)
    return bind(_SMOOTH_L1_LOSS, (input, target), (), (integer(reduction), static_number(beta)))


def huber_loss(input: Tensor, target: Tensor, reduction: int = 1, delta: float = 1.0, *,
               out: Tensor | None = None) -> Tensor:
    """The squared difference up to `delta` and linear beyond, reduced.

    Args:
        input: Tensor of any shape.
        target: what `input` should be, of its shape or of classes.
        reduction: 0: none, 1: the mean, 2: the sum.
        delta: where the square becomes a line.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.huber_loss.html
    """
    if out is not None:
        return written(out, "huber_loss", (), huber_loss, input, target, reduction, delta)
    return bind(_HUBER_LOSS, (input, target), (), (integer(reduction), static_number(delta)))


def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = 1, *,
                         out: Tensor | None = None) -> Tensor:
    """The cross entropy of probabilities `target` and `self`, reduced.

    Args:
        input: Tensor of any shape.
        target: what `input` should be, of its shape or of classes.
        weight: the weights.
        reduction: 0: none, 1: the mean, 2: the sum.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.binary_cross_entropy.html
    """
    if out is not None:
        return written(out, "binary_cross_entropy", (), binary_cross_entropy, input, target, weight, reduction)
    return bind(_BINARY_CROSS_ENTROPY, (input, target, weight), (), (integer(reduction),))


def nll_loss_forward(input: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int, *,
                     out: Sequence[Tensor] | None = None) -> return_types.nll_loss_forward:
    """(N, C) or (C) log-probabilities at the target classes; the second result is the sum of weights.

    Args:
        input: Tensor of any shape.
        target: what `input` should be, of its shape or of classes.
        weight: the weights.
        reduction: 0: none, 1: the mean, 2: the sum.
        ignore_index: a class that counts nothing.
        out: written to and returned; resized if it has no elements.

    Returns:
        A named tuple of Tensors: output, total_weight.

    https://pytorch.org/docs/stable/generated/torch.nll_loss_forward.html
    """
    if out is not None:
        return written(out, "nll_loss_forward", (), nll_loss_forward, input, target, weight, reduction, ignore_index)
    return return_types.nll_loss_forward(*bind(_NLL_LOSS_FORWARD, (input, target, weight), (), (integer(reduction),
        integer(ignore_index))))


def nll_loss2d_forward(input: Tensor, target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int, *,
                       out: Sequence[Tensor] | None = None) -> return_types.nll_loss2d_forward:
    """(N, C, H, W) log-probabilities at target classes (N, H, W).

    Args:
        input: Tensor of any shape.
        target: what `input` should be, of its shape or of classes.
        weight: the weights.
        reduction: 0: none, 1: the mean, 2: the sum.
        ignore_index: a class that counts nothing.
        out: written to and returned; resized if it has no elements.

    Returns:
        A named tuple of Tensors: output, total_weight.

    https://pytorch.org/docs/stable/generated/torch.nll_loss2d_forward.html
    """
    if out is not None:
        return written(out, "nll_loss2d_forward", (), nll_loss2d_forward, input, target, weight, reduction, ignore_index)
    return return_types.nll_loss2d_forward(*bind(_NLL_LOSS2D_FORWARD, (input, target, weight), (), (integer(reduction),
        integer(ignore_index))))


def multi_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None, p: int, margin: Number, reduction: int, *,
                      out: Tensor | None = None) -> Tensor:
    """By how much other classes come nearer than `margin` to the target's, to the power of `p`, reduced.

    Args:
        input: Tensor of any shape.
        target: what `input` should be, of its shape or of classes.
        weight: the weights.
        p: the exponent, or the probability.
        margin: the margin.
        reduction: 0: none, 1: the mean, 2: the sum.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.multi_margin_loss.html
    """
    if out is not None:
        return written(out, "multi_margin_loss", (), multi_margin_loss, input, target, weight, p, margin, reduction)
    return bind(_MULTI_MARGIN_LOSS, (input, target, weight), (), (integer(p), static_number(margin), integer(reduction)))


def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: int, *, out: Tensor | None = None) -> Tensor:
    """By how much other classes come nearer than 1 to each of the targets, reduced.

    Args:
        input: Tensor of any shape.
        target: what `input` should be, of its shape or of classes.
        reduction: 0: none, 1: the mean, 2: the sum.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.multilabel_margin_loss.html
    """
    if out is not None:
        return written(out, "multilabel_margin_loss", (), multilabel_margin_loss, input, target, reduction)
    return bind(_MULTILABEL_MARGIN_LOSS, (input, target), (), (integer(reduction),))


def reflection_pad1d(input: Tensor, padding: int | Sequence[int], *, out: Tensor | None = None) -> Tensor:
    """Padded by the elements next to the edges, mirrored.

    Args:
        input: Tensor of any shape.
        padding: how much is added on both sides of each spatial dimension.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.reflection_pad1d.html
    """
    if out is not None:
        return written(out, "reflection_pad1d", (), reflection_pad1d, input, padding)
    return bind(_REFLECTION_PAD1D, (input,), (), (int_list(padding),))


def replication_pad1d(input: Tensor, padding: int | Sequence[int], *, out: Tensor | None = None) -> Tensor:
    """Padded by copies of the elements at the edges.

    Args:
        input: Tensor of any shape.
        padding: how much is added on both sides of each spatial dimension.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.replication_pad1d.html
    """
    if out is not None:
        return written(out, "replication_pad1d", (), replication_pad1d, input, padding)
    return bind(_REPLICATION_PAD1D, (input,), (), (int_list(padding),))


def reflection_pad2d(input: Tensor, padding: int | Sequence[int], *, out: Tensor | None = None) -> Tensor:
    """Padded by the elements next to the edges, mirrored.

    Args:
        input: Tensor of any shape.
        padding: how much is added on both sides of each spatial dimension.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.reflection_pad2d.html
    """
    if out is not None:
        return written(out, "reflection_pad2d", (), reflection_pad2d, input, padding)
    return bind(_REFLECTION_PAD2D, (input,), (), (int_list(padding),))


def replication_pad2d(input: Tensor, padding: int | Sequence[int], *, out: Tensor | None = None) -> Tensor:
    """Padded by copies of the elements at the edges.

    Args:
        input: Tensor of any shape.
        padding: how much is added on both sides of each spatial dimension.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.replication_pad2d.html
    """
    if out is not None:
        return written(out, "replication_pad2d", (), replication_pad2d, input, padding)
    return bind(_REPLICATION_PAD2D, (input,), (), (int_list(padding),))


def reflection_pad3d(input: Tensor, padding: int | Sequence[int], *, out: Tensor | None = None) -> Tensor:
    """Padded by the elements next to the edges, mirrored.

    Args:
        input: Tensor of any shape.
        padding: how much is added on both sides of each spatial dimension.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.reflection_pad3d.html
    """
    if out is not None:
        return written(out, "reflection_pad3d", (), reflection_pad3d, input, padding)
    return bind(_REFLECTION_PAD3D, (input,), (), (int_list(padding),))


def replication_pad3d(input: Tensor, padding: int | Sequence[int], *, out: Tensor | None = None) -> Tensor:
    """Padded by copies of the elements at the edges.

    Args:
        input: Tensor of any shape.
        padding: how much is added on both sides of each spatial dimension.
        out: written to and returned; resized if it has no elements.

    Returns:
        A Tensor.

    https://pytorch.org/docs/stable/generated/torch.replication_pad3d.html
    """
    if out is not None:
        return written(out, "replication_pad3d", (), replication_pad3d, input, padding)
    return bind(_REPLICATION_PAD3D, (input,), (), (int_list(padding),))
