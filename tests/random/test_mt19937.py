"""The generator against real torch: the same seed gives the same numbers, bit for bit, and the same state.

The states are compared as well, so a sampler that takes one word too many fails even if its numbers agree.
"""

import math
import random

import ml_dtypes
import numpy as np
import pytest
import torch

from torchlike._random.mt19937 import MT19937
from torchlike._random.mt19937_samplers import CHUNK, fma32, fma64, swapped

SIZES = (0, 1, 5, 15, 16, 17, 31, 100, 1000)
FLOATS = {"float32": torch.float32, "float64": torch.float64, "float16": torch.float16,
          "bfloat16": torch.bfloat16}
INTEGERS = {"uint8": torch.uint8, "int8": torch.int8, "int16": torch.int16, "int32": torch.int32,
            "int64": torch.int64, "bool": torch.bool}
SPANS = ((0, 10), (-5, 5), (0, 1), (0, 2**28 - 1), (0, 2**28), (-2**31, 2**31), (0, 2**32 - 1), (0, 2**32),
         (-2**40, 2**40 + 7), (0, 2**63 - 1), (-2**63, 2**63 - 1))
RANGES = ((0.0, 1.0), (-0.3, 1.1), (1.0, 1.0 + 2**-20), (0.3, 0.3), (-5.0, 0.0), (1000.1, 2000.2))
# PyTorch's vector kernels, which are followed bit for bit, run on CPUs with AVX2.
EXACT = torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512")


def _float_samplers(name, dtype):
    def into(method, *args):
        return lambda n: getattr(torch.empty(n, dtype=dtype), method)(*args)

    return {
        f"rand-{name}": (lambda n: torch.rand(n, dtype=dtype), lambda g, n: g.uniform(n, name)),
        f"uniform-{name}": (into("uniform_", -0.3, 1.1), lambda g, n: g.uniform(n, name, -0.3, 1.1)),
        f"randn-{name}": (lambda n: torch.randn(n, dtype=dtype), lambda g, n: g.normal(n, name)),
        f"normal-{name}": (into("normal_", 0.3, 1.7), lambda g, n: g.normal(n, name, 0.3, 1.7)),
        f"shifted-{name}": (into("normal_", 0.3, 1.0), lambda g, n: g.normal(n, name, 0.3, 1.0)),
        f"exponential-{name}": (into("exponential_", 1.7), lambda g, n: g.exponential(n, name, 1.7)),
        f"log_normal-{name}": (into("log_normal_", 0.3, 0.7), lambda g, n: g.log_normal(n, name, 0.3, 0.7)),
        f"cauchy-{name}": (into("cauchy_", 0.3, 1.7), lambda g, n: g.cauchy(n, name, 0.3, 1.7)),
        f"geometric-{name}": (into("geometric_", 0.3), lambda g, n: g.geometric(n, name, 0.3)),
        f"random-{name}": (into("random_"), lambda g, n: _as(g.random_(n, name), name)),
        f"bernoulli-{name}": (into("bernoulli_", 0.3), lambda g, n: g.bernoulli(n, 0.3)),
        f"bernoulli_tensor-{name}": (
            lambda n: torch.bernoulli(torch.linspace(0, 1, n, dtype=torch.float64).to(dtype)),
            lambda g, n: g.bernoulli_tensor(_as(np.linspace(0, 1, n), name))),
    }


def _as(values, name):
    return values.astype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def _integer_samplers():
    found = {"randperm": (torch.randperm, lambda g, n: g.randperm(n))}
    for low, high in SPANS:
        found[f"randint-{low}-{high}"] = (lambda n, a=low, b=high: torch.randint(a, b, (n,)),
                                          lambda g, n, a=low, b=high: g.randint(n, a, b))
    for name, dtype in INTEGERS.items():
        found[f"random-{name}"] = (lambda n, d=dtype: torch.empty(n, dtype=d).random_(),
                                   lambda g, n, d=name: g.random_(n, d))
    for name in ("int64", "int32"):
        dtype = INTEGERS[name]
        found[f"geometric-{name}"] = (lambda n, d=dtype: torch.empty(n, dtype=d).geometric_(0.05),
                                      lambda g, n, d=name: g.geometric(n, d, 0.05))
    return found


SAMPLERS = {name: pair for item in FLOATS.items() for name, pair in _float_samplers(*item).items()}
SAMPLERS |= _integer_samplers()


