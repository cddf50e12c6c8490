"""The update rules: what a step does to one parameter, as functions of Lean arrays (_ops/numerics/lean.py).

A rule takes ``h`` (flags and numbers, see `arithmetic.Hyper`), the parameter, its gradient and its
states, and returns the new parameter and states. The order of operations is PyTorch's for one
tensor, so results agree to the last digits. What optax has, and why it is used or not:

| PyTorch | optax | same rule? |
|---|---|---|
| SGD, momentum, nesterov | `trace` | yes, and used: PyTorch starts at the first gradient, optax at 0: equal |
| SGD with dampening | - | optax has none |
| SGD, Adam weight_decay | `add_decayed_weights` | yes, and used |
| AdamW weight_decay | `add_decayed_weights` after the moments | the same up to rounding: PyTorch scales the parameter |
| Adam, AdamW | `scale_by_adam` | in exact numbers. optax takes ``1 - beta**count`` in 32 bits, which is off by 3e-5 |
| | | for beta 0.999 at first; PyTorch takes it in 64, and corrects the root, not the square |
| amsgrad | `scale_by_amsgrad` | no: optax keeps the maximum of corrected moments |
| NAdam | `nadam` | no: PyTorch follows Dozat's momentum schedule, optax has a constant one |
| RAdam | `scale_by_radam` | no: eps stands outside the correction in PyTorch |
| Adagrad | `scale_by_rss` | no: optax takes the root of sum + eps, PyTorch adds eps to the root |
| RMSprop | `scale_by_rms`, `scale_by_stddev` | no: eps likewise, by default |
| Adadelta | `scale_by_adadelta` | the same, but 1 - rho is rounded first |
| Adamax | `scale_by_adamax` | no: PyTorch adds eps before the maximum |
| Rprop | `scale_by_rprop` | the same, with its step size kept as a state of another name |
| ASGD | - | optax has none |
| Adafactor | `scale_by_factored_rms` | no: the relative step, clipping and eps stand elsewhere |
| Muon | `contrib.muon` | no: PyTorch orthogonalizes in bfloat16 and averages the momentum |
"""

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp

from torchlike._base import dtypes as dt
from torchlike._base.lazy import optax
from torchlike._ops.numerics import lean
from torchlike._ops.numerics.lean import Lean


@dataclasses.dataclass(frozen=True, eq=False)
class Rule:
    """A rule and what it is called with.

    Args:
        name: that of its kernels.
        function: see the functions below.
        flags: the names of its flags, which are Python values, in the order in which they are passed.
        numbers: the names of its hyperparameters, likewise.
    """

    name: str
    function: Callable
    flags: tuple
    numbers: tuple


def _rule(name, flags, numbers):
    """Make the decorated function a Rule."""
    return lambda function: Rule(name, function, tuple(flags.split()), tuple(numbers.split()))


# -- what several rules share

def _gradient(h, p, g):
    """The gradient after `maximize` and weight decay that counts as part of it."""
    if h.maximize:
        g = -g
    if h.decay and not getattr(h, "decoupled", False):
        g, _ = optax.add_decayed_weights(h.num(h.weight_decay)).update(g, optax.EmptyState(), p)
        g = h.rnd(g)
    return g


def _shrink(h, p):
    """The parameter after weight decay that is apart from the gradient."""
    if h.decay and h.decoupled:
        return h.rnd(p * h.num(1 - h.lr * h.weight_decay))
    return p


def _toward(h, a, b, weight):
    """`torch.lerp`: it starts from the nearer end."""
    w = h.num(weight)
    return h.rnd(lean.where(w < 0.5, a + w * (b - a), b - (b - a) * (1 - w)))


def _second(h, v, g, beta):
    """The running mean of squares."""
    return h.rnd(h.rnd(v * h.num(beta)) + h.num(1 - beta) * g * g)


def _minus(h, p, factor, up, down):
    """p - factor * up / down."""
    return h.rnd(p + h.num(-factor) * up / down)


def _count(step):
    """(the step count after this step, the same as a 64-bit number)."""
    step = Lean(step) + 1
    return step, step.astype(jnp.float64)


def _correction(beta, count):
    return 1 - beta ** count


# -- the rules

