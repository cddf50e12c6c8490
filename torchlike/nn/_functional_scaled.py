"""`torch.nn.functional.scaled_mm`: products of scaled float8 matrices, as PyTorch's kernel for the CPU has them."""

from __future__ import annotations

import enum

from torchlike._api.linear import matmul
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


_WHOLE, _ROWS = [ScalingType.TensorWise.value], [ScalingType.RowWise.value]


def _listed(value) -> list:
    return [] if value is None else value if isinstance(value, list) else [value]


def _numbers(kinds) -> list:
    return [kind.value for kind in _listed(kinds)]


def _invalid(a, b, scales) -> ValueError:
    """PyTorch's error for scales that its kernel for the CPU has not."""
    told = []
    for name, x, given in zip("ab", (a, b), scales, strict=True):
        told.append(f"mat_{name}.dtype()={x.dtype.scalar_name}")
        if given:
            scale = given[0]
            told.append(f"scale_{name}.dtype()={scale.dtype.scalar_name}")
            told += [f"scale_{name}.size()={list(scale.shape)}", f"scale_{name}.stride()={list(scale.stride())}"]
        else:
            told.append(f"scale_{name}=None")
    return ValueError(
        "Invalid scaling configuration.\n- For TensorWise scaling, a and b should be float8, scales should be float and "
        "singletons.\n- For RowWise scaling, a and b should be float8, scales should be float, scale_a should be "
        f"({a.shape[0]}, 1) and scale_b should be (1, {b.shape[1]}), and both should be contiguous.\n"
        f"Got {', '.join(told[:-1])} and {told[-1]}")


def _check_matrices(a, b, bias, contraction_dim) -> None:
    for name, x in (("a", a), ("b", b)):
        if x.ndim != 2:
            raise ValueError(f"mat_{name} must be a matrix")
    if len(contraction_dim) not in (0, 2):
        raise ValueError("contraction_dim must have exactly 2 elements")
    inner = tuple(contraction_dim) or (1, 0)
    if a.shape[inner[0]] != b.shape[inner[1]]:
        shapes = f"{a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]}"
        where = f" with contraction dims mat_a: {inner[0]}, mat_b: {inner[1]}" if contraction_dim else ""
        raise ValueError(f"mat_a and mat_b shapes cannot be multiplied ({shapes}){where}")
    if bias is not None and bias.numel() != b.shape[1]:
        raise ValueError(f"Bias must be size {b.shape[1]} but got {bias.numel()}")
    if bias is not None and bias.dtype not in (dt.float32, dt.bfloat16, dt.float16):
        raise ValueError(f"Bias must be Float32 or BFloat16 or Half, but got {bias.dtype.scalar_name}")


def _check_scales(a, b, scales, recipes) -> None:
    known = recipes[0] == recipes[1] in (_WHOLE, _ROWS) and all(
        len(given) == 1 and given[0].dtype is dt.float32 for given in scales)
    if not known or not all(x.dtype in dt.FLOAT8 for x in (a, b)):
        raise _invalid(a, b, scales)
    for name, (scale,) in zip("ab", scales, strict=True):
        if recipes[0] == _WHOLE and scale.numel() != 1:
            raise ValueError(f"scale_{name} must have 1 Float element")
        if recipes[0] == _ROWS and not scale.ndim:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")


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
    recipes = _numbers(scale_recipe_a), _numbers(scale_recipe_b)
    swizzles = _numbers(swizzle_a), _numbers(swizzle_b)
    scales = tuple([scale for scale in _listed(given) if scale is not None] for given in (scale_a, scale_b))
    _check_matrices(mat_a, mat_b, bias, contraction_dim)
    if all(swizzles) and (swizzles[0][0] or swizzles[1][0]):  # one alone is not looked at
        raise ValueError("CPU does not support swizzle.")
    _check_scales(mat_a, mat_b, scales, recipes)
    out = matmul(mat_a.to(dt.float32) * scales[0][0], mat_b.to(dt.float32) * scales[1][0])
    if bias is not None:
        out = out + bias.to(dt.float32)
    return out.to(mat_a.dtype if output_dtype is None else output_dtype)


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

