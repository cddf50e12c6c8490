"""Tensors of random shapes and layouts, the same for the same seed, and the same as PyTorch's."""

import itertools
import math

import numpy as np

from torchlike._api.random import rand, randint
from torchlike._base import dtypes
from torchlike.random import manual_seed

_DISTRIBUTIONS = ("loguniform", "uniform")
_ATTEMPTS = 1000


class FuzzedParameter:
    """A random number, or one of several values, with a name.

    Args:
        name: the name by which a FuzzedTensor finds it.
        minval, maxval: the bounds, both of them possible. Two ints make "uniform" an int.
        distribution: "uniform", "loguniform" (an int) or a dict from values to their probabilities, which needs no bounds. A
            value can be a `ParameterAlias`.
        strict: whether it stays when the others are drawn again because a constraint is not met.

    Raises:
        AssertionError: an unknown distribution, probabilities that are negative or whose sum is not 1, bounds with a dict.
    """

    def __init__(self, name: str, minval=None, maxval=None, distribution=None, strict: bool = False):
        self._name, self._minval, self._maxval, self.strict = name, minval, maxval, strict
        self._distribution = self._check_distribution(distribution)

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    def sample(self, state):
        """Draws a value.

        Args:
            state: a ``numpy.random.RandomState``.

        Returns:
            The value.
        """
        if isinstance(self._distribution, dict):
            number = state.choice(np.arange(len(self._distribution)), p=tuple(self._distribution.values()))
            return list(self._distribution)[number]
        return self._loguniform(state) if self._distribution == "loguniform" else self._uniform(state)

    def _check_distribution(self, distribution):
        if not isinstance(distribution, dict):
            _insist(distribution in _DISTRIBUTIONS, f"Unknown distribution: {distribution}")
            return distribution
        _insist(all(each >= 0 for each in distribution.values()), "Probabilities cannot be negative")
        _insist(abs(sum(distribution.values()) - 1) <= 1e-5, "Distribution is not normalized")
        for bound, name in ((self._minval, "minval"), (self._maxval, "maxval")):
            _insist(bound is None, f"When passing a custom distribution, '{name}' must be None")
        return distribution

    def _loguniform(self, state):
        low, high = (None if each is None else np.log2(each) for each in (self._minval, self._maxval))
        found = int(2 ** state.uniform(low=low, high=high))
        if self._minval is not None and found < self._minval:
            return self._minval
        return self._maxval if self._maxval is not None and found > self._maxval else found

    def _uniform(self, state):
        if isinstance(self._minval, int) and isinstance(self._maxval, int):
            return int(state.randint(low=self._minval, high=self._maxval + 1))
        return state.uniform(low=self._minval, high=self._maxval)


class ParameterAlias:
    """Stands among the values of a FuzzedParameter for the value of another one.

    Args:
        alias_to: the name of the other one.
    """

    def __init__(self, alias_to):
        self.alias_to = alias_to

    def __repr__(self):
        return f"ParameterAlias[alias_to: {self.alias_to}]"


class FuzzedTensor:
    """A random tensor, on average every other time with its dimensions in another order in memory.

    Args:
        name: its name.
        size: ints, and names of parameters.
        steps: the same, for each dimension: a larger tensor is made and sliced by it. None is 1.
        probability_contiguous: how probable it is that the order in memory is that of the dimensions.
        min_elements, max_elements, max_allocation_bytes: what else is drawn again.
        dim_parameter: the parameter that says how many of the dimensions there are, or None.
        roll_parameter: without effect, as in PyTorch.
        dtype: its dtype.
        cuda: whether it is moved to the GPU.
        tensor_constructor: what makes it: called with ``size``, ``dtype`` and all parameters by keyword.
    """

    def __init__(self, name: str, size: tuple, steps: tuple | None = None, probability_contiguous: float = 0.5,
                 min_elements: int | None = None, max_elements: int | None = None, max_allocation_bytes: int | None = None,
                 dim_parameter: str | None = None, roll_parameter: str | None = None, dtype=dtypes.float32, cuda=False,
                 tensor_constructor=None):
        self._name, self._size, self._steps = name, size, steps
        self._probability_contiguous = probability_contiguous
        self._min_elements, self._max_elements, self._max_allocation_bytes = min_elements, max_elements, max_allocation_bytes
        self._dim_parameter, self._dtype, self._cuda = dim_parameter, dtype, cuda
        self._tensor_constructor = tensor_constructor

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    @staticmethod
    def default_tensor_constructor(size, dtype, **kwargs):
        """Numbers of `torch.rand`, for integers those of `torch.randint` from 1 to 126.

        Args:
            size, dtype: the tensor's.
            kwargs: without effect.

        Returns:
            The tensor, on the CPU.
        """
        if dtype.is_floating_point or dtype.is_complex:
            return rand(size=size, dtype=dtype, device="cpu")
        return randint(1, 127, size=size, dtype=dtype, device="cpu")

    def satisfies_constraints(self, params: dict) -> bool:
        """Whether the tensor is neither too small nor too large.

        Args:
            params: the values of the parameters.

        Returns:
            a bool.
        """
        size, _, allocated = self._get_size_and_steps(params)
        count, needed = math.prod(map(int, size)), self._dtype.itemsize * math.prod(map(int, allocated))
        _insist(count >= 0, "Computed number of elements is negative")
        return not (_exceeds(count, self._max_elements) or _exceeds(self._min_elements, count) or
                    _exceeds(needed, self._max_allocation_bytes))

    def _make_tensor(self, params, state) -> tuple:
        size, steps, allocated = self._get_size_and_steps(params)
        raw = (self._tensor_constructor or self.default_tensor_constructor)(size=allocated, dtype=self._dtype, **params)
        raw = raw.cuda() if self._cuda else raw
        count = len(size)
        order = np.arange(count)
        if state.rand() > self._probability_contiguous:
            while count > 1 and np.all(order == np.arange(count)):
                order = state.permutation(raw.dim())
            raw = raw.permute(tuple(map(int, order))).contiguous().permute(tuple(map(int, np.argsort(order))))
        made = raw[tuple(slice(0, length * step, step) for length, step in zip(size, steps, strict=True))]
        return made, {"numel": int(made.numel()), "order": order, "steps": steps, "is_contiguous": made.is_contiguous(),
                      "dtype": str(self._dtype)}

    def _get_size_and_steps(self, params) -> tuple:
        """The size, the steps, and the size before the slicing."""
        count = len(self._size) if self._dim_parameter is None else params[self._dim_parameter]

        def resolved(values):
            found = tuple(params.get(each, each) for each in values)[:count]
            return found + (1,) * (count - len(found))

        size, steps = resolved(self._size), resolved(self._steps or ())
        return size, steps, tuple(length * step for length, step in zip(size, steps, strict=True))


