"""The gradients of convolutions by themselves: `torch.nn.grad`.

https://github.com/pytorch/pytorch/blob/v2.13.0/torch/nn/grad.py
"""

from torchlike._record.tensor import Tensor
from torchlike.autograd.engine import grad as _grad
from torchlike.autograd.grad_mode import enable_grad, is_grad_enabled
from torchlike.nn._functional_conv import conv1d, conv2d, conv3d


def conv1d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1) -> Tensor:
    """The gradient of `conv1d` by its input.

    Args:
        input_size: the shape of the input.
        weight: (out channels, in channels / groups, width).
        grad_output: the gradient of the result.
        stride, padding, dilation, groups: as for `conv1d`.

    Returns:
        A Tensor of the shape `input_size`.
    """
    return _by_input(conv1d, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv1d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1) -> Tensor:
    """The gradient of `conv1d` by its weight.

    Args:
        input: (batch, in channels, width).
        weight_size: the shape of the weight.
        grad_output: the gradient of the result.
        stride, padding, dilation, groups: as for `conv1d`.

    Returns:
        A Tensor of the shape `weight_size`.
    """
    return _by_weight(conv1d, input, weight_size, grad_output, stride, padding, dilation, groups)


def conv2d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1) -> Tensor:
    """The gradient of `conv2d` by its input.

    Args:
        input_size: the shape of the input.
        weight: (out channels, in channels / groups, height, width).
        grad_output: the gradient of the result.
        stride, padding, dilation, groups: as for `conv2d`.

    Returns:
        A Tensor of the shape `input_size`.
    """
    return _by_input(conv2d, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv2d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1) -> Tensor:
    """The gradient of `conv2d` by its weight.

    Args:
        input: (batch, in channels, height, width).
        weight_size: the shape of the weight.
        grad_output: the gradient of the result.
        stride, padding, dilation, groups: as for `conv2d`.

    Returns:
        A Tensor of the shape `weight_size`.
    """
    return _by_weight(conv2d, input, weight_size, grad_output, stride, padding, dilation, groups)


def conv3d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1) -> Tensor:
    """The gradient of `conv3d` by its input.

    Args:
        input_size: the shape of the input.
        weight: (out channels, in channels / groups, depth, height, width).
        grad_output: the gradient of the result.
        stride, padding, dilation, groups: as for `conv3d`.

    Returns:
        A Tensor of the shape `input_size`.
    """
    return _by_input(conv3d, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv3d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1) -> Tensor:
    """The gradient of `conv3d` by its weight.

    Args:
        input: (batch, in channels, depth, height, width).
        weight_size: the shape of the weight.
        grad_output: the gradient of the result.
        stride, padding, dilation, groups: as for `conv3d`.

    Returns:
        A Tensor of the shape `weight_size`.
    """
    return _by_weight(conv3d, input, weight_size, grad_output, stride, padding, dilation, groups)


def _by_input(convolution, size, weight, grad_output, *geometry):
    return _by(0, convolution, grad_output.new_empty(1).expand(size), weight, grad_output, *geometry)


def _by_weight(convolution, input, size, grad_output, *geometry):
    return _by(1, convolution, input, grad_output.new_empty(1).expand(size), grad_output, *geometry)


def _by(place, convolution, input, weight, grad_output, *geometry) -> Tensor:
    """The gradient by the operand at `place`, which it does not depend on; with history where the others require grad."""
    operands = [input, weight]
    is_recorded = is_grad_enabled() and any(x.requires_grad for x in (*operands, grad_output))
    with enable_grad():
        leaf = operands[place] = operands[place].detach().requires_grad_()
        result = convolution(*operands, None, *geometry)
    return _grad(result, leaf, grad_output, create_graph=is_recorded)[0]
