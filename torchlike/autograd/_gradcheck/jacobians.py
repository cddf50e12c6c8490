"""Jacobians for `gradcheck`: by central differences, by backward and by forward mode, whole or along vectors.

They are numpy arrays. A whole one is a matrix, inputs by outputs. Along a vector `u` of the input it is the
derivative J u of an output, and along `v` of the output as well it is the number v J u. For a complex input
`u` is a pair of real vectors, for the real and the imaginary parts.
"""

import itertools

import numpy as np

from torchlike._base import dtypes
from torchlike._base.size import Size
from torchlike._ops import promotion
from torchlike._random.generator import Generator, draw
from torchlike._record.inplace import write
from torchlike._record.leaf import leaf
from torchlike._record.tensor import Tensor
from torchlike._record.trace import force
from torchlike._record.views import data
from torchlike.autograd import engine
from torchlike.autograd._gradcheck.texts import NOT_REENTRANT
from torchlike.autograd.forward_ad import dual_level, make_dual, unpack_dual


class GradcheckError(RuntimeError):
    """Raised by `gradcheck` and `gradgradcheck` where the gradients disagree."""


def as_tuple(x) -> tuple:
    """One result or several as a tuple."""
    return tuple(x) if isinstance(x, tuple | list) else (x,)


def floating(outputs) -> list:
    """Those of the results that are floating point or complex."""
    return [out for out in as_tuple(outputs) if out._cell.aval.dtype.category >= dtypes.FLOAT]


def values(x) -> np.ndarray:
    """A copy of a tensor's values."""
    return np.array(force(x._cell))


def _of_nothing(outputs) -> list:
    """Jacobians by an input without elements."""
    return [np.zeros((0, out._cell.aval.numel), out._cell.aval.dtype.np) for out in floating(outputs)]


# -- random vectors

def vectors(leaves, outputs) -> tuple:
    """(u for each input, v for each output): PyTorch's, from a generator of their own."""
    generator = Generator()
    us: list = []
    for x in leaves:
        u = _vector(x, generator)
        us.append((u, _vector(x, generator)) if x._cell.aval.dtype.is_complex else u)
    return us, [_vector(out, generator) for out in outputs]


def _vector(x, generator) -> np.ndarray:
    aval = x._cell.aval
    kind = aval.dtype.to_real().np if aval.dtype.is_complex else aval.dtype.np
    found = draw("uniform", generator, aval.numel, promotion.default.dtype.name, 0.0, 1.0).astype(kind)
    return found / np.linalg.norm(found)


def room(atol, u, v=None) -> float:
    """The tolerance for a sum over elements each of which may be wrong by `atol`."""
    total = sum(float(part.sum()) for part in u) if isinstance(u, tuple) else float(u.sum())
    return atol * total * (1.0 if v is None else float(v.sum()))


# -- central differences

class Differences:
    """Derivatives of ``func(*inputs)`` by central differences of step `eps`."""

    def __init__(self, func, inputs, eps):
        self.func, self.inputs, self.eps = func, inputs, eps

    def whole(self, x) -> list:
        """The Jacobian of each floating-point result by the input `x`."""
        shape, kind = tuple(x._cell.aval.shape), x._cell.aval.dtype.np
        columns = []
        for idx in itertools.product(*map(range, shape)):
            unit = np.zeros(shape, kind)
            unit[idx] = 1
            columns.append(self._both(x, unit, unit, f"on index {idx} "))
        if not columns:
            return _of_nothing(self.func(*self.inputs))
        return [np.stack(rows).astype(kind if np.issubdtype(kind, np.complexfloating) else rows[0].dtype)
                for rows in zip(*columns, strict=True)]

    def along(self, x, u) -> list:
        """J u for each floating-point result."""
        shape = tuple(x._cell.aval.shape)
        real, imag = (part.reshape(shape) for part in (u if isinstance(u, tuple) else (u, u)))
        return self._both(x, real, imag, "")

    def _both(self, x, real, imag, where) -> list:
        """Along a direction; of a complex input by its real plus i times by its imaginary part."""
        by_real = self._difference(x, real, where)
        if not x._cell.aval.dtype.is_complex:
            return by_real
        return [a + b * 1j for a, b in zip(by_real, self._difference(x, imag * 1j, where), strict=True)]

    def _difference(self, x, direction, where) -> list:
        original, alias = values(x), data(x)
        try:
            below, above = (self._evaluate(alias, np.where(direction == 0, original, original + step * direction))
                            for step in (-self.eps, self.eps))
        finally:
            _assign(alias, original)
        return [self._quotient(a, b, where) for a, b in zip(below, above, strict=True)]

    def _evaluate(self, alias, changed) -> list:
        _assign(alias, changed)
        return [values(out) for out in floating(self.func(*self.inputs))]

    def _quotient(self, a, b, where) -> np.ndarray:
        for what, mine, theirs in (("shape", Size(a.shape), Size(b.shape)),
                                   ("dtype", dtypes.from_np(a.dtype), dtypes.from_np(b.dtype))):
            if mine != theirs:
                raise AssertionError(f"Expected `func` to return outputs with the same {what} when inputs are perturbed "
                                     f"{where}by {self.eps}, but got: {what}s {mine} and {theirs}.")
        return ((b - a) / (2 * self.eps)).reshape(-1)


