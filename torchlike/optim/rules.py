"""Update rules as jax functions on one parameter, and recording a whole step as one instruction.

| optimizer | rule | why not optax's |
|---|---|---|
| SGD with momentum, nesterov | `optax.trace` | the same rule |
| SGD with dampening | own | optax has no dampening |
| Adam, AdamW | own | optax divides both moments by their correction before the root, PyTorch divides the root: |
| | | other rounding; and PyTorch keeps a step count for each parameter |
"""

import jax.numpy as jnp
import optax

from torchlike._lower import kernels
from torchlike._storage import Storage
from torchlike._trace.bind import bind_kernel
from torchlike._trace.inplace import write
from torchlike._trace.views import mark_stale


def record_step(name, rule, flags, columns, results, numbers) -> None:
    """One instruction that applies `rule` to every parameter.

    columns: lists of tensors, one entry a parameter (parameters, gradients, states). `rule` takes one
    entry of each column and the numbers, and gives the new values of the columns `results`.
    """
    count = len(columns[0])
    tensors = [x for column in columns for x in column]
    ins = tuple([x._cell.aval.plain for x in tensors])
    key = ("optimizer", name, flags, ins)
    kinds = tuple([float] * len(numbers))

    def make():
        def function(*arrays):
            values = arrays[len(ins):]
            new = [rule(*(arrays[c * count + i] for c in range(len(columns))), *values, **dict(flags))
                   for i in range(count)]
            return tuple(row[r] for r in range(len(results)) for row in new)
        return kernels.Kernel(name, function, ins, kinds, ins[0].device)

    outs = bind_kernel(kernels.intern(key, make), tensors, tuple([float(n) for n in numbers]))
    targets = [x for r in results for x in columns[r]]
    for target, out in zip(targets, outs, strict=True):
        overwrite(target, out)


def overwrite(target, out) -> None:
    """`inplace.write` for a tensor that owns its memory: it takes the new slot."""
    cell, new = target._cell, out._cell
    if cell.__class__ is not Storage or new.trace is None:
        write(target, out, None)
        return
    trace, slot = new.trace, new.slot
    old = cell.trace
    if old is not None and cell.slot < len(old.values) and old.values[cell.slot] is cell:
        old.values[cell.slot] = None
    cell.trace, cell.slot, cell.array = trace, slot, None
    trace.values[slot] = cell
    cell.version += 1
    if cell.views is not None:
        mark_stale(cell)


def _as(x, value):
    return value.astype(x.dtype)


def sgd(p, g, buf, lr, weight_decay, momentum, dampening, *, decay, nesterov, dampened,
        maximize, first):
    """(parameter, momentum buffer) after one step with momentum."""
    g = _with_decay(p, -g if maximize else g, weight_decay, decay)
    if not first and dampened:
        buf = _as(p, momentum) * buf + _as(p, 1 - dampening) * g
        return p - _as(p, lr) * buf, buf
    if first:  # optax starts its trace at zero, PyTorch at the first gradient: the same number
        buf = jnp.zeros_like(g)
    rule = optax.trace(decay=_as(p, momentum), nesterov=nesterov)
    step, state = rule.update(g, optax.TraceState(trace=buf))
    return p - _as(p, lr) * step, state.trace


def sgd_plain(p, g, lr, weight_decay, *, decay, maximize):
    """The parameter after one step without momentum."""
    return (p - _as(p, lr) * _with_decay(p, -g if maximize else g, weight_decay, decay),)


def _with_decay(p, g, weight_decay, decay):
    return g + _as(p, weight_decay) * p if decay else g


def adam(p, g, m, v, step, *rest, decay, decoupled, amsgrad, maximize):
    """(parameter, first moment, second moment, step[, largest second moment]) after one step."""
    top, numbers = (rest[0], rest[1:]) if amsgrad else (None, rest)
    lr, beta1, beta2, eps, weight_decay = numbers
    g = -g if maximize else g
    step = step + 1
    count = step.astype(jnp.float64)
    if decay and decoupled:
        p = p * _as(p, 1 - lr * weight_decay)
    elif decay:
        g = g + _as(p, weight_decay) * p
    m = m + _as(p, 1 - beta1) * (g - m)
    v = v * _as(p, beta2) + _as(p, 1 - beta2) * (g * jnp.conj(g)).real
    root2 = jnp.sqrt(1 - beta2 ** count)
    if amsgrad:
        top = jnp.maximum(top, v)
    denom = jnp.sqrt(top if amsgrad else v) / _as(p, root2) + _as(p, eps)
    p = p - _as(p, lr / (1 - beta1 ** count)) * (m / denom)
    return (p, m, v, step, top) if amsgrad else (p, m, v, step)
