"""Floats of 8 bits: PyTorch stores and converts them, and computes almost nothing with them.

Facts from https://pytorch.org/docs/stable/tensor_attributes.html#torch.dtype, compared with torch, all 256 patterns, in
tests/ops/test_float8.py.
"""

import numpy as np

from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError

# Functions that work on them, beside views.
_WORKS = frozenset(str.split(
    "_to_copy _constant _contiguous _detach _eye _fill _fill_tensor _full _full_like _ones _zero _zeros alias_copy all any "
    "block_diag cat clone conj_physical constant_pad_nd copy diag_embed diagonal_copy diagonal_scatter embedding eq "
    "expand_copy index index_put index_select isnan masked_select mul narrow_copy ne permute_copy repeat roll rot90 "
    "select_scatter slice_scatter split_with_sizes_copy squeeze_copy stack t_copy unfold_copy unsqueeze_copy view_copy "
    "where"))
_WORKS_ON_SOME = {"abs": dt.FLOAT8[:4], "isfinite": (dt.float8_e5m2, dt.float8_e8m0fnu), "isinf": (dt.float8_e5m2,)}
# PyTorch's are slower than a conversion, and round as its processor does.
_PRODUCTS = frozenset(str.split("addbmm addmm linalg_vector_norm mm"))
# What PyTorch's kernels are called in its errors, where that is not the function's name with "_cpu".
_KERNELS = {name: kernel for kernel, names in {
    "add_stub": "add sub rsub dist", "addcdiv_cpu_out": "addcdiv", "addcmul_cpu_out": "addcmul",
    "addmv_impl_cpu": "addmv mv", "argmax_cpu": "argmax", "bmm": "bmm", "cumprod_out_cpu": "cumprod",
    "cumsum_out_cpu": "cumsum", "div_floor_cpu": "floor_divide", "dot": "dot vdot", "elu_cpu": "elu celu", "exp2": "exp2",
    "gather_expanded_index": "gather", "index_add_": "index_add", "isfinite": "isfinite", "isinf": "isinf",
    "lerp_kernel_scalar": "lerp", "logcumsumexp_out_cpu": "logcumsumexp", "masked_fill": "masked_fill",
    "masked_scatter": "masked_scatter", "max_all": "max", "max_values_cpu": "amax logsumexp", "min_all": "min",
    "min_values_cpu": "amin", "nan_to_num": "nan_to_num", "nonzero_count_cpu": "count_nonzero",
    "pow": "pow _pow_static ldexp",
    "prod_out_cpu": "prod", "clamp_min_scalar_cpu": "relu", "scatter_gather_scalar_cpu": "scatter",
    "sigmoid_cpu_reduced_float": "sigmoid", "sign_cpu": "sign sgn", "sorting_kernel_method_name": "sort argsort",
    "sum_cpu": "sum mean", "trace": "trace", "tril": "tril", "triu": "triu",
    **{f"{name}_vml_cpu": name for name in str.split(
        "acos asin atan ceil cos erf erfc erfinv exp expm1 floor lgamma log log10 log1p log2 round sin sqrt tan tanh "
        "trunc")},
}.items() for name in names.split()}


def check(row, spec, ins, compute, params) -> None:
    """An error, with PyTorch's text, where it has no kernel of `row` for the operands.

    Args:
        row: a row of the operator table.
        spec: of which operands, see `kernels.of_row`.
        ins: the Avals of its arrays.
        compute: the dtype in which it computes, or None.
        params: its parameters; dtypes among them count.

    Raises:
        NotImplementedError: there is no kernel.
        UnsupportedError: torchlike does not have PyTorch's, or not the dtype.
    """
    dtypes = (compute, *(a.dtype for a in ins), *params)
    found = next((d for d in dtypes if d in dt.FLOAT8 or d in dt.NAMES_ONLY), None)
    if found is None or (row.view is not None and found not in dt.NAMES_ONLY):
        return
    if found in (dt.complex32, dt.bcomplex32):
        raise UnsupportedError(f"{row.face.lstrip('_')} of {found}: JAX has no complex numbers of half precision")
    if row.face in _PRODUCTS:
        raise UnsupportedError(f"{row.face} of {found}: convert the operands to float32")
    kernel = _KERNELS.get(row.face, f"{row.face.lstrip('_')}_cpu")
    if row.face == "mul" and any(isinstance(kind, type) for kind in spec):
        kernel = "mul_cpu_reduced_float"
    elif found in _WORKS_ON_SOME.get(row.face, dt.FLOAT8 if row.face in _WORKS else ()):
        return
    raise NotImplementedError(f"\"{kernel}\" not implemented for '{found.scalar_name}'")


def rounded(x, dtype, xp):
    """Numbers as floats of 8 bits, rounded as PyTorch rounds.

    Args:
        x: an array of real numbers.
        dtype: one of `dtypes.FLOAT8`.
        xp: numpy, or jax.numpy for its arrays.

    Returns: an array of `dtype`, of the shape of `x`.
    """
    x = x.astype(np.float32)
    if dtype is dt.float8_e8m0fnu:
        return _exponent(x, xp).view(dtype.np)
    if dtype is dt.float8_e4m3fn:  # has no infinity, and what is too large becomes the largest number
        x = xp.minimum(xp.maximum(x, np.float32(-448)), np.float32(448))
    made = x.astype(dtype.np)
    if dtype is dt.float8_e5m2:  # of its nans PyTorch takes the one with all bits set
        made = (made.view(np.uint8) | xp.isnan(x).astype(np.uint8)).view(dtype.np)
    return made


def _exponent(x, xp):
    """The nearest power of two of float32 numbers, whatever their sign, as its exponent plus 127."""
    bits = x.view(np.uint32)
    exponent, fraction = (bits >> 23) & 255, bits & 0x7FFFFF
    up = (fraction > 0x400000) | ((fraction == 0x400000) & (exponent > 0))
    return (exponent + (up & (exponent < 255)).astype(np.uint32)).astype(np.uint8)
