"""What anomaly mode sees in values: nan and inf told apart, where the first is, and the range of the rest."""

import pdb  # noqa: T100 - the user asks for it by detect_anomaly(debugger=True)
import sys

import jax
import numpy as np

from torchlike._base.settings import strided
from torchlike._record.leaf import host
from torchlike._record.site import is_ours, located


class Bad:
    """A value with nan or inf.

    Args:
        name: that of the Node.
        what: what the value is of it, "gradient 0" or "forward result 0".
        site: the line of the user's program that made it, or None.
        values: (*), the values as numpy.
    """

    def __init__(self, name, what, site, values):
        self.name, self.what, self.site, self.values = name, what, site, values

    def __str__(self):
        return f"{self.what} of {self.name}: {described(self.values)}"


def values_of(x):
    """The values of a Tensor.

    Args:
        x: a Tensor or None.

    Returns:
        A numpy array, float32 for bfloat16, of a sparse tensor its values; None for other dtypes than floating point and
        complex, for jax tracers, and of classes with ``__torch_dispatch__`` that have no memory.
    """
    if x is None or isinstance(x._cell.array, jax.core.Tracer):
        return None
    cell = x._cell
    if cell.handler is not None and cell.array is None:
        if cell.layout is strided:
            return None
        cell = cell.values._cell
    values = host(cell)
    if values.dtype.name == "bfloat16":
        values = values.astype(np.float32)
    return values if values.dtype.kind in "fc" else None


def bad_value(name, what, site, x):
    """Looks for nan and inf in a tensor.

    Args:
        name, what, site: as for `Bad`.
        x: a Tensor or None.

    Returns:
        The `Bad`; None if all is finite.
    """
    values = values_of(x)
    return None if values is None or np.isfinite(values).all() else Bad(name, what, site, values)


def described(values) -> str:
    """What a text says of values.

    Args:
        values: (*), a numpy array.

    Returns:
        Dtype, shape, how many nan and inf and where the first of each is, and the range of the finite values.
    """
    parts = []
    for kind, found in (("nan", np.isnan(values)), ("inf", np.isinf(values))):
        if found.any():
            first = [int(i) for i in np.argwhere(found)[0]]
            parts.append(f"{int(found.sum())} {kind}, the first at {first}")
    finite = values[np.isfinite(values)]
    if not finite.size:
        parts.append("nothing finite")
    elif np.iscomplexobj(finite):
        parts.append(f"finite values up to {np.abs(finite).max():.6g} in size")
    else:
        parts.append(f"finite values from {finite.min():.6g} to {finite.max():.6g}")
    return f"{values.dtype} {list(values.shape)}: {'; '.join(parts)}"


def lines(bad) -> str:
    """What an error says of a value with nan or inf.

    Args:
        bad: the `Bad`.

    Returns:
        A text that begins with a line break.
    """
    return located(str(bad), bad.site) or f"\n{bad}"


def enter_debugger(debugger, bad) -> None:
    """Calls the debugger that `detect_anomaly` was given.

    Args:
        debugger: a function of the `Bad`; True for pdb, in the user's frame; False for none.
        bad: the `Bad`.
    """
    if debugger is True:
        frame = sys._getframe(1)
        while frame.f_back is not None and is_ours(frame.f_code):
            frame = frame.f_back
        session = pdb.Pdb()
        session.message(lines(bad).lstrip("\n"))
        session.reset()
        session.interaction(frame, None)
    elif debugger:
        debugger(bad)
