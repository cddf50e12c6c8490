"""Functions that an export would write as operators of ONNX; outside of one they say what Python could."""

from torchlike._api import reshape, tensor
from torchlike._base.dtypes import int64

__all__ = ["reshape_from_tensor_shape", "shape_as_tensor"]


def shape_as_tensor(x):
    """The shape as a tensor.

    Args:
        x: a Tensor.

    Returns:
        An int64 Tensor of one dimension, on the CPU.
    """
    return tensor(list(x.shape), dtype=int64, device="cpu")


def reshape_from_tensor_shape(x, shape):
    """`torch.reshape` with a tensor as the shape.

    Args:
        x: a Tensor.
        shape: an integer Tensor of one dimension.

    Returns:
        A Tensor.
    """
    return reshape(x, shape.tolist())
