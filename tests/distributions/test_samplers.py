"""Gamma, Dirichlet, Poisson and binomial numbers as operators: torch's numbers, the generator's state, gradients."""

import numpy as np
import pytest
import torch
from scipy import special

import torchlike
from compat.compare import PACKAGES
from tests.distributions.side import SEED, agree
from torchlike._random.mt19937 import MT19937

_RNG = np.random.default_rng(0)
_SHAPES = np.exp(2 * _RNG.normal(size=1000))
_SHAPES[:3] = 0, 1e-3, 1
_RATES = np.exp(2 * _RNG.normal(size=1000) + 1)
_RATES[0] = 0
_COUNTS = np.floor(np.exp(2 * _RNG.normal(size=1000) + 3))
_PROBS = _RNG.uniform(-.05, 1.05, size=1000).clip(0, 1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("operator", "sampler", "parameters"), [
    ("_standard_gamma", "gamma", (_SHAPES,)), ("poisson", "poisson", (_RATES,)),
    ("binomial", "binomial", (_COUNTS, _PROBS))], ids=["gamma", "poisson", "binomial"])
def test_bits(operator, sampler, parameters, dtype):
    """Bit for bit, and the generator is left where PyTorch leaves it."""
    parameters = [p.astype(dtype) for p in parameters]
    torch.manual_seed(SEED)
    expected = [getattr(torch, operator)(*map(torch.from_numpy, parameters)).numpy() for _ in range(2)]
    engine = MT19937(SEED)
    for want in expected:
        got = getattr(engine, sampler)(*parameters).astype(dtype)
        np.testing.assert_array_equal(np.fmax(got, np.finfo(dtype).tiny) if sampler == "gamma" else got, want)
    np.testing.assert_array_equal(engine.get_state(), torch.get_rng_state().numpy())


@pytest.mark.parametrize("kept", [0, 1])
def test_a_kept_normal(kept):
    """A normal number that waits from before is the first one that is used."""
    def check(side):
        torch_ = side.library
        torch_.randn(kept)
        return [torch_._standard_gamma(torch_.tensor([2., .3, 5.])), torch_.randn(3), torch_.get_rng_state()]

    agree(check)


def test_dirichlet():
    """Bit for bit in float32. In float64 the last bit is that of a sum, which PyTorch adds in another order."""
    shapes = _SHAPES[1:].reshape(-1, 3)
    for dtype, rtol in (("float32", 0), ("float64", 1e-15)):
        def check(side):
            numbers = side.library._sample_dirichlet(side.library.tensor(shapes, dtype=side.dtype))
            return [numbers, side.library.get_rng_state()]

        agree(check, rtol=rtol, atol=0, dtype=dtype)


OPERATORS = ("torch._standard_gamma(x)", "torch.poisson(x)", "torch.binomial(x, x)", "torch._sample_dirichlet(x)",
             "torch._standard_gamma_grad(x, x)", "torch._dirichlet_grad(x, x, x)")


@pytest.mark.parametrize("expression", OPERATORS)
def test_dtypes(expression):
    """Which dtypes are refused, and how."""
    for dtype in ("float16", "bfloat16", "int64", "complex64"):
        def check(side):
            result = side.evaluate(expression, x=side.library.ones(1, dtype=side.dtype))
            return [result.shape, result.dtype]

        agree(check, dtype=dtype, where=dtype)


@pytest.mark.parametrize("expression", [
    "torch.poisson(t([-1.]))", "torch.poisson(t([nan]))", "torch.binomial(t([1., 2.]), t([.1, .2, .3]))",
    "torch.binomial(t([3., 2.]), t([.5]))", "torch.binomial(t([1.]), t([.5]).float())",
    "torch.binomial(t([2.]), t([nan]))", "torch.binomial(t([-3.]), t([.5]))", "torch.poisson(t([]))",
    "torch._standard_gamma(t([]))", "torch.poisson(t([2.])).grad_fn.name()", "torch._standard_gamma(t([2.])).grad_fn.name()",
    "torch.autograd.grad(torch.poisson(x := t([2.])), x)",
    "torch.autograd.grad(torch.binomial(t([3.]), x := t([.5])), x)",
    "torch.autograd.grad(torch.autograd.grad(torch._standard_gamma(x := t([2.])), x, create_graph=True)[0], x)",
    "torch._standard_gamma(t([1., 2.]), torch.Generator().manual_seed(3))",
    "torch.poisson(t([1., 20.]), generator=torch.Generator().manual_seed(3))"])
def test_operator(expression):
    agree(lambda side: side.evaluate(expression), where=expression)


# -- gradients

