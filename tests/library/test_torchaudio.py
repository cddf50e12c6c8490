"""torchaudio's operators against loops that follow their definitions."""

import itertools

import numpy as np
import pytest

import torchlike
from torchlike import ops


@pytest.fixture(scope="module", autouse=True)
def _loaded():
    ops.load_library("/anywhere/torchaudio/lib/_torchaudio.abi3.so")
    ops.load_library("/anywhere/torchaudio/lib/libtorchaudio.abi3.so")


@pytest.mark.parametrize(("samples", "order"), [(150, 2), (64, 3), (3, 5), (0, 1), (70, 0)])
def test_filter(samples, order):
    torchlike.manual_seed(0)
    x, a = torchlike.randn(2, 3, samples), 0.3 * torchlike.randn(3, order + 1)
    padded = torchlike.cat([torchlike.randn(2, 3, order), torchlike.zeros(2, 3, samples)], 2)
    want = padded.numpy().astype(np.float64)
    for t in range(samples):
        want[:, :, t + order] = x.numpy()[:, :, t] - (want[:, :, t:t + order] * a.numpy()[:, :-1]).sum(-1)
    assert ops.torchaudio._lfilter_core_loop(x, a, padded) is padded
    np.testing.assert_allclose(padded.numpy(), want, rtol=1e-5, atol=1e-5)


def test_overdrive():
    torchlike.manual_seed(0)
    wave, temp, before, after = torchlike.randn(2, 90), torchlike.randn(2, 90), torchlike.randn(2), torchlike.randn(2)
    x, y, want = before.numpy().copy(), after.numpy().copy(), []
    for t in range(90):
        y, x = temp.numpy()[:, t] - x + 0.995 * y, temp.numpy()[:, t]
        want.append(wave.numpy()[:, t] * 0.5 + y * 0.75)
    out = torchlike.zeros(2, 90)
    ops.torchaudio._overdrive_core_loop(wave, temp, before, after, out)
    np.testing.assert_allclose(out.numpy(), np.stack(want, 1), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(np.stack([before.numpy(), after.numpy()]), np.stack([x, y]), rtol=1e-4, atol=1e-4)


def transducer(logits, labels, blank):
    """The loss by all the ways through the lattice."""
    logs, length, size = logits.log_softmax(-1), len(logits), len(labels)
    ways = []
    for moves in set(itertools.permutations("t" * (length - 1) + "u" * size)):
        t = u = 0
        found = 0
        for move in (*moves, "t"):
            found = found + logs[t, u, blank if move == "t" else labels[u]]
            t, u = t + (move == "t"), u + (move == "u")
        ways.append(found)
    return -torchlike.stack(ways).logsumexp(0)


@pytest.mark.parametrize("clamp", [-1.0, 0.05])
def test_rnnt_loss(clamp):
    torchlike.manual_seed(0)
    logits = torchlike.randn(2, 3, 3, 4, requires_grad=True)
    labels = torchlike.tensor([[1, 2], [3, 0]], dtype=torchlike.int32)
    want = torchlike.stack([transducer(logits[0], [1, 2], 0), transducer(logits[1, :2, :2], [3], 0)])
    (grad,) = torchlike.autograd.grad(want.sum(), logits)
    lengths = [torchlike.tensor(n, dtype=torchlike.int32) for n in ([3, 2], [2, 1])]
    costs, grads = ops.torchaudio.rnnt_loss_forward(logits.detach(), labels, *lengths, 0, clamp, True)
    assert torchlike.allclose(costs, want, atol=1e-5)
    assert torchlike.allclose(grads, grad.clamp(-clamp, clamp) if clamp > 0 else grad, atol=1e-5)


@pytest.mark.parametrize("labels", [[1, 2], [1, 1], [2]])
def test_forced_align(labels):
    torchlike.manual_seed(0)
    logs = torchlike.randn(1, 5, 3).log_softmax(-1)
    def joined(path):
        return [c for c, _ in itertools.groupby(path) if c]
    best = max((path for path in itertools.product(range(3), repeat=5) if joined(path) == labels),
               key=lambda path: sum(logs[0, t, c].item() for t, c in enumerate(path)))
    path, scores = ops.torchaudio.forced_align(logs, torchlike.tensor([labels]), torchlike.tensor([5]),
                                               torchlike.tensor([len(labels)]), 0)
    assert path.tolist() == [list(best)]
    assert scores is logs
    with pytest.raises(RuntimeError, match="too long"):
        ops.torchaudio.forced_align(logs, torchlike.tensor([[1, 1, 1, 1]]), torchlike.tensor([5]), torchlike.tensor([4]), 0)