@_rule("sgd", "maximize decay nesterov dampened first", "lr weight_decay momentum dampening")
def sgd(h, p, g, *buffers):
    """SGD, see `torch.optim.SGD`.

    Args:
        h: the flags and numbers by name, and the arithmetic: an `arithmetic.Hyper`.
        p: the parameter: (*), lifted (see `arithmetic.lift`).
        g: its gradient: likewise.
        buffers: the momentum buffer, likewise, if there is momentum. The first one has no history, as in PyTorch.

    Returns:
        The new parameter, and the new states.
    """
    g = _gradient(h, p, g)
    if buffers and (h.first or h.dampened or h.half):  # optax would not round halves in between
        mean = h.rnd(h.rnd(buffers[0] * h.num(h.momentum)) + h.num(1 - h.dampening) * g)
        buffers = (jax.lax.stop_gradient(lean.raw(g)) if h.first else mean,)
        g = h.rnd(g + h.num(h.momentum) * buffers[0]) if h.nesterov else buffers[0]
    elif buffers:
        rule = optax.trace(decay=h.num(h.momentum), nesterov=h.nesterov)
        g, kept = rule.update(g, optax.TraceState(trace=buffers[0]))
        buffers = (kept.trace,)
    return (h.rnd(p + h.num(-h.lr) * g), *buffers)


@_rule("adam", "maximize decay decoupled amsgrad", "lr beta1 beta2 eps weight_decay")
def adam(h, p, g, step, m, v, *top):
    """Adam and AdamW, see `torch.optim.Adam`.

    Args:
        h, p, g: as for `sgd`.
        step: the step count so far, a 0-d array; so in all rules below.
        m, v: the means of gradients and of their squares: (*).
        top: the largest `v`, if amsgrad.

    Returns:
        The new parameter, and the new states.
    """
    step, t = _count(step)
    g, p = _gradient(h, p, g), _shrink(h, p)
    m = _toward(h, m, g, 1 - h.beta1)
    v = _second(h, v, g, h.beta2)
    top = (lean.maximum(top[0], v),) if top else ()
    root = h.num(lean.sqrt(_correction(h.beta2, t)))
    down = h.rnd(h.rnd(h.rnd(lean.sqrt(top[0] if top else v)) / root) + h.num(h.eps))
    p = _minus(h, p, h.lr / _correction(h.beta1, t), m, down)
    return p, step, m, v, *top


@_rule("nadam", "maximize decay decoupled", "lr beta1 beta2 eps weight_decay momentum_decay")
def nadam(h, p, g, step, product, m, v):
    """NAdam, see `torch.optim.NAdam`.

    Args:
        h, p, g: as for `sgd`.
        step, m, v: as for `adam`.
        product: of all momenta so far, a 0-d array.

    Returns:
        The new parameter, and the new states.
    """
    step, t = _count(step)
    g, p = _gradient(h, p, g), _shrink(h, p)
    now, after = (h.beta1 * (1 - 0.5 * 0.96 ** (k * h.momentum_decay)) for k in (t, t + 1))
    product = product * now.astype(product.dtype)
    past = product.astype(jnp.float64)
    m = _toward(h, m, g, 1 - h.beta1)
    v = _second(h, v, g, h.beta2)
    down = h.rnd(h.rnd(lean.sqrt(h.rnd(v / h.num(_correction(h.beta2, t))))) + h.num(h.eps))
    p = _minus(h, p, h.lr * (1 - now) / (1 - past), g, down)
    p = _minus(h, p, h.lr * after / (1 - past * after), m, down)
    return p, step, product, m, v


@_rule("radam", "maximize decay decoupled", "lr beta1 beta2 eps weight_decay")
def radam(h, p, g, step, m, v):
    """RAdam, see `torch.optim.RAdam`: plain momentum until the variance is known well enough.

    Args:
        h, p, g: as for `sgd`.
        step, m, v: as for `adam`.

    Returns:
        The new parameter, and the new states.
    """
    step, t = _count(step)
    g, p = _gradient(h, p, g), _shrink(h, p)
    m = _toward(h, m, g, 1 - h.beta1)
    v = _second(h, v, g, h.beta2)
    corrected = _correction(h.beta2, t)
    last = 2 / (1 - h.beta2) - 1
    length = last - 2 * t * h.beta2 ** t / corrected
    known = length > 5
    safe = lean.where(known, length, 6.0)  # no root of a negative number, also in its derivative
    rectified = lean.sqrt((safe - 4) * (safe - 2) * last / ((last - 4) * (last - 2) * safe))
    adaptive = h.num(lean.sqrt(corrected)) / h.rnd(h.rnd(lean.sqrt(v)) + h.num(h.eps))
    up = h.rnd(h.rnd(m / h.num(_correction(h.beta1, t))) * h.num(h.lr))
    return h.rnd(p - lean.where(known, h.rnd(h.rnd(up * adaptive) * h.num(rectified)), up)), step, m, v


@_rule("adagrad", "maximize decay", "lr weight_decay lr_decay eps")
def adagrad(h, p, g, step, total):
    """Adagrad, see `torch.optim.Adagrad`.

    Args:
        h, p, g: as for `sgd`.
        step: as for `adam`.
        total: the sum of squared gradients: (*).

    Returns:
        The new parameter, and the new states.
    """
    step, t = _count(step)
    g = _gradient(h, p, g)
    total = h.rnd(total + g * g)
    down = h.rnd(h.rnd(lean.sqrt(total)) + h.num(h.eps))
    return _minus(h, p, h.lr / (1 + (t - 1) * h.lr_decay), g, down), step, total


