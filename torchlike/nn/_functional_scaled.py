"""`torch.nn.functional.scaled_mm`, and what its scales are of."""

from __future__ import annotations

import enum

from torchlike._api.scaled import _scaled_mm_v2
from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError
from torchlike._record.tensor import Tensor


class ScalingType(enum.Enum):
    """Which elements of a matrix have a scale in common."""

    TensorWise = 0
    RowWise = 1
    BlockWise1x16 = 2
    BlockWise1x32 = 3
    BlockWise1x128 = 4
    BlockWise128x128 = 5

    def __int__(self):
        return self.value

    def __repr__(self):
        return f"<_{type(self).__name__}.{self.name}: {self.value}>"


class SwizzleType(enum.Enum):
    """How the scales of blocks lie in memory."""

    NO_SWIZZLE = 0
    SWIZZLE_32_4_4 = 1

    def __int__(self):
        return self.value

    def __repr__(self):
        return f"<_{type(self).__name__}.{self.name}: {self.value}>"


def _listed(value) -> list:
    return [] if value is None else value if isinstance(value, list) else [value]


def _numbers(kinds) -> list:
    return [kind.value for kind in _listed(kinds)]


def scaled_mm(mat_a: Tensor, mat_b: Tensor, scale_a: Tensor | list[Tensor],
              scale_recipe_a: ScalingType | list[ScalingType], scale_b: Tensor | list[Tensor],
              scale_recipe_b: ScalingType | list[ScalingType], swizzle_a: SwizzleType | list[SwizzleType] | None = None,
              swizzle_b: SwizzleType | list[SwizzleType] | None = None, bias: Tensor | None = None,
              output_dtype: dt.dtype | None = dt.bfloat16, contraction_dim: list[int] | tuple[int, ...] = (),
              use_fast_accum: bool = False) -> Tensor:
    """(mat_a * scale_a) @ (mat_b * scale_b) + bias of float8 matrices, in float32. Scales are of whole matrices (TensorWise)
    or of the rows of the first and the columns of the second (RowWise), as in PyTorch's kernel for the CPU; on a GPU, too.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.scaled_mm.html

    Args:
        mat_a, mat_b: float8 matrices.
        scale_a, scale_b: float32, of one element, or (m, 1) and (1, n); alone or in a list.
        scale_recipe_a, scale_recipe_b: `ScalingType`, which of both; alone or in a list.
        swizzle_a, swizzle_b: None, or both `SwizzleType.NO_SWIZZLE`.
        bias: (n), floating; added before the result is rounded.
        output_dtype: that of the result; None means that of `mat_a`.
        contraction_dim: the dimensions that are summed over, for a check.
        use_fast_accum: without effect.

    Returns:
        (m, n).

    Raises:
        ValueError: shapes that do not fit, a swizzle, or scales that are neither of the two kinds.
    """
    scales = ([scale for scale in _listed(given) if scale is not None] for given in (scale_a, scale_b))
    recipes = _numbers(scale_recipe_a), _numbers(scale_recipe_b)
    of_a, of_b = scales
    return _scaled_mm_v2(mat_a, mat_b, of_a, recipes[0], _numbers(swizzle_a), of_b, recipes[1], _numbers(swizzle_b), bias,
                         output_dtype, contraction_dim, use_fast_accum)


def scaled_grouped_mm(mat_a: Tensor, mat_b: Tensor, scale_a: Tensor | list[Tensor],
                      scale_recipe_a: ScalingType | list[ScalingType], scale_b: Tensor | list[Tensor],
                      scale_recipe_b: ScalingType | list[ScalingType],
                      swizzle_a: SwizzleType | list[SwizzleType] | None = None,
                      swizzle_b: SwizzleType | list[SwizzleType] | None = None, bias: Tensor | None = None,
                      offs: Tensor | None = None, output_dtype: dt.dtype | None = dt.bfloat16,
                      contraction_dim: list[int] | tuple[int, ...] = (), use_fast_accum: bool = False) -> Tensor:
    """Refused: PyTorch's kernels for it are of CUDA alone, so that on the CPU it raises NotImplementedError, too.
    https://pytorch.org/docs/stable/generated/torch.nn.functional.scaled_grouped_mm.html

    Args:
        mat_a, mat_b, scale_a, scale_recipe_a, scale_b, scale_recipe_b, swizzle_a, swizzle_b, bias, offs: not looked at.
        output_dtype, contraction_dim, use_fast_accum: not looked at.

    Raises:
        UnsupportedError: always.
    """
    raise UnsupportedError("torch.nn.functional.scaled_grouped_mm is not supported: PyTorch's kernels are of CUDA alone")

