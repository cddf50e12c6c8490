"""Losses that PyTorch has as one operator: nll, mse, smooth l1, huber, binary cross entropy, soft margin.

https://pytorch.org/docs/stable/nn.functional.html#loss-functions. `reduction` is 0 (none), 1 (mean) or
2 (sum). The rules of mse_loss and its kin name both operands for both gradients, as PyTorch saves them.
"""

import jax
import jax.numpy as jnp
from jax import lax

from torchlike._ops import promotion
from torchlike._ops.geometry import broadcast
from torchlike._ops.numerics import lean
from torchlike._ops.numerics.lean import Lean
from torchlike._ops.rules import DIFFERENCE_OF_BOOLS, guarded, is_half, is_integral, scalar_name
from torchlike._ops.table import op

NONE, MEAN, SUM = range(3)


def _reduced(x, reduction):
    if reduction == MEAN:
        return x.mean() if x.size else jnp.full((), jnp.nan, x.dtype)
    return x.sum() if reduction == SUM else x


def _spread(g, shape, reduction):
    """The gradient of each element before the reduction."""
    if reduction == NONE:
        return g
    count = 1
    for size in shape:
        count *= size
    return g / max(count, 1) if reduction == MEAN else g


def _refuse(x, kernel: str):
    """Only real floating numbers."""
    if not jnp.issubdtype(x.dtype, jnp.floating):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(x)}'")


# --- pointwise losses ---------------------------------------------------------------------------

def _pair(formula):
    """The gradient of `self` from the loss's derivative `formula(self - target, numbers)`.

    A mean divides by the size of self, not of the broadcast result: PyTorch's kernels do so.
    """
    def of_self(g, self, target, reduction, *numbers):
        return _spread(g, self.shape, reduction) * formula(self - target, *numbers)
    return of_self


def _mse(g, self, target, reduction):
    return _spread(2, self.shape, reduction) * (self - target) * g


# At beta = 0 and d = 0 the gradient is -1, as PyTorch's order of tests has it.
_smooth = _pair(lambda d, beta: jnp.where(
    d <= -beta, -1, jnp.where(d >= beta, 1, d / jnp.where(beta == 0, 1, beta))))
_huber = _pair(lambda d, delta: jnp.where(jnp.abs(d) <= delta, d, delta * jnp.sign(d)))


def _number(v, like):
    return jnp.asarray(v).astype(like.dtype if not is_half(like) else jnp.float32)


@op("mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", promote="default", function=False, method=False,
    grads={"self": lambda g, self, target, reduction: _mse(g, self, target, reduction),
           "target": lambda g, self, target, reduction: _mse(g, target, self, reduction)},
    autocast={"cpu": "fp32", "cuda": "fp32"}, doc="The squared difference of `self` and `target`, reduced.")
def mse_loss(x, target, *, reduction):
    _refuse(x, "mse_cpu")
    broadcast(x.shape, target.shape)
    d = x - target
    return _reduced(d * d, reduction)


@op("smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.0) -> Tensor", promote="default",
    function=False, method=False, static=("beta",),
    grads={"self": lambda g, self, target, reduction, beta: _smooth(g, self, target, reduction, _number(beta, self)),
           "target": lambda g, self, target, reduction, beta: _smooth(g, target, self, reduction, _number(beta, self))},
    autocast={"cpu": "fp32", "cuda": "fp32"}, doc="The absolute difference, squared below `beta`, reduced.")
def smooth_l1_loss(x, target, *, reduction, beta):
    if not beta >= 0:  # nan neither
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    _refuse(x, "smooth_l1_cpu")
    broadcast(x.shape, target.shape)
    d = jnp.abs(x - target)
    if beta == 0:
        return _reduced(d, reduction)
    return _reduced(jnp.where(d < beta, 0.5 * d * d / beta, d - 0.5 * beta), reduction)


def _into_self(kernel: str, base: str) -> str:
    """The promotion rule of a loss that is written into a tensor like `self`."""
    def check(operands):
        common, own = promotion.compute_dtype(base, operands), operands[0].dtype
        if not promotion.can_cast(common, own):
            raise RuntimeError(f"result type {common.scalar_name} can't be cast to the desired output type "
                               f"{own.scalar_name}")

    return guarded("first", kernel, check)


