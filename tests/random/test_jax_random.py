"""The samplers for GPUs, on the CPU: what they draw has the right distribution, and the stream the right state."""

import numpy as np
import pytest

from torchlike._base.device import CPU
from torchlike._random.jax_random import JaxRandom
from torchlike._random.mt19937 import MT19937

N = 20_000
CALLS = [("uniform", N, "float32", -1.0, 3.0), ("uniform", N, "float64", 0.0, 1.0), ("uniform", N, "bfloat16", 0.0, 1.0),
         ("normal", N, "float32", 2.0, 0.5), ("normal", N, "float64", 0.0, 1.0), ("exponential", N, "float32", 2.0),
         ("bernoulli", N, 0.3), ("randint", N, -5, 20, "int64"), ("randint", N, 0, 1 << 40, "int64"),
         ("randint", N, -(1 << 63), 1 << 63, "int64"), ("random_", N, "int64"), ("random_", N, "uint8"),
         ("random_", N, "float32"), ("log_normal", N, "float32", 0.0, 1.0), ("geometric", N, "float32", 0.3),
         ("poisson", np.full(N, 3.0)), ("gamma", np.full(N, 2.0)), ("bernoulli_tensor", np.full(N, 0.7))]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: "-".join(map(str, call[:3]))[:40])
def test_same_distribution(call):
    """As the CPU's samplers, whose numbers are PyTorch's: the two empirical distributions are close (Kolmogorov-Smirnov)."""
    name, *args = call
    ours, theirs = (np.sort(np.asarray(getattr(engine, name)(*args)).astype(np.float64))
                    for engine in (JaxRandom(CPU), MT19937()))
    assert ours.shape == theirs.shape
    points = np.unique(theirs)
    steps = [np.searchsorted(x, points, side="right") / N for x in (ours, theirs)]
    assert np.abs(steps[0] - steps[1]).max() < 1.95 * np.sqrt(2 / N)  # passes by chance in 999 of 1000


def test_uniform_never_reaches_the_end():
    for dtype in ("float32", "bfloat16", "float16"):
        drawn = np.asarray(JaxRandom(CPU).uniform(200_000, dtype, 0.0, 1.0)).astype(np.float64)
        assert 0 <= drawn.min() < drawn.max() < 1


def test_permutations_and_weights():
    engine = JaxRandom(CPU)
    first, second = (np.asarray(engine.randperm(100)) for _ in range(2))
    assert sorted(first) == sorted(second) == list(range(100))
    assert (first != second).any()
    assert engine.multinomial(np.array([[0.0, 1.0, 0.0]]), 1, True).tolist() == [[1]]


def test_streams():
    a, b = JaxRandom(CPU), JaxRandom(CPU)
    first = np.asarray(a.uniform(4))
    assert (first == np.asarray(b.uniform(4))).all()
    state = a.get_state()
    second = np.asarray(a.uniform(4))
    assert (first != second).any()
    b.manual_seed(5)
    assert b.initial_seed() == 5
    assert (np.asarray(b.uniform(4)) != first).any()
    b.set_state(state)
    assert (np.asarray(b.uniform(4)) == second).all()
    assert (state.dtype, state.size) == (np.uint8, 16)
    with pytest.raises(RuntimeError, match="RNG state is wrong size"):
        b.set_state(np.zeros(5, np.uint8))
    with pytest.raises(TypeError, match=r"RNG state must be a torch\.ByteTensor"):
        b.set_state(np.zeros(16))
