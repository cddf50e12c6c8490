"""Operators whose ``out=`` must have the dtype of the result, and what PyTorch says of another. All others cast."""

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
_OF = {
    _EXPECTED: """
        addmm addmv baddbmm bmm mm matmul cross linalg_cross linear renorm qr svd lu_unpack lu_solve triangular_solve
        linalg_det linalg_slogdet linalg_cholesky linalg_cholesky_ex linalg_eigh linalg_eigvalsh linalg_svd linalg_svdvals
        linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve linalg_lu linalg_lu_factor linalg_lu_factor_ex
        linalg_lu_solve linalg_qr linalg_inv linalg_inv_ex linalg_solve linalg_solve_ex linalg_vector_norm norm
        expand_copy diagonal_copy alias_copy as_strided_copy view_copy permute_copy unfold_copy squeeze_copy unsqueeze_copy
        transpose_copy t_copy slice_scatter max min gather index_copy index_add index_reduce sort msort topk scatter
        scatter_add
        scatter_reduce take_along_dim tril triu diag aminmax argmax argmin softmax log_softmax avg_pool2d avg_pool3d""",
    _FOUND: """abs bitwise_not ceil conj_physical frac floor softshrink hardshrink gelu neg round sign sgn trunc softplus""",
    _SCALAR_TYPE: "cummax cummin logcumsumexp",
    _QUANTILE: "quantile nanquantile",
    _HISTOGRAM: "histogram histc",
    _PRODUCT: "dot vdot",
    _TENSORDOT: "inner tensordot",
    _EXTREMUM: "amax amin",
    "addmv input tensors must have the same dtype, but got {out.scalar_name}, {result.scalar_name}, and "
    "{result.scalar_name}": "mv",
    "self and mat2 must have the same dtype, but got {out.scalar_name} and {result.scalar_name}": "addbmm",
    "torch.frexp() expects mantissa to have dtype {result.cpp_name} but got {out.cpp_name}": "frexp",
    "output values must be of same type as input": "kthvalue",
    "expected scalar type '{result.scalar_name}' but got '{out.scalar_name}' for values output": "mode",
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
    "linalg.matrix_norm expected out tensor dtype {result.scalar_name} but got: {out.scalar_name}": "linalg_matrix_norm",
    "expected scalar type {result.scalar_name} but found {out.scalar_name}": "linalg_solve_triangular",
}
_ALONG_A_DIMENSION = ("max", "min")  # of two tensors, which have these names, too, `out` may have another dtype
TEXTS = {name: text for text, names in _OF.items() for name in names.split()}


def check(name, out, result) -> None:
    """RuntimeError where `out`, one tensor or several, may not have another dtype than the results of the operator."""
    text, several = TEXTS.get(name), isinstance(out, tuple | list)
    if text is None or (name in _ALONG_A_DIMENSION and not several):
        return
    for given, made in zip(out, result, strict=False) if several else ((out, result),):
        if given.dtype is not made.dtype:
            raise RuntimeError(text.format(out=given.dtype, result=made.dtype))
