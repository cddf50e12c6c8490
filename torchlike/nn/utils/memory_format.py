"""The layout of the weights of convolutions. https://pytorch.org/docs/stable/generated/torch.nn.utils.convert_conv2d_weight_memory_format.html"""

from torchlike.nn.modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d


def convert_conv2d_weight_memory_format(module, memory_format):
    """Gives the weights of all Conv2d and ConvTranspose2d the strides of a memory format.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.convert_conv2d_weight_memory_format.html

    Args:
        module: the module; those inside it are changed, too.
        memory_format: a `torch.memory_format`.

    Returns:
        The module.
    """
    return _converted(module, memory_format, Conv2d | ConvTranspose2d)


def convert_conv3d_weight_memory_format(module, memory_format):
    """Gives the weights of all Conv3d and ConvTranspose3d the strides of a memory format.

    Args:
        As for `convert_conv2d_weight_memory_format`.

    Returns:
        The module.
    """
    return _converted(module, memory_format, Conv3d | ConvTranspose3d)


def _converted(module, memory_format, kinds):
    for each in module.modules():
        if isinstance(each, kinds):
            each.weight.data = each.weight.detach().clone(memory_format=memory_format)
    return module
