"""What jaxprs consist of. These are the names of `jax.extend.core`, from where that has them: it cannot be imported without
all of `jax.extend`, whose Pallas takes a tenth of the time of ``import torchlike``."""

from typing import Any

from jax._src import core
from jax._src.core import ClosedJaxpr as ClosedJaxpr
from jax._src.core import Jaxpr as Jaxpr
from jax._src.core import Literal as Literal
from jax._src.core import Primitive as Primitive
from jax._src.core import Var as Var
from jax._src.core import eval_jaxpr as eval_jaxpr
from jax._src.core import jaxpr_as_fun as jaxpr_as_fun
from jax._src.core import set_current_trace as set_current_trace
from jax._src.core import to_concrete_value as to_concrete_value
from jax._src.core import trace_ctx
from jax._src.interpreters import partial_eval

EvalTrace: Any = core.EvalTrace
_traced: Any = getattr(partial_eval, "trace_to_jaxpr", None)  # since jax 0.10
Trace: Any = core.Trace  # whose methods say "must override", so that subclasses' types differ from theirs
Tracer: Any = core.Tracer
CHAIN = "kernels"  # the name of a jitted function of several kernels, see deferred.py
JIT = ("jit", "pjit")  # the primitive of jitted functions, whose name differs in newer and older JAX


def function_of(jaxpr) -> str:
    """The name of the Python function that a jaxpr was traced from, "" where JAX does not say."""
    told = getattr(getattr(jaxpr, "debug_info", None), "func_src_info", None) or ""
    return told.split(" ")[0]


def current_trace() -> Trace:
    """The one that JAX's primitives go to now."""
    return trace_ctx.trace


def forget_traced() -> None:
    """Give up what JAX keeps of the functions of its own that rows call, `jnp.where` for one: a jaxpr for each shape, with
    no bound, as long as the function is there. What is compiled stays."""
    if _traced is not None:
        _traced.cache_clear()


def results_of(primitive, operands, params: dict) -> list:
    """What an equation with these operands and parameters gives."""
    bound = primitive.get_bind_params(params)
    functions, params = bound if isinstance(bound, tuple) else ((), bound)  # before jax 0.10 and since
    found = primitive.bind(*functions, *operands, **params)
    return list(found) if primitive.multiple_results else [found]
