"""Divergences between distributions of different types on the real line, where they are finite.

Each function ``of_p_q`` takes p and q and gives KL(p || q) of the batch shape: less p's entropy, less the mean of q's
log density under p.
"""

import math

from torchlike import _api
from torchlike.distributions.utils import euler_constant

inf = math.inf


def _x_log_x(x):
    return _api.xlogy(x, x)  # 0 at 0


def _gamma_log_norm(q):
    return q.concentration.lgamma() - q.concentration * q.rate.log()


def bernoulli_poisson(p, q):
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


# -- from Beta

def beta_continuous_bernoulli(p, q):
    return -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm()


def beta_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.mean


def beta_gamma(p, q):
    total = p.concentration1 + p.concentration0
    mean_log = p.concentration1.digamma() - total.digamma()
    return -p.entropy() + _gamma_log_norm(q) - (q.concentration - 1) * mean_log + q.rate * p.concentration1 / total


def beta_normal(p, q):
    mean, variance = p.mean, q.scale.pow(2)
    square = mean * (1 - mean) / (p.concentration1 + p.concentration0 + 1) + mean.pow(2)
    return (-p.entropy() + 0.5 * (variance * 2 * math.pi).log()
            + (square * 0.5 - q.loc * mean + q.loc.pow(2) * 0.5) / variance)


def beta_uniform(p, q):
    result = -p.entropy() + (q.high - q.low).log()
    return result.masked_fill((q.low > p.support.lower_bound) | (q.high < p.support.upper_bound), inf)


# -- from ContinuousBernoulli

def continuous_bernoulli_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.mean


def continuous_bernoulli_normal(p, q):
    constant = 0.5 * (math.log(2.0 * math.pi) + (q.loc / q.scale).square()) + q.scale.log()
    square = p.variance + p.mean.square() - 2.0 * q.loc * p.mean
    return -p.entropy() + constant + square / (2.0 * q.scale.square())


def continuous_bernoulli_uniform(p, q):
    """Infinite wherever [low, high] is on one side of [0, 1]'s ends, as in PyTorch (also where it covers them)."""
    result = -p.entropy() + (q.high - q.low).log()
    return result.masked_fill((q.low >= p.support.lower_bound) | (q.high <= p.support.upper_bound), inf)


# -- from Exponential and Gamma

def exponential_gamma(p, q):
    ratio = q.rate / p.rate
    return (-q.concentration * ratio.log() + ratio + q.concentration.lgamma() + q.concentration * euler_constant
            - (1 + euler_constant))


def exponential_gumbel(p, q):
    product, at = p.rate * q.scale, q.loc / q.scale
    return product.log() - 1 - at + at.exp() * product / (product + 1) + product.reciprocal()


def exponential_normal(p, q):
    variance, square = q.scale.pow(2), p.rate.pow(2)
    moments = square.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5
    return 0.5 * (square * variance * 2 * math.pi).log() - 1 + moments / variance


def gamma_exponential(p, q):
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


def _gamma_entropy(p):
    """Minus the entropy of a gamma distribution, without the term of its rate."""
    return (p.concentration - 1) * p.concentration.digamma() - p.concentration.lgamma() - p.concentration


def gamma_gumbel(p, q):
    product, at = p.rate * q.scale, q.loc / q.scale
    tail = at.exp() * (1 + product.reciprocal()).pow(-p.concentration) - at
    return _gamma_entropy(p) + product.log() + p.concentration / product + tail


def gamma_normal(p, q):
    variance, square = q.scale.pow(2), p.rate.pow(2)
    moments = (0.5 * (p.concentration.pow(2) + p.concentration) / square - q.loc * p.concentration / p.rate
               + 0.5 * q.loc.pow(2))
    return _gamma_entropy(p) + 0.5 * (square * variance * 2 * math.pi).log() + moments / variance


# -- from Gumbel, Laplace, Normal

def gumbel_normal(p, q):
    ratio = p.scale / q.scale
    mean = ((p.loc + p.scale * euler_constant - q.loc) / q.scale).pow(2) * 0.5
    return -(ratio / math.sqrt(2 * math.pi)).log() + (math.pi * ratio * 0.5).pow(2) / 3 + mean - (euler_constant + 1)


