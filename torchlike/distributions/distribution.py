"""The base of all distributions. https://pytorch.org/docs/stable/distributions.html#distribution

What a subclass declares is used in one place each, here:

- ``arg_constraints``, parameter -> constraint: what `__init__` checks, `__repr__` shows and `expand` expands;
- ``support``: `log_prob` and `cdf` check values before they call ``_log_prob`` and ``_cdf``;
- ``_expands``, name -> how many event dimensions: what `expand` expands beside the parameters. A class that has it (even
  empty) can be expanded.
"""

import warnings
from typing import Any

from torchlike import _api
from torchlike._base.size import Size
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributions import constraints
from torchlike.distributions.utils import broadcast_all, lazy_property

__all__ = ["Distribution"]

_ONE = Size()  # a single one
_INVALID = "Expected {} ({} of shape {}) {}, but found invalid values:\n{}"


class Distribution:
    """A batch of independent distributions. Samples have the shape ``sample_shape + batch_shape + event_shape``.

    Args:
        batch_shape: the shape over which the parameters vary.
        event_shape: the shape of one sample of one of them.
        validate_args: whether parameters and values are checked; None takes the default, see `set_default_validate_args`.

    Raises:
        ValueError: a parameter violates its constraint, if they are checked.
    """

    has_rsample: Any = False
    has_enumerate_support: Any = False
    _validate_args = __debug__

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Sets whether distributions check what they are given, unless they are told.

        Args:
            value: a bool.

        Raises:
            ValueError: `value` is no bool.
        """
        if value not in [True, False]:
            raise ValueError
        Distribution._validate_args = value

    def __init__(self, batch_shape=_ONE, event_shape=_ONE, validate_args: bool | None = None):
        self._batch_shape, self._event_shape = Size(batch_shape), Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()
        super().__init__()  # a class may have others for its bases, such as Module

    def _init_broadcast(self, validate_args, **parameters) -> None:
        """Initialize from parameters without event dimensions: numbers and tensors, which broadcast to the batch shape."""
        values = broadcast_all(*parameters.values())
        self.__dict__.update(zip(parameters, values, strict=True))
        Distribution.__init__(self, values[0].size(), validate_args=validate_args)

    # -- checks

    def _check_parameters(self) -> None:
        try:
            declared = self.arg_constraints
        except NotImplementedError:
            declared = {}
            warnings.warn(f"{self.__class__} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or "
                          "initialize the distribution with `validate_args=False` to turn off validation.", stacklevel=4)
        found = []
        for name, constraint in declared.items():
            lazy = name not in self.__dict__ and isinstance(getattr(type(self), name), lazy_property)
            if not constraints.is_dependent(constraint) and not lazy:
                value = getattr(self, name)
                found.append((name, constraint, value, constraint.check(value).all()))
        for name, constraint, value, valid in found:  # read after all are recorded: one program
            if not valid:
                what = f"of distribution {self!r} to satisfy the constraint {constraint!r}"
                raise ValueError(_INVALID.format(f"parameter {name}", type(value).__name__, tuple(value.shape), what, value))

    def _validate_sample(self, value) -> None:
        """ValueError unless `value` fits the shapes and is in the support."""
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        shape, event_shape = value.size(), self._event_shape
        if shape[len(shape) - len(event_shape):] != event_shape:
            raise ValueError(f"The right-most size of value must match event_shape: {shape} vs {event_shape}.")
        expected = self._batch_shape + event_shape
        if any(i != j and i != 1 and j != 1 for i, j in zip(reversed(shape), reversed(expected), strict=False)):
            raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {shape} vs {expected}.")
        try:
            support = self.support
        except NotImplementedError:
            warnings.warn(f"{self.__class__} does not define `support` to enable sample validation. Please initialize the "
                          "distribution with `validate_args=False` to turn off validation.", stacklevel=3)
            return
        if support is None:
            raise AssertionError("support is unexpectedly None")
        if not support.check(value).all():
            what = f"to be within the support ({support!r}) of the distribution {self!r}"
            raise ValueError(_INVALID.format("value argument", type(value).__name__, tuple(shape), what, value))

    # -- shapes

    def expand(self, batch_shape, _instance=None):
        """The same distribution in a larger batch shape: its parameters are expanded, without copies or checks.

        Args:
            batch_shape: the new shape, to which the old one can be expanded.

        Returns:
            a distribution of the same class.

        Raises:
            NotImplementedError: a subclass with an `__init__` of its own and no `expand`.
        """
        owner = next((cls for cls in type(self).__mro__ if "_expands" in vars(cls)), None)
        if owner is None:
            raise NotImplementedError
        new = self._get_checked_instance(owner, _instance)
        batch_shape = Size(batch_shape)
        own_dims = {name: constraint.event_dim for name, constraint in self.arg_constraints.items()} | self._expands
        for name, value in self.__dict__.items():
            if name in own_dims:
                new.__dict__[name] = _expanded(value, batch_shape, own_dims[name])
            elif not isinstance(getattr(type(self), name, None), lazy_property):
                new.__dict__[name] = value
        new._batch_shape = batch_shape
        new._validate_args = self._validate_args
        return new

    def _get_checked_instance(self, cls, _instance=None):
        if _instance is None and type(self).__init__ != cls.__init__:
            raise NotImplementedError(f"Subclass {self.__class__.__name__} of {cls.__name__} that defines a custom __init__ "
                                      "method must also define a custom .expand() method.")
        return type(self).__new__(type(self)) if _instance is None else _instance

    def _extended_shape(self, sample_shape=()) -> Size:
        return Size(sample_shape) + self._batch_shape + self._event_shape

    @property
    def batch_shape(self) -> Size:
        """The shape over which the parameters vary."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """The shape of one sample of one distribution of the batch."""
        return self._event_shape

    # -- what subclasses define

    @property
    def arg_constraints(self) -> Any:
        """A dict from the names of parameters to what their values must be.

        Raises:
            NotImplementedError: the class does not define it.
        """
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """The constraint that samples satisfy.

        Raises:
            NotImplementedError: the class does not define it.
        """
        raise NotImplementedError

    @property
    def mean(self) -> Any:
        """The mean, of shape ``batch_shape + event_shape``.

        Raises:
            NotImplementedError: the class does not define it.
        """
        raise NotImplementedError

    @property
    def mode(self) -> Any:
        """The most probable value, of shape ``batch_shape + event_shape``.

        Raises:
            NotImplementedError: the class does not define it.
        """
        raise NotImplementedError(f"{self.__class__} does not implement mode")

    @property
    def variance(self) -> Any:
        """The variance of each element, of shape ``batch_shape + event_shape``.

        Raises:
            NotImplementedError: the class does not define it.
        """
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        """The square root of the variance."""
        return self.variance.sqrt()

    def sample(self, sample_shape=()) -> Tensor:
        """Samples without history.

        Args:
            sample_shape: how many, as a shape.

        Returns:
            a tensor of shape ``sample_shape + batch_shape + event_shape``.
        """
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape=()) -> Tensor:
        """Samples as differentiable functions of the parameters.

        Args:
            sample_shape: how many, as a shape.

        Returns:
            a tensor of shape ``sample_shape + batch_shape + event_shape``.

        Raises:
            NotImplementedError: `has_rsample` is False.
        """
        raise NotImplementedError

    def sample_n(self, n: int) -> Tensor:
        """The deprecated form of ``sample((n,))``, which warns.

        Args:
            n: how many.

        Returns:
            a tensor of shape ``(n,) + batch_shape + event_shape``.
        """
        warnings.warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning, stacklevel=2)
        return self.sample(Size((n,)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density, or of the probability of a discrete value.

        Args:
            value: of a shape that broadcasts with ``batch_shape + event_shape``.

        Returns:
            a tensor of the broadcast shape without `event_shape`.

        Raises:
            ValueError: another shape, or a value outside the support, if they are checked.
        """
        if self._validate_args:
            self._validate_sample(value)
        return self._log_prob(value)

    def _log_prob(self, value):
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """The probability that a sample is at most a value.

        Args:
            value: as for `log_prob`.

        Returns:
            As for `log_prob`.

        Raises:
            As for `log_prob`.
        """
        if self._validate_args and type(self)._cdf is not Distribution._cdf:
            self._validate_sample(value)
        return self._cdf(value)

    def _cdf(self, value):
        raise NotImplementedError

    def icdf(self, value: Tensor) -> Tensor:
        """The inverse of `cdf`.

        Args:
            value: probabilities, broadcastable with `batch_shape`.

        Returns:
            a tensor of the broadcast shape.

        Raises:
            NotImplementedError: the class does not define it.
        """
        raise NotImplementedError

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """All values of a discrete distribution.

        Args:
            expand: whether they are repeated over the batch; else its dimensions are 1.

        Returns:
            a tensor of shape ``(count,) + batch_shape + event_shape``.

        Raises:
            NotImplementedError: there is no such list.
        """
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """The entropy in nats, of shape `batch_shape`.

        Raises:
            NotImplementedError: the class does not define it.
        """
        raise NotImplementedError

    def perplexity(self) -> Tensor:
        """The exponential of the entropy, of shape `batch_shape`."""
        return _api.exp(self.entropy())

    def __repr__(self) -> str:
        values = {name: self.__dict__[name] for name in self.arg_constraints if name in self.__dict__}
        args = ", ".join(f"{name}: {v if v.numel() == 1 else v.size()}" for name, v in values.items())
        return f"{self.__class__.__name__}({args})"

    # Filled in by subclasses that can be expanded.
    _expands: Any


def _expanded(value, batch_shape, event_dims):
    """A parameter, or a distribution inside another one, in a new batch shape."""
    shape = value.batch_shape if isinstance(value, Distribution) else value.shape
    return value.expand(batch_shape + shape[len(shape) - event_dims:])
