"""What ``out=`` of another dtype than the result's means to PyTorch: an error, with its text, or that the operator
computes in that dtype. All other operators cast.
"""

from torchlike._base import dtypes as dt
from torchlike._ops import promotion

_EXPECTED = "Expected out tensor to have dtype {result.cpp_name}, but got {out.cpp_name} instead"
_FOUND = "Found dtype {out.scalar_name} but expected {result.scalar_name}"
_SCALAR_TYPE = "expected scalar_type {result.scalar_name} but found {out.scalar_name}"
_QUANTILE = "quantile() out tensor must be same dtype as the input tensor"
_HISTOGRAM = ("torch.histogram: input tensor and hist tensor should have the same dtype, but got input {result.cpp_name} "
              "and hist {out.cpp_name}")
_PRODUCT = "result dtype {out.scalar_name} does not match input dtype {result.scalar_name}"
_TENSORDOT = ("tensordot: Expected the output tensor to have dtype {result.scalar_name}, but got an output tensor with "
              "dtype {out.scalar_name}")
_EXTREMUM = ("Expected the dtype for input and out to match, but got {result.scalar_name} for input's dtype and "
             "{out.scalar_name} for out's dtype.")
_FALSE = ("to be true, but got false.  (Could this error message be improved?  If so, please report an enhancement "
          "request to PyTorch.)")
