"""All parameters as one vector, and back.

https://pytorch.org/docs/stable/generated/torch.nn.utils.parameters_to_vector.html
"""

from torchlike import _api
from torchlike._record.tensor import Tensor
from torchlike.nn._typename import typename


def parameters_to_vector(parameters) -> Tensor:
    """The elements of all `parameters`, in order, as one 1-d tensor. TypeError across devices."""
    parameters = list(parameters)
    _check_one_device(parameters)
    return _api.cat([param.view(-1) for param in parameters])


def vector_to_parameters(vec: Tensor, parameters) -> None:
    """Cuts `vec` up and puts the pieces into `parameters`' data. TypeError if it is no tensor."""
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
