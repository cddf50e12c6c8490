"""Sets of values: what parameters and samples must be. https://pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints

``constraint.check(value)`` gives a bool tensor of the batch shape. A constraint says whether it is discrete
(``is_discrete``) and how many dimensions one value has (``event_dim``).
"""

from torchlike import _api
from torchlike._api.type_info import finfo
from torchlike._base import dtypes as dt

__all__ = [
    "Constraint", "MixtureSameFamilyConstraint", "boolean", "cat", "corr_cholesky", "dependent", "dependent_property",
    "greater_than", "greater_than_eq", "half_open_interval", "independent", "integer_interval", "interval", "is_dependent",
    "less_than", "lower_cholesky", "lower_triangular", "multinomial", "nonnegative", "nonnegative_integer", "one_hot",
    "positive", "positive_definite", "positive_integer", "positive_semidefinite", "real", "real_vector", "simplex", "square",
    "stack", "symmetric", "unit_interval",
]


class Constraint:
    """A set of values. Subclasses define `check`; `is_discrete` and `event_dim` say whether values are discrete, and how
    many dimensions one of them has.
    """

    is_discrete = False
    event_dim = 0
    _bounds: tuple = ()

    def check(self, value):
        """Which values are in the set.

        Args:
            value: a tensor.

        Returns:
            bools of shape ``value.shape[:-event_dim]``.

        Raises:
            NotImplementedError: the class does not define it.
        """
        raise NotImplementedError

    def __repr__(self):
        bounds = ", ".join(f"{name}={getattr(self, name)}" for name in self._bounds)
        return f"{self.__class__.__name__[1:]}({bounds})"


# -- those that are known later

class _Dependent(Constraint):
    """A constraint that depends on other values, so it cannot be checked by itself."""

    def __init__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        self._is_discrete, self._event_dim = is_discrete, event_dim

    @property
    def is_discrete(self):
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self):
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        return _Dependent(is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
                          event_dim=self._event_dim if event_dim is NotImplemented else event_dim)

    def check(self, x):
        raise ValueError("Cannot determine validity of dependent constraint")


class _DependentProperty(property, _Dependent):
    """Decorates a property whose value is a constraint. Read from the class it is a dependent constraint, read from an
    instance it is the constraint itself.
    """

    def __init__(self, fn=None, *, is_discrete=NotImplemented, event_dim=NotImplemented):
        super().__init__(fn)
        self._is_discrete, self._event_dim = is_discrete, event_dim

    def __call__(self, fn):
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def is_dependent(constraint) -> bool:
    """Whether a constraint depends on other values, so that it cannot be checked by itself.

    Args:
        constraint: a constraint.

    Returns:
        a bool.
    """
    return isinstance(constraint, _Dependent)


# -- made of others

class _Wrapped(Constraint):
    """A constraint around another one, which says whether values are discrete."""

    def __init__(self, base_constraint):
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, got {type(base_constraint).__name__}")
        self.base_constraint = base_constraint

    @property
    def is_discrete(self):
        return self.base_constraint.is_discrete


def _all_last(result, kept):
    """Whether everything is true along the dimensions after the first `kept`."""
    return result.reshape(*result.shape[:kept], -1).all(-1)


class _IndependentConstraint(_Wrapped):
    """The last `reinterpreted_batch_ndims` batch dimensions of the base count as one value."""

    def __init__(self, base_constraint, reinterpreted_batch_ndims):
        super().__init__(base_constraint)
        count = reinterpreted_batch_ndims
        if not isinstance(count, int):
            raise AssertionError(f"reinterpreted_batch_ndims must be an int, got {type(count).__name__}")
        if count < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be >= 0, got {count}")
        self.reinterpreted_batch_ndims = count

    @property
    def event_dim(self):
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value):
        result = self.base_constraint.check(value)
        kept = result.dim() - self.reinterpreted_batch_ndims
        if kept < 0:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return _all_last(result, kept)

    def __repr__(self):
        return f"{self.__class__.__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(_Wrapped):
    """The support of a mixture: values that every component can give.

    Args:
        base_constraint: the support of the components.

    Raises:
        AssertionError: `base_constraint` is no Constraint.
    """

    @property
    def event_dim(self):
        """How many dimensions one value has."""
        return self.base_constraint.event_dim

    def check(self, value):
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return _all_last(result, value.dim() - self.event_dim)

    def __repr__(self):
        return f"{self.__class__.__name__}({self.base_constraint!r})"


