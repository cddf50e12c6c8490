"""Kernels that differ in sizes only are traced once, for all sizes.

The second kernel of a family shows which sizes vary, and which of them vary together. The *general* kernel of the family
has symbols of `jax.export` in their places. JAX raises where a function wants to know whether such a symbol is above a
bound, so what it traces is right for every size from 2 on; then later kernels get their results' sizes and their plan from
it. Tracing takes it no longer than with numbers. Where JAX raises, each size is traced by itself.
"""

import functools
import gc
import math
import operator
from collections.abc import Callable, Hashable
from typing import Any

from torchlike._compile.avals import Aval, aval
from torchlike._compile.symbols import COUNT, SYMBOLS, size_at

_KEPT = 8  # general kernels of a family, and kernels that have none
_SIZE = object()  # stands for an int in a structure


class Template:
    """The general kernel of a family, made on first use. ``derived``: those of its kernels' gradients."""

    def __init__(self, make: Callable[[], Any]):
        self._make: Callable[[], Any] | None = make
        self._kernel: Any = None
        self.derived: dict[Hashable, Template] = {}

    @property
    def kernel(self):
        """The general kernel; None where what it traces depends on the sizes."""
        make, self._make = self._make, None
        if make is not None:
            try:
                self._kernel = make()
            except Exception:  # noqa: BLE001 - JAX's or the row's: the kernel of numbers will tell what is wrong
                self._kernel = None
            # JAX, asking whether a symbol is a number, leaves cycles with the frames of all callers and the tensors there.
            gc.collect(0)
        return self._kernel


class Sized:
    """What a kernel is at which sizes. ``values``: those of all symbols."""

    __slots__ = ("template", "values")

    def __init__(self, template: Template, values: tuple):
        self.template, self.values = template, (*values, *[2] * (COUNT - len(values)))

    def outs(self) -> tuple | None:
        """The Avals of the results; None where there is no general kernel."""
        general = self.template.kernel
        if general is None:
            return None
        return tuple(aval(tuple(size_at(size, self.values) for size in a.shape), a.dtype, a.device) for a in general.outs)

    def derived(self, key: Hashable, make: Callable[[Any], Any]) -> "Sized":
        """Of a kernel that `make` makes of this one. `key`: what it depends on besides."""
        found = self.template.derived.get(key)
        if found is None:
            found = self.template.derived[key] = Template(lambda: make(self.template.kernel))
        return Sized(found, self.values)


class Families:
    """Kernels by what they are made of but for sizes."""

    def __init__(self):
        self._families: dict[Hashable, _Family] = {}

    def find(self, key: Hashable, ins: tuple, params: tuple, make: Callable[[tuple, tuple], Any]) -> Sized | None:
        """How the kernel ``make(ins, params)`` follows from a general one; None where it cannot.

        Args:
            key: what it depends on besides.
            ins: Avals.
            params: hashable; the ints in it may be sizes.
            make: makes the kernel, of Avals and params that may have symbols.
        """
        sizes: list = [size for a in ins for size in a.shape]
        count = len(sizes)
        structure = _flattened(params, sizes)
        key = (key, tuple((a.dtype, a.device, a.ndim) for a in ins), structure)
        family = self._families.get(key)
        if family is None:
            family = self._families[key] = _Family(count)
        return family.find(sizes, lambda opened: make(*_rebuilt(opened, ins, structure)))

    def clear(self) -> None:
        """Forget them."""
        self._families.clear()


def _flattened(value, sizes: list):
    """The structure of `value`; its ints go to `sizes`."""
    if value.__class__ is int:
        sizes.append(value)
        return _SIZE
    return tuple(_flattened(part, sizes) for part in value) if isinstance(value, tuple) else value


def _filled(structure, sizes):
    if structure is _SIZE:
        return next(sizes)
    return tuple(_filled(part, sizes) for part in structure) if isinstance(structure, tuple) else structure


def _rebuilt(sizes: list, ins: tuple[Aval, ...], structure) -> tuple:
    left = iter(sizes)
    opened = tuple(aval(tuple(next(left) for _ in a.shape), a.dtype, a.device) for a in ins)
    return opened, _filled(structure, left)


