"""Reshaping layers. https://pytorch.org/docs/stable/generated/torch.nn.Flatten.html"""

from torchlike._record.tensor import Tensor
from torchlike.nn.modules.module import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """Makes neighbouring dimensions one.
    https://pytorch.org/docs/stable/generated/torch.nn.Flatten.html

    Args:
        start_dim, end_dim: the first and the last of them.

    Shape:
        (N, *) to (N, product of *), by default.
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Makes one dimension several.
    https://pytorch.org/docs/stable/generated/torch.nn.Unflatten.html

    Args:
        dim: the dimension.
        unflattened_size: a tuple or list of the new extents; one may be -1.

    Shape:
        (*, S, *) to (*, *unflattened_size, *).

    Raises:
        TypeError: `unflattened_size` is no tuple or list of integers.
    """

    def __init__(self, dim: int, unflattened_size):
        super().__init__()
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError("unflattened_size must be a tuple of ints, but found type "
                            f"{type(unflattened_size).__name__}")
        for i, size in enumerate(unflattened_size):
            if not isinstance(size, int):
                raise TypeError("unflattened_size must be tuple of ints, but found element of type "
                                f"{type(size).__name__} at pos {i}")
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"
