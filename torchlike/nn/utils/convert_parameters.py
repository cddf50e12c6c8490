"""All parameters as one vector, and back.

https://pytorch.org/docs/stable/generated/torch.nn.utils.parameters_to_vector.html
"""

from torchlike import _api
from torchlike._record.tensor import Tensor
from torchlike.nn._typename import typename


def parameters_to_vector(parameters) -> Tensor:
    """All elements of the parameters as one vector.

    Args:
        parameters: an iterable of tensors on one device.

    Returns:
        (total number of elements).

    Raises:
        TypeError: the parameters are on several devices.
    """
    parameters = list(parameters)
    _check_one_device(parameters)
    return _api.cat([param.view(-1) for param in parameters])


def vector_to_parameters(vec: Tensor, parameters) -> None:
    """Cuts a vector up, and makes the pieces the data of the parameters. The inverse of `parameters_to_vector`.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.vector_to_parameters.html

    Args:
        vec: (total number of elements).
        parameters: an iterable of tensors on one device.

    Raises:
        TypeError: `vec` is no tensor, or the parameters are on several devices.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {typename(vec)}")
    parameters = list(parameters)
    _check_one_device(parameters)
    start = 0
    for param in parameters:
        end = start + param.numel()
        param.data = vec[start:end].view_as(param).data
        start = end


def _check_one_device(parameters):
    if len({param.device for param in parameters}) > 1:
        raise TypeError("Found two parameters on different devices, this is currently not supported.")