_OF = {
    _EXPECTED: """
        addmm addmv baddbmm bmm mm matmul cross linalg_cross linear renorm qr svd lu_unpack lu_solve triangular_solve
        linalg_det linalg_slogdet linalg_cholesky linalg_cholesky_ex linalg_eigh linalg_eigvalsh linalg_svd linalg_svdvals
        linalg_polar linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve linalg_lu linalg_lu_factor linalg_lu_factor_ex
        linalg_lu_solve linalg_qr linalg_inv linalg_inv_ex inverse slogdet linalg_solve linalg_solve_ex
        linalg_vector_norm norm diag diag_vector
        expand_copy diagonal_copy alias_copy as_strided_copy view_copy permute_copy unfold_copy squeeze_copy unsqueeze_copy
        transpose_copy t_copy slice_scatter max_dim min_dim gather index_copy index_add index_reduce sort msort topk scatter
        scatter_add
        scatter_reduce take_along_dim matrix_power_products
        tril triu aminmax argmax argmin softmax log_softmax avg_pool2d avg_pool3d isin sum
        mean_typed prod cumsum cumprod""",
    _FOUND: """abs bitwise_not ceil conj_physical frac floor softshrink hardshrink gelu neg round sign sgn trunc softplus
        lerp_tensor ihfft""",
    _SCALAR_TYPE: "cummax cummin logcumsumexp diff_none",
    _QUANTILE: "quantile nanquantile",
    _HISTOGRAM: "histc",
    _PRODUCT: "dot vdot matmul_dot",
    _TENSORDOT: "inner tensordot",
    _EXTREMUM: "amax amin",
    "addmv input tensors must have the same dtype, but got {out.scalar_name}, {result.scalar_name}, and "
    "{result.scalar_name}": "mv",
    "self and mat2 must have the same dtype, but got {out.scalar_name} and {result.scalar_name}": "addbmm",
    "masked_select(): self and result must have the same scalar type": "masked_select",
    "index_select(): self and result must have the same scalar type": "index_select",
    "heaviside is not yet implemented for tensors with different dtypes.": "heaviside",
    "torch.ormqr: Expected input and result to have the same dtype, but input has dtype{result.scalar_name} and result has "
    "dtype {out.scalar_name}": "ormqr",
    "nan_to_num: dtype of out: {out.scalar_name} should be same as input: {result.scalar_name}": "nan_to_num",
    "Expected out type to be {result.scalar_name} but got {out.scalar_name}": "where",
    "signbit does not support non-boolean outputs.": "signbit",
    "isposinf does not support non-boolean outputs.": "isposinf",
    "isneginf does not support non-boolean outputs.": "isneginf",
    "nonzero: Expected out tensor to have scalar type {result.scalar_name} but got scalar type{out.scalar_name}": "nonzero",
    "linalg.vecdot: Expected out of dtype{result.scalar_name} but found {out.scalar_name}": "linalg_vecdot",
    "multi_dot(): expected out tensor to have dtype {result.cpp_name} but got {out.cpp_name}": "linalg_multi_dot",
    "linalg.norm expected out tensor dtype {result.scalar_name} but got: {out.scalar_name}": "linalg_norm",
    "linalg.matrix_norm expected out tensor dtype {result.scalar_name} but got: {out.scalar_name}":
        "linalg_matrix_norm norm_nuc",
    "expected scalar type {result.scalar_name} but found {out.scalar_name}":
        "linalg_solve_triangular log_sigmoid native_batch_norm",
    "the output given to float_power has dtype {out.scalar_name} but the operation's result requires dtype "
    "{result.scalar_name}": "float_power",
    "multinomial expects Long tensor out, got: {out.scalar_name}": "multinomial",
    "Expected result to be of dtype uint64, but got {out.scalar_name}": "hash_tensor",
    "torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or Long(int64) depending on whether "
    "out_int32 flag is True, but we got output tensor's dtype {out.scalar_name} and out_int32 flag is {short}":
        "searchsorted bucketize",
    f"Expected self.dtype() == output.dtype() {_FALSE}": "narrow_copy",
    "nansum: provided dtype must match dtype of result. Got {out.scalar_name} and {result.scalar_name}.": "nansum nanmean",
}
# Those of several results, in their order.
_OF_EACH = {
    "frexp": ("torch.frexp() expects mantissa to have dtype {result.cpp_name} but got {out.cpp_name}",
              "torch.frexp() expects exponent to have {result.cpp_name} dtype but got {out.cpp_name}"),
    "kthvalue": ("output values must be of same type as input", "output indices must be of scalar type Long"),
    "mode": tuple(f"expected scalar type '{{result.scalar_name}}' but got '{{out.scalar_name}}' for {word} output"
                  for word in ("values", "indices")),
    "histogram": (_HISTOGRAM, "torch.histogram: input tensor and bin_edges tensor should have the same dtype, but got input "
                  "{result.cpp_name} and bin_edges {out.cpp_name} for dimension 0"),
}
# What is said where the result cannot be cast to the dtype of `out`.
_CAST = {
    "torch.cat(): input types can't be cast to the desired output type {out.scalar_name}":
        "cat stack hstack vstack dstack column_stack",
    "{name}: result type {operand.dtype.scalar_name} can't be cast to the desired output type {result.scalar_name}":
        "mvlgamma",
    "diag: result type {result.scalar_name} can't be cast to the desired out= type {out.scalar_name}": "diag_vector",
    "{name} can't be cast to the desired output type {out.scalar_name}": "ldexp",
    "result type Float can't be cast to the desired output type {out.scalar_name}": "mean",
    "mean.dtype_out(): input types can't be cast to the desired output type {out.scalar_name}": "mean_all",
    f"Expected canCast( typeMetaToScalarType(self.dtype()), typeMetaToScalarType(out.dtype())) {_FALSE}": "max_all min_all",
}
_SAFELY = {  # the same, of each result
    **{name: ((name, "result"),) for name in ("cholesky", "cholesky_inverse", "cholesky_solve", "matrix_power")},
    "matrix_power_products": (("matrix_power", "result"),),
    "linalg_cond": (("linalg.cond", "result"),),
    "linalg_pinv": (("linalg.pinv", "result"),), "linalg_matrix_rank": (("torch.linalg.matrix_rank", "result"),),
    "linalg_householder_product": (("torch.linalg.householder_product", "result"),),
    "linalg_tensorinv": (("tensorinv", "result"),), "linalg_tensorsolve": (("tensorsolve", "result"),),
    "linalg_eigvals": (("torch.linalg.eigvals", "eigenvalues"),), "geqrf": (("torch.geqrf", "a"), ("torch.geqrf", "tau")),
    "linalg_eig": (("torch.linalg.eig", "eigenvalues"), ("torch.linalg.eig", "eigenvectors")),
    "linalg_lstsq": tuple(("torch.linalg.lstsq", part) for part in ("solution", "solution", "rank", "singular_values")),
}
# What dtypes `out` may have at all, whatever the result's is.
_ALLOWED = {
    "{name} expects a complex output tensor, but got {out.scalar_name}":
        (lambda d: d.is_complex, "fft ifft rfft ihfft fft2 ifft2 rfft2 ihfft2 fftn ifftn rfftn ihfftn"),
    "{name} expects a floating point output tensor, but got {out.scalar_name}":
        (lambda d: d.is_floating_point, "hfft irfft hfft2 irfft2 hfftn irfftn"),
    "{name} only supports bool tensor for result, got: {out.scalar_name}":
        (lambda d: d in (dt.bool_, dt.uint8), "all any"),
    "{name}(): Expected floating point type for result tensor, but got: {out.scalar_name}":
        (lambda d: d.category >= dt.FLOAT, "logsumexp"),
    "heaviside is not yet implemented for complex tensors.": (lambda d: not d.is_complex, "heaviside"),
}
_TEXTS = {name: text for text, names in _OF.items() for name in names.split()} | _OF_EACH
_CASTS = {name: text for text, names in _CAST.items() for name in names.split()} | {name: tuple(
    f"{place}: Expected {part} to be safely castable from {{result.scalar_name}} dtype, but got {part} with dtype "
    "{out.scalar_name}" for place, part in parts) for name, parts in _SAFELY.items()}