@op("huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.0) -> Tensor",
    promote=_into_self("huber", "default"), function=False, method=False, static=("delta",),
    grads={"self": lambda g, self, target, reduction, delta: _huber(g, self, target, reduction, _number(delta, self)),
           "target": lambda g, self, target, reduction, delta: _huber(g, target, self, reduction,
                                                                     _number(delta, self))},
    autocast={"cpu": "fp32", "cuda": "fp32"}, doc="The squared difference up to `delta` and linear beyond, reduced.")
def huber_loss(x, target, *, reduction, delta):
    if not delta > 0:  # nan neither
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    _refuse(x, "huber_cpu")
    broadcast(x.shape, target.shape)
    d = jnp.abs(x - target)
    return _reduced(jnp.where(d < delta, 0.5 * d * d, delta * (d - 0.5 * delta)), reduction)


def _soft_margin_gradient(g, self, target, reduction):
    z = jnp.exp(-target * self)
    d = -target * z / (1 + z)
    return _spread(g, d.shape, reduction) * d


@op("soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", promote=_into_self("soft_margin", "float"),
    function=False, method=False, grads={"self": _soft_margin_gradient}, autocast={"cpu": "fp32", "cuda": "fp32"},
    doc="log(1 + exp(-`target` x)), reduced.", by_hand="function")
def soft_margin_loss(x, target, *, reduction):
    broadcast(x.shape, target.shape)
    return _reduced(jnp.log1p(jnp.exp(-target * x)), reduction)


# --- binary cross entropy -----------------------------------------------------------------------

_LOG_FLOOR = -100.0  # PyTorch's lower bound on the logarithms
_BCE_EPS = 9.999999960041972e-13  # and on x (1 - x) in the gradient: 1e-12 as a float32


def _check_same(x, *others):
    for other in others:
        if other is not None and other.dtype != x.dtype:
            raise RuntimeError(f"Found dtype {scalar_name(other)} but expected {scalar_name(x)}")


def _wide(x):
    return x.astype(jnp.float32) if x is not None and is_half(x) else x


def _bce_gradient(g, self, target, weight, reduction):
    x, t, w = map(_wide, (self, target, weight))
    d = (x - t) / jnp.maximum((1 - x) * x, _BCE_EPS)
    d = d if w is None else d * w
    return _spread(g, d.shape, reduction) * d


def _bce_target_gradient(g, self, target, weight, reduction):
    x, w = _wide(self), _wide(weight)
    d = -jnp.log(x / (1 - x))
    d = d if w is None else d * w
    return _spread(g, jnp.broadcast_shapes(d.shape, target.shape), reduction) * d


@op("binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor",
    function=False, method=False, grads={"self": _bce_gradient, "target": _bce_target_gradient},
    autocast={"cpu": "fp32", "cuda": "banned"}, doc="The cross entropy of probabilities `target` and `self`, reduced.")
def binary_cross_entropy(x, target, weight, *, reduction):
    """An input outside [0, 1] cannot be seen while tracing: it gives NaN here, an error in the face."""
    _check_same(x, target)
    _refuse(x, "binary_cross_entropy")
    broadcast(x.shape, target.shape)
    wide, t = _wide(x), _wide(target)
    outside = (wide < 0) | (wide > 1)
    inside = jnp.where(outside, 0.5, wide)
    low = jnp.maximum(jnp.log(inside), _LOG_FLOOR)
    high = jnp.maximum(jnp.log1p(-inside), _LOG_FLOOR)
    loss = jnp.where(outside, jnp.nan, (t - 1) * high - t * low)
    loss = loss if weight is None else loss * _wide(weight)
    return _reduced(loss, reduction).astype(x.dtype)


def _log_weight(target, pos_weight):
    return 1 if pos_weight is None else (pos_weight - 1) * target + 1


def _bce_logits(x, t, weight, pos_weight):
    if pos_weight is None:
        loss = (1 - t) * x - jax.nn.log_sigmoid(x)
    else:
        loss = (1 - t) * x - _log_weight(t, pos_weight) * jax.nn.log_sigmoid(x)
    return loss if weight is None else loss * weight


def _bce_logits_gradient(g, self, target, weight, pos_weight, reduction):
    x, t, w, p = map(_wide, (self, target, weight, pos_weight))
    s = jax.nn.sigmoid(x)
    d = s - t if p is None else ((p * t + 1 - t) * s - p * t)
    return _weighed(g, d, w, (), reduction)


