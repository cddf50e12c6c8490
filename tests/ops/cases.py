"""The table of test expressions, and how one is evaluated under real torch and under torchlike."""

import importlib
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent


def tables(name: str) -> dict:
    """All entries of `name` (CASES, SPECIAL, ERRORS) of the cases_*.py files: row -> expressions."""
    merged: dict = {}
    for path in sorted(HERE.glob("cases_*.py")):
        module = importlib.import_module(f"tests.ops.{path.stem}")
        for row, expressions in getattr(module, name, {}).items():
            merged.setdefault(row, []).extend(expressions)
    return merged


class Side:
    """One library evaluating an expression: the names an expression may use, and its inputs."""

    def __init__(self, torch, dtype_name: str, seed: int = 0):
        self.torch = torch
        self.dtype = getattr(torch, dtype_name)
        self.random = np.random.default_rng(seed)
        self.inputs: list = []

    def names(self) -> dict:
        """What an expression sees."""
        return {"torch": self.torch, "F": self.torch.nn.functional, "x": self.x, "pos": self.pos,
                "unit": self.unit, "gt1": self.gt1, "i": self.i, "b": self.b, "c": self.c, "t": self.t,
                "math": importlib.import_module("math"), "dtype": self.dtype, "inf": float("inf"),
                "nan": float("nan")}

    def evaluate(self, expression: str) -> list:
        """The tensors of the result, flat; other results as they are."""
        out = eval(compile(expression, "<case>", "eval"), self.names())
        return list(flatten(out))

    def _make(self, values, dtype=None, grad=True):
        dtype = dtype or self.dtype
        made = self.torch.tensor(np.asarray(values).tolist(), dtype=dtype)
        if np.asarray(values).size == 0:
            made = self.torch.zeros(np.asarray(values).shape, dtype=dtype)
        if grad and (dtype.is_floating_point or dtype.is_complex):
            made.requires_grad_(True)
            self.inputs.append(made)
        return made

    def _draw(self, shape, low=None, high=None):
        if low is None:
            values = self.random.standard_normal(shape)
        else:
            values = self.random.uniform(low, high, shape)
        if self.dtype.is_complex:
            values = values + 1j * self.random.uniform(-0.5, 0.5, shape)
        elif self.dtype == self.torch.bool:
            values = values > np.median(values) if values.size else values > 0
        elif not self.dtype.is_floating_point:
            whole = self.random.integers(1 if low is not None and low > 0 else -5, 6, shape)
            values = np.abs(whole) if str(self.dtype) == "torch.uint8" else whole
        return np.asarray(values)

    def x(self, *shape):
        return self._make(self._draw(shape))

    def pos(self, *shape):
        return self._make(self._draw(shape, 0.5, 2.0))

    def unit(self, *shape):
        return self._make(self._draw(shape, -0.9, 0.9))

    def gt1(self, *shape):
        return self._make(self._draw(shape, 1.1, 3.0))

    def i(self, high, *shape):
        return self._make(self.random.integers(0, high, shape), self.torch.int64)

    def b(self, *shape):
        return self._make(self.random.random(shape) > 0.5, self.torch.bool)

    def c(self, *shape):
        values = self.random.standard_normal(shape) + 1j * self.random.standard_normal(shape)
        wide = self.dtype in (self.torch.float64, self.torch.complex128)
        return self._make(values, self.torch.complex128 if wide else self.torch.complex64)

    def t(self, data):
        return self._make(data)


def flatten(out):
    """Tensors and numbers inside tuples, lists and dictionaries."""
    if isinstance(out, tuple | list):
        for item in out:
            yield from flatten(item)
    else:
        yield out