_TRANSFORMS = {"ifft2": "fftn", "ifftn": "fftn"} | {f"{name}2": f"{name}n" for name in (
    "fft", "rfft", "hfft", "irfft", "ihfft")}  # by their names in errors
_KINDS = {name: (allows, text) for text, (allows, names) in _ALLOWED.items() for name in names.split()}
_IN_ITS_DTYPE = ("sum", "prod", "nansum", "nanmean", "cumsum", "cumprod")
_OF_BYTES = ("all", "any")  # for these an operand becomes bytes, too: 0.5 and 256 count as 0



def computed_for(name, out, args, kwargs) -> tuple:
    """(arguments, keyword arguments) with which PyTorch computes what it writes to `out`: some operators in its dtype."""
    if kwargs.get("dtype") is None and (name in _IN_ITS_DTYPE or (
            name == "mean" and args[1] is not None and min(args[0].dtype.category, out.dtype.category) >= dt.FLOAT)):
        if name.startswith("nan") and args[0].is_floating_point() and not out.is_floating_point():
            raise NotImplementedError(f"\"nansum_cpu\" not implemented for '{out.dtype.scalar_name}'")
        return args, {**kwargs, "dtype": out.dtype}
    if name in _OF_BYTES and out.dtype is dt.uint8:
        return (args[0].to(dt.uint8), *args[1:]), kwargs
    return args, kwargs


def check(name, out, result, args=(), kwargs=None) -> None:
    """An error where `out`, one tensor or several, may not have another dtype than the results of the operator.

    Args:
        name: PyTorch's name of the operator.
        out: what is to be written to.
        result: what it would be.
        args, kwargs: the arguments of the call; some operators have several forms.

    Raises: RuntimeError, or TypeError from `torch.cat` and functions made of it.
    """
    form = _FORMS[name](out, args, kwargs or {}) if name in _FORMS else name
    several = isinstance(out, tuple | list)
    for i, (given, made) in enumerate(zip(out, result, strict=False) if several else ((out, result),)):
        if given.dtype is not made.dtype:
            _check_one(name, form, i, given.dtype, made.dtype, args[0] if args else made)


def _check_one(name, form, i, out, result, operand):
    def told(texts):
        return (texts[i] if isinstance(texts, tuple) else texts).format(
            name=_TRANSFORMS.get(name, name), out=out, result=result, operand=operand, short=result is dt.int32)

    allows, text = _KINDS.get(name, (None, None))
    if allows is not None and not allows(out):
        raise RuntimeError(told(text))
    if form in _CASTS and not promotion.can_cast(result, out):
        raise (TypeError if "cat()" in _CASTS[form] else RuntimeError)(told(_CASTS[form]))
    if form in _TEXTS:
        raise RuntimeError(told(_TEXTS[form]))


def _extremum(name):
    """Along a dimension; of all elements; of two tensors, where `out` may have any dtype that the result can be cast to."""
    def form(out, args, kwargs):
        if isinstance(out, tuple | list):
            return f"{name}_dim"
        return f"{name}_all" if all(x is None for x in (*args[1:2], kwargs.get("other"))) else ""

    return form


def _power(out, args, kwargs):
    """PyTorch writes the last product to `out`, but for powers that it has a copy of."""
    return "matrix_power" if args[1] in (0, 1, 4) else "matrix_power_products"


def _is_scalar(x) -> bool:
    return getattr(x, "ndim", 0) == 0


# {name: the form of a call, under which the tables above have it}
_FORMS = {
    "abs": lambda out, args, kwargs: "" if args[0].is_complex() else "abs",
    "matrix_power": _power, "linalg_matrix_power": _power,
    "max": _extremum("max"), "min": _extremum("min"),
    "inner": lambda out, args, kwargs: "" if any(map(_is_scalar, args)) else "inner",
    "matmul": lambda out, args, kwargs: "matmul_dot" if all(x.ndim == 1 for x in args[:2]) else "matmul",
    "norm": lambda out, args, kwargs: "norm_nuc" if "nuc" in args else "norm",
    "diff": lambda out, args, kwargs: "diff" if args[1] else "diff_none",
    "lerp": lambda out, args, kwargs: "lerp" if _is_scalar(args[2]) else "lerp_tensor",
    "mean": lambda out, args, kwargs: "mean_typed" if kwargs.get("dtype") else "mean_all" if args[1] is None else "mean",
    "diag": lambda out, args, kwargs: "diag" if args[0].ndim != 1 else "diag_vector",
    "ldexp": lambda out, args, kwargs: "" if args[0].is_complex() and out.dtype.category >= dt.FLOAT else "ldexp",
    "ifft": lambda out, args, kwargs: "ifft" if args[0].is_complex() else "ihfft",
}
