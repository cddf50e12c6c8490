"""Operations in the forms that XLA's code for the CPU is fast at, put in place when a kernel is compiled.

Rows say what is computed, numpy's plans and a GPU take that as it stands.
"""

import math
from collections.abc import Callable

from jax import lax
from jax.extend.core import ClosedJaxpr, Literal

from torchlike._compile.backends import cpu_convolutions
from torchlike._compile.jax_private import JIT, results_of

LARGE = 1 << 18  # elements of a matrix: from here on XLA's library YNN multiplies with all threads


def rewritten(closed: ClosedJaxpr) -> Callable | None:
    """The function of a jaxpr in other forms; None where there is nothing to change."""
    if not _changes(closed.jaxpr):
        return None
    return lambda *arrays: tuple(_evaluate(closed.jaxpr, closed.consts, arrays))


def _changes(jaxpr) -> bool:
    return any(_form(eqn) is not None or (eqn.primitive.name in JIT and _changes(eqn.params["jaxpr"].jaxpr))
               for eqn in jaxpr.eqns)


def _evaluate(jaxpr, consts, arrays) -> list:
    values = dict(zip((*jaxpr.constvars, *jaxpr.invars), (*consts, *arrays), strict=True))

    def read(var):
        return var.val if isinstance(var, Literal) else values[var]

    for eqn in jaxpr.eqns:
        operands = [read(var) for var in eqn.invars]
        form = _form(eqn)
        if form is not None:
            found = [form(*operands)]
        elif eqn.primitive.name in JIT:
            inner = eqn.params["jaxpr"]
            found = _evaluate(inner.jaxpr, inner.consts, operands)
        else:
            found = results_of(eqn.primitive, operands, eqn.params)
        values.update(zip(eqn.outvars, found, strict=True))
    return [read(var) for var in jaxpr.outvars]


def _form(eqn) -> Callable | None:
    """A function of the operands of an equation that computes the same in another way, if there is a faster one."""
    chosen = _FORMS.get(eqn.primitive.name)
    return None if chosen is None else chosen(eqn)


# --- products -----------------------------------------------------------------------------------

def _product(eqn):
    """The gradient of a weight, x.T @ g: YNN declines a left operand that is to be transposed. (256, 2048).T @ (256, 2048)
    takes 19 ms with Eigen, 14.5 with YNN after a copy, which the barrier keeps XLA from merging into the product. Both are
    copied, for where the result is transposed XLA makes g the left operand."""
    x, g = (var.aval.shape for var in eqn.invars)
    transposed = eqn.params["dimension_numbers"] == (((0,), (0,)), ((), ())) and len(x) == len(g) == 2
    if not transposed or math.prod(g) < LARGE or x[1] * g[1] < LARGE:
        return None
    params = {**eqn.params, "dimension_numbers": (((1,), (1,)), ((), ()))}
    return lambda x, g: lax.dot_general_p.bind(*lax.optimization_barrier((x.T, g.T)), **params)


# --- sums ---------------------------------------------------------------------------------------

def _row(eqn):
    """The sum of one long row, over all dimensions. Of a sum over some of them, the others of size 1, and what is computed
    from it element by element YNN makes one loop that sums again for each of its tiles. ``y * (g - (g * y).sum(1))`` of one
    row of 2**17, 2**20 and 2**24 elements took 1.3, 79 and 13 600 ms; 2**20 take 2.2 so."""
    shape, out = eqn.invars[0].aval.shape, eqn.outvars[0].aval.shape
    everywhere = {**eqn.params, "axes": tuple(range(len(shape)))}
    if math.prod(out) != 1 or not out or math.prod(shape) < _LONG:
        return None
    return lambda x: lax.reshape(eqn.primitive.bind(x, **everywhere), out)


_LONG = 1 << 16  # elements of a row
_FORMS = {"dot_general": _product, "reduce_sum": _row, "conv_general_dilated": cpu_convolutions.form}
