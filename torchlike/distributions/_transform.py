"""The base of all transforms, and those that are made of others. https://pytorch.org/docs/stable/distributions.html#module-torch.distributions.transforms"""

import functools
import operator
from typing import Any

from torchlike import _api
from torchlike.distributions import constraints
from torchlike.distributions.utils import _sum_rightmost, lazy_property


class Transform:
    """An invertible map with the logarithm of its derivative: ``y = t(x)``, ``x = t.inv(y)``. Subclasses define `domain`,
    `codomain`, ``_call``, ``_inverse`` and, where `bijective`, `log_abs_det_jacobian`.

    Args:
        cache_size: 1 keeps the last pair (x, y), so that ``t.inv(t(x)) is x``; 0 keeps none.

    Raises:
        ValueError: another `cache_size`.
    """

    bijective: Any = False
    domain: Any
    codomain: Any
    _by_type = False  # whether all transforms of this type are equal

    def __init__(self, cache_size: int = 0):
        if cache_size not in (0, 1):
            raise ValueError("cache_size must be 0 or 1")
        self._cache_size = cache_size
        self._inv: Transform | None = None
        self._cached_x_y: tuple = None, None
        super().__init__()  # a class may have others for its bases, such as Module

    def __getstate__(self):
        return {**self.__dict__, "_inv": None}

    @property
    def event_dim(self) -> Any:
        """How many dimensions one argument has.

        Raises:
            ValueError: results have another number.
        """
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> "Transform":
        """The inverse; ``t.inv.inv is t``."""
        if self._inv is None:
            self._inv = _InverseTransform(self)
        return self._inv

    @property
    def sign(self) -> Any:
        """1 where the map increases, -1 where it decreases.

        Raises:
            NotImplementedError: it is no monotone map of numbers.
        """
        raise NotImplementedError

    def _arguments(self) -> tuple | None:
        """What `__init__` takes before `cache_size`; None where that is not known."""
        return () if type(self).__init__ is Transform.__init__ else None

    def with_cache(self, cache_size=1) -> "Transform":
        """The same transform with a cache size.

        Args:
            cache_size: 0 or 1.

        Returns:
            a transform.

        Raises:
            NotImplementedError: a class with an `__init__` of its own does not define it.
        """
        if self._cache_size == cache_size:
            return self
        arguments = self._arguments()
        if arguments is None:
            raise NotImplementedError(f"{type(self)}.with_cache is not implemented")
        return type(self)(*arguments, cache_size=cache_size)

    def __eq__(self, other):
        return self is other or (self._by_type and type(self) is type(other))

    __hash__: Any = None  # as in PyTorch, where `__eq__` alone is defined

    def __call__(self, x):
        """y of x."""
        return self._through_cache(self._call, x, 0)

    def _inv_call(self, y):
        return self._through_cache(self._inverse, y, 1)

    def _through_cache(self, function, given, side):
        if not self._cache_size:
            return function(given)
        if given is self._cached_x_y[side]:
            return self._cached_x_y[1 - side]
        made = function(given)
        self._cached_x_y = (made, given) if side else (given, made)
        return made

    def _call(self, x):
        raise NotImplementedError

    def _inverse(self, y):
        raise NotImplementedError

    def log_abs_det_jacobian(self, x, y):
        """log |dy / dx|, summed over the event dimensions.

        Args:
            x: the arguments.
            y: the results, ``t(x)``.

        Returns:
            a tensor of the shape of `x` without the event dimensions.

        Raises:
            NotImplementedError: the class does not define it.
        """
        raise NotImplementedError

    def __repr__(self):
        return self.__class__.__name__ + "()"

    def forward_shape(self, shape):
        """The shape of the results.

        Args:
            shape: the shape of the arguments.

        Returns:
            a shape.
        """
        return shape

    def inverse_shape(self, shape):
        """The shape of the arguments.

        Args:
            shape: the shape of the results.

        Returns:
            a shape.
        """
        return shape