class _Family:
    """Lists of sizes, of which the first `count` are of operands and the others parameters."""

    def __init__(self, count: int):
        self._count = count
        self._seen: list[list] = []
        self._schemes: list[tuple[_Scheme, Template]] = []

    def find(self, sizes: list, make: Callable[[list], Any]) -> Sized | None:
        """By the scheme with the fewest symbols: the fewer there are, the more JAX can tell."""
        known = min(((scheme, template) for scheme, template in self._schemes if scheme.solve(sizes)),
                    key=lambda pair: len(pair[0].places), default=None)
        if known is None or len(known[0].places) > 1:
            known = self._narrower(sizes, known, make)
        if len(self._seen) < _KEPT:
            self._seen.append(sizes)
        values = None if known is None else known[0].solve(sizes)
        return None if known is None or values is None else Sized(known[1], values)

    def _narrower(self, sizes, known, make):
        """(a new scheme of fewer symbols than that of `known`, its Template), or else `known`."""
        if not self._seen or len(self._schemes) == _KEPT:
            return known
        nearest = min(self._seen, key=lambda other: sum(map(operator.ne, other, sizes)))
        scheme = _scheme(nearest, sizes, self._count)
        if scheme is None or (known is not None and len(known[0].places) <= len(scheme.places)):
            return known
        self._schemes.append((scheme, Template(functools.partial(make, scheme.opened()))))
        return self._schemes[-1]


class _Scheme:
    """Lists of sizes that follow from a few: ``formulas`` has for each an int, or a tuple, a factor and the numbers of
    symbols that it is multiplied with. ``places``: for each symbol one where it stands alone."""

    def __init__(self, formulas: list):
        self.formulas = formulas
        count = 1 + max(i for formula in formulas if formula.__class__ is tuple for i in formula[1:])
        self.places = [formulas.index((1, i)) for i in range(count)]

    def solve(self, sizes: list) -> tuple | None:
        """The values of the symbols for these sizes; None where they do not follow."""
        values = tuple(sizes[place] for place in self.places)
        if min(values) < 2:
            return None
        fits = all(_value(formula, values) == size for formula, size in zip(self.formulas, sizes, strict=True))
        return values if fits else None

    def opened(self) -> list:
        """The sizes with their symbols."""
        return [_value(formula, SYMBOLS) for formula in self.formulas]


def _value(formula, values):
    return formula if formula.__class__ is int else math.prod((values[i] for i in formula[1:]), start=formula[0])


def _scheme(first: list, second: list, count: int) -> _Scheme | None:
    """What two lists of sizes have in common: a parameter varies only as operands do. None if they have too little."""
    pairs = [*zip(first, second, strict=True)]
    of_operands = {pair for pair in pairs[:count] if pair[0] != pair[1]}
    if not of_operands or min(map(min, of_operands)) < 2:
        return None
    parts = {pair for pair in pairs[count:] if min(pair) > 1 and any(_product(whole, [pair]) for whole in of_operands)}
    known: list = []
    formulas: dict = {}
    for pair in sorted(of_operands | parts):
        formulas[pair] = _product(pair, known)
        if formulas[pair] is None:
            formulas[pair] = (1, len(known))
            known.append(pair)
    if len(known) > COUNT:
        return None
    found = [a if a == b else formulas.get((a, b)) or _product((a, b), known) for a, b in pairs]
    return None if None in found else _Scheme(found)


def _product(pair, known) -> tuple | None:
    """The pair as a multiple of one of those that are known, or of two of them."""
    for indices in [*((i,) for i in range(len(known))), *((i, j) for i in range(len(known)) for j in range(i + 1))]:
        parts = [math.prod(known[i][k] for i in indices) for k in range(2)]
        if pair[0] % parts[0] == 0 and pair[1] % parts[1] == 0 and pair[0] // parts[0] == pair[1] // parts[1]:
            return (pair[0] // parts[0], *indices)
    return None
