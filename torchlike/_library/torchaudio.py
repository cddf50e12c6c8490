"""torchaudio's operators, which are C++ in its wheels: what `torch.ops.load_library` makes of its shared libraries.

numpy computes them. Gradients are torchaudio's own: it differentiates its filters and its loss in Python.
"""

import numpy as np

from torchlike import _api, ops
from torchlike._api.checks import _check
from torchlike._library import registry
from torchlike._library.operator import Operator

_BLOCK = 64  # samples of a filter that one product computes


def _numpy(tensor):
    return tensor.detach().cpu().numpy()


def _like(array, tensor, dtype=None):
    return _api.tensor(array, dtype=dtype or tensor.dtype, device=tensor.device)


def _recur(inputs: np.ndarray, past: np.ndarray, coefficients: np.ndarray) -> np.ndarray:
    """y[t] = x[t] - the sum of c[j] y[t - order + j]: a block at a time, by the answer of the filter to an impulse.

    Args:
        inputs: (rows, samples), float64.
        past: (rows, order): what y was before.
        coefficients: (order,).

    Returns:
        y, of the shape of `inputs`.
    """
    order, size = len(coefficients), min(_BLOCK, max(1, inputs.shape[1]))
    answer = np.zeros(order + size)
    answer[order] = 1
    for i in range(order + 1, order + size):
        answer[i] = -(coefficients @ answer[i - order:i])
    lag = np.arange(size) - np.arange(size)[:, None]
    own = np.where(lag >= 0, answer[order + np.maximum(lag, 0)], 0)  # (from, to)
    tail = np.zeros((order, size))  # (sample of the past, sample that it counts in)
    for i in range(order):
        tail[i, :min(i + 1, size)] = coefficients[:i + 1][::-1][:size]
    found = []
    for i in range(0, inputs.shape[1], size):
        x = inputs[:, i:i + size]
        y = (x - past @ tail[:, :x.shape[1]]) @ own[:x.shape[1], :x.shape[1]]
        found.append(y)
        past = np.concatenate([past, y], 1)[:, y.shape[1]:]
    return np.concatenate(found, 1) if found else inputs


def _lfilter_core_loop(windows, coefficients, padded):
    """The recursive part of a filter.

    Args:
        windows: (batch, channels, samples): the sums over the inputs.
        coefficients: (channels, order + 1): those of the outputs, the latest last, which is 1.
        padded: (batch, channels, order + samples): the outputs before, and behind them where the new ones are written.

    Returns:
        `padded`.
    """
    _check(windows.device.type == padded.device.type == coefficients.device.type,
           lambda: "torchaudio::_lfilter_core_loop: tensors on one device")
    x, a, past = (_numpy(tensor).astype(np.float64) for tensor in (windows, coefficients, padded))
    order = a.shape[1] - 1
    for channel in range(x.shape[1]):
        past[:, channel, order:] = _recur(x[:, channel], past[:, channel, :order], a[channel, :-1])
    return padded.copy_(_like(past, padded))


def _overdrive_core_loop(waveform, temp, last_in, last_out, output):
    """Takes away what does not change, and mixes the result with the wave.

    Args:
        waveform, temp: (channels, samples): the wave and the distorted one.
        last_in, last_out: (channels,): what the two were before; what they are at the end is written there.
        output: (channels, samples), written.

    Returns:
        `last_in`, `last_out` and `output`.
    """
    x, before, past = (_numpy(tensor).astype(np.float64) for tensor in (temp, last_in, last_out))
    steps = np.diff(x, prepend=before[:, None])
    y = _recur(steps, past[:, None], np.array([-0.995]))
    output.copy_(waveform * 0.5 + _like(y, output) * 0.75)
    if x.shape[1]:
        last_in.copy_(temp[:, -1])
        last_out.copy_(_like(y[:, -1], last_out))
    return last_in, last_out, output


def rnnt_loss_forward(logits, targets, logit_lengths, target_lengths, blank, clamp, fused_log_softmax):
    """The loss of transducers, and its gradient by the logits.

    Args:
        logits: (batch, time, labels + 1, classes), float32 or float16.
        targets: (batch, labels), int32.
        logit_lengths, target_lengths: (batch,), int32.
        blank: the class of no label.
        clamp: what the gradients' absolute values are not above, if it is positive.
        fused_log_softmax: whether `logits` are still to be normalized.

    Returns:
        The losses (batch,), and the gradients, as `logits`.
    """
    _check(0 <= blank < logits.shape[-1], lambda: "blank must be within [0, logits.shape[-1])")
    x = _numpy(logits.float()).astype(np.float64)
    shifted = x - x.max(-1, keepdims=True) if fused_log_softmax else x
    logs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True)) if fused_log_softmax else x
    labels, times, sizes = _numpy(targets), _numpy(logit_lengths), _numpy(target_lengths)
    costs, grads = np.zeros(len(x)), np.zeros_like(x)
    for i, (length, size) in enumerate(zip(times, sizes, strict=True)):
        part = np.s_[i, :length, :size + 1]
        costs[i], grads[part] = _transducer(logs[part], labels[i, :size], blank)
        if fused_log_softmax:
            grads[part] -= np.exp(logs[part]) * grads[part].sum(-1, keepdims=True)
    if clamp > 0:
        grads = grads.clip(-clamp, clamp)
    return _like(costs, logits), _like(grads, logits)