def _weighed(g, d, weight, shape, reduction):
    """g d weight, in the order in which the least overflows."""
    g = _spread(g, jnp.broadcast_shapes(d.shape, shape, () if weight is None else weight.shape), reduction)
    return (g if weight is None else g * weight) * d


def _bce_logits_target_gradient(g, self, target, weight, pos_weight, reduction):
    x, w, p = map(_wide, (self, weight, pos_weight))
    d = -x if p is None else jax.nn.log_sigmoid(-x) - p * jax.nn.log_sigmoid(x)
    return _weighed(g, d, w, target.shape, reduction)


# PyTorch's parser of arguments reads the schema's `Mean` as 0.
@op("binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, "
    "int reduction=0) -> Tensor", method=False, out=False,
    grads={"self": _bce_logits_gradient, "target": _bce_logits_target_gradient},
    autocast={"cpu": "fp32", "cuda": "fp32"},
    doc="The cross entropy of probabilities `target` and the sigmoid of `self`, reduced.")
def binary_cross_entropy_with_logits(x, target, weight, pos_weight, *, reduction):
    _refuse(x, "log_sigmoid_cpu")
    if target.dtype == jnp.bool_:
        raise RuntimeError(DIFFERENCE_OF_BOOLS)
    if is_integral(target):
        raise RuntimeError(f"result type {scalar_name(x)} can't be cast to the desired output type {scalar_name(target)}")
    if weight is not None:
        broadcast(weight.shape, x.shape)
    if pos_weight is not None:
        broadcast(pos_weight.shape, target.shape)
    broadcast(x.shape, target.shape)
    loss = _bce_logits(_wide(x), _wide(target), _wide(weight), _wide(pos_weight))
    return _reduced(loss, reduction).astype(target.dtype)


# --- negative log likelihood --------------------------------------------------------------------

def picked(target, classes, weight, ignore_index, dtype):
    """For each target: a valid class, whether it counts, whether it is out of bounds, its weight."""
    target = Lean(target).astype(jnp.int64)
    counts = target != ignore_index
    outside = counts & ((target < 0) | (target >= classes))
    safe = lean.where(counts & ~outside, target, 0).array
    w = lean.full(safe.shape, 1, dtype) if weight is None else _wide(weight)[safe]
    return safe, outside.array, lean.where(counts, w, 0).array


def _nll(x, target, weight, reduction, ignore_index, axis):
    """Losses along the class dimension `axis`. An out-of-bounds target gives NaN, never a neighbour's value."""
    wide = _wide(x)
    safe, outside, w = picked(target, x.shape[axis], weight, ignore_index, wide.dtype)
    taken = lean.take_along(wide, safe, axis)
    # An ignored target's loss is 0 even where its log-probability is infinite.
    losses = lean.where(Lean(target).astype(jnp.int64) == ignore_index, 0, -taken * w)
    losses = lean.where(outside, jnp.nan, losses)
    if x.ndim == 1:  # subtracted from 0, so no -0.0, which a sum would not be either
        losses = lean.where(losses == 0, 0, losses)
    if reduction == NONE:
        return losses.astype(x.dtype), (w if x.ndim == 1 else jnp.zeros(())).astype(x.dtype)
    total_weight = Lean(w).sum()
    total = losses.sum()
    if reduction == MEAN:
        total = total / total_weight
    return total.astype(x.dtype), total_weight.astype(x.dtype)


def _nll_gradient(g0, self, target, weight, result1, reduction, ignore_index):
    """A comparison with the class numbers instead of a scatter, which XLA runs element by element."""
    if g0 is None:
        return None
    axis, g = min(self.ndim - 1, 1), Lean(_wide(g0))
    target = target.reshape(()) if self.ndim == 1 else target
    safe, outside, w = picked(target, self.shape[axis], weight, ignore_index, g.dtype)
    if reduction == MEAN:
        g = g / _wide(result1)
    values = lean.where(Lean(target).astype(jnp.int64) == ignore_index, 0, lean.where(outside, jnp.nan, -g * w))
    shape = [size if i == axis else 1 for i, size in enumerate(self.shape)]
    classes = lax.broadcasted_iota(jnp.int64, shape, axis)
    return lean.where(Lean(safe).expand(axis) == classes, values.expand(axis), 0)


