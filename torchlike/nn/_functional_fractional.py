"""Fractional max pooling of `torch.nn.functional`.

https://pytorch.org/docs/stable/nn.functional.html#fractional-max-pool2d
"""

from torchlike import _api
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import is_grad_enabled
from torchlike.nn._sizes import _pair, _triple


def _output_size(name, input, rank, output_size, output_ratio, full):
    if output_size is not None:
        return output_size
    if output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if rank == 2 and len(output_ratio) > 2:
        raise ValueError(f"{name} requires output_ratio to either be a single Int or tuple of Ints.")
    ratios = full(output_ratio)
    return [int(input.size(d - rank) * ratios[d]) for d in range(rank)]


def _samples(input, rank, given):
    """The random numbers that place the windows: (N, C, rank) uniform ones unless they are given."""
    if given is not None:
        if given.requires_grad and is_grad_enabled():
            raise RuntimeError(f"The function 'fractional_max_pool{rank}d' is not differentiable with respect to argument "
                               "'random_samples'. This input cannot have requires_grad True.")
        return given
    batch = 1 if input.dim() == rank + 1 else input.size(0)
    return _api.rand(batch, input.size(-rank - 1), rank, dtype=input.dtype, device=input.device)


def fractional_max_pool2d_with_indices(input: Tensor, kernel_size, output_size=None, output_ratio=None,
                                       return_indices: bool = False, _random_samples: Tensor | None = None):
    """`fractional_max_pool2d` with `return_indices`.

    Args:
        As for `fractional_max_pool2d`.

    Returns:
        (maxima, positions), as for `fractional_max_pool2d`.
    """
    size = _output_size("fractional_max_pool2d", input, 2, output_size, output_ratio, _pair)
    return _api.fractional_max_pool2d(input, kernel_size, size, _samples(input, 2, _random_samples))


def fractional_max_pool3d_with_indices(input: Tensor, kernel_size, output_size=None, output_ratio=None,
                                       return_indices: bool = False, _random_samples: Tensor | None = None):
    """`fractional_max_pool3d` with `return_indices`.

    Args:
        As for `fractional_max_pool3d`.

    Returns:
        (maxima, positions), as for `fractional_max_pool3d`.
    """
    size = _output_size("fractional_max_pool3d", input, 3, output_size, output_ratio, _triple)
    return _api.fractional_max_pool3d(input, kernel_size, size, _samples(input, 3, _random_samples))


def fractional_max_pool2d(input: Tensor, kernel_size, output_size=None, output_ratio=None, return_indices: bool = False,
                          _random_samples: Tensor | None = None):
    """The maxima of randomly placed windows, so that extents shrink by any ratio.
    https://pytorch.org/docs/stable/generated/torch.nn.FractionalMaxPool2d.html

    Args:
        input: (N, C, H, W) or (C, H, W).
        kernel_size: the extents of a window; two numbers, or one for both.
        output_size: the output's extents; two numbers, or one for both.
        output_ratio: the output's extents as shares of the input's, between 0 and 1; used where `output_size` is None.
        return_indices: whether to return positions, too.

    Returns:
        (N, C, H_out, W_out) or without N. With `return_indices` a pair of it and the maxima's positions in the flattened
        spatial dimensions, int64. The default generator places the windows.

    Raises:
        ValueError: neither `output_size` nor `output_ratio` is given.
        RuntimeError: the windows do not fit into `input`.
    """
    out = fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
    return out if return_indices else out[0]


def fractional_max_pool3d(input: Tensor, kernel_size, output_size=None, output_ratio=None, return_indices: bool = False,
                          _random_samples: Tensor | None = None):
    """`fractional_max_pool2d` of volumes.
    https://pytorch.org/docs/stable/generated/torch.nn.FractionalMaxPool3d.html

    Args:
        input: (N, C, T, H, W) or (C, T, H, W).
        The others as for `fractional_max_pool2d`, with three numbers.

    Returns:
        (N, C, T_out, H_out, W_out) or without N, or a pair as for `fractional_max_pool2d`.

    Raises:
        As for `fractional_max_pool2d`.
    """
    out = fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
    return out if return_indices else out[0]