def _transducer(logs: np.ndarray, labels: np.ndarray, blank: int) -> tuple:
    """The loss of one sequence and its gradient by the logarithms (time, labels + 1, classes)."""
    length, states = logs.shape[:2]
    none, some = logs[:, :, blank], logs[:, np.arange(states - 1), labels]
    before, after = np.full((length, states), -np.inf), np.full((length + 1, states + 1), -np.inf)
    before[0, 0] = 0
    after[length, states - 1] = 0
    for t in range(length):
        if t:
            before[t] = before[t - 1] + none[t - 1]
        for u in range(1, states):
            before[t, u] = np.logaddexp(before[t, u], before[t, u - 1] + some[t, u - 1])
    for t in reversed(range(length)):
        after[t, :-1] = after[t + 1, :-1] + none[t]
        for u in reversed(range(states - 1)):
            after[t, u] = np.logaddexp(after[t, u], after[t, u + 1] + some[t, u])
    total, grads = after[0, 0], np.zeros_like(logs)
    grads[:, :, blank] = -np.exp(before + none + after[1:, :-1] - total)
    grads[:, np.arange(states - 1), labels] -= np.exp(before[:, :-1] + some + after[:-1, 1:-1] - total)
    return -total, grads


def forced_align(log_probs, targets, input_lengths, target_lengths, blank):
    """The likeliest path of labels and blanks through the frames.

    Args:
        log_probs: (1, time, classes).
        targets: (1, labels), of integers.
        input_lengths, target_lengths: (1,).
        blank: the class of no label.

    Returns:
        The classes (1, time) and `log_probs`.
    """
    _check(log_probs.shape[0] == 1, lambda: "The batch dimension for log_probs must be 1 at the current version.")
    logs, labels = _numpy(log_probs)[0].astype(np.float64), _numpy(targets)[0]
    length, size = len(logs), 2 * len(labels) + 1
    repeats = int((labels[1:] == labels[:-1]).sum())
    _check(length >= len(labels) + repeats,
           lambda: f"targets length is too long for CTC. Found log_probs length: {length}, targets length: {len(labels)}, "
                   f"and number of repeats: {repeats}")
    classes = np.full(size, blank)
    classes[1::2] = labels
    skips = np.zeros(size, bool)  # whether the blank before may be left out
    skips[3::2] = labels[1:] != labels[:-1]
    score = np.full(size, -np.inf)
    score[:2] = logs[0, classes[:2]]
    came = np.zeros((length, size), np.int64)
    for t in range(1, length):
        one, two = np.full(size, -np.inf), np.full(size, -np.inf)
        one[1:] = score[:-1]
        two[2:] = np.where(skips[2:], score[:-2], -np.inf)
        came[t] = np.where((two > one) & (two > score), 2, np.where(one > score, 1, 0))
        score = np.choose(came[t], [score, one, two]) + logs[t, classes]
    state = size - 1 if size == 1 or score[-1] > score[-2] else size - 2
    path = np.empty((1, length), np.int64)
    for t in reversed(range(length)):
        path[0, t] = classes[state]
        state -= came[t, state]
    return _like(path, targets), log_probs


_KERNELS = {
    "_lfilter_core_loop(Tensor input_signal_windows, Tensor a_coeff_flipped, Tensor(a!) padded_output_waveform) "
    "-> Tensor(a!)": _lfilter_core_loop,
    "_overdrive_core_loop(Tensor waveform, Tensor temp, Tensor(a!) last_in, Tensor(b!) last_out, "
    "Tensor(c!) output_waveform) -> (Tensor(a!), Tensor(b!), Tensor(c!))": _overdrive_core_loop,
    "rnnt_loss_forward(Tensor logits, Tensor targets, Tensor logit_lengths, Tensor target_lengths, int blank, float clamp, "
    "bool fused_log_softmax) -> (Tensor, Tensor)": rnnt_loss_forward,
    "forced_align(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank) "
    "-> (Tensor, Tensor)": forced_align,
}
_FACTS = {"is_align_available() -> bool": lambda: True, "cuda_version() -> int?": lambda: None}


def _define(namespace: str, kernels: dict) -> None:
    for schema, kernel in kernels.items():
        operator = Operator(namespace, schema, opaque=False)
        registry.set_kernel(operator, None, kernel)
        ops.register(operator)
        registry.add(operator)


ops.libraries.update({"torchaudio/lib/libtorchaudio": lambda: _define("torchaudio", _KERNELS),
                      "torchaudio/lib/_torchaudio": lambda: _define("_torchaudio", _FACTS)})
