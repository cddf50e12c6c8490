"""Connectionist temporal classification: the probability of a label sequence under frame-wise probabilities.

https://pytorch.org/docs/stable/generated/torch.nn.CTCLoss.html (Graves et al. 2006). States are the labels with blanks
around them, 2 S + 1 of them; sums over paths are taken in log space, frame by frame. The gradient is the paper's (16):
it takes `log_probs` as normalised, as PyTorch's does.
"""

import jax.numpy as jnp
from jax import lax

from torchlike._ops.rules import scalar_name
from torchlike._ops.table import op


def _padded(targets, lengths, longest):
    """Targets as (N, longest): they are that already, or one after another."""
    if targets.ndim == 2:
        return targets[:, :longest]
    if not targets.shape[0]:
        return jnp.zeros((lengths.shape[0], longest), targets.dtype)
    starts = jnp.cumsum(lengths) - lengths
    return targets[jnp.minimum(starts[:, None] + jnp.arange(longest), targets.shape[0] - 1)]


def _states(targets, blank):
    """(N, 2 S + 1) labels with blanks, and whether a state can be reached from the one two before."""
    n, s = targets.shape
    blanks = jnp.full((n, s + 1), blank, targets.dtype)
    labels = jnp.stack([blanks[:, :s], targets], -1).reshape(n, 2 * s)
    labels = jnp.concatenate([labels, blanks[:, s:]], 1)
    skips = jnp.concatenate([jnp.zeros((n, min(2, 2 * s + 1)), bool), labels[:, 2:] != labels[:, :-2]], 1)
    return labels, skips


def _log_sum(*terms):
    """log(sum(exp)), -inf where all terms are."""
    largest = terms[0]
    for t in terms[1:]:
        largest = jnp.maximum(largest, t)
    safe = jnp.where(largest == -jnp.inf, 0, largest)
    return jnp.log(sum(jnp.exp(t - safe) for t in terms)) + safe


def _later(x, by):
    """State s of the result is state s - by of `x`; -inf comes in."""
    return jnp.pad(x, [(0, 0), (by, 0)], constant_values=-jnp.inf)[:, :x.shape[1]]


def _earlier(x, by):
    return jnp.pad(x, [(0, 0), (0, by)], constant_values=-jnp.inf)[:, by:]


def _emitted(log_probs, labels):
    """(T, N, states): the log-probability of each state's label; a label that is no class gives NaN."""
    wrapped = jnp.where(labels < 0, log_probs.shape[2], labels)
    index = jnp.broadcast_to(wrapped, (log_probs.shape[0], *labels.shape))
    return jnp.take_along_axis(log_probs, index, 2, mode="fill", fill_value=jnp.nan)


def _alphas(emitted, skips, input_lengths, target_lengths):
    """(T, N, states): log-probabilities of the paths up to each state; after the input's end they stay."""
    place = jnp.arange(emitted.shape[2])
    first = jnp.where((place == 0) | ((place == 1) & (target_lengths > 0)[:, None]), emitted[0], -jnp.inf)

    def step(alpha, frame):
        t, emit = frame
        new = _log_sum(alpha, _later(alpha, 1), jnp.where(skips, _later(alpha, 2), -jnp.inf)) + emit
        alpha = jnp.where((t < input_lengths)[:, None], new, alpha)
        return alpha, alpha

    _, rest = lax.scan(step, first, (jnp.arange(1, emitted.shape[0]), emitted[1:]))
    return jnp.concatenate([first[None], rest])


def _betas(emitted, skips, input_lengths, target_lengths):
    """(T, N, states): log-probabilities of the paths from each state on; -inf after the input's end."""
    place = jnp.arange(emitted.shape[2])
    last = 2 * target_lengths[:, None]
    ends = (place == last) | ((place == last - 1) & (last > 0))
    reach = jnp.pad(skips, [(0, 0), (0, 2)])[:, 2:]

    def step(beta, frame):
        t, emit = frame
        new = _log_sum(beta, _earlier(beta, 1), jnp.where(reach, _earlier(beta, 2), -jnp.inf)) + emit
        at_end = jnp.where(ends, emit, -jnp.inf)
        left = (input_lengths - 1 - t)[:, None]
        beta = jnp.where(left > 0, new, jnp.where(left == 0, at_end, -jnp.inf))
        return beta, beta

    start = jnp.full(emitted.shape[1:], -jnp.inf, emitted.dtype)
    return lax.scan(step, start, (jnp.arange(emitted.shape[0]), emitted), reverse=True)[1]


def _by_class(values, labels, classes):
    """The log of summed exponentials of states (T, N, states) over those with the same label: (T, N, classes)."""
    t, n, _ = values.shape
    at = (jnp.arange(t)[:, None, None], jnp.arange(n)[None, :, None], jnp.where(labels < 0, classes, labels)[None])
    largest = jnp.full((t, n, classes), -jnp.inf, values.dtype).at[at].max(values, mode="drop")
    safe = jnp.where(largest == -jnp.inf, 0, largest)
    below = values - safe.at[at].get(mode="fill", fill_value=0)
    return jnp.log(jnp.zeros((t, n, classes), values.dtype).at[at].add(jnp.exp(below), mode="drop")) + safe


def _gradient(g0, log_probs, targets, input_lengths, target_lengths, result0, result1, blank, zero_infinity, longest):
    if g0 is None:
        return None
    labels, skips = _states(_padded(targets, target_lengths, longest), blank)
    betas = _betas(_emitted(log_probs, labels), skips, input_lengths, target_lengths)
    paths = _by_class(result1 + betas, labels, log_probs.shape[2])
    g = (jnp.exp(log_probs) - jnp.exp(paths + result0[:, None] - log_probs)) * g0[:, None]
    inside = jnp.arange(log_probs.shape[0])[:, None] < input_lengths
    if zero_infinity:
        inside = inside & (result0 != jnp.inf)
    return jnp.where(inside[..., None], g, 0)


@op("_ctc_loss(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank, "
    "bool zero_infinity, int longest) -> (Tensor, Tensor)", node="CtcLossBackward0", method=False, function=False,
    grads={"log_probs": _gradient})
def _ctc_loss(log_probs, targets, input_lengths, target_lengths, *, blank, zero_infinity, longest):
    """(T, N, C) log-probabilities to (N) losses, and the forward variables. `longest` is at least every target's length."""
    if log_probs.dtype not in (jnp.float32, jnp.float64):
        raise NotImplementedError(f"\"ctc_loss_cpu\" not implemented for '{scalar_name(log_probs)}'")
    labels, skips = _states(_padded(targets, target_lengths, longest), blank)
    alphas = _alphas(_emitted(log_probs, labels), skips, input_lengths, target_lengths)
    place = 2 * target_lengths[:, None]
    last = jnp.take_along_axis(alphas[-1], place, 1)[:, 0]
    before = jnp.take_along_axis(alphas[-1], jnp.maximum(place - 1, 0), 1)[:, 0]
    found = _log_sum(last, jnp.where(target_lengths > 0, before, -jnp.inf))
    empty = jnp.where(target_lengths == 0, 0, -jnp.inf).astype(found.dtype)
    return -jnp.where(input_lengths > 0, found, empty), alphas