def assert_same(ours, theirs):
    if theirs.dtype in (torch.float16, torch.bfloat16):
        theirs = theirs.float()
    theirs = theirs.numpy()
    assert ours.shape == theirs.shape
    if EXACT or theirs.dtype.kind != "f":
        np.testing.assert_array_equal(ours, theirs)
    else:
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def assert_same_state(generator):
    np.testing.assert_array_equal(generator.get_state(), torch.get_rng_state().numpy())


@pytest.mark.parametrize("name", SAMPLERS)
def test_each_size_three_times(name):
    theirs, ours = SAMPLERS[name]
    generator = MT19937()
    for n in SIZES:
        torch.manual_seed(n)
        generator.manual_seed(n)
        for _ in range(3):
            assert_same(ours(generator, n), theirs(n))
        assert_same_state(generator)


@pytest.mark.parametrize("seed", range(12))
def test_interleaved(seed):
    choice = random.Random(seed)
    torch.manual_seed(seed)
    generator = MT19937(seed)
    for _ in range(120):
        theirs, ours = SAMPLERS[choice.choice(sorted(SAMPLERS))]
        n = choice.choice(SIZES)
        assert_same(ours(generator, n), theirs(n))
    assert_same_state(generator)


@pytest.mark.parametrize("name", [n for n in SAMPLERS if n.endswith(("float32", "float64", "float16"))])
def test_more_than_a_chunk(name):
    theirs, ours = SAMPLERS[name]
    n = 2 * CHUNK + 13
    torch.manual_seed(3)
    generator = MT19937(3)
    assert_same(ours(generator, n), theirs(n))
    assert_same_state(generator)


@pytest.mark.parametrize("bounds", RANGES)
@pytest.mark.parametrize("name", FLOATS)
def test_uniform_ranges(name, bounds):
    """Rounding to `high` happens in narrow ranges and narrow dtypes; the sample is `low` then."""
    torch.manual_seed(5)
    theirs = torch.empty(20_000, dtype=FLOATS[name]).uniform_(*bounds)
    assert_same(MT19937(5).uniform(20_000, name, *bounds), theirs)


@pytest.mark.parametrize("name", FLOATS)
def test_normals_of_strided_tensors(name):
    """PyTorch fills them in the order of memory, in pairs."""
    torch.manual_seed(8)
    theirs = torch.empty(9, 10, dtype=FLOATS[name])[:, ::2].normal_(0.3, 1.7)
    generator = MT19937(8)
    assert_same(generator.normal(45, name, 0.3, 1.7, blocks=False), theirs.reshape(-1))
    assert_same_state(generator)


@pytest.mark.parametrize("p", [0.0, 1.0, 0.5, 1e-300, 0.1, 1 - 2**-53])
def test_bernoulli_probabilities(p):
    torch.manual_seed(6)
    assert_same(MT19937(6).bernoulli(5000, p), torch.empty(5000).bernoulli_(p))


@pytest.mark.parametrize("seed", [0, 1, 42, -1, -2**63, 2**31, 2**32 + 5, 2**63, 2**64 - 1])
def test_seeds(seed):
    torch.manual_seed(seed)
    generator = MT19937()
    generator.manual_seed(seed)
    assert generator.initial_seed() == torch.initial_seed()
    assert_same_state(generator)
    assert_same(generator.uniform(3), torch.rand(3))


def test_default_seed():
    assert MT19937().initial_seed() == torch.Generator().initial_seed()


def test_unforeseeable_seeds():
    generator = MT19937()
    first, second = generator.seed(), generator.seed()
    assert first != second == generator.initial_seed()


@pytest.mark.parametrize("before", ["nothing", "rand-float32", "randn-float64", "log_normal-float32"])
@pytest.mark.parametrize("n", [1, 5, 624])
def test_states_cross_over(before, n):
    """A state goes from torch to us and back, with a cached normal or without."""
    torch.manual_seed(11)
    if before != "nothing":
        SAMPLERS[before][0](n)
    state = torch.get_rng_state()
    generator = MT19937(0)
    generator.set_state(state.numpy())
    assert_same_state(generator)
    assert_same(generator.normal(3), torch.randn(3))
    assert_same(generator.uniform(700), torch.rand(700))
    torch.manual_seed(0)
    torch.set_rng_state(torch.from_numpy(generator.get_state()))
    assert_same(generator.normal(40), torch.randn(40))


def test_state_keeps_what_no_sampler_uses():
    state = MT19937(1).get_state()
    state[5048:5056] = (1, 2, 3, 4, 1, 0, 0, 0)
    generator = MT19937(2)
    generator.set_state(state)
    np.testing.assert_array_equal(generator.get_state(), state)


