"""Divergences between two distributions of one type. Each function takes p and q and gives KL(p || q) of the batch shape."""

import math

from torchlike import _api
from torchlike.distributions.utils import _sum_rightmost, euler_constant
from torchlike.nn.functional import softplus

inf = math.inf


def bernoulli(p, q):
    yes = (p.probs * (softplus(-q.logits) - softplus(-p.logits))).masked_fill(q.probs == 0, inf)
    no = ((1 - p.probs) * (softplus(q.logits) - softplus(p.logits))).masked_fill(q.probs == 1, inf)
    return yes.masked_fill(p.probs == 0, 0) + no.masked_fill(p.probs == 1, 0)


def beta(p, q):
    p_sum, q_sum = p.concentration1 + p.concentration0, q.concentration1 + q.concentration0
    log_norms = (q.concentration1.lgamma() + q.concentration0.lgamma() + p_sum.lgamma()
                 - p.concentration1.lgamma() - p.concentration0.lgamma() - q_sum.lgamma())
    return (log_norms + (p.concentration1 - q.concentration1) * p.concentration1.digamma()
            + (p.concentration0 - q.concentration0) * p.concentration0.digamma() + (q_sum - p_sum) * p_sum.digamma())


def binomial(p, q):
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    one_trial = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return (p.total_count * one_trial).masked_fill(p.total_count > q.total_count, inf)


def categorical(p, q):
    terms = (p.probs * (p.logits - q.logits)).masked_fill(q.probs == 0, inf)
    return terms.masked_fill(p.probs == 0, 0).sum(-1)


def cauchy(p, q):
    """Chyzak and Nielsen, arXiv:1905.10965."""
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


def continuous_bernoulli(p, q):
    return (p.mean * (p.logits - q.logits) + p._cont_bern_log_norm() + (-p.probs).log1p()
            - q._cont_bern_log_norm() - (-q.probs).log1p())


def dirichlet(p, q):
    p_sum, q_sum = p.concentration.sum(-1), q.concentration.sum(-1)
    log_norms = p_sum.lgamma() - q_sum.lgamma() - (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    mean_logs = p.concentration.digamma() - p_sum.digamma().unsqueeze(-1)
    return log_norms + ((p.concentration - q.concentration) * mean_logs).sum(-1)


def exponential(p, q):
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


def exponential_family(p, q):
    """The Bregman divergence of the log normalizer."""
    if type(p) is not type(q):
        raise NotImplementedError("The cross KL-divergence between different exponential families cannot "
                                  "                            be computed using Bregman divergences")
    p_params, p_value, slopes = p._mean_statistics()
    result = q._log_normalizer(*q._natural_params) - p_value
    for p_param, q_param, slope in zip(p_params, q._natural_params, slopes, strict=True):
        result = result - _sum_rightmost((q_param - p_param) * slope, len(q.event_shape))
    return result


def gamma(p, q):
    return (q.concentration * (p.rate / q.rate).log() + q.concentration.lgamma() - p.concentration.lgamma()
            + (p.concentration - q.concentration) * p.concentration.digamma()
            + (q.rate - p.rate) * (p.concentration / p.rate))


def geometric(p, q):
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


def gumbel(p, q):
    ratio, q_at, p_at = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    return (-ratio.log() - q_at + p_at + ratio * euler_constant + (q_at + (1 + ratio).lgamma() - p_at).exp()
            - (1 + euler_constant))


def half_normal(p, q):
    return normal(p.base_dist, q.base_dist)


def laplace(p, q):
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * (-distance / p.scale).exp() - 1


def normal(p, q):
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


def one_hot_categorical(p, q):
    return categorical(p._categorical, q._categorical)


def pareto(p, q):
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return result.masked_fill(p.support.lower_bound < q.support.lower_bound, inf)


def poisson(p, q):
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


def uniform(p, q):
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return result.masked_fill((q.low > p.low) | (q.high < p.high), inf)


def infinite(like: str):
    """The divergence where p has values that q never gives: infinite, in the shape of the parameter `like` of p."""
    return lambda p, q: _api.full_like(getattr(p, like), inf)