def _check_target_dtype(target):
    if target.dtype not in (jnp.int64, jnp.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {scalar_name(target)}")


def _check_nll_dtypes(x, target, weight, kernel):
    if not jnp.issubdtype(x.dtype, jnp.floating):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(x)}'")
    if weight is not None and weight.dtype != x.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(x)} but found {scalar_name(weight)}")
    _check_target_dtype(target)


@op("nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) "
    "-> (Tensor output, Tensor total_weight)", node="NllLossBackward0", method=False, function=False,
    grads={"self": _nll_gradient})
def nll_loss_forward(x, target, weight, *, reduction, ignore_index):
    """(N, C) or (C) log-probabilities at the target classes; the second result is the sum of weights."""
    if not 0 < x.ndim <= 2:
        raise RuntimeError("input tensor should be 1D or 2D")
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if x.ndim == 1 and target.ndim == 1 and target.shape[0] != 1:
        raise ValueError("For 1D input, 1D target must have size 1, but got target size: "
                         f"{target.shape[0]}")
    if x.ndim == 2 and target.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if x.ndim == 2 and x.shape[0] != target.shape[0]:
        raise RuntimeError(f"size mismatch (got input: {list(x.shape)}, target: {list(target.shape)})")
    classes = x.shape[-1]
    if weight is not None and weight.shape != (classes,):
        raise RuntimeError(f"weight tensor should be defined either for all {classes} classes or no classes but got "
                           f"weight tensor of shape: {list(weight.shape)}")
    _check_nll_dtypes(x, target, weight, "nll_loss_out_frame")
    if x.ndim == 1:
        return _nll(x, target.reshape(()), weight, reduction, ignore_index, 0)
    return _nll(x, target, weight, reduction, ignore_index, 1)


@op("nll_loss2d_forward(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) "
    "-> (Tensor output, Tensor total_weight)", node="NllLoss2DBackward0", method=False, function=False,
    grads={"self": _nll_gradient})
def nll_loss2d_forward(x, target, weight, *, reduction, ignore_index):
    """(N, C, H, W) log-probabilities at target classes (N, H, W)."""
    if target.ndim != 3:
        raise RuntimeError("only batches of spatial targets supported (3D tensors) but got targets of dimension: "
                           f"{target.ndim}")
    if x.ndim != 4:
        raise RuntimeError("only batches of spatial inputs supported (4D tensors), but got input of dimension: "
                           f"{x.ndim}")
    if weight is not None and weight.size != x.shape[1]:
        raise RuntimeError("weight tensor should be defined either for all or no classes")
    if (x.shape[0], *x.shape[2:]) != target.shape:
        raise RuntimeError(f"size mismatch (got input: {list(x.shape)} , target: {list(target.shape)}")
    _check_nll_dtypes(x, target, weight, "nll_loss2d_forward_out_frame")
    if target.dtype != jnp.int64:
        raise RuntimeError(f"expected scalar type Long but found {scalar_name(target)}")
    return _nll(x, target, weight, reduction, ignore_index, 1)


# --- margins between classes ---------------------------------------------------------------------

def _check_rows(x):
    if x.ndim > 2 or x.shape[-1:] == (0,):
        raise RuntimeError("Expected non-empty vector or matrix with optional 0-dim batch size, but got: "
                           f"{list(x.shape)}")


def _margin_terms(x, target, margin, p):
    """max(0, margin - x[target] + x[j]) ** p for each class j, (N, C); the target itself counts 0."""
    own = jnp.take_along_axis(x, target[:, None], 1)
    slack = margin - own + x
    slack = jnp.where(slack > 0, slack, 0)  # nan counts 0, as PyTorch's comparison has it
    return jnp.where(jnp.arange(x.shape[1]) == target[:, None], 0, slack ** p)


def _margin_slopes(x, target, margin, p):
    own = jnp.take_along_axis(x, target[:, None], 1)
    slack = margin - own + x
    slope = jnp.where(slack > 0, 1 if p == 1 else 2 * slack, 0)
    slope = jnp.where(jnp.arange(x.shape[1]) == target[:, None], 0, slope)
    return slope - jnp.where(jnp.arange(x.shape[1]) == target[:, None], slope.sum(1, keepdims=True), 0)


