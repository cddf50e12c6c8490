"""What anomaly mode sees in values: nan and inf told apart, where the first is, and the range of the rest."""

import pdb  # noqa: T100 - the user asks for it by detect_anomaly(debugger=True)
import sys

import jax
import numpy as np

from torchlike._record.leaf import host
from torchlike._record.site import is_ours, located


class Bad:
    """A value with nan or inf. ``name`` of the Node, ``what`` the value is of it, ``site``, ``values`` (numpy)."""

    def __init__(self, name, what, site, values):
        self.name, self.what, self.site, self.values = name, what, site, values

    def __str__(self):
        return f"{self.what} of {self.name}: {described(self.values)}"


def values_of(x):
    """The values of a Tensor of floating point or complex numbers as numpy; None for others and for jax tracers."""
    if x is None or isinstance(x._cell.array, jax.core.Tracer):
        return None
    values = host(x._cell)
    if values.dtype.name == "bfloat16":
        values = values.astype(np.float32)
    return values if values.dtype.kind in "fc" else None


def bad_value(name, what, site, x):
    """The `Bad` of a tensor; None if all is finite."""
    values = values_of(x)
    return None if values is None or np.isfinite(values).all() else Bad(name, what, site, values)


def described(values) -> str:
    """Dtype, shape, how many nan and inf and where the first of each is, and the range of the finite values."""
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
    """What an error says of a Bad."""
    return located(str(bad), bad.site) or f"\n{bad}"


def enter_debugger(debugger, bad) -> None:
    """Call `debugger` with the Bad, or for True open pdb in the user's frame."""
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
