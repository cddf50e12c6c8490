"""Fences that keep XLA's algebra inside one operator.

XLA's simplifier calculates with real numbers: across operators, log(exp(x)) becomes x, (x + 1e8) - 1e8
becomes x, sqrt(x * x) becomes |x|, and a / (b / c) becomes a * c / b, which overflows. PyTorch rounds
every result and so does the cold tier, which compiles one operator at a time. In a whole program the
results that the simplifier would combine therefore pass `lax.reduce_precision` to the precision they
have: a no-op in machine code, and no rule of the simplifier looks through it.

Only these: a fence at every sum makes the 4-layer GPT of the benchmarks 15 % slower and its compilation
50 % (1.8 s to 2.9 s); these cost nothing there.
"""

import jax.numpy as jnp
from jax.extend.core import Var

from torchlike._ops.rules import rounded

# Combined with one another whatever their operands are.
_ALWAYS = frozenset({"div", "exp", "exp2", "expm1", "log", "log1p", "sqrt", "rsqrt", "cbrt", "pow", "integer_pow",
                     "square"})
# Combined where an operand is a constant, (x + 1e8) - 1e8, or where both are one: sqrt(x * x).
_SUMS = frozenset({"add", "sub", "mul"})
_LAYOUT = frozenset({"broadcast_in_dim", "reshape", "transpose", "squeeze", "expand_dims", "copy", "rev"})


def producers(closed) -> tuple:
    """For each result of a ClosedJaxpr the name of the primitive that produces it, "" if it is not floating."""
    return _of_jaxpr(closed.jaxpr)


def _of_jaxpr(jaxpr):
    made_by = {var: (eqn, i) for eqn in jaxpr.eqns for i, var in enumerate(eqn.outvars)}

    def producer(var):
        eqn, i = made_by.get(var, (None, 0)) if isinstance(var, Var) else (None, 0)
        if eqn is None or not jnp.issubdtype(var.aval.dtype, jnp.floating):
            return ""
        if eqn.primitive.name in _LAYOUT:
            return producer(eqn.invars[0])
        if eqn.primitive.name == "jit":
            return _of_jaxpr(eqn.params["jaxpr"].jaxpr)[i]
        square = eqn.primitive.name == "mul" and eqn.invars[0] is eqn.invars[1]
        return "square" if square else eqn.primitive.name

    return tuple(producer(var) for var in jaxpr.outvars)


def needed(call) -> list:
    """For each result of a `program.Call` whether it needs a fence."""
    constant = bool(call.constants) or len(set(call.slots)) < len(call.slots)
    return [name in _ALWAYS or (constant and name in _SUMS) for name in call.kernel.producers]


def fence(x):
    """`x`, rounded to its own dtype."""
    return rounded(x, x.dtype)