def _assign(alias, changed) -> None:
    """Make these values what a tensor holds, through its ``.data``: nobody's version counter moves."""
    write(alias, leaf(changed.astype(alias._cell.aval.dtype.np), alias._cell.aval.device), None)


# -- backward

class Backward:
    """Derivatives of a result by the inputs `leaves`, each computed twice."""

    def __init__(self, leaves, nondet_tol, check_dtypes):
        self.leaves, self.nondet_tol, self.check_dtypes = leaves, nondet_tol, check_dtypes

    def whole(self, out) -> list:
        """The Jacobian of `out` by each input."""
        aval = out._cell.aval
        units = np.eye(aval.numel, dtype=aval.dtype.np).reshape(aval.numel, *aval.shape)
        return self._twice(out, units)

    def along(self, out, v, us) -> list:
        """v J u for each input."""
        aval = out._cell.aval
        found = self._twice(out, v.reshape(1, *aval.shape).astype(aval.dtype.np))
        return [_projected(vj[:, 0], u) for vj, u in zip(found, us, strict=True)]

    def _twice(self, out, given) -> list:
        first, second = self._rows(out, given), self._rows(out, given)
        found, types_match = [], True
        for x, one, two in zip(self.leaves, first, second, strict=True):
            aval = x._cell.aval
            types_match &= all(g is None or g.dtype == aval.dtype.np for g in one)
            a, b = (_stacked(rows, aval) for rows in (one, two))
            if a.size and np.abs(a - b).max() > self.nondet_tol:
                raise GradcheckError(NOT_REENTRANT.format(self.nondet_tol))
            found.append(a)
        if not types_match and self.check_dtypes:
            raise GradcheckError("Gradient has dtype mismatch")
        return found

    def _rows(self, out, given) -> list:
        """For each input, for each of the given gradients of `out`, its gradient as an array or None."""
        rows: list = [[] for _ in self.leaves]
        for g in given:
            grads = engine.grad(out, self.leaves, leaf(np.array(g), out._cell.aval.device), retain_graph=True,
                                allow_unused=True)
            for row, found in zip(rows, grads, strict=True):
                row.append(None if found is None else values(found))
        return rows


def _projected(vj, u):
    return vj.real @ u[0] + 1j * (vj.imag @ u[1]) if isinstance(u, tuple) else vj @ u


def _stacked(rows, aval) -> np.ndarray:
    """Gradients of one input as the columns of its Jacobian."""
    jacobian = np.zeros((aval.numel, len(rows)), aval.dtype.np)
    for k, g in enumerate(rows):
        if g is not None:
            jacobian[:, k] = g.reshape(-1)
    return jacobian


# -- forward mode

class Forward:
    """Derivatives of ``func(*inputs)`` by forward mode, for real inputs."""

    def __init__(self, func, inputs, check_dtypes=False):
        self.func, self.inputs, self.check_dtypes = func, inputs, check_dtypes

    def whole(self, given) -> list:
        """The Jacobian of each floating-point result by the input number `given`."""
        aval = self.inputs[given]._cell.aval
        rows = [self.along(given, unit) for unit in np.eye(aval.numel, dtype=aval.dtype.np)]
        if not rows:
            return _of_nothing(self.func(*self.inputs))
        return [np.stack(column) for column in zip(*rows, strict=True)]

    def along(self, given, u) -> list:
        """J u for each floating-point result: its tangent, flat."""
        x = self.inputs[given]
        with dual_level():
            outputs = floating(self.func(*self.duals({given: leaf(u.reshape(tuple(x.shape)), x._cell.aval.device)})))
            return [self._tangent(out) for out in outputs]

    def duals(self, tangents, zeros=True) -> list:
        """The inputs with these tangents, by number; zeros for the others, or none."""
        moved = list(self.inputs)
        for i, x in enumerate(moved):
            if not isinstance(x, Tensor):
                continue
            wanted = x._edge is not None
            moved[i] = x.detach()
            if i in tangents or (wanted and zeros):
                moved[i] = make_dual(moved[i], tangents.get(i, moved[i].new_zeros(moved[i].shape)))
            if wanted:  # what `func` differentiates itself must have a history
                moved[i] = moved[i].requires_grad_()
        return moved

    def _tangent(self, out) -> np.ndarray:
        value, tangent = unpack_dual(out)
        if tangent is None:
            return np.zeros(value._cell.aval.numel, value._cell.aval.dtype.np)
        if self.check_dtypes and value.is_complex() != tangent.is_complex():
            raise GradcheckError("Forward AD gradient has dtype mismatch.")
        return values(tangent).reshape(-1)