def test_gamma_slope():
    """-(d cdf / d alpha) / pdf, with the derivative by differences, where PyTorch's has three digits."""
    rng = np.random.default_rng(1)
    alpha = rng.gamma(1, 5, size=200) + .05
    x = np.maximum(rng.gamma(alpha), 1e-3)
    step = 1e-5 * alpha
    pdf = np.exp((alpha - 1) * np.log(x) - x - special.gammaln(alpha))
    exact = -(special.gammainc(alpha + step, x) - special.gammainc(alpha - step, x)) / (2 * step) / pdf
    mine = torchlike._standard_gamma_grad(*(torchlike.tensor(v.tolist(), dtype=torchlike.float64) for v in (alpha, x)))
    inside = special.gammainc(alpha, x) < .99  # in the tail the differences have no digits
    np.testing.assert_allclose(mine.numpy()[inside], exact[inside], rtol=1e-7)


@pytest.mark.parametrize(("a", "b", "x"), [(.5, 3., .05), (2., 4., .3), (2., 4., .9), (30., 20., .6), (.3, 1.5, 1e-3)])
def test_dirichlet_slope(a, b, x):
    """The same for Beta numbers, divided by 1 - x."""
    step = 1e-5 * a
    derivative = (special.betainc(a + step, b, x) - special.betainc(a - step, b, x)) / (2 * step)
    pdf = x**(a - 1) * (1 - x)**(b - 1) / special.beta(a, b)
    mine = torchlike._dirichlet_grad(*(torchlike.tensor(v, dtype=torchlike.float64) for v in (x, a, a + b))).item()
    assert mine == pytest.approx(-derivative / pdf / (1 - x), rel=1e-7)


@pytest.mark.slow
def test_slopes_of_extremes():
    """Finite, and near torch's, for very small and very large parameters."""
    a = [1e-2, .5, 1., 20., 1e3, 1e6]
    for name in ("_standard_gamma_grad", "_dirichlet_grad"):
        rows = [(a, a)] if name == "_standard_gamma_grad" else [
            ([x] * 6, a, [v * k for v in a]) for x in (1e-6, .3, .999) for k in (1.5, 3.)]
        for row in rows:
            theirs, mine = (getattr(library, name)(*(library.tensor(v, dtype=library.float64) for v in row)).numpy()
                            for library in PACKAGES)
            np.testing.assert_allclose(mine, theirs, rtol=5e-3, atol=1e-12)


@pytest.mark.slow
def test_pathwise_gradient_of_a_mean():
    """The gradient of E[x**2] of Dirichlet numbers: unbiased, so near the exact one."""
    alpha = torchlike.tensor([.7, 1.5, 3.], requires_grad=True, dtype=torchlike.float64)
    torchlike.manual_seed(0)
    samples = torchlike.distributions.Dirichlet(alpha).rsample((20_000,))
    (mine,) = torchlike.autograd.grad(samples.pow(2).mean(0)[0], alpha)
    total = alpha.sum()
    (exact,) = torchlike.autograd.grad(alpha[0] * (alpha[0] + 1) / (total * (total + 1)), alpha)
    np.testing.assert_allclose(mine.numpy(), exact.numpy(), atol=2e-3)


# -- under transforms

def test_vmap():
    """Different numbers in each slice are those of the whole batch; the same ones need one set of parameters."""
    alpha = torchlike.tensor([[.5, 2.], [3., 1.], [1., 4.]])
    for operator in (torchlike._standard_gamma, torchlike.poisson, torchlike._sample_dirichlet):
        torchlike.manual_seed(0)
        whole = operator(alpha)
        torchlike.manual_seed(0)
        assert torchlike.equal(torchlike.vmap(operator, randomness="different")(alpha), whole)
        torchlike.manual_seed(0)
        assert torchlike.equal(torchlike.vmap(operator, in_dims=1, randomness="different")(alpha.t().contiguous()), whole)
    with pytest.raises(RuntimeError, match="same randomness"):
        torchlike.vmap(torchlike.poisson, randomness="same")(alpha)
    with pytest.raises(RuntimeError, match="randomness"):
        torchlike.vmap(torchlike.poisson)(alpha)


def test_nested_vmap():
    alpha = torchlike.tensor([[.5, 2.], [3., 1.], [1., 4.]])
    torchlike.manual_seed(0)
    whole = torchlike._standard_gamma(alpha)
    torchlike.manual_seed(0)
    inner = torchlike.vmap(torchlike._standard_gamma, randomness="different")
    assert torchlike.equal(torchlike.vmap(inner, randomness="different")(alpha), whole)
    torchlike.manual_seed(0)
    column = torchlike.vmap(lambda a: inner(a.expand(2)), randomness="different")(alpha[:, 0])
    assert column.shape == (3, 2) and len(set(column.flatten().tolist())) == 6


@pytest.mark.slow
def test_grad_of_samples():
    """`func.grad` sees the values, and gives what the tape gives."""
    alpha = torchlike.tensor([.5, 2.])
    torchlike.manual_seed(0)
    pure = torchlike.func.grad(lambda a: torchlike._standard_gamma(a).sum())(alpha)
    torchlike.manual_seed(0)
    leaf = alpha.clone().requires_grad_()
    torchlike._standard_gamma(leaf).sum().backward()
    assert torchlike.allclose(pure, leaf.grad)
