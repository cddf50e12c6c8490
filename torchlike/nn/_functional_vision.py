"""Resampling of images: `interpolate`, `grid_sample`, `affine_grid`.

https://pytorch.org/docs/stable/nn.functional.html#vision-functions
"""

import math
import warnings

from torchlike import _api
from torchlike._api.generated import ops
from torchlike._record.tensor import Tensor

_LINEAR = {3: "linear", 4: "bilinear", 5: "trilinear"}
_UNALIGNED = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details.")


def interpolate(input: Tensor, size=None, scale_factor=None, mode: str = "nearest", align_corners: bool | None = None,
                recompute_scale_factor: bool | None = None, antialias: bool = False) -> Tensor:
    """Resizes the spatial dimensions.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.interpolate.html

    Args:
        input: (N, C, *) with one to three spatial dimensions, of floating dtype.
        size: the output's extents, one number for all or one for each; either this or `scale_factor`.
        scale_factor: the factors of the extents, in the same form; sizes are rounded down.
        mode: "nearest", "nearest-exact", "area", or by the number of spatial dimensions "linear" (1), "bilinear" or
            "bicubic" (2), "trilinear" (3).
        align_corners: whether the centres of the corner pixels coincide instead of the corners; only for the linear and
            cubic modes.
        recompute_scale_factor: whether coordinates use the ratio of the rounded sizes instead of `scale_factor`.
        antialias: whether to smooth when scaling down; only for "bilinear" and "bicubic".

    Returns:
        (N, C, *size).

    Raises:
        ValueError: both or none of `size` and `scale_factor`, a wrong number of them, or an option that the mode does not
            take.
        NotImplementedError: the mode does not take so many dimensions.
    """
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | "
                             "bicubic | trilinear")
    elif align_corners is None:
        align_corners = False
    rank = input.dim() - 2
    size, scales = _target(input, rank, size, scale_factor, mode, recompute_scale_factor)
    if antialias and not (mode in ("bilinear", "bicubic") and input.dim() == 4):
        raise ValueError("Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as input")
    if mode == "area":
        return getattr(_api, f"adaptive_avg_pool{rank}d")(input, size)
    name = _operator(input, rank, mode, antialias)
    return getattr(ops, name)(input, size, bool(align_corners), scales)


def _target(input, rank, size, scale_factor, mode, recompute):
    """(output size, scales or None)."""
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None:
        sizes = list(size) if isinstance(size, list | tuple) else [size] * rank
        if len(sizes) != rank:
            raise ValueError("Input and output must have the same number of spatial dimensions, but got input with spatial "
                             f"dimensions of {list(input.shape[2:])} and output size of {size}. Please provide input tensor "
                             "in (N, C, d1, d2, ...,dK) format and output size in (o1, o2, ...,oK) format.")
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return tuple(int(s) for s in sizes), None
    factors = list(scale_factor) if isinstance(scale_factor, list | tuple) else [scale_factor] * rank
    if len(factors) != rank:
        raise ValueError("Input and scale_factor must have the same number of spatial dimensions, but got input with "
                         f"spatial dimensions of {list(input.shape[2:])} and scale_factor of shape {scale_factor}. Please "
                         "provide input tensor in (N, C, d1, d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) "
                         "format.")
    found = tuple(math.floor(float(n) * float(f)) for n, f in zip(input.shape[2:], factors, strict=True))
    return found, None if recompute or mode == "area" else tuple(float(f) for f in factors)


def _operator(input, rank, mode, antialias) -> str:
    if mode in ("nearest", "nearest-exact") and 1 <= rank <= 3:
        return f"upsample_nearest{rank}d" if mode == "nearest" else f"_upsample_nearest_exact{rank}d"
    if mode in ("bilinear", "bicubic") and rank == 2:
        return f"_upsample_{mode}2d_aa" if antialias else f"upsample_{mode}2d"
    if mode == _LINEAR.get(input.dim()):
        return f"upsample_{mode}{rank}d"
    if mode in _LINEAR.values() and 3 <= input.dim() <= 5:
        wanted = next(k for k, v in _LINEAR.items() if v == mode)
        raise NotImplementedError(f"Got {input.dim()}D input, but {mode} mode needs {wanted}D input")
    raise NotImplementedError("Input Error: Only 3D, 4D and 5D input Tensors supported (got "
                              f"{input.dim()}D) for the modes: nearest | linear | bilinear | bicubic | trilinear | "
                              f"lanczos | area | nearest-exact (got {mode})")


