"""Exponential families: entropy and divergences through the derivative of the log normalizer."""

from typing import Any

from torchlike.autograd import grad
from torchlike.distributions.distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """The base of distributions with densities exp(t(x) . theta - F(theta) + k(x)). Subclasses define the natural
    parameters theta (``_natural_params``), F (``_log_normalizer``) and, for `entropy`, the mean of k
    (``_mean_carrier_measure``).
    https://pytorch.org/docs/stable/distributions.html#exponentialfamily
    """

    @property
    def _natural_params(self) -> Any:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params) -> Any:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        raise NotImplementedError

    def entropy(self):
        """F less theta . grad F (Bregman), of shape `batch_shape`."""
        measure = self._mean_carrier_measure
        params, value, slopes = self._mean_statistics()
        result = value - measure
        for p, slope in zip(params, slopes, strict=True):
            result = result - (p * slope).reshape(*self._batch_shape, -1).sum(-1)
        return result

    def _mean_statistics(self):
        """(theta cut from its history, F there, the gradient of F, which is the mean of t)."""
        params = [p.detach().requires_grad_() for p in self._natural_params]
        value = self._log_normalizer(*params)
        return params, value, grad(value.sum(), params, create_graph=True)
