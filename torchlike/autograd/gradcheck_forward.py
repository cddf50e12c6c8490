"""The Jacobian of a function by forward mode, for `gradcheck`."""

import numpy as np

from torchlike._tensor import Tensor
from torchlike._trace.leaf import leaf
from torchlike._trace.trace import force
from torchlike.autograd.forward_ad import dual_level, make_dual, unpack_dual


def jacobians(func, inputs, given) -> list:
    """For the input number `given` the Jacobian of each floating-point output, inputs by outputs.

    `func` is called once for each element (twice for a complex one: the derivatives by the real and by the
    imaginary part are joined as in `gradcheck`).
    """
    x = inputs[given]
    kind, shape = x._cell.aval.dtype.np, tuple(x._cell.aval.shape)
    rows = []
    for k in range(int(np.prod(shape))):
        row = _row(func, inputs, given, _unit(k, 1, kind, shape))
        if np.issubdtype(kind, np.complexfloating):
            by_imag = _row(func, inputs, given, _unit(k, 1j, kind, shape))
            row = [a + 1j * b for a, b in zip(row, by_imag, strict=True)]
        rows.append(row)
    return [np.stack(column) for column in zip(*rows, strict=True)]


def _unit(k, value, kind, shape):
    direction = np.zeros(int(np.prod(shape)), kind)
    direction[k] = value
    return direction.reshape(shape)


def _row(func, inputs, given, direction) -> list:
    """The tangents of the floating-point outputs, flat."""
    with dual_level():
        moved = [x.detach() if isinstance(x, Tensor) else x for x in inputs]
        x = inputs[given].detach()
        moved[given] = make_dual(x, leaf(direction, x._cell.aval.device))
        if inputs[given].requires_grad:  # what `func` differentiates itself must have a history
            moved = [y.requires_grad_() if isinstance(y, Tensor) and inputs[i].requires_grad else y
                     for i, y in enumerate(moved)]
        outputs = func(*moved)
        outputs = outputs if isinstance(outputs, tuple | list) else (outputs,)
        found = []
        for out in outputs:
            if out.dtype.category < 2:
                continue
            tangent = unpack_dual(out).tangent
            aval = out._cell.aval
            found.append(np.zeros(aval.numel, aval.dtype.np) if tangent is None
                         else np.array(force(tangent._cell)).reshape(-1))
        return found
