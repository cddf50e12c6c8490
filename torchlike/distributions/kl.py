"""Kullback-Leibler divergences: a table of functions by the types of both distributions.

https://pytorch.org/docs/stable/distributions.html#module-torch.distributions.kl
"""

import functools
import warnings
from collections.abc import Callable

from torchlike.distributions import _kl_cross as cross
from torchlike.distributions import _kl_gaussian as gaussian
from torchlike.distributions import _kl_same as same
from torchlike.distributions.bernoulli import Bernoulli
from torchlike.distributions.beta import Beta
from torchlike.distributions.binomial import Binomial
from torchlike.distributions.categorical import Categorical
from torchlike.distributions.cauchy import Cauchy
from torchlike.distributions.continuous_bernoulli import ContinuousBernoulli
from torchlike.distributions.dirichlet import Dirichlet
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.exp_family import ExponentialFamily
from torchlike.distributions.exponential import Exponential
from torchlike.distributions.gamma import Gamma
from torchlike.distributions.geometric import Geometric
from torchlike.distributions.gumbel import Gumbel
from torchlike.distributions.half_normal import HalfNormal
from torchlike.distributions.independent import Independent
from torchlike.distributions.laplace import Laplace
from torchlike.distributions.lowrank_multivariate_normal import LowRankMultivariateNormal
from torchlike.distributions.multivariate_normal import MultivariateNormal
from torchlike.distributions.normal import Normal
from torchlike.distributions.one_hot_categorical import OneHotCategorical
from torchlike.distributions.pareto import Pareto
from torchlike.distributions.poisson import Poisson
from torchlike.distributions.transformed_distribution import TransformedDistribution
from torchlike.distributions.uniform import Uniform
from torchlike.distributions.utils import _sum_rightmost

__all__ = ["kl_divergence", "register_kl"]

_KL_REGISTRY: dict[tuple[type, type], Callable] = {}
_found: dict[tuple[type, type], Callable] = {}  # cached look-ups


def register_kl(type_p, type_q):
    """Decorates ``function(p, q)``, which then computes `kl_divergence` of two types. The most specific pair of types
    counts; where that is not clear, `kl_divergence` warns.

    Args:
        type_p, type_q: the classes of p and q.

    Returns:
        a decorator, which returns the function.

    Raises:
        TypeError: `type_p` or `type_q` is no class.
    """
    for name, given in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(given, type):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {given}")

    def decorate(function):
        _KL_REGISTRY[type_p, type_q] = function
        _found.clear()
        return function

    return decorate


def kl_divergence(p: Distribution, q: Distribution):
    """KL(p || q), the mean of ``p.log_prob(x) - q.log_prob(x)`` over x of p.

    Args:
        p, q: the distributions.

    Returns:
        a tensor of the batch shape; NotImplementedError for types of which no pair is registered.
    """
    types = type(p), type(q)
    if types not in _found:
        _found[types] = _most_specific(*types)
    return _found[types](p, q)


def _most_specific(type_p, type_q) -> Callable:
    """The function of the pair nearest to these types, by p first. Warns if q first gives another function."""
    pairs = [(a, b) for a, b in _KL_REGISTRY if issubclass(type_p, a) and issubclass(type_q, b)]
    if not pairs:
        return functools.partial(_refuse, type_p.__name__, type_q.__name__)
    p_order, q_order = type_p.__mro__.index, type_q.__mro__.index
    by_p = min(pairs, key=lambda pair: (p_order(pair[0]), q_order(pair[1])))
    by_q = min(pairs, key=lambda pair: (q_order(pair[1]), p_order(pair[0])))
    if _KL_REGISTRY[by_p] is not _KL_REGISTRY[by_q]:
        warnings.warn(f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please "
                      f"register_kl({by_p[0].__name__}, {by_q[1].__name__})", RuntimeWarning, stacklevel=3)
    return _KL_REGISTRY[by_p]


def _refuse(p_name, q_name, p, q):
    raise NotImplementedError(f"No KL(p || q) is implemented for p type {p_name} and q type {q_name}")


