"""Making a layer's parameters."""

from torchlike import _api
from torchlike._tensor import Parameter


def new_parameter(*shape, device=None, dtype=None) -> Parameter:
    """A Parameter of this shape whose values are still to be set."""
    return Parameter(_api.empty(shape, device=device, dtype=dtype))