class _Parts(Constraint):
    """Constraints of the parts of a tensor along `dim`."""

    def __init__(self, cseq, dim=0):
        if not all(isinstance(c, Constraint) for c in cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.cseq, self.dim = list(cseq), dim

    @property
    def is_discrete(self):
        return any(c.is_discrete for c in self.cseq)

    @property
    def event_dim(self):
        return max(c.event_dim for c in self.cseq)

    def _check_dim(self, value):
        if not -value.dim() <= self.dim < value.dim():
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")


class _Cat(_Parts):
    """Parts of `lengths` (1 each unless given), as `torch.cat` puts them together."""

    def __init__(self, cseq, dim=0, lengths=None):
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    def check(self, value):
        self._check_dim(value)
        checks, start = [], 0
        for constraint, length in zip(self.cseq, self.lengths, strict=True):
            checks.append(constraint.check(value.narrow(self.dim, start, length)))
            start += length
        return _api.cat(checks, self.dim)


class _Stack(_Parts):
    """Parts as `torch.stack` puts them together."""

    @property
    def event_dim(self):
        dim = super().event_dim
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value):
        self._check_dim(value)
        parts = zip(self.cseq, value.unbind(self.dim), strict=False)
        return _api.stack([constraint.check(part) for constraint, part in parts], self.dim)


# -- numbers

class _Real(Constraint):
    """Everything but nan."""

    def check(self, value):
        return value == value


class _Boolean(Constraint):
    """0 and 1."""

    is_discrete = True

    def check(self, value):
        return (value == 0) | (value == 1)


class _Lower(Constraint):
    _bounds = ("lower_bound",)

    def __init__(self, lower_bound):
        self.lower_bound = lower_bound


class _Upper(Constraint):
    _bounds = ("upper_bound",)

    def __init__(self, upper_bound):
        self.upper_bound = upper_bound


class _Between(Constraint):
    _bounds = ("lower_bound", "upper_bound")

    def __init__(self, lower_bound, upper_bound):
        self.lower_bound, self.upper_bound = lower_bound, upper_bound


class _GreaterThan(_Lower):
    """Above a bound."""

    def check(self, value):
        return self.lower_bound < value


class _GreaterThanEq(_Lower):
    """At a bound or above."""

    def check(self, value):
        return self.lower_bound <= value


class _LessThan(_Upper):
    """Below a bound."""

    def check(self, value):
        return value < self.upper_bound


class _Interval(_Between):
    """Between two bounds, both included."""

    def check(self, value):
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Between):
    """Between two bounds, the lower one included."""

    def check(self, value):
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _IntegerInterval(_Between):
    """Integers between two bounds, both included."""

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _IntegerLessThan(_Upper):
    """Integers up to a bound."""

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (value <= self.upper_bound)


class _IntegerGreaterThan(_Lower):
    """Integers from a bound on."""

    is_discrete = True

    def check(self, value):
        return (value % 1 == 0) & (value >= self.lower_bound)


# -- vectors

class _OneHot(Constraint):
    """Zeros and a single 1."""

    is_discrete = True
    event_dim = 1

    def check(self, value):
        return ((value == 0) | (value == 1)).all(-1) & value.sum(-1).eq(1)


class _Simplex(Constraint):
    """Not negative, with sum 1."""

    event_dim = 1

    def check(self, value):
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(_Upper):
    """Counts whose sum is at most `upper_bound`, as PyTorch checks it."""

    _bounds = ()
    is_discrete = True
    event_dim = 1

    def check(self, value):
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


# -- matrices

class _Matrix(Constraint):
    event_dim = 2


class _LowerTriangular(_Matrix):
    """Zero above the diagonal."""

    def check(self, value):
        return (value.tril() == value).view(*value.shape[:-2], -1).min(-1)[0]


class _LowerCholesky(_LowerTriangular):
    """Lower triangular with a positive diagonal."""

    def check(self, value):
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).min(-1)[0]


class _CorrCholesky(_LowerCholesky):
    """Cholesky factors of correlation matrices: their rows have length 1."""

    def check(self, value):
        tolerance = finfo(value.dtype).eps * value.size(-1) * 10
        lengths = _api.linalg_norm(value.detach(), dim=-1)
        return super().check(value) & (lengths - 1.0).abs().le(tolerance).all(-1)


class _Square(_Matrix):
    """As many rows as columns."""

    def check(self, value):
        return _api.full(value.shape[:-2], value.shape[-2] == value.shape[-1], dtype=dt.bool_, device=value.device)


class _Symmetric(_Square):
    """Equal to the transpose, within a tolerance."""

    def check(self, value):
        square = super().check(value)
        return square if not square.all() else _api.isclose(value, value.mT, atol=1e-6).all(-2).all(-1)


class _PositiveSemidefinite(_Symmetric):
    """Symmetric, without a negative eigenvalue."""

    def check(self, value):
        symmetric = super().check(value)
        return symmetric if not symmetric.all() else _api.linalg_eigvalsh(value).ge(0).all(-1)


class _PositiveDefinite(_Symmetric):
    """Symmetric, with a Cholesky factor."""

    def check(self, value):
        symmetric = super().check(value)
        return symmetric if not symmetric.all() else _api.linalg_cholesky_ex(value).info.eq(0)


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack
