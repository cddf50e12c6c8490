"""The numbers at the edges that `edges.py` puts into expressions of tests/ops, and what a library makes of them."""

import dataclasses
import functools
import math
import warnings

import numpy as np
import torch

import torchlike
from compat import compare
from tests.ops import cases

LONG = {"float16": 70_000, "bfloat16": 70_000, "float32": 2**24 + 2}
HALVES = ("torch.float16", "torch.bfloat16")
INTEGERS = (torch.int64, torch.int32, torch.uint8)
AT_LENGTH = ("long", "long columns")
LENGTHS = ("empty", *AT_LENGTH)
OPERANDS = (0, 1, None)  # which of the tensors of an expression stands at the edge; None: all


def _at(place, value):
    def changed(values, limits):
        changed = values.copy().reshape(-1)
        if changed.size:
            changed[{"first": 0, "middle": changed.size // 2, "last": -1, "all": slice(None)}[place]] = value
        return changed.reshape(values.shape)

    return changed


def _signs(values):
    return np.where(values.real < 0, -1.0, 1.0)


def _scattered(*numbers):
    """Some of the numbers, by what was drawn; elements that are none of them stay."""
    def changed(values, limits):
        known = [limits.get(number, number) for number in numbers]
        picks = (np.abs(values.real) * 1000).astype(np.int64) % len(known)
        return np.asarray(known)[picks] + 0 * values.real if values.dtype.kind == "c" else np.asarray(known)[picks]

    return changed


KINDS = {
    "plain": lambda x, limits: x,
    "largest": lambda x, limits: limits["max"] * (1 - np.abs(x.real) % 1 / 2),
    "of both signs": lambda x, limits: limits["max"] * (1 - np.abs(x.real) % 1 / 2) * _signs(x),
    "roots of the largest": lambda x, limits: math.sqrt(limits["max"]) * (0.5 + np.abs(x.real) % 1) * _signs(x),
    "smallest": lambda x, limits: limits["tiny"] * (1 + np.abs(x.real)) * _signs(x),
    "subnormal": lambda x, limits: limits["tiny"] * (np.abs(x.real) % 1) * _signs(x),
    "offset": lambda x, limits: limits["offset"] + x,
    "zeros": _scattered(0.0, -0.0), "-0.0": _at("all", -0.0), "equal": _at("all", 1.1),
    **{f"{value} {place}": _at(place, value) for value in (math.inf, -math.inf, math.nan)
       for place in ("first", "middle", "last", "all")},
    "infinities": _scattered(math.inf, -math.inf), "infinities and numbers": _scattered(math.inf, -math.inf, 1.0, -2.0),
    "anything": _scattered(0.0, -0.0, math.inf, -math.inf, math.nan, "max", "min", "tiny", 1.0, -1.0),
    **dict.fromkeys(LENGTHS, lambda x, limits: x),
}
CANCELLING = ("offset", "equal")  # what is left of numbers of 64 bits nobody knows better
OF_INTEGERS = ("plain", "largest", "of both signs", "empty")


@functools.cache
def limits_of(dtype: str) -> dict:
    """The numbers of a dtype that kinds are made of."""
    kind = getattr(torch, dtype)
    if not (kind.is_floating_point or kind.is_complex):
        return limits_of("float32") | {"max": torch.iinfo(kind).max, "min": torch.iinfo(kind).min}
    info = torch.finfo(kind)
    return {"max": info.max, "min": info.min, "tiny": info.tiny, "eps": info.eps,
            "offset": 1e8 if info.eps < 1e-4 else 0.125 / info.eps}


def values_of(x):
    """As `compare.array`, but in the tensor's own memory."""
    x = x.detach().resolve_conj().resolve_neg()
    return (x.float() if str(x.dtype) in HALVES else x).numpy(force=True)


@functools.lru_cache(4)
def ones(shape: tuple):
    """Not to be written to."""
    return np.ones(shape)


@functools.lru_cache(4)
def normal(shape: tuple, is_complex: bool):
    """Numbers that are always the same ones."""
    rng = np.random.default_rng(1)
    values = rng.standard_normal(shape)
    return np.asarray(values + 1j * rng.standard_normal(shape) if is_complex else values)


@dataclasses.dataclass(frozen=True)
class Case:
    """One expression of tests/ops with one kind of numbers in one of its operands."""

    expression: str
    dtype: str
    kind: str
    operand: int | None = 0


def changed_shape(shape: tuple, case: Case) -> tuple:
    """Of nothing, or of very many elements, where the case says so."""
    if not shape or case.kind not in LENGTHS:
        return shape
    if case.kind == "empty":
        return (*shape[:-1], 0)
    others, many = (1,) * (len(shape) - 1), LONG[case.dtype]
    return (*others, many) if case.kind == "long" else (many, *others)


class Side(cases.Side):
    """An expression's inputs for a case, in the dtype `within`."""

    def __init__(self, library, case: Case, within: str = ""):
        super().__init__(library, within or case.dtype)
        self.case, self.drawn, self.shapes = case, 0, []
        self.rounded_to = getattr(torch, case.dtype)
        self.limits = limits_of(case.dtype)

    def _draw(self, shape, low=None, high=None):
        self.shapes.append(tuple(shape))
        shape, chosen = changed_shape(self.shapes[-1], self.case), self.case.operand in (None, self.drawn)
        self.drawn += 1
        if self.case.kind in AT_LENGTH:
            return ones(shape)
        values = super()._draw(shape, low, high)
        if self.dtype.is_complex and low is None:
            values = values * np.exp(1j)
        if not chosen or values.dtype.kind == "b":
            return values
        changed = KINDS[self.case.kind](values, self.limits)
        return np.abs(changed) if low is not None and self.dtype.is_floating_point else changed

    def _make(self, values, dtype=None, grad=True):
        dtype = dtype or self.dtype
        made = self._tensor(np.asarray(values, order="C"), dtype)
        if grad and (dtype.is_floating_point or dtype.is_complex):
            made.requires_grad_(True)
            self.inputs.append(made)
        return made

    def _tensor(self, values, dtype):
        return self._rounded(values, dtype, self.rounded_to if dtype == self.dtype else None)

    def _rounded(self, values, dtype, within):
        """A tensor of numbers that have a dtype, rounded by PyTorch whichever library makes it."""
        exact, kind = torch.from_numpy(values), getattr(torch, str(dtype).removeprefix("torch."))
        exact = exact.to(within or exact.dtype, copy=True).to(kind)
        return exact if self.torch is torch else torchlike.from_numpy(values_of(exact)).to(dtype)

    def cotangent(self, out):
        """A fixed gradient of a result."""
        within = self.rounded_to.to_complex() if out.dtype.is_complex else self.rounded_to
        return self._rounded(normal(tuple(out.shape), out.dtype.is_complex), out.dtype, within)

    def outcome(self) -> list | Exception:
        """Arrays of the results and of the gradients, None for those that are not there; or the error."""
        with compare.caught(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                results = [r for r in self.evaluate(self.case.expression) if hasattr(r, "detach")]
                outs, grads = [r for r in results if r.requires_grad], []
                if outs and self.inputs:
                    grads = self.torch.autograd.grad(outs, self.inputs, [*map(self.cotangent, outs)], allow_unused=True)
                return [None if r is None else values_of(r) for r in (*results, *grads)]
            except Exception as error:  # noqa: BLE001 - whatever a library raises is its answer
                return error


def kinds_of(dtype: str) -> tuple:
    """The kinds of numbers that a dtype has."""
    if getattr(torch, dtype) in INTEGERS:
        return OF_INTEGERS
    return tuple(kind for kind in KINDS if not kind.startswith("long") or dtype in LONG)


def operands_of(drawn: int, kind: str) -> tuple:
    """Which operands may stand at the edge, of so many: all have one length, and a plain number is anywhere."""
    if kind in (*LENGTHS, "plain"):
        return (0,) * (drawn > 0 or kind == "plain")
    return OPERANDS[:1] * drawn if drawn < 2 else OPERANDS