class _InverseTransform(Transform):
    """The inverse of `_inv`, whose cache it uses."""

    def __init__(self, transform):
        super().__init__(cache_size=transform._cache_size)
        self._inv = transform

    def __getstate__(self):
        return self.__dict__

    @property
    def _base(self) -> Transform:
        if self._inv is None:
            raise AssertionError("_inv must not be None")
        return self._inv

    domain = constraints.dependent_property(lambda self: self._base.codomain, is_discrete=False)
    codomain = constraints.dependent_property(lambda self: self._base.domain, is_discrete=False)
    bijective = property(lambda self: self._base.bijective)
    sign = property(lambda self: self._base.sign)
    inv = property(lambda self: self._inv)

    def with_cache(self, cache_size=1):
        return self._base.with_cache(cache_size).inv

    def __eq__(self, other):
        return isinstance(other, _InverseTransform) and self._base == other._base

    def __repr__(self):
        return f"{self.__class__.__name__}({self._inv!r})"

    def __call__(self, x):
        return self._base._inv_call(x)

    def log_abs_det_jacobian(self, x, y):
        return -self._base.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape):
        return self._base.inverse_shape(shape)

    def inverse_shape(self, shape):
        return self._base.forward_shape(shape)


def _widened(constraint, event_dim):
    """The constraint with this many event dimensions."""
    if event_dim < constraint.event_dim:
        raise AssertionError(f"event_dim {event_dim} must be >= the constraint's event_dim {constraint.event_dim}")
    extra = event_dim - constraint.event_dim
    return constraints.independent(constraint, extra) if extra else constraint


class ComposeTransform(Transform):
    """One transform after the other; without any the identity.

    Args:
        parts: a list of transforms, which cache by themselves.
        cache_size: as for `Transform`.
    """

    def __init__(self, parts: list, cache_size: int = 0):
        super().__init__(cache_size=cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else parts

    def __eq__(self, other):
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        """What arguments must be."""
        if not self.parts:
            return constraints.real
        event_dim = self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            event_dim = max(event_dim + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        return _widened(self.parts[0].domain, event_dim)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        """What results are."""
        if not self.parts:
            return constraints.real
        event_dim = self.parts[0].domain.event_dim
        for part in self.parts:
            event_dim = max(event_dim + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        return _widened(self.parts[-1].codomain, event_dim)

    @lazy_property
    def bijective(self):
        """Whether all parts are bijective."""
        return all(part.bijective for part in self.parts)

    @lazy_property
    def sign(self):
        return functools.reduce(operator.mul, (part.sign for part in self.parts), 1)

    @property
    def inv(self):
        if self._inv is None:
            self._inv = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv._inv = self
        return self._inv

    def _arguments(self):
        return (self.parts,)

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x, y):
        if not self.parts:
            return _api.zeros_like(x)
        event_dim, total = self.domain.event_dim, None
        for i, part in enumerate(self.parts):
            result = y if i == len(self.parts) - 1 else part(x)
            term = _sum_rightmost(part.log_abs_det_jacobian(x, result), event_dim - part.domain.event_dim)
            total = term if total is None else total + term
            event_dim += part.codomain.event_dim - part.domain.event_dim
            x = result
        return total

    def forward_shape(self, shape):
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape):
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self):
        parts = ",\n    ".join(map(repr, self.parts))
        return f"{self.__class__.__name__}(\n    {parts}\n)"


class IndependentTransform(Transform):
    """A transform whose last batch dimensions count as part of one argument.

    Args:
        base_transform: the transform.
        reinterpreted_batch_ndims: how many dimensions; ValueError when called with fewer.
        cache_size: as for `Transform`.
    """

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0):
        super().__init__(cache_size=cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def _arguments(self):
        return self.base_transform, self.reinterpreted_batch_ndims

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        """What arguments must be."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self):
        """What results are."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    bijective = property(lambda self: self.base_transform.bijective)
    sign = property(lambda self: self.base_transform.sign)

    def _call(self, x):
        if x.dim() < self.domain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform(x)

    def _inverse(self, y):
        if y.dim() < self.codomain.event_dim:
            raise ValueError("Too few dimensions on input")
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x, y):
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def __repr__(self):
        return f"{self.__class__.__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"

    def forward_shape(self, shape):
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape):
        return self.base_transform.inverse_shape(shape)


