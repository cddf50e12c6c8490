"""Modules that hold parameters; `container` is their public home. https://pytorch.org/docs/stable/nn.html#containers"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping

from torchlike._record.parameter import Parameter
from torchlike._record.tensor import Tensor
from torchlike.nn._typename import typename
from torchlike.nn.modules._items import pairs_of, position
from torchlike.nn.modules.module import Module


def _as_parameter(value):
    """A plain tensor becomes a Parameter; anything else stays as it is."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _describe(key, value, kind):
    """One line of the `repr` of a parameter container."""
    if not isinstance(value, Tensor):
        return f"  ({key}): Object of type: {type(value).__name__}"
    word = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(map(str, value.size()))
    device = f" ({value.device})" if value.is_cuda else ""
    return f"  ({key}): {word} containing: [{kind(value)} of size {size}{device}]"


class ParameterList(Module):
    """A list of parameters. Plain tensors become parameters; other values are kept as they are.
    https://pytorch.org/docs/stable/generated/torch.nn.ParameterList.html

    Args:
        values: an iterable.
    """

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)([self[i] for i in range(*idx.indices(len(self)))])
        return getattr(self, str(position(idx, len(self))))

    def __setitem__(self, idx, param):
        setattr(self, str(position(idx, len(self))), _as_parameter(param))

    def __len__(self):
        return self._size

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __iadd__(self, parameters):
        return self.extend(parameters)

    def append(self, value) -> "ParameterList":
        """Adds a value at the end.

        Args:
            value: a tensor becomes a parameter.

        Returns:
            self.
        """
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values) -> "ParameterList":
        """Adds values at the end.

        Args:
            values: an iterable.

        Returns:
            self.

        Raises:
            TypeError: `values` is not iterable, or a tensor.
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError("ParameterList.extend should be called with an iterable, but got "
                            + type(values).__name__)
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(_describe(i, value, lambda t: t.dtype) for i, value in enumerate(self))

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dictionary of parameters by name, in the order of insertion. Plain tensors become parameters; other values are
    kept as they are.
    https://pytorch.org/docs/stable/generated/torch.nn.ParameterDict.html

    Args:
        parameters: a mapping, or an iterable of pairs (name, value).
    """

    def __init__(self, parameters=None):
        super().__init__()
        self._keys = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key):
        return getattr(self, self._attribute(key))

    def __setitem__(self, key, value):
        # Before the check, as PyTorch: a bad key stays in the list of keys.
        self._keys[key] = None
        setattr(self, self._attribute(key), _as_parameter(value))

    def __delitem__(self, key):
        del self._keys[key]
        delattr(self, self._attribute(key))

    def _attribute(self, key):
        if not isinstance(key, str):
            raise TypeError("Index given to ParameterDict cannot be used as a key as it is not a string "
                            f"(type is '{type(key).__name__}'). Open an issue on github if you need "
                            "non-string keys.")
        return key

    def __len__(self):
        return len(self._keys)

    def __iter__(self):
        return iter(self._keys)

    def __reversed__(self):
        return reversed(self._keys)

    def __contains__(self, key):
        return key in self._keys

    def copy(self):
        """A new dictionary of the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def setdefault(self, key, default=None):
        """The value at a key, which becomes `default` if there is none.

        Args:
            key: a name.
            default: the value to set.

        Returns:
            The value at `key`.
        """
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self):
        """Takes everything out."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key):
        """Takes a value out.

        Args:
            key: its name.

        Returns:
            The value.
        """
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """Takes the last value out, and returns (name, value)."""
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def get(self, key, default=None):
        """The value at a key.

        Args:
            key: a name.
            default: what to return where there is none.

        Returns:
            The value, or `default`.
        """
        return self[key] if key in self else default  # noqa: SIM401 - self.get is this

    def fromkeys(self, keys, default=None):
        """A new dictionary with one value at every key.

        Args:
            keys: an iterable of names.
            default: the value.

        Returns:
            a ParameterDict.
        """
        return ParameterDict((key, default) for key in keys)

    def keys(self):
        """The keys."""
        return self._keys.keys()

    def items(self):
        """(key, value) pairs."""
        return ((key, self[key]) for key in self._keys)

    def values(self):
        """The values."""
        return (self[key] for key in self._keys)

    def update(self, parameters):
        """Adds values, or replaces those of the same name.

        Args:
            parameters: a mapping (a plain dict in sorted order), or an iterable of pairs (name, value).

        Raises:
            TypeError: `parameters` or one of the pairs is not iterable.
        """
        if not isinstance(parameters, Iterable):
            raise TypeError("ParametersDict.update should be called with an iterable of key/value pairs, "
                            "but got " + type(parameters).__name__)
        if isinstance(parameters, (OrderedDict, ParameterDict)):
            pairs = parameters.items()
        elif isinstance(parameters, Mapping):
            pairs = sorted(parameters.items())
        else:
            pairs = pairs_of("ParameterDict", parameters)
        for key, value in list(pairs) if isinstance(parameters, ParameterDict) else pairs:
            self[key] = value

    def extra_repr(self) -> str:
        return "\n".join(_describe(key, value, typename) for key, value in self.items())

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterDict should not be called.")

    def __or__(self, other):
        merged = self.copy()
        merged.update(other)
        return merged

    def __ror__(self, other):
        merged = other.copy()
        merged.update(self)
        return merged

    def __ior__(self, other):
        self.update(other)
        return self