def _margin_gradient(g, self, target, weight, p, margin, reduction):
    x, classes = jnp.atleast_2d(self), target.reshape(-1)
    slope = _margin_slopes(x, classes, _number(margin, self), p) / x.shape[1]
    if weight is not None:
        slope = slope * weight[classes][:, None]
    g = jnp.asarray(_spread(g, x.shape[:1], reduction)).reshape(-1, 1)
    return (g * slope).reshape(self.shape).astype(self.dtype)


@op("multi_margin_loss(Tensor self, Tensor target, Tensor? weight, int p, Scalar margin, int reduction) -> Tensor",
    function=False, method=False, static=("margin",), grads={"self": _margin_gradient},
    autocast={"cpu": "fp32", "cuda": "fp32"},
    doc="By how much other classes come nearer than `margin` to the target's, to the power of `p`, reduced.")
def multi_margin_loss(x, target, weight, *, p, margin, reduction):
    _check_rows(x)
    if x.ndim == 2 and target.shape != x.shape[:1]:
        raise RuntimeError("multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples "
                           f"(batch size). Expected target size [{x.shape[0]}], but got {list(target.shape)}. Input has "
                           f"shape {list(x.shape)}.")
    if weight is not None and weight.shape != x.shape[-1:]:
        raise RuntimeError(f"inconsistent weight size, expected {x.shape[-1]} but got {list(weight.shape)}")
    if x.dtype not in (jnp.float32, jnp.float64):
        raise NotImplementedError(f"\"multi_margin_loss_cpu_kernel\" not implemented for '{scalar_name(x)}'")
    if target.dtype != jnp.int64:
        raise RuntimeError(f"expected scalar type Long but found {scalar_name(target)}")
    if weight is not None and weight.dtype != x.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(x)} but found {scalar_name(weight)}")
    rows, classes = jnp.atleast_2d(x), target.reshape(-1)
    terms = _margin_terms(rows, classes, _number(margin, x), p)
    if weight is not None:
        terms = terms * weight[classes][:, None]
    losses = terms.sum(1) / rows.shape[1]
    result = _reduced(losses, reduction) if x.ndim == 2 else losses[0]
    return (result if target.ndim or reduction else result.reshape(())).astype(x.dtype)


def _labels(target):
    """(N, C) classes up to the first negative one; which of them count; which classes are targets."""
    counts = jnp.cumsum(target < 0, 1) == 0
    classes = jnp.where(counts, target, 0)
    hits = (jax.nn.one_hot(classes, target.shape[1], dtype=jnp.int32) * counts[..., None]).sum(1) > 0
    return classes, counts, hits


def _multilabel_gradient(g, self, target, reduction):
    x, labels = jnp.atleast_2d(self), jnp.atleast_2d(target)
    classes, counts, hits = _labels(labels)
    own = jnp.take_along_axis(x, classes, 1)  # (N, C) of the labels
    active = (1 - own[:, :, None] + x[:, None, :] > 0) & counts[:, :, None] & ~hits[:, None, :]
    pairs = active.astype(x.dtype)
    slope = pairs.sum(1)
    rows = jnp.arange(x.shape[0])[:, None]
    slope = slope.at[rows, classes].add(-pairs.sum(2)) / x.shape[1]
    g = jnp.asarray(_spread(g, x.shape[:1], reduction)).reshape(-1, 1)
    return (g * slope).reshape(self.shape).astype(self.dtype)


@op("multilabel_margin_loss(Tensor self, Tensor target, int reduction) -> Tensor", function=False, method=False,
    grads={"self": _multilabel_gradient}, autocast={"cpu": "fp32", "cuda": "fp32"},
    doc="By how much other classes come nearer than 1 to each of the targets, reduced.")
def multilabel_margin_loss(x, target, *, reduction):
    _refuse(x, "multilabel_margin_loss_forward_out_frame")
    _check_rows(x)
    if x.shape != target.shape:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(x.shape)}")
    if target.dtype != jnp.int64:
        raise RuntimeError(f"expected scalar type Long but found {scalar_name(target)}")
    rows, labels = jnp.atleast_2d(x), jnp.atleast_2d(target)
    classes, counts, hits = _labels(labels)
    own = jnp.take_along_axis(rows, classes, 1)
    slack = 1 - own[:, :, None] + rows[:, None, :]
    losses = jnp.where((slack > 0) & counts[:, :, None] & ~hits[:, None, :], slack, 0).sum((1, 2)) / rows.shape[1]
    return (_reduced(losses, reduction) if x.ndim == 2 else losses[0]).astype(x.dtype)
