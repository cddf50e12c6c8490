"""Modules that hold modules or parameters. https://pytorch.org/docs/stable/nn.html#containers"""

import itertools
import operator
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from torchlike._record.parameter import Parameter
from torchlike._record.tensor import Tensor
from torchlike.nn._typename import typename
from torchlike.nn.modules.module import Module, _indent

__all__ = ["ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def _position(index, size: int) -> int:
    """`index` in 0..size-1; IndexError outside."""
    index = operator.index(index)
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of range")
    return index % size


class _Numbered(Module):
    """Children named "0", "1", ... in order: what Sequential and ModuleList share."""

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __setitem__(self, idx, module):
        setattr(self, self._key(idx), module)

    def __delitem__(self, idx):
        keys = list(self._modules)[idx] if isinstance(idx, slice) else [self._key(idx)]
        for key in keys:
            delattr(self, key)
        self._modules = {str(i): module for i, module in enumerate(self._modules.values())}

    def _key(self, idx):
        return list(self._modules)[_position(idx, len(self))]

    def append(self, module):
        """Adds `module` at the end; returns self."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key):
        """Takes out and returns the child (or slice) at `key`."""
        found = self[key]
        del self[key]
        return found

    def _shift_in(self, index, module):
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._modules.update((str(i), m) for i, m in enumerate(modules))


class Sequential(_Numbered):
    """Calls its modules one after the other.
    https://pytorch.org/docs/stable/generated/torch.nn.Sequential.html

    Args:
        args: modules, named "0", "1", and so on; or one OrderedDict of names and modules.

    Shape:
        What the first module takes, to what the last one gives.
    """

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            named = args[0].items()
        else:
            named = ((str(i), module) for i, module in enumerate(args))
        for name, module in named:
            self.add_module(name, module)

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._key(idx)]

    def __add__(self, other):
        return Sequential(*self, *_checked_sequential(other))

    def __iadd__(self, other):
        for module in list(_checked_sequential(other)):
            self.append(module)
        return self

    def __mul__(self, times):
        return Sequential(*itertools.chain.from_iterable(itertools.repeat(list(self), self._times(times))))

    __rmul__ = __mul__

    def __imul__(self, times):
        modules = list(self)
        for module in modules * (self._times(times) - 1):
            self.append(module)
        return self

    def _times(self, times):
        if not isinstance(times, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(times)}")
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return times

    def forward(self, input):
        for module in self._modules.values():
            input = module(input)
        return input

    def insert(self, index: int, module: Module) -> "Sequential":
        """Puts a module before a position.

        Args:
            index: from -len(self) to len(self).
            module: the module.

        Returns:
            self.

        Raises:
            AssertionError: `module` is no Module.
            IndexError: `index` is out of range.
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        size = len(self)
        if not -size <= index <= size:
            raise IndexError(f"Index out of range: {index}")
        self._shift_in(index + size if index < 0 else index, module)
        return self

    def extend(self, sequential) -> "Sequential":
        """Adds modules at the end.

        Args:
            sequential: an iterable of modules.

        Returns:
            self.
        """
        for module in sequential:
            self.append(module)
        return self


def _checked_sequential(other):
    if not isinstance(other, Sequential):
        raise ValueError("add operator supports only objects of Sequential class, but "
                         f"{type(other)} is given.")
    return other


class ModuleList(_Numbered):
    """A list of modules, which finds their parameters. It cannot be called.
    https://pytorch.org/docs/stable/generated/torch.nn.ModuleList.html

    Args:
        modules: an iterable of modules.
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def __getitem__(self, idx):
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[str(_position(idx, len(self)))]

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        return ModuleList(itertools.chain(self, other))

    def insert(self, index: int, module: Module) -> None:
        """Puts a module before a position.

        Args:
            index: as for a list.
            module: the module.
        """
        self._shift_in(index, module)

    def extend(self, modules) -> "ModuleList":
        """Adds modules at the end.

        Args:
            modules: an iterable of modules.

        Returns:
            self.

        Raises:
            TypeError: `modules` is not iterable.
        """
        if not isinstance(modules, Iterable):
            raise TypeError("ModuleList.extend should be called with an iterable, but got "
                            + type(modules).__name__)
        for module in list(modules):
            self.append(module)
        return self

    def __repr__(self):
        """Equal neighbours are printed once, as "(0-3): 4 x Linear(...)"."""
        blocks = [(text, [i for i, _ in run])
                  for text, run in itertools.groupby(enumerate(map(repr, self)), key=lambda pair: pair[1])]
        if not blocks:
            return f"{self._get_name()}()"
        lines = []
        for text, at in blocks:
            first, last = at[0], at[-1]
            head = f"({first}): " if first == last else f"({first}-{last}): {len(at)} x "
            lines.append(_indent(head + text))
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """A dictionary of modules by name, in the order of insertion. It cannot be called.
    https://pytorch.org/docs/stable/generated/torch.nn.ModuleDict.html

    Args:
        modules: a mapping, or an iterable of pairs (name, module).
    """

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def clear(self):
        """Takes everything out."""
        self._modules.clear()

    def pop(self, key):
        """Takes a module out.

        Args:
            key: its name.

        Returns:
            The module.
        """
        return self._modules.pop(key)

    def keys(self):
        """The names."""
        return self._modules.keys()

    def items(self):
        """(name, module) pairs."""
        return self._modules.items()

    def values(self):
        """The modules."""
        return self._modules.values()

    def update(self, modules):
        """Adds modules, or replaces those of the same name.

        Args:
            modules: a mapping, or an iterable of pairs (name, module).

        Raises:
            TypeError: `modules` or one of the pairs is not iterable.
        """
        if not isinstance(modules, Iterable):
            raise TypeError("ModuleDict.update should be called with an iterable of key/value pairs, but "
                            "got " + type(modules).__name__)
        pairs = modules.items() if isinstance(modules, (ModuleDict, Mapping)) else _pairs(
            "ModuleDict", modules)
        for key, module in pairs:
            self[key] = module


def _pairs(name, items):
    """The (key, value) pairs of `items`, each checked as PyTorch does."""
    for i, item in enumerate(items):
        if not isinstance(item, Iterable):
            raise TypeError(f"{name} update sequence element #{i} should be Iterable; is"
                            f"{type(item).__name__}")
        if len(item) != 2:
            raise ValueError(f"{name} update sequence element #{i} has length {len(item)}; 2 is required")
        yield item


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
        return getattr(self, str(_position(idx, len(self))))

    def __setitem__(self, idx, param):
        setattr(self, str(_position(idx, len(self))), _as_parameter(param))

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
            pairs = _pairs("ParameterDict", parameters)
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
