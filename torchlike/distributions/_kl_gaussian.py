"""Divergences between Gaussian vectors: (log det ratio + trace(Q^-1 P) + distance of the means - n) / 2."""

from torchlike.distributions._gaussian import (
    half_log_det,
    lowrank_log_det,
    lowrank_mahalanobis,
    mahalanobis,
    over_diagonal,
    solve_lower,
    square_norm,
)

_SHAPES = {"full": "two Multivariate Normals with                          ",
           "low": "two Low Rank Multivariate Normals with                          ",
           "mixed": "two (Low Rank) Multivariate Normals with                          "}


def _check(p, q, kind) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(f"KL-divergence between {_SHAPES[kind]}different event shapes cannot be computed")


class _Full:
    """Terms of a covariance L L^T."""

    def __init__(self, distribution):
        self.factor = distribution._unbroadcasted_scale_tril
        self.log_det = 2 * half_log_det(self.factor)

    def roots(self):
        """Matrices whose M M^T add up to the covariance."""
        return [self.factor]

    def trace(self, other):
        """trace(Q^-1 P) for the roots of P."""
        return sum(square_norm(solve_lower(*_batched(self.factor, root))) for root in other.roots())

    def distance(self, x):
        return mahalanobis(self.factor, x)


class _Low:
    """Terms of a covariance W W^T + diag(D)."""

    def __init__(self, distribution):
        self.w, self.d = distribution._unbroadcasted_cov_factor, distribution._unbroadcasted_cov_diag
        self.capacitance = distribution._capacitance_tril
        self.log_det = lowrank_log_det(self.d, self.capacitance)

    def roots(self):
        return [self.w, self.d.sqrt().diag_embed()]

    def trace(self, other):
        """By Woodbury's identity, Q^-1 = D^-1 - A^T A."""
        a = solve_lower(self.capacitance, over_diagonal(self.w, self.d))
        weights = self.d.rsqrt().unsqueeze(-1)
        return sum(square_norm(root * weights) - square_norm(a @ root) for root in other.roots())

    def distance(self, x):
        return lowrank_mahalanobis(self.w, self.d, x, self.capacitance)


def _batched(factor, rhs):
    """Both matrices in their common batch shape."""
    extra = max(rhs.dim() - factor.dim(), 0), max(factor.dim() - rhs.dim(), 0)
    return factor.reshape(*(1,) * extra[0], *factor.shape), rhs.reshape(*(1,) * extra[1], *rhs.shape)


def _divergence(kind, p_terms, q_terms):
    def between(p, q):
        _check(p, q, kind)
        first, second = p_terms(p), q_terms(q)
        return 0.5 * (second.log_det - first.log_det + second.trace(first) + second.distance(q.loc - p.loc)
                      - p.event_shape[0])

    return between


full_full = _divergence("full", _Full, _Full)
full_low = _divergence("mixed", _Full, _Low)
low_full = _divergence("mixed", _Low, _Full)
low_low = _divergence("low", _Low, _Low)