@pytest.mark.parametrize("state", [torch.zeros(5056, dtype=torch.uint8), torch.zeros(50, dtype=torch.uint8),
                                   torch.zeros(5056)], ids=["zeros", "short", "float"])
def test_bad_states(state):
    with pytest.raises((RuntimeError, TypeError)) as theirs:
        torch.Generator().set_state(state)
    with pytest.raises(theirs.type) as ours:
        MT19937().set_state(state.numpy())
    assert str(ours.value) == str(theirs.value)


# -- multinomial

WEIGHTS = np.random.default_rng(0).random((7, 40)) + 0.01


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize(("num", "replacement"), [(1, False), (1, True), (5, False), (40, False), (5, True),
                                                  (3000, True)])
def test_multinomial(name, num, replacement):
    theirs = torch.tensor(WEIGHTS).to(FLOATS[name])
    generator = MT19937(9)
    torch.manual_seed(9)
    ours = generator.multinomial(_as(WEIGHTS, name), num, replacement)
    expected = torch.multinomial(theirs, num, replacement).numpy()
    if name in ("float32", "float64") or replacement or num == 1:
        np.testing.assert_array_equal(ours, expected)
    else:  # equal scores are frequent in half precision, and PyTorch leaves their order open
        assert (ours == expected).mean() > 0.9
    assert_same_state(generator)


@pytest.mark.parametrize("replacement", [False, True])
def test_multinomial_zeros_and_many_categories(replacement):
    weights = np.random.default_rng(1).random((2, 5000)).astype(np.float32)
    weights[:, ::3] = 0
    torch.manual_seed(2)
    expected = torch.multinomial(torch.tensor(weights), 300, replacement)
    assert_same(MT19937(2).multinomial(weights, 300, replacement), expected)
    assert MT19937().multinomial(weights[:0], 3, replacement).shape == (0, 3)


@pytest.mark.parametrize(("num", "replacement"), [(1, False), (2, False), (2, True)])
def test_multinomial_without_weight(num, replacement):
    weights = np.array([[1, 2, 3], [0, 0, 0]], np.float32)
    with pytest.raises(RuntimeError) as theirs:
        torch.multinomial(torch.tensor(weights), num, replacement)
    with pytest.raises(RuntimeError) as ours:
        MT19937().multinomial(weights, num, replacement)
    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("p", [[0.5, 1.5], [-0.1, 0.5], [math.nan, 0.5]])
def test_bernoulli_tensor_outside(p):
    with pytest.raises(RuntimeError) as theirs:
        torch.bernoulli(torch.tensor(p))
    with pytest.raises(RuntimeError) as ours:
        MT19937().bernoulli_tensor(np.array(p, np.float32))
    assert str(ours.value) == str(theirs.value)


# -- arithmetic

def test_a_million_normals():
    """Every branch of the kernel's log, cosine and sine, many times."""
    torch.manual_seed(1)
    assert_same(MT19937(1).normal(1_000_000), torch.randn(1_000_000))


def test_fused_multiply_add_rounds_once():
    x = np.random.default_rng(0).standard_normal(2000)
    exact = [float(np.float64(_fraction(v))) for v in x]
    np.testing.assert_array_equal(fma64(x, 1.7, -0.3), exact)
    narrow = x.astype(np.float32)
    wide = narrow.astype(np.longdouble) * np.longdouble(np.float32(1.7)) + np.longdouble(np.float32(0.3))
    np.testing.assert_array_equal(fma32(narrow, np.float32(1.7), np.float32(0.3)), wide.astype(np.float32))


def _fraction(value):
    numerator, denominator = value.as_integer_ratio()
    (a, b), (c, d) = (1.7).as_integer_ratio(), (-0.3).as_integer_ratio()
    return (numerator * a * d + c * denominator * b) / (denominator * b * d)


def test_fused_multiply_add_of_huge_numbers():
    """Too large to split: finite, with the two roundings of plain arithmetic."""
    np.testing.assert_array_equal(fma64(np.array([1e300, 1.0]), 1e5, 1.0), [1e300 * 1e5, 100001.0])


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_swapped_is_the_swap_loop(n):
    for seed in range(20):
        partners = np.random.default_rng(seed).integers(np.arange(n), n)
        items = list(range(n))
        for i, j in enumerate(partners):
            items[i], items[j] = items[j], items[i]
        assert swapped(partners).tolist() == items