@_rule("rmsprop", "maximize decay momentum centered", "lr alpha eps weight_decay mu")
def rmsprop(h, p, g, step, square, *others):
    """RMSprop, see `torch.optim.RMSprop`.

    Args:
        h, p, g: as for `sgd`.
        step: as for `adam`.
        square: the mean of squared gradients: (*).
        others: the momentum buffer if there is momentum, the mean gradient if centered.

    Returns:
        The new parameter, and the new states.
    """
    step, _ = _count(step)
    g = _gradient(h, p, g)
    square = _second(h, square, g, h.alpha)
    others = list(others)
    if h.centered:
        mean = others[-1] = _toward(h, others[-1], g, 1 - h.alpha)
        root = h.rnd(lean.sqrt(h.rnd(square - mean * mean)))
    else:
        root = h.rnd(lean.sqrt(square))
    down = h.rnd(root + h.num(h.eps))
    if h.momentum:
        others[0] = h.rnd(h.rnd(others[0] * h.num(h.mu)) + g / down)
        p = h.rnd(p + h.num(-h.lr) * others[0])
    else:
        p = _minus(h, p, h.lr, g, down)
    return p, step, square, *others


@_rule("adadelta", "maximize decay", "lr rho eps weight_decay")
def adadelta(h, p, g, step, square, moved):
    """Adadelta, see `torch.optim.Adadelta`.

    Args:
        h, p, g: as for `sgd`.
        step: as for `adam`.
        square, moved: the means of squared gradients and of squared steps: (*).

    Returns:
        The new parameter, and the new states.
    """
    step, _ = _count(step)
    g = _gradient(h, p, g)
    eps = h.num(h.eps)
    square = _second(h, square, g, h.rho)
    std = h.rnd(lean.sqrt(h.rnd(square + eps)))
    delta = h.rnd(h.rnd(h.rnd(lean.sqrt(h.rnd(moved + eps))) / std) * g)
    moved = _second(h, moved, delta, h.rho)
    return h.rnd(p + h.num(-h.lr) * delta), step, square, moved


@_rule("adamax", "maximize decay", "lr beta1 beta2 eps weight_decay")
def adamax(h, p, g, step, m, norm):
    """Adamax, see `torch.optim.Adamax`.

    Args:
        h, p, g: as for `sgd`.
        step, m: as for `adam`.
        norm: the largest gradient, which fades: (*).

    Returns:
        The new parameter, and the new states.
    """
    step, t = _count(step)
    g = _gradient(h, p, g)
    m = _toward(h, m, g, 1 - h.beta1)
    norm = lean.maximum(h.rnd(norm * h.num(h.beta2)), h.rnd(lean.absolute(g) + h.num(h.eps)))
    return _minus(h, p, h.lr / _correction(h.beta1, t), m, norm), step, m, norm


@_rule("rprop", "maximize", "etaminus etaplus smallest largest")
def rprop(h, p, g, step, before, size):
    """Rprop, see `torch.optim.Rprop`: only the signs of gradients count.

    Args:
        h, p, g: as for `sgd`.
        step: as for `adam`.
        before: the gradient of the last step, 0 where the sign changed: (*).
        size: the step sizes: (*).

    Returns:
        The new parameter, and the new states.
    """
    step, _ = _count(step)
    g = -g if h.maximize else g
    turn = lean.sign(g * before)
    back = turn < 0
    factor = lean.where(turn > 0, h.num(h.etaplus), lean.where(back, h.num(h.etaminus), lean.where(turn == 0, 1, turn)))
    size = lean.minimum(lean.maximum(h.rnd(size * factor), h.num(h.smallest)), h.num(h.largest))
    g = lean.where(back, 0, g)
    return h.rnd(p - lean.sign(g) * size), step, g, size


@_rule("asgd", "maximize decay", "lr lambd alpha t0 weight_decay")
def asgd(h, p, g, step, eta, mu, mean):
    """ASGD, see `torch.optim.ASGD`.

    Args:
        h, p, g: as for `sgd`.
        step: as for `adam`.
        eta, mu: the learning rate and the weight of the parameter in the average, 0-d arrays.
        mean: the averaged parameter: (*).

    Returns:
        The new parameter, and the new states.
    """
    step, t = _count(step)
    g = _gradient(h, p, g)
    rate = eta.astype(jnp.float64)
    p = h.rnd(h.rnd(p * h.num(1 - h.lambd * rate)) + h.num(-rate) * g)
    mean = lean.where(mu == 1, p, h.rnd(mean + h.rnd(h.rnd(p - mean) * h.num(mu))))
    eta = (h.lr / (1 + h.lambd * h.lr * t) ** h.alpha).astype(eta.dtype)
    mu = (1 / lean.maximum(1, t - h.t0)).astype(mu.dtype)
    return p, step, eta, mu, mean