class Fuzzer:
    """Draws parameters, and tensors of them, again and again.

    Args:
        parameters: FuzzedParameters, and lists of them.
        tensors: FuzzedTensors, and lists of them.
        constraints: functions of the dict of parameters; one that says no has them drawn again.
        seed: of the parameters and, by `torch.manual_seed`, of the tensors; None is a random one.

    Raises:
        ValueError: a parameter and a tensor share a name.
    """

    def __init__(self, parameters: list, tensors: list, constraints: list | None = None, seed: int | None = None):
        self._seed = int(np.random.RandomState().randint(0, 2 ** 32 - 1, dtype=np.int64)) if seed is None else seed
        self._parameters, self._tensors = _unpacked(parameters, FuzzedParameter), _unpacked(tensors, FuzzedTensor)
        self._constraints = constraints or ()
        both = {each.name for each in self._parameters} & {each.name for each in self._tensors}
        if both:
            raise ValueError(f"Duplicate names in parameters and tensors: {both}")
        self._rejections = self._total_generated = 0

    def take(self, n: int):
        """Draws several times; the first time always the same.

        Args:
            n: how often.

        Yields:
            The dicts of tensors, of their properties, and of parameters, by name.

        Raises:
            ValueError: no parameters that meet the constraints have been found, or they are aliases of one another.
        """
        state = np.random.RandomState(self._seed)
        manual_seed(int(state.randint(low=0, high=2 ** 63, dtype=np.int64)))
        for _ in range(n):
            params = self._generate(state)
            made = {each.name: each._make_tensor(params, state) for each in self._tensors}
            yield ({name: tensor for name, (tensor, _) in made.items()},
                   {name: properties for name, (_, properties) in made.items()}, params)

    @property
    def rejection_rate(self) -> float:
        """Which part of what was drawn did not meet the constraints."""
        return self._rejections / self._total_generated if self._total_generated else 0.0

    def _generate(self, state) -> dict:
        kept: dict = {}
        for _ in range(_ATTEMPTS):
            drawn = {}
            for each in self._parameters:
                drawn[each.name] = kept[each.name] if each.name in kept else each.sample(state)
                if each.strict:
                    kept[each.name] = drawn[each.name]
            drawn = _resolved(drawn)
            self._total_generated += 1
            if all(meets(drawn) for meets in self._constraints) and all(
                    each.satisfies_constraints(drawn) for each in self._tensors):
                return drawn
            self._rejections += 1
        raise ValueError("Failed to generate a set of valid parameters.")


def _insist(holds: bool, text: str) -> None:
    if not holds:
        raise AssertionError(text)


def _exceeds(found, bound) -> bool:
    return found is not None and bound is not None and found > bound


def _unpacked(values, kind) -> tuple:
    return tuple(itertools.chain.from_iterable([each] if isinstance(each, kind) else each for each in values))


def _resolved(params: dict) -> dict:
    """The parameters without aliases."""
    found = dict(params)
    for _ in params:
        for name, value in found.items():
            if isinstance(value, ParameterAlias):
                found[name] = found[value.alias_to]
    if any(isinstance(value, ParameterAlias) for value in found.values()):
        raise ValueError(f"ParameterAlias cycle detected\n{found}")
    return found
