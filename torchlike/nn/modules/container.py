"""Modules that hold modules or parameters. https://pytorch.org/docs/stable/nn.html#containers"""

import itertools
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Mapping

from torchlike.nn.modules._items import pairs_of, position
from torchlike.nn.modules._parameter_containers import ParameterDict, ParameterList
from torchlike.nn.modules.module import Module, _indent

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


class Container(Module):
    """A module with these children; deprecated, as in PyTorch. https://pytorch.org/docs/stable/generated/torch.nn.Module.html

    Args:
        kwargs: the children by name.
    """

    def __init__(self, **kwargs):
        super().__init__()
        warnings.warn("`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass "
                      "that instead.", FutureWarning, stacklevel=2)
        for name, module in kwargs.items():
            self.add_module(name, module)


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
        return list(self._modules)[position(idx, len(self))]

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
        return self._modules[str(position(idx, len(self)))]

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
        pairs = modules.items() if isinstance(modules, (ModuleDict, Mapping)) else pairs_of(
            "ModuleDict", modules)
        for key, module in pairs:
            self[key] = module
