"""PyTorch's gradients as calls of operators, for `__torch_dispatch__`, which sees them one by one.

`CALLS`: row -> {operand: function of Tensors}. Its parameters are named as in a row's gradient: ``g``, operands, ``result``,
numbers and parameters, and ``self_shape`` for the sizes of an operand. The gradient is summed to the operand's sizes after.
`OPERATORS`: row -> the one operator that PyTorch's gradient is.
A row that is in neither has a gradient of its own name, ``tan_backward``.
"""

import math

_LN2, _LN10 = math.log(2), math.log(10)
_TWO_BY_ROOT_PI = 2 / math.sqrt(math.pi)


def _unary(function) -> dict:
    return {"self": function}


def _both(of_self, of_other) -> dict:
    return {"self": of_self, "other": of_other}


def _unsqueezed(g, dim, keepdim, ndim):
    """The gradient of a reduction with the dimensions that it has lost."""
    if keepdim or not ndim:
        return g
    for d in sorted(_dims(dim, ndim)):
        g = g.unsqueeze(d)
    return g


def _dims(dim, ndim) -> list:
    """The dimensions that an argument means."""
    return [d % ndim for d in (range(ndim) if dim is None or dim == () else [dim] if isinstance(dim, int) else dim)]


def _count(shape, dim) -> int:
    return math.prod(shape[d] for d in _dims(dim, len(shape)))


def _inverse(dims) -> list:
    order = [d % len(dims) for d in dims]
    return sorted(range(len(dims)), key=order.__getitem__)


def _of_div(g, self, other):
    return -g * ((self / other) / other)


def _of_pow(g, self, exponent):
    return g * (exponent * self.pow(exponent - 1)) if exponent != 0 else g * 0


def _of_index_select(g, self_shape, dim, index):
    return g.new_zeros(self_shape).index_add(dim, index, g)


def _of_squeeze(g, self_shape, dim):
    for d in sorted(_dims(dim, len(self_shape))):
        if self_shape[d] == 1:
            g = g.unsqueeze(d)
    return g


def _of_logsumexp(g, self, result, dim, keepdim):
    g, result = (_unsqueezed(x, dim, keepdim, self.dim()) for x in (g, result))
    return g * (self - result).exp()


def _of_var(g, self, dim, correction, keepdim):
    count = _count(self.shape, dim) - (1 if correction is None else correction)
    g = _unsqueezed(g, dim, keepdim, self.dim())
    mean = self.mean(dim, True) if dim else self.mean()
    return (2.0 / count * g) * (self - mean)