@_rule("adafactor", "maximize decay", "lr beta2_decay eps1 eps2 d weight_decay")
def adafactor(h, p, g, step, *variances):
    """Adafactor, see `torch.optim.Adafactor`.

    Args:
        h, p, g: as for `sgd`.
        step: as for `adam`.
        variances: of (*, A, B) those of rows, (*, A, 1), and of columns, (*, 1, B); of a vector one for each number.

    Returns:
        The new parameter, and the new states.
    """
    step, t = _count(step)
    g = -g if h.maximize else g
    weight, eps = t ** h.beta2_decay, h.num(h.eps1)
    rate = lean.maximum(h.eps2, _root_mean_square(h, p)) * lean.minimum(h.lr, 1 / lean.sqrt(t))
    if h.decay:
        p = h.rnd(p * h.num(1 - h.lr * h.weight_decay))
    if g.ndim > 1:
        rows, columns = variances = [_toward(h, v, _mean_square(h, g, axis), weight)
                                     for v, axis in zip(variances, (-1, -2), strict=True)]
        mean = lean.maximum(h.rnd(rows.sum(-2, keepdims=True) / rows.shape[-2]), eps)
        estimate = h.rnd(h.rnd(rows * columns) / mean)
    else:
        estimate, = variances = [_toward(h, variances[0], h.rnd(g * g), weight)]
    g = h.rnd(h.rnd(1 / lean.sqrt(lean.maximum(estimate, h.num(h.eps1 * h.eps1)))) * g)
    rate = rate / lean.maximum(1.0, _root_mean_square(h, g) / h.d)
    return h.rnd(p + h.num(-rate) * g), step, *variances


def _root_mean_square(h, x):
    """As a 64-bit number; PyTorch takes the norm in the dtype of the array."""
    return h.rnd(lean.sqrt((x * x).sum())).astype(jnp.float64) / x.size ** 0.5


def _mean_square(h, g, axis):
    norm = h.rnd(lean.sqrt((g * g).sum(axis, keepdims=True)))
    return h.rnd(h.rnd(norm * norm) / g.shape[axis])


@_rule("muon", "nesterov steps adjust", "lr weight_decay momentum a b c eps")
def muon(h, p, g, buffer):
    """Muon, see `torch.optim.Muon`: momentum, made orthogonal.

    Args:
        h, p, g: as for `sgd`; matrices. The flag `adjust` says how the rate follows from the shape.
        buffer: the mean gradient, a matrix too.

    Returns:
        The new parameter, and the new states.
    """
    buffer = _toward(h, buffer, g, 1 - h.momentum)
    update = _unit(h, _toward(h, g, buffer, h.momentum) if h.nesterov else buffer)
    if h.half is dt.bfloat16 and not h.nesterov:
        buffer = update  # PyTorch divides what it takes for a copy in bfloat16, and is the buffer
    update = _orthogonal(h, update)
    rows, columns = p.shape
    ratio = 0.2 * max(rows, columns) ** 0.5 if h.adjust == "match_rms_adamw" else max(1, rows / columns) ** 0.5
    p = h.rnd(p * h.num(1 - h.lr * h.weight_decay))
    return h.rnd(p + h.num(-h.lr * ratio) * update.astype(h.compute)), buffer


def _unit(h, x):
    """In bfloat16, divided by its norm."""
    x = _bfloat16(x)
    return _bfloat16(x / lean.maximum(_bfloat16(lean.sqrt(Lean(x * x).sum())), _bfloat16(h.eps)))


def _orthogonal(h, x):
    """The nearest orthogonal matrix, about, by iterations of Newton and Schulz in bfloat16."""
    tall = x.shape[0] > x.shape[1]
    x = x.T if tall else x
    a, b, c = (number.astype(jnp.float32) for number in (h.a, h.b, h.c))
    for _ in range(h.steps):
        gram = _bfloat16(_product(x, x.T))
        gram = _bfloat16(b * gram + c * _product(gram, gram))
        x = _bfloat16(a * x + _product(gram, x))
    return x.T if tall else x


def _bfloat16(x):
    """Rounded to bfloat16, but kept in 32 bits."""
    return jax.lax.reduce_precision(lean.raw(x).astype(jnp.float32), 8, 7)


def _product(a, b):
    """A matrix product of numbers in bfloat16, summed in 32 bits."""
    return jnp.dot(a.astype(jnp.bfloat16), b.astype(jnp.bfloat16), preferred_element_type=jnp.float32)