def laplace_normal(p, q):
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    moments = 0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)
    return -0.5 * (2 * ratio / math.pi).log() + ratio + moments / variance - 1


def normal_gumbel(p, q):
    p_at, ratio, q_at = p.loc / q.scale, (p.scale / q.scale).pow(2), q.loc / q.scale
    tail = (-p_at + 0.5 * ratio + q_at).exp()
    return -ratio.log() * 0.5 + (p_at - q_at) + tail - 0.5 * (1 + math.log(2 * math.pi))


def normal_laplace(p, q):
    distance = p.loc - q.loc
    scaled = distance / p.scale
    mean = (math.sqrt(2 / math.pi) * p.scale * (-0.5 * scaled.pow(2)).exp() + distance * (math.sqrt(0.5) * scaled).erf())
    return -(p.scale / q.scale).log() + mean / q.scale - 0.5 * (1 + math.log(0.5 * math.pi))


# -- from Pareto: infinite where p has no mean (or variance)

def pareto_exponential(p, q):
    product = p.scale * q.rate
    result = (p.alpha / product).log() - p.alpha.reciprocal() + p.alpha * product / (p.alpha - 1) - 1
    return result.masked_fill(p.alpha <= 1, inf)


def pareto_gamma(p, q):
    mean_log = p.scale.log() + p.alpha.reciprocal()
    result = (p.alpha.log() - mean_log + _gamma_log_norm(q) + (1 - q.concentration) * mean_log
              + q.rate * p.alpha * p.scale / (p.alpha - 1) - 1)
    return result.masked_fill(p.alpha <= 1, inf)


def pareto_normal(p, q):
    share = p.scale / (p.alpha - 1)
    spread = p.alpha * share.pow(2) / (p.alpha - 2) + (p.alpha * share - q.loc).pow(2)
    result = ((math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log() - p.alpha.reciprocal()
              + spread / (2 * q.scale.pow(2)) - 1)
    return result.masked_fill(p.alpha <= 2, inf)


# -- from Uniform

def _mean_log(p):
    """The mean of log(x)."""
    width = p.high - p.low
    return (_x_log_x(p.high) - _x_log_x(p.low) - width) / width


def uniform_beta(p, q):
    width = p.high - p.low
    mean_log_rest = (_x_log_x(1 - p.high) - _x_log_x(1 - p.low) + width) / width
    log_beta = q.concentration1.lgamma() + q.concentration0.lgamma() - (q.concentration1 + q.concentration0).lgamma()
    result = (q.concentration0 - 1) * mean_log_rest + log_beta - width.log() - (q.concentration1 - 1) * _mean_log(p)
    return result.masked_fill((p.high > q.support.upper_bound) | (p.low < q.support.lower_bound), inf)


def uniform_continuous_bernoulli(p, q):
    """Infinite also where an end of p is an end of [0, 1], as in PyTorch."""
    result = -p.entropy() - p.mean * q.logits - (-q.probs).log1p() - q._cont_bern_log_norm()
    return result.masked_fill((p.high >= q.support.upper_bound) | (p.low <= q.support.lower_bound), inf)


def uniform_exponential(p, q):
    result = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    return result.masked_fill(p.low < q.support.lower_bound, inf)


def uniform_gamma(p, q):
    result = (-(p.high - p.low).log() + _gamma_log_norm(q) + (1 - q.concentration) * _mean_log(p)
              + q.rate * (p.high + p.low) / 2)
    return result.masked_fill(p.low < q.support.lower_bound, inf)


def uniform_gumbel(p, q):
    share, high, low = q.scale / (p.high - p.low), (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return share.log() + 0.5 * (high + low) - share * ((-high).exp() - (-low).exp())


def uniform_normal(p, q):
    width = p.high - p.low
    mean = ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return (math.sqrt(math.pi * 2) * q.scale / width).log() + 0.5 * (width.pow(2) / 12 + mean) / q.scale.pow(2)


def uniform_pareto(p, q):
    log_norm = (q.alpha * q.scale.pow(q.alpha) * (p.high - p.low)).log()
    return (_mean_log(p) * (q.alpha + 1) - log_norm).masked_fill(p.low < q.support.lower_bound, inf)