# -- distributions that are made of others

def _transformed(p, q):
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


def _independent(p, q):
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


# -- the table

_SAME = {
    Bernoulli: same.bernoulli, Beta: same.beta, Binomial: same.binomial, Categorical: same.categorical, Cauchy: same.cauchy,
    ContinuousBernoulli: same.continuous_bernoulli, Dirichlet: same.dirichlet, Exponential: same.exponential,
    ExponentialFamily: same.exponential_family, Gamma: same.gamma, Geometric: same.geometric, Gumbel: same.gumbel,
    HalfNormal: same.half_normal, Independent: _independent, Laplace: same.laplace,
    LowRankMultivariateNormal: gaussian.low_low, MultivariateNormal: gaussian.full_full, Normal: same.normal,
    OneHotCategorical: same.one_hot_categorical, Pareto: same.pareto, Poisson: same.poisson,
    TransformedDistribution: _transformed, Uniform: same.uniform,
}
_CROSS = {
    (MultivariateNormal, LowRankMultivariateNormal): gaussian.full_low,
    (LowRankMultivariateNormal, MultivariateNormal): gaussian.low_full,
    (Bernoulli, Poisson): cross.bernoulli_poisson,
    (Beta, ContinuousBernoulli): cross.beta_continuous_bernoulli,
    (Beta, Exponential): cross.beta_exponential,
    (Beta, Gamma): cross.beta_gamma,
    (Beta, Normal): cross.beta_normal,
    (Beta, Uniform): cross.beta_uniform,
    (ContinuousBernoulli, Exponential): cross.continuous_bernoulli_exponential,
    (ContinuousBernoulli, Normal): cross.continuous_bernoulli_normal,
    (ContinuousBernoulli, Uniform): cross.continuous_bernoulli_uniform,
    (Exponential, Gamma): cross.exponential_gamma,
    (Exponential, Gumbel): cross.exponential_gumbel,
    (Exponential, Normal): cross.exponential_normal,
    (Gamma, Exponential): cross.gamma_exponential,
    (Gamma, Gumbel): cross.gamma_gumbel,
    (Gamma, Normal): cross.gamma_normal,
    (Gumbel, Normal): cross.gumbel_normal,
    (Laplace, Normal): cross.laplace_normal,
    (Normal, Gumbel): cross.normal_gumbel,
    (Normal, Laplace): cross.normal_laplace,
    (Pareto, Exponential): cross.pareto_exponential,
    (Pareto, Gamma): cross.pareto_gamma,
    (Pareto, Normal): cross.pareto_normal,
    (Uniform, Beta): cross.uniform_beta,
    (Uniform, ContinuousBernoulli): cross.uniform_continuous_bernoulli,
    (Uniform, Exponential): cross.uniform_exponential,
    (Uniform, Gamma): cross.uniform_gamma,
    (Uniform, Gumbel): cross.uniform_gumbel,
    (Uniform, Normal): cross.uniform_normal,
    (Uniform, Pareto): cross.uniform_pareto,
}
# p has values outside of q's support: (p, a parameter of the batch shape) -> all such q.
_INFINITE = {
    (Beta, "concentration1"): (Pareto,),
    (ContinuousBernoulli, "probs"): (Pareto,),
    (Exponential, "rate"): (Beta, ContinuousBernoulli, Pareto, Uniform),
    (Gamma, "concentration"): (Beta, ContinuousBernoulli, Pareto, Uniform),
    (Gumbel, "loc"): (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    (Laplace, "loc"): (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    (Normal, "loc"): (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    (Pareto, "scale"): (Beta, ContinuousBernoulli, Uniform),
    (Poisson, "rate"): (Bernoulli, Binomial),
}
_KL_REGISTRY.update({(cls, cls): function for cls, function in _SAME.items()} | _CROSS)
_KL_REGISTRY.update({(p, q): same.infinite(like) for (p, like), found in _INFINITE.items() for q in found})