# -- transforms of the parts of a tensor

class _PartsTransform(Transform):
    """Transforms of the parts of a tensor along `dim`; how it is cut is what subclasses define (``_split``)."""

    def __init__(self, tseq, dim: int = 0, cache_size: int = 0):
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.dim = dim

    bijective = property(lambda self: all(t.bijective for t in self.transforms))

    def _check(self, size, text, **tensors):
        for name, value in tensors.items():
            word = "tensor" if len(tensors) == 1 else name
            if not -value.dim() <= self.dim < value.dim():
                raise AssertionError(f"dim {self.dim} out of range for {word} with {value.dim()} dimensions")
            if value.size(self.dim) != size:
                raise AssertionError(f"{name}.size({self.dim}) = {value.size(self.dim)} must equal {text} {size}")

    def _split(self, **tensors) -> list:
        raise NotImplementedError

    def _join(self, parts):
        raise NotImplementedError

    def _call(self, x):
        (parts,) = self._split(x=x)
        return self._join([t(part) for t, part in zip(self.transforms, parts, strict=True)])

    def _inverse(self, y):
        (parts,) = self._split(y=y)
        return self._join([t.inv(part) for t, part in zip(self.transforms, parts, strict=True)])

    def _jacobians(self, x, y) -> list:
        return [t.log_abs_det_jacobian(a, b) for t, a, b in zip(self.transforms, *self._split(x=x, y=y), strict=True)]


class CatTransform(_PartsTransform):
    """Transforms of the parts of a tensor, as `torch.cat` puts them together.

    Args:
        tseq: the transforms.
        dim: the dimension along which the parts lie.
        lengths: their extents; None means 1 each.
        cache_size: as for `Transform`.

    Raises:
        AssertionError: other objects than transforms, or another number of lengths.
    """

    def __init__(self, tseq, dim: int = 0, lengths=None, cache_size: int = 0):
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})")

    @lazy_property
    def event_dim(self):
        return max(t.event_dim for t in self.transforms)

    @lazy_property
    def length(self):
        """The extent of the whole along `dim`."""
        return sum(self.lengths)

    def _arguments(self):
        return self.transforms, self.dim, self.lengths

    def _split(self, **tensors):
        self._check(self.length, "length", **tensors)
        return [value.split(self.lengths, self.dim) for value in tensors.values()]

    def _join(self, parts):
        return _api.cat(parts, dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        terms = [_sum_rightmost(term, self.event_dim - t.event_dim)
                 for t, term in zip(self.transforms, self._jacobians(x, y), strict=True)]
        dim = (self.dim - x.dim() if self.dim >= 0 else self.dim) + self.event_dim
        return _api.cat(terms, dim=dim) if dim < 0 else functools.reduce(lambda a, b: a + b, terms)

    @constraints.dependent_property
    def domain(self):
        """What arguments must be."""
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self):
        """What results are."""
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_PartsTransform):
    """Transforms of the slices of a tensor, as `torch.stack` puts them together.

    Args:
        tseq: the transforms.
        dim: the dimension along which the slices lie.
        cache_size: as for `Transform`.

    Raises:
        AssertionError: other objects than transforms.
    """

    def _arguments(self):
        return self.transforms, self.dim

    def _split(self, **tensors):
        self._check(len(self.transforms), "len(transforms)", **tensors)
        return [value.unbind(self.dim) for value in tensors.values()]

    def _join(self, parts):
        return _api.stack(parts, dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        return self._join(self._jacobians(x, y))

    @constraints.dependent_property
    def domain(self):
        """What arguments must be."""
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self):
        """What results are."""
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
