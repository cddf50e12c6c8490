"""Every distribution against torch: properties, densities, gradients, samples of a seed, expansion."""

import pytest

from tests.distributions.cases import CASES, FLOAT32
from tests.distributions.side import agree, got
from tests.speed import NONE, case, sampled

_PROPERTIES = "batch_shape event_shape has_rsample has_enumerate_support support arg_constraints mean mode variance stddev"
_METHODS = "entropy perplexity enumerate_support __repr__"

# Every fourth distribution is fast; of the second forms (Bernoulli-logits) few are in CI.
FIRST = pytest.mark.parametrize("name", [
    case(name, fast="-" not in name and i % 4 == 0, ci="-" not in name or i % 6 == 0) for i, name in enumerate(CASES)])


def _agree(name, check, **options):
    """``check(side, distribution, value)`` under both."""
    expression, value = CASES[name]
    if name in FLOAT32:
        options = {"dtype": "float32", "rtol": 1e-5, "atol": 1e-6} | options
    agree(lambda side: check(side, side.evaluate(expression), side.evaluate(value)), where=name, **options)


@FIRST
def test_properties(name):
    def check(side, distribution, value):
        found = [got(lambda a=a: getattr(distribution, a)) for a in _PROPERTIES.split()]
        found += [got(getattr(distribution, method)) for method in _METHODS.split()]
        return [*found, got(lambda: distribution.enumerate_support(expand=False))]

    _agree(name, check, rtol=1e-6 if name.startswith("Multinomial") else 1e-9)  # entropy: PyTorch's lgamma(int) is float32


@FIRST
@pytest.mark.parametrize("method", ["log_prob", "cdf"])
def test_of_values(name, method):
    """The value, and its gradients by the parameters and the value."""
    def check(side, distribution, value):
        value = side.t(value)
        result = getattr(distribution, method)(value)
        return [result, *side.grads(result)]

    _agree(name, check)


@FIRST
def test_icdf(name):
    def check(side, distribution, value):
        result = distribution.icdf(side.t([.3, .8]))
        return [result, *side.grads(result)]

    _agree(name, check)


@FIRST
@pytest.mark.parametrize("dtype", sampled(("float32", "float64"), fast={"float64"}, ci=NONE))
def test_samples(name, dtype):
    """PyTorch's numbers, and the generator where PyTorch leaves it."""
    def check(side, distribution, value):
        return [distribution.sample((10,)), distribution.sample(), side.library.get_rng_state()]

    rtol, atol = (2e-5, 2e-6) if dtype == "float32" or name in FLOAT32 else (1e-9, 1e-11)
    _agree(name, check, dtype=dtype, rtol=rtol, atol=atol)


@FIRST
def test_rsample(name):
    """Samples with gradients. PyTorch's by the shapes of gamma and Dirichlet numbers have three digits."""
    def check(side, distribution, value):
        result = distribution.rsample((10,))
        return [result, *side.grads(result)]

    if name.startswith("Wishart"):
        pytest.skip("torch cannot differentiate its second draw")
    _agree(name, check, rtol=3e-3, atol=1e-5)


@FIRST
def test_expand(name):
    def check(side, distribution, value):
        wide = distribution.expand((3, *distribution.batch_shape))
        again = wide.expand((2, 3, *distribution.batch_shape))
        return [wide.batch_shape, wide.event_shape, repr(wide), again.batch_shape, wide.has_rsample,
                wide.log_prob(side.t(value)), got(lambda: wide.mean), wide.sample((2,)), type(wide) is type(distribution)]

    _agree(name, check)