CALLS: dict = {
    "neg": _unary(lambda g: g.neg()),
    "abs": _unary(lambda g, self: g * self.sgn()),
    "cos": _unary(lambda g, self: g * self.sin().neg()),
    "sin": _unary(lambda g, self: g * self.cos()),
    "cosh": _unary(lambda g, self: g * self.sinh()),
    "sinh": _unary(lambda g, self: g * self.cosh()),
    "tan": _unary(lambda g, result: g * (result.pow(2) + 1)),
    "acos": _unary(lambda g, self: g * (1 + -self * self).rsqrt().neg()),
    "asin": _unary(lambda g, self: g * (1 + -self * self).rsqrt()),
    "atan": _unary(lambda g, self: g / (self * self + 1)),
    "asinh": _unary(lambda g, self: g * (self.pow(2) + 1).rsqrt()),
    "exp": _unary(lambda g, result: g * result),
    "exp2": _unary(lambda g, result: g * result * _LN2),
    "expm1": _unary(lambda g, result: g * (result + 1)),
    "log": _unary(lambda g, self: g.div(self)),
    "log2": _unary(lambda g, self: g / (self * _LN2)),
    "log10": _unary(lambda g, self: g / (self * _LN10)),
    "log1p": _unary(lambda g, self: g / (self + 1)),
    "sqrt": _unary(lambda g, result: g / (result * 2)),
    "rsqrt": _unary(lambda g, result: result.pow(3) * -0.5 * g),
    "reciprocal": _unary(lambda g, result: -g * (result * result)),
    "erf": _unary(lambda g, self: self.pow(2).neg().exp() * _TWO_BY_ROOT_PI * g),
    "erfc": _unary(lambda g, self: self.pow(2).neg().exp() * -_TWO_BY_ROOT_PI * g),
    "lgamma": _unary(lambda g, self: g * self.digamma()),
    "sub": _both(lambda g, alpha: g, lambda g, alpha: -g if alpha in (None, 1) else -(g * alpha)),
    "add": _both(lambda g: g, lambda g, alpha: g if alpha in (None, 1) else g * alpha),
    "rsub.Scalar": _unary(lambda g, alpha: -g if alpha in (None, 1) else -(g * alpha)),
    "mul": _both(lambda g, other: g * other, lambda g, self: g * self),
    "div": _both(lambda g, other: g / other, _of_div),
    "pow.Tensor_Scalar": _unary(_of_pow),
    "_pow_static": _unary(_of_pow),
    "lerp.Scalar": {"self": lambda g, weight: g * (1 - weight), "end": lambda g, weight: g * weight},
    "addcmul": {"self": lambda g: g, "tensor1": lambda g, tensor2, value: g * (tensor2 * (1 if value is None else value)),
                "tensor2": lambda g, tensor1, value: g * (tensor1 * (1 if value is None else value))},
    "mm": {"self": lambda g, mat2: g.mm(mat2.t()), "mat2": lambda g, self: self.t().mm(g)},
    "bmm": {"self": lambda g, mat2: g.bmm(mat2.transpose(1, 2)), "mat2": lambda g, self: self.transpose(1, 2).bmm(g)},
    "mv": {"self": lambda g, vec: g.unsqueeze(1) * vec, "vec": lambda g, self: self.t().mv(g)},
    "dot": {"self": lambda g, tensor: g * tensor, "tensor": lambda g, self: g * self},
    "addmm": {"self": lambda g, beta: g if beta in (None, 1) else g * beta,
              "mat1": lambda g, mat2, alpha: g.mm(mat2.t()) if alpha in (None, 1) else g.mm(mat2.t()) * alpha,
              "mat2": lambda g, mat1, alpha: mat1.t().mm(g) if alpha in (None, 1) else mat1.t().mm(g) * alpha},
    "baddbmm": {"self": lambda g, beta: g if beta in (None, 1) else g * beta,
                "batch1": lambda g, batch2, alpha: g.bmm(batch2.transpose(1, 2)) * (1 if alpha is None else alpha),
                "batch2": lambda g, batch1, alpha: batch1.transpose(1, 2).bmm(g) * (1 if alpha is None else alpha)},
    "sum": _unary(lambda g, self_shape: g.expand(self_shape)),
    "sum.dim_IntList": _unary(lambda g, self_shape, dim, keepdim: _unsqueezed(g, dim, keepdim, len(self_shape))
                              .expand(self_shape)),
    "mean": _unary(lambda g, self_shape: g.expand(self_shape) / math.prod(self_shape)),
    "mean.dim": _unary(lambda g, self_shape, dim, keepdim: _unsqueezed(g, dim, keepdim, len(self_shape)).expand(self_shape)
                       / _count(self_shape, dim)),
    "logsumexp": _unary(_of_logsumexp),
    "var.correction": _unary(_of_var),
    "cumsum": _unary(lambda g, dim: g.flip(dim).cumsum(dim).flip(dim)),
    "view": _unary(lambda g, self_shape: g.reshape(self_shape)),
    "_unsafe_view": _unary(lambda g, self_shape: g.reshape(self_shape)),
    "_reshape_alias": _unary(lambda g, self_shape: g.reshape(self_shape)),
    "t": _unary(lambda g: g.t()),
    "transpose.int": _unary(lambda g, dim0, dim1: g.transpose(dim0, dim1)),
    "permute": _unary(lambda g, dims: g.permute(_inverse(dims))),
    "unsqueeze": _unary(lambda g, dim: g.squeeze(dim)),
    "squeeze": _unary(_of_squeeze),
    "expand": _unary(lambda g: g),
    "alias": _unary(lambda g: g),
    "_contiguous": _unary(lambda g: g),
    "clone": _unary(lambda g: g),
    "flip": _unary(lambda g, dims: g.flip(dims)),
    "roll": _unary(lambda g, shifts, dims: g.roll([-s for s in shifts] if isinstance(shifts, tuple) else -shifts, dims)),
    "tril": _unary(lambda g, diagonal: g.tril(diagonal)),
    "triu": _unary(lambda g, diagonal: g.triu(diagonal)),
    "masked_fill.Scalar": _unary(lambda g, mask: g.masked_fill(mask, 0)),
    "where.self": _both(lambda g, condition: g.where(condition, g.new_zeros(())),
                        lambda g, condition: g.new_zeros(()).where(condition, g)),
    "gather": _unary(lambda g, self_shape, dim, index: g.new_zeros(self_shape).scatter_add(dim, index, g)),
    "scatter_add": {"self": lambda g: g, "src": lambda g, dim, index: g.gather(dim, index)},
    "index_select": _unary(_of_index_select),
    "_to_copy": _unary(lambda g: g),
}

_SAME_WORD = """
sigmoid tanh gelu silu mish elu leaky_relu hardtanh hardswish hardsigmoid softplus hardshrink softshrink log_sigmoid glu
logit convolution native_layer_norm native_group_norm max_pool2d_with_indices avg_pool2d _adaptive_avg_pool2d
upsample_nearest1d upsample_nearest2d upsample_bilinear2d upsample_bicubic2d reflection_pad1d reflection_pad2d
replication_pad1d replication_pad2d mse_loss smooth_l1_loss huber_loss binary_cross_entropy diagonal _prelu_kernel
_scaled_dot_product_flash_attention_for_cpu
"""
OPERATORS: dict = {
    **{word: f"{word}_backward" for word in _SAME_WORD.split()},
    "relu": "threshold_backward", "threshold": "threshold_backward", "celu": "elu_backward",
    "_softmax": "_softmax_backward_data", "_log_softmax": "_log_softmax_backward_data",
    "_native_batch_norm": "native_batch_norm_backward", "embedding": "embedding_dense_backward",
    "im2col": "col2im", "col2im": "im2col", "constant_pad_nd": "constant_pad_nd",
    "nll_loss_forward": "nll_loss_backward", "nll_loss2d_forward": "nll_loss2d_backward",
    "select.int": "select_backward", "slice.Tensor": "slice_backward", "_diagonal_copy": "diagonal_backward",
}


def calls_of(row) -> dict | None:
    """What `CALLS` has for a row."""
    return CALLS.get(row.name)


def operator_of(row) -> str | None:
    """The one operator that the row's gradient is in PyTorch, or None."""
    return OPERATORS.get(row.name)