def upsample(input: Tensor, size=None, scale_factor=None, mode: str = "nearest",
             align_corners: bool | None = None) -> Tensor:
    """The deprecated name of `interpolate`, which warns.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.upsample.html

    Args:
        As for `interpolate`.

    Returns:
        As for `interpolate`.
    """
    warnings.warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size=None, scale_factor=None) -> Tensor:
    """The deprecated form of `interpolate` with mode "nearest", which warns.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.upsample_nearest.html

    Args:
        As for `interpolate`.

    Returns:
        As for `interpolate`.
    """
    warnings.warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Tensor, size=None, scale_factor=None) -> Tensor:
    """The deprecated form of `interpolate` with mode "bilinear" and aligned corners, which warns.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.upsample_bilinear.html

    Args:
        As for `interpolate`.

    Returns:
        As for `interpolate`.
    """
    warnings.warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=2)
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


def grid_sample(input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros",
                align_corners: bool | None = None) -> Tensor:
    """The values of an image or volume at given points.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.grid_sample.html

    Args:
        input: (N, C, H, W) or (N, C, D, H, W).
        grid: (N, H_out, W_out, 2) or (N, D_out, H_out, W_out, 3): coordinates (x, y) or (x, y, z), from -1 to 1 over the
            input.
        mode: "bilinear", "nearest", or for images "bicubic".
        padding_mode: what lies outside: "zeros", "border" (the nearest edge) or "reflection".
        align_corners: whether -1 and 1 are the centres of the corner pixels instead of their outer edges. None warns and
            means False.

    Returns:
        (N, C, H_out, W_out) or (N, C, D_out, H_out, W_out).

    Raises:
        ValueError: an unknown `mode` or `padding_mode`.
    """
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: "
                         f"'{mode}'")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but "
                         f"got: '{padding_mode}'")
    if align_corners is None:
        warnings.warn(_UNALIGNED, stacklevel=2)
        align_corners = False
    return _api.grid_sampler(input, grid, ("bilinear", "nearest", "bicubic").index(mode),
                             ("zeros", "border", "reflection").index(padding_mode), align_corners)


def affine_grid(theta: Tensor, size, align_corners: bool | None = None) -> Tensor:
    """The points of an affine map, for `grid_sample`.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.affine_grid.html

    Args:
        theta: (N, 2, 3) or (N, 3, 4), of floating dtype; from output to input coordinates.
        size: (N, C, H, W) or (N, C, D, H, W) of the output.
        align_corners: as for `grid_sample`.

    Returns:
        (N, H, W, 2) or (N, D, H, W, 3), of the dtype of `theta`.

    Raises:
        ValueError: `theta` has a wrong shape or dtype, or `size` is not positive.
        NotImplementedError: `size` has not 4 or 5 entries.
    """
    if align_corners is None:
        warnings.warn(_UNALIGNED, stacklevel=2)
        align_corners = False
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    rank = {4: 2, 5: 3}.get(len(size))
    if rank is None:
        raise NotImplementedError("affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively."
                                  f" Got size {size}.")
    if theta.dim() != 3 or tuple(theta.shape[-2:]) != (rank, rank + 1):
        raise ValueError(f"Expected a batch of {rank}D affine matrices of shape Nx{rank}x{rank + 1} for size {size}. Got "
                         f"{theta.shape}.")
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    axes = [_points(theta, n, align_corners) for n in size[2:]]
    mesh = _api.meshgrid(*axes, indexing="ij")
    base = _api.stack([*reversed(mesh), _api.ones_like(mesh[0])], -1)
    flat = base.view(1, -1, rank + 1).expand(theta.shape[0], -1, -1)
    return flat.bmm(theta.transpose(1, 2)).view(theta.shape[0], *size[2:], rank)


def _points(theta, n, align_corners):
    if n == 1:
        return _api.zeros(1, dtype=theta.dtype, device=theta.device)
    points = _api.linspace(-1, 1, n, dtype=theta.dtype, device=theta.device)
    return points if align_corners else points * ((n - 1) / n)
