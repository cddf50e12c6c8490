"""PyTorch's gradients as calls of operators, for `__torch_dispatch__`, which sees them one by one.

`CALLS`: row -> {operand: function of Tensors}. Its parameters are named as in a row's gradient: ``g``, operands, ``result``,
numbers and parameters, ``self_shape`` and ``self_stride`` for the form of an operand, ``gs`` of all results,
``call(name, ...)`` for an overload without a method. The gradient is summed to the operand's sizes after.
NotImplemented: for these arguments it is one operator. The order is PyTorch's, of the operands, too. Numbers beside tensors
are the overloads of C++ (``mul.Scalar``).
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
    ratio = self / other
    return -g * ratio / other


def _of_pow(g, self, exponent):
    return g * (self.pow(exponent - 1) * exponent) if exponent != 0 else g * 0


def _of_exponent(g, self, result):
    return g * (result * math.log(self)) if self > 0 else NotImplemented


def _minus_product(g, x):
    return -g * x


def _is_transposed(shape, stride) -> bool:
    return stride[0] == 1 and stride[1] == shape[0]


def _of_first_matrix(g, second, shape, stride):
    return second.mm(g.t()).t() if _is_transposed(shape, stride) else g.mm(second.t())


def _of_second_matrix(g, first, shape, stride):
    return g.t().mm(first).t() if _is_transposed(shape, stride) else first.t().mm(g)


def _scaled(x, number):
    """``x * number`` where that changes it."""
    return x if number in (None, 1) else x * number


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
    if dim:
        g = _unsqueezed(g, dim, keepdim, self.dim())
    distance = self - (self.mean(dim, True) if dim else self.mean())
    return g * (2.0 / count) * distance


def _of_std(g, self, result, dim, correction, keepdim):
    g = (g / (result * 2)).masked_fill_(result == 0, 0)
    return _of_var(g, self, dim, correction, keepdim)


def _of_norm(g, self, result, ord, dim, keepdim):
    if ord != 2:
        return NotImplemented
    g, result = (_unsqueezed(x, dim, keepdim, self.dim()) if dim else x for x in (g, result))
    return (self / result).masked_fill_(result == 0, 0) * g


def _of_prod(g, self, result, dim, keepdim, call):
    if not self.dim():
        return g
    if not keepdim:
        g, result = g.unsqueeze(dim), result.unsqueeze(dim)
    if (self == 0).sum(dim, True).sum().item() == 0:
        return g * (result / self)
    count = self.size(dim)
    if count == 1:
        return g
    ones = self.narrow(dim, 0, 1).new_ones([1 if d == dim % self.dim() else n for d, n in enumerate(self.shape)])
    before = call("cat.default", [ones, self.narrow(dim, 0, count - 1)], dim).cumprod(dim)
    after = call("cat.default", [ones, self.narrow(dim, 1, count - 1).flip(dim)], dim).cumprod(dim).flip(dim)
    return g * (before * after)


def _shared(g, self, result):
    """The gradient of an extreme value to all elements that have it, in equal parts."""
    mask = self.isnan().logical_and(result.isnan()).logical_or_(self == result)
    return g / mask.sum() * mask


def _of_extremes(g, self, result, dim, keepdim):
    kept = [1 if d in _dims(dim, self.dim()) else size for d, size in enumerate(self.shape)]
    mask = self == result.view(kept)
    g = g.view(kept)
    return g / mask.sum(_dims(dim, self.dim()), True) * mask


def _of_picked(g, self_shape, result1, dim, keepdim):
    if not self_shape:
        return NotImplemented
    g, index = (x if keepdim else x.unsqueeze(dim) for x in (g, result1))
    return _of_sorted(g, index, self_shape, dim)


def _of_sorted(g, result1, self_shape, dim):
    return g.new_zeros(self_shape).scatter(dim, result1, g) if self_shape else NotImplemented


def _of_nansum(g, self, dim, keepdim):
    there = self.isnan().logical_not()
    return (_unsqueezed(g, dim, keepdim, self.dim()) if dim else g).expand(self.shape) * there


def _of_maximum(g, loses):
    def of_one(self, other):
        return (g / 2).where(self == other, g).masked_fill_(loses(self, other), 0)

    return of_one


def _is_first(compare):
    """Which of two is `fmax` or `fmin`."""
    return lambda self, other: compare(self, other).logical_or_(other.isnan())


def _fmax(compare) -> dict:
    first = _is_first(compare)
    return {"other": lambda g, self, other: g.masked_fill(first(self, other), 0),
            "self": lambda g, self, other: g.masked_fill(first(self, other).logical_not_(), 0)}


def _maximum(self_loses, other_loses) -> dict:
    return {"other": lambda g, self, other: _of_maximum(g, other_loses)(self, other),
            "self": lambda g, self, other: _of_maximum(g, self_loses)(self, other)}


def _of_clamp(call, g, self, min, max):
    zero = call("scalar_tensor.default", 0, dtype=g.dtype)
    if min is None or max is None:
        return g.where(self >= min if max is None else self <= max, zero)
    return g.where((self >= min).logical_and_(self <= max), zero)


def _of_finite(g, self):
    mask = self.abs() != math.inf
    return g * ((self == self) * mask)


def _of_cat(g, tensors_shapes, dim):
    found, start = [], 0
    for shape in tensors_shapes:
        found.append(g.narrow(dim, start, shape[dim]))
        start += shape[dim]
    return found


def _of_split(call, gs, result_shapes, dim):
    filled = [call("zeros.default", list(shape)) if g is None else g for g, shape in zip(gs, result_shapes, strict=True)]
    return call("cat.default", filled, dim)


def _of_unbind(call, gs, result_shapes, dim):
    filled = [call("zeros.default", []).expand(shape) if g is None else g
              for g, shape in zip(gs, result_shapes, strict=True)]
    return call("stack.default", filled, dim)


def _of_repeat(g, self_shape, repeats):
    lead = len(repeats) - len(self_shape)
    if lead:
        g = g.sum(list(range(lead)))
    shape: list = []
    lost: list = []
    for count, size in zip(repeats[lead:], self_shape, strict=True):
        if count != 1:
            lost.append(len(shape))
            shape.append(count)
        shape.append(size)
    return g.view(shape).sum(lost) if lost else g


def _zeros(call, g):
    return call("zeros_like.default", g)


def _where(call, g, condition, first):
    zero = call("scalar_tensor.default", 0, dtype=g.dtype)
    return g.where(condition, zero) if first else zero.where(condition, g)


def _rounding(mode) -> dict:
    return _both(lambda g: g, lambda g, self, other: _minus_product(g, self.div(other, rounding_mode=mode)))


CALLS: dict = {
    **dict.fromkeys(("ceil", "floor", "round", "trunc", "sign", "_zero", "_fill"), _unary(_zeros)),
    "neg": _unary(lambda g: g.neg()),
    "abs": _unary(lambda g, self: g * self.sgn()),
    "cos": _unary(lambda g, self: g * self.sin().neg()),
    "sin": _unary(lambda g, self: g * self.cos()),
    "cosh": _unary(lambda g, self: g * self.sinh()),
    "sinh": _unary(lambda g, self: g * self.cosh()),
    "tan": _unary(lambda g, result: g * (result.pow(2) + 1)),
    "acos": _unary(lambda g, self: g * (-self * self + 1).rsqrt().neg()),
    "asin": _unary(lambda g, self: g * (-self * self + 1).rsqrt()),
    "atan": _unary(lambda g, self: g / (self * self + 1)),
    "acosh": _unary(lambda g, self: g * (self * self - 1).rsqrt()),
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
    "reciprocal": _unary(lambda g, result: _minus_product(g, result * result)),
    "erf": _unary(lambda g, self: self.pow(2).neg().exp() * _TWO_BY_ROOT_PI * g),
    "erfc": _unary(lambda g, self: self.pow(2).neg().exp() * -_TWO_BY_ROOT_PI * g),
    "erfinv": _unary(lambda g, self: self.erfinv().pow(2).exp() * (1 / _TWO_BY_ROOT_PI) * g),
    "lgamma": _unary(lambda g, self: g * self.digamma()),
    "digamma": _unary(lambda g, self: g * self.polygamma(1)),
    "nan_to_num": _unary(_of_finite),
    "sub": _both(lambda g: g, lambda g, alpha: -_scaled(g, alpha)),
    "add": _both(lambda g: g, lambda g, alpha: _scaled(g, alpha)),
    "rsub.Scalar": _unary(lambda g, alpha: -_scaled(g, alpha)),
    "mul": _both(lambda g, other: g * other, lambda g, self: g * self),
    "div": _both(lambda g, other: g / other, _of_div),
    "fmod.Tensor": _rounding("trunc"),
    "remainder.Tensor": _rounding("floor"),
    "pow.Tensor_Scalar": _unary(_of_pow),
    "_pow_static": _unary(_of_pow),
    "pow.Scalar": {"exponent": _of_exponent},
    "hypot": _both(lambda g, self, result: g * self / result, lambda g, other, result: g * other / result),
    "logaddexp": _both(lambda g, self, other: g / ((other - self).exp() + 1),
                       lambda g, self, other: g / ((self - other).exp() + 1)),
    "maximum": _maximum(lambda a, b: a < b, lambda a, b: a > b),
    "minimum": _maximum(lambda a, b: a > b, lambda a, b: a < b),
    "fmax": _fmax(lambda a, b: a >= b),
    "fmin": _fmax(lambda a, b: a <= b),
    "clamp": _unary(_of_clamp),
    "lerp.Scalar": {"self": lambda g, weight: g * (1 - weight), "end": lambda g, weight: g * weight},
    "addcmul": {"self": lambda g: g, "tensor1": lambda g, tensor2, value: g * (tensor2 * (1 if value is None else value)),
                "tensor2": lambda g, tensor1, value: g * (tensor1 * (1 if value is None else value))},
    "mm": {"mat2": lambda g, self, mat2_shape, mat2_stride: _of_second_matrix(g, self, mat2_shape, mat2_stride),
           "self": lambda g, mat2, self_shape, self_stride: _of_first_matrix(g, mat2, self_shape, self_stride)},
    "bmm": {"self": lambda g, mat2: g.bmm(mat2.transpose(1, 2)), "mat2": lambda g, self: self.transpose(1, 2).bmm(g)},
    "mv": {"self": lambda g, vec: g.outer(vec), "vec": lambda g, self: self.t().mv(g)},
    "dot": {"self": lambda g, tensor: g * tensor, "tensor": lambda g, self: g * self},
    "addmm": {"mat1": lambda g, mat2, alpha, mat1_shape, mat1_stride:
              _scaled(_of_first_matrix(g, mat2, mat1_shape, mat1_stride), alpha),
              "mat2": lambda g, mat1, alpha, mat2_shape, mat2_stride:
              _scaled(_of_second_matrix(g, mat1, mat2_shape, mat2_stride), alpha),
              "self": lambda g, beta: _scaled(g, beta)},
    "baddbmm": {"batch1": lambda g, batch2, alpha: _scaled(g.bmm(batch2.transpose(1, 2)), alpha),
                "batch2": lambda g, batch1, alpha: _scaled(batch1.transpose(1, 2).bmm(g), alpha),
                "self": lambda g, beta: _scaled(g, beta)},
    "sum": _unary(lambda g, self_shape: g.expand(self_shape)),
    "sum.dim_IntList": _unary(lambda g, self_shape, dim, keepdim: _unsqueezed(g, dim, keepdim, len(self_shape))
                              .expand(self_shape)),
    "mean": _unary(lambda g, self_shape: g.expand(self_shape) / math.prod(self_shape)),
    "mean.dim": _unary(lambda g, self_shape, dim, keepdim: _unsqueezed(g, dim, keepdim, len(self_shape)).expand(self_shape)
                       / _count(self_shape, dim)),
    "nansum": _unary(_of_nansum),
    "logsumexp": _unary(_of_logsumexp),
    "var.correction": _unary(_of_var),
    "prod.dim_int": _unary(_of_prod),
    "std.correction": _unary(_of_std),
    "linalg_vector_norm": _unary(_of_norm),
    **dict.fromkeys(("max", "min", "median"), _unary(_shared)),
    **dict.fromkeys(("amax", "amin"), _unary(_of_extremes)),
    **dict.fromkeys(("max.dim", "min.dim"), _unary(_of_picked)),
    **dict.fromkeys(("sort", "topk"), _unary(_of_sorted)),
    "cumsum": _unary(lambda g, dim: g.flip(dim).cumsum(dim).flip(dim)),
    **dict.fromkeys(("view", "_unsafe_view", "_reshape_alias"), _unary(lambda g, self_shape: g.reshape(self_shape))),
    "t": _unary(lambda g: g.t()),
    "transpose.int": _unary(lambda g, dim0, dim1: g.transpose(dim0, dim1)),
    "permute": _unary(lambda g, dims: g.permute(_inverse(dims))),
    "unsqueeze": _unary(lambda g, dim: g.squeeze(dim)),
    "squeeze": _unary(_of_squeeze),
    **dict.fromkeys(("expand", "alias", "_contiguous", "clone", "_to_copy"), _unary(lambda g: g)),
    "flip": _unary(lambda g, dims: g.flip(dims)),
    "roll": _unary(lambda g, shifts, dims: g.roll([-s for s in shifts] if isinstance(shifts, tuple) else -shifts, dims)),
    "tril": _unary(lambda g, diagonal: g.tril(diagonal)),
    "triu": _unary(lambda g, diagonal: g.triu(diagonal)),
    "masked_fill.Scalar": _unary(lambda g, mask: g.masked_fill(mask, 0)),
    "where.self": _both(lambda call, g, condition: _where(call, g, condition, True),
                        lambda call, g, condition: _where(call, g, condition, False)),
    "pixel_shuffle": _unary(lambda call, g, upscale_factor: call("pixel_unshuffle.default", g, upscale_factor)),
    "gather": _unary(lambda g, self_shape, dim, index: g.new_zeros(self_shape).scatter_add(dim, index, g)),
    "scatter.src": {"self": lambda g, dim, index: g.scatter(dim, index, 0),
                    "src": lambda g, dim, index: g.gather(dim, index)},
    "scatter_add": {"self": lambda g: g, "src": lambda g, dim, index: g.gather(dim, index)},
    "index_select": _unary(lambda g, self_shape, dim, index: g.new_zeros(self_shape).index_add(dim, index, g)),
    "index.Tensor": _unary(lambda g, self_shape, indices: g.new_zeros(self_shape).index_put(indices, g, True)),
    "copy": {"src": lambda g: g, "self": _zeros},
    "linalg_cross": _both(lambda call, g, other, dim: call("linalg_cross.default", other, g, dim=dim),
                          lambda call, g, self, dim: call("linalg_cross.default", g, self, dim=dim)),
    "clamp_min": _unary(lambda call, g, self, min: _of_clamp(call, g, self, min, None)),
    "clamp_max": _unary(lambda call, g, self, max: _of_clamp(call, g, self, None, max)),
    **dict.fromkeys(("split.Tensor", "split_with_sizes"), _unary(_of_split)),
    "unbind.int": _unary(_of_unbind),
    "repeat": _unary(_of_repeat),
    "cat": {"tensors": _of_cat},
    "stack": {"tensors": lambda g, tensors_shapes, dim: [g.select(dim, i) for i in range(len(tensors_shapes))]},
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
