"""Products of scaled float8 matrices, as PyTorch's kernel for the CPU has them: behind `torch.nn.functional.scaled_mm`."""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.linear import matmul
from torchlike._api.out import written
from torchlike._base import dtypes as dt
from torchlike._record.tensor import Tensor

_WHOLE, _ROWS = [0], [1]  # the numbers of `ScalingType.TensorWise` and RowWise


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


def _check_matrices(a, b, names: tuple, kind, inner: tuple, where: str = "") -> None:
    for name, x in zip(names, (a, b), strict=True):
        if x.ndim != 2:
            raise kind(f"{name} must be a matrix")
    if a.shape[inner[0]] != b.shape[inner[1]]:
        shapes = f"{a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]}"
        raise kind(f"mat_a and mat_b shapes cannot be multiplied ({shapes}){where}")


def _check_bias(b, bias, kind) -> None:
    if bias is not None and bias.numel() != b.shape[1]:
        raise kind(f"Bias must be size {b.shape[1]} but got {bias.numel()}")


def _are_float8(a, b, scales) -> bool:
    return all(x.dtype in dt.FLOAT8 for x in (a, b)) and all(scale.dtype is dt.float32 for scale in scales)


def _product(a, b, scales, bias, dtype) -> Tensor:
    out = matmul(a.to(dt.float32) * scales[0], b.to(dt.float32) * scales[1])
    out = out if bias is None else out + bias.to(dt.float32)
    return out.to(a.dtype if dtype is None else dtype)


def _scaled_mm(input: Tensor, mat2: Tensor, scale_a: Tensor, scale_b: Tensor, bias: Tensor | None = None,
               scale_result: Tensor | None = None, out_dtype: dt.dtype | None = None, use_fast_accum: bool = False, *,
               out: Tensor | None = None) -> Tensor:
    """(input * scale_a) @ (mat2 * scale_b) + bias, where the shapes of the scales say whether they are of whole matrices
    or of rows and columns. `scale_result` and `use_fast_accum` have no effect, as on PyTorch's CPU."""
    if out is not None:
        return written(out, "_scaled_mm", (), _scaled_mm, input, mat2, scale_a, scale_b, bias, scale_result, out_dtype)
    _check_matrices(input, mat2, ("mat1", "mat2"), RuntimeError, (1, 0))
    if scale_result is not None and (scale_result.numel() != 1 or scale_result.dtype is not dt.float32):
        raise RuntimeError("scale_result must be a float scalar")
    _check_bias(mat2, bias, RuntimeError)
    scales = scale_a, scale_b
    rows = scale_a.shape == (input.shape[0], 1) and scale_b.shape == (1, mat2.shape[1]) and all(
        scale.is_contiguous() for scale in scales)
    if not _are_float8(input, mat2, scales) or not (rows or scale_a.numel() == scale_b.numel() == 1):
        raise _invalid(input, mat2, ([scale_a], [scale_b]))
    return _product(input, mat2, scales, bias, out_dtype)


def _scaled_mm_v2(input: Tensor, mat2: Tensor, scale_a: Sequence[Tensor], recipe_a: Sequence[int], swizzle_a: Sequence[int],
                  scale_b: Sequence[Tensor], recipe_b: Sequence[int], swizzle_b: Sequence[int], bias: Tensor | None,
                  out_dtype: dt.dtype | None, contraction_dim: Sequence[int] = (), use_fast_accum: bool = False) -> Tensor:
    """The same where recipes say what the scales are of: 0 whole matrices, 1 rows and columns. PyTorch's kernel for the CPU
    has no other ones."""
    if len(contraction_dim) not in (0, 2) and input.ndim == mat2.ndim == 2:
        raise ValueError("contraction_dim must have exactly 2 elements")
    inner = tuple(contraction_dim) if len(contraction_dim) == 2 else (1, 0)
    where = f" with contraction dims mat_a: {inner[0]}, mat_b: {inner[1]}" if contraction_dim else ""
    _check_matrices(input, mat2, ("mat_a", "mat_b"), ValueError, inner, where)
    _check_bias(mat2, bias, ValueError)
    if bias is not None and bias.dtype not in (dt.float32, dt.bfloat16, dt.float16):
        raise ValueError(f"Bias must be Float32 or BFloat16 or Half, but got {bias.dtype.scalar_name}")
    if swizzle_a and swizzle_b and (swizzle_a[0] or swizzle_b[0]):  # one alone is not looked at
        raise ValueError("CPU does not support swizzle.")
    scales, recipe = ([*scale_a], [*scale_b]), [*recipe_a]
    known = recipe == [*recipe_b] and recipe in (_WHOLE, _ROWS) and all(len(given) == 1 for given in scales)
    if not known or not _are_float8(input, mat2, (scales[0][0], scales[1][0])):
        raise _invalid(input, mat2, scales)
    for name, (scale,) in zip("ab", scales, strict=True):
        if recipe == _WHOLE and scale.numel() != 1:
            raise ValueError(f"scale_{name} must have 1 Float element")
        if recipe == _ROWS and not scale.ndim:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    return _product(input, mat2, (scales[0][0], scales[1][0]), bias, out_dtype)


FUNCTIONS: dict = {"_scaled_mm": _scaled_mm, "_scaled_mm_v2": _scaled_mm_v2}
