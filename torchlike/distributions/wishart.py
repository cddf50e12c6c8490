"""`Wishart`."""

import math
import warnings

from torchlike import _api
from torchlike._base.size import Size
from torchlike.distributions import constraints
from torchlike.distributions._gaussian import MATRICES, OfFactor, factor_of, half_log_det
from torchlike.distributions.chi2 import Chi2
from torchlike.distributions.distribution import Distribution
from torchlike.distributions.exp_family import ExponentialFamily
from torchlike.distributions.utils import _Number, finfo

__all__ = ["Wishart"]

_LOG_2 = math.log(2)


class Wishart(OfFactor, ExponentialFamily):
    """Sums of `df` outer products x x^T of Gaussian vectors; exactly one of the three matrices is given. As in PyTorch
    2.13 (and with its warning), samples that are *not* singular are drawn once more.
    https://pytorch.org/docs/stable/distributions.html#wishart

    Args:
        df: degrees of freedom, above n - 1; a number or a tensor. Below n samples are often singular, and it warns.
        covariance_matrix, precision_matrix, scale_tril: as for `MultivariateNormal`.
        validate_args: as for `Distribution`.

    Raises:
        AssertionError: not exactly one matrix.
        ValueError: too few dimensions, or `df` out of range.
    """

    support = constraints.positive_definite
    has_rsample = True
    _expands = {"_unbroadcasted_scale_tril": 2, "_dist_chi2": 1}
    _mean_carrier_measure = 0

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        matrices = dict(zip(MATRICES, (covariance_matrix, precision_matrix, scale_tril), strict=True))
        found = [(name, matrix) for name, matrix in matrices.items() if matrix is not None]
        if len(found) != 1:
            raise AssertionError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = found
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        event_shape = matrix.shape[-2:]
        batch_shape = self._set_df(df, matrix, event_shape[-1])
        setattr(self, name, matrix.expand(*batch_shape, -1, -1))
        Distribution.__init__(self, batch_shape, event_shape, validate_args=validate_args)
        self._unbroadcasted_scale_tril = factor = factor_of(name, matrix)
        steps = _api.arange(event_shape[-1], dtype=factor.dtype, device=factor.device)
        self._dist_chi2 = Chi2(self.df.unsqueeze(-1) - steps.expand(*batch_shape, -1))

    def _set_df(self, df, matrix, n) -> Size:
        """Set `df` with the dtype of the matrix; returns the batch shape."""
        if isinstance(df, _Number):
            batch_shape = matrix.shape[:-2]
            self.df = _api.tensor(df, dtype=matrix.dtype, device=matrix.device)
        else:
            batch_shape = _api.broadcast_shapes(matrix.shape[:-2], df.shape)
            self.df = df.expand(batch_shape)
        if self.df.le(n - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {n - 1}.")
        if self.df.lt(n).any():
            warnings.warn("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                          stacklevel=3)
        return batch_shape

    @property
    def arg_constraints(self):
        return {"covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
                "scale_tril": constraints.lower_cholesky, "df": constraints.greater_than(self.event_shape[-1] - 1)}

    def _per_matrix(self, value):
        return value.view(*self._batch_shape, 1, 1)

    @property
    def mean(self):
        return self._per_matrix(self.df) * self.covariance_matrix

    @property
    def mode(self):
        factor = self.df - self._event_shape[-1] - 1
        return self._per_matrix(factor.masked_fill(factor <= 0, math.nan)) * self.covariance_matrix

    @property
    def variance(self):
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        return self._per_matrix(self.df) * (v.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def _bartlett(self, sample_shape):
        """Samples L A A^T L^T: the squared diagonal of A is chi-square, below it is normal (Bartlett's decomposition)."""
        n = self._event_shape[-1]
        diagonal = self._dist_chi2.rsample(sample_shape).sqrt()
        noise = diagonal.clamp(min=finfo(diagonal).eps).diag_embed(dim1=-2, dim2=-1)
        i, j = _api.tril_indices(n, n, offset=-1)
        noise[..., i, j] = _api.randn(*sample_shape, *self._batch_shape, n * (n - 1) // 2, dtype=noise.dtype,
                                      device=noise.device)
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.mT

    def _over_batch(self, flags):
        """Whether the flag holds for any distribution of the batch."""
        return flags.amax(tuple(range(-len(self._batch_shape), 0))) if self._batch_shape else flags

    def rsample(self, sample_shape=(), max_try_correction=None):
        """Samples as differentiable functions of the parameters.

        Args:
            sample_shape: how many, as a shape.
            max_try_correction: how often some samples are drawn again; None means 10.

        Returns:
            a tensor of shape ``sample_shape + batch_shape + (n, n)``.
        """
        sample_shape = Size(sample_shape)
        sample = self._bartlett(sample_shape)
        again = self._over_batch(self.support.check(sample))  # PyTorch asks which are not singular, it seems by mistake
        if not again.any():
            return sample
        warnings.warn("Singular sample detected.", stacklevel=2)
        for _ in range(10 if max_try_correction is None else max_try_correction):
            new = self._bartlett(again[again].shape)
            sample[again] = new
            again[again.clone()] = self._over_batch(~self.support.check(new))
            if not again.any():
                break
        return sample

    def _log_det_term(self):
        return self._event_shape[-1] * _LOG_2 / 2 + half_log_det(self._unbroadcasted_scale_tril)

    def _log_prob(self, value):
        df, n = self.df, self._event_shape[-1]
        trace = _api.cholesky_solve(value, self._unbroadcasted_scale_tril).diagonal(dim1=-2, dim2=-1).sum(-1)
        return (-df * self._log_det_term() - _api.mvlgamma(df / 2, p=n)
                + (df - n - 1) / 2 * _api.linalg_slogdet(value).logabsdet - trace / 2)

    def entropy(self):
        df, n = self.df, self._event_shape[-1]
        return ((n + 1) * self._log_det_term() + _api.mvlgamma(df / 2, p=n)
                - (df - n - 1) / 2 * _mvdigamma(df / 2, n) + df * n / 2)

    @property
    def _natural_params(self):
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x, y):
        n = self._event_shape[-1]
        half_df = y + (n + 1) / 2
        return half_df * (-_api.linalg_slogdet(-2 * x).logabsdet + _LOG_2 * n) + _api.mvlgamma(half_df, p=n)


def _mvdigamma(x, p):
    """The derivative of the multivariate log-gamma function of dimension p."""
    if not x.gt((p - 1) / 2).all():
        raise AssertionError("Wrong domain for multivariate digamma function.")
    return (x.unsqueeze(-1) - _api.arange(p, dtype=x.dtype, device=x.device) / 2).digamma().sum(-1)
