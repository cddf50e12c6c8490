"""The derivative that a Node computes, as a function in JAX and as a formula."""

import ast
import inspect
import re
import textwrap
from typing import NamedTuple

import jax

from torchlike._base.errors import UnsupportedError
from torchlike._lower.backward import labels
from torchlike._lower.flat import Flat
from torchlike._lower.graph import kernel_step, operand_names
from torchlike._lower.source import Module, function_name, parameter_names
from torchlike._lower.texts import Text
from torchlike.autograd._function.node import FunctionNode
from torchlike.autograd.special_nodes import CopySlices

_CACHE: dict = {}  # {(kernel, which results have gradients, numbers): Vjp}
_LIMIT = 4096
_INLINED = 4  # statements that a formula takes together
_LONGEST = 100  # characters of a formula; what is longer is read as code
_OWN_RULE = "@jax.custom_jvp"


class Vjp(NamedTuple):
    """What a Node does with the gradients that came in.

    Args:
        code: a function in JAX, or the program's own where it is that; "" where there is none.
        formulas: {name of an operand: formula of its gradient}.
        operands: for each edge of the Node the name of its operand.
    """

    code: str
    formulas: dict
    operands: tuple


def vjp_of(node, defined: tuple) -> Vjp:
    """The local derivative of a Node.

    Args:
        node: the Node; it may have been freed.
        defined: the places of the results whose gradients have come.

    Returns:
        A `Vjp`.
    """
    if node.is_leaf:
        return Vjp("", {"": "grad = g   where it was None, else   grad + g"}, ())
    if isinstance(node, FunctionNode):
        return _of_function(node)
    if node.__class__ is CopySlices:
        return _of_write(node, defined)
    if node.plan is None or not defined:
        return Vjp("", {}, tuple(f"input {i}" for i in range(len(node.edges))))
    key = (node.plan.kernel, node.plan.needed, defined, tuple((n.__class__, repr(n)) for n in node.numbers))
    found = _CACHE.get(key)
    if found is None:
        if len(_CACHE) >= _LIMIT:
            _CACHE.clear()
        found = _CACHE[key] = _of_row(node, defined)
    return found


def _of_function(node) -> Vjp:
    """A custom Function: the program's own ``backward``."""
    names = tuple(f"input {i}" for i in range(len(node.edges)))
    function = getattr(type(node.ctx), "_forward_cls", None)
    try:
        code = textwrap.dedent(inspect.getsource(function.backward)).rstrip()
    except (OSError, TypeError, AttributeError):  # written where there is no file
        return Vjp("", {}, names)
    return Vjp(code, dict.fromkeys(names, "as its backward() says"), names)


def _of_write(node, defined) -> Vjp:
    """A write to a view: what was overwritten gets nothing."""
    inner = vjp_of(node.fn, defined) if node.fn is not None else Vjp("", {}, ())
    others = inner.operands[1:] or tuple(f"input {i}" for i in range(1, len(node.edges)))
    first = inner.formulas.get(inner.operands[0]) if inner.operands else None
    base = "g, in the place that was written to 0" if first is None else f"g, in the place that was written to {first}"
    return Vjp(inner.code, {"base": base, **{name: inner.formulas[name] for name in others if name in inner.formulas}},
               ("base", *others))


def _of_row(node, defined) -> Vjp:
    plan = node.plan
    names = tuple("x" if name == "self" else name for name in operand_names(plan.kernel))
    if len(names) != len(node.edges):
        names = tuple(f"input{i}" for i in range(len(node.edges)))
    try:
        code, codes, lines = _written(node, plan.route(defined), defined, names)
    except UnsupportedError:  # of a primitive that has no source
        return Vjp("", {}, names)
    short = _taken_together(lines) if len(lines) <= _INLINED else None
    results = {}
    for i, text in zip(plan.needed, codes, strict=True):
        formula = mathematical(text, short or {})
        results[names[i]] = formula if short is not None and len(formula) <= _LONGEST else _SEE
    return Vjp(code, results, names)


_SEE = "see the code"


class _NoNames:
    """Constants of a derivative have no names of the user's."""

    @staticmethod
    def of_constant(constant) -> str:
        return "CONSTANT"


def _written(node, route, defined, names) -> tuple:
    """(text of the function, code of the gradient of each operand that needs one, its statements)."""
    module, plan = Module(_NoNames, {}), node.plan
    first = "g" if len(defined) == 1 else f"g{defined[0]}"
    codes, lines, used = dict.fromkeys(route.same, first), [], []
    name = function_name(kernel_step(plan.kernel, node.numbers, [], []))
    if route.kernel is not None:
        step, flat, parameters = _gradient(module, node, route.kernel, defined, names)
        writer = module.writer(parameters)
        arguments = [Text(name, shape=tuple(v.aval.shape)) for name, v in zip(parameters, flat.invars, strict=True)]
        codes |= dict(zip(route.targets, (text.code for text in writer.write(flat, arguments)), strict=True))
        lines, name = list(writer.lines), function_name(step).removesuffix("_backward")
        used = [name for name, v in zip(parameters, flat.invars, strict=True) if v in flat.uses]
    used = [first, *used] if route.same and first not in used else used
    results = [codes[i] for i in plan.needed]
    module.function(f"{name}_backward", used, lines, results)
    constants = [f"{name} = ...  # {array.dtype}{list(array.shape)}" for name, array in module.constants.values()]
    texts = [text for text in module.texts if not text.startswith(_OWN_RULE)]  # what computes sines is not what is learned
    return "\n".join([*constants, *texts]), results, lines


def _gradient(module, node, kernel, defined, names) -> tuple:
    """(Step, its jaxpr, names of its parameters) of a gradient's kernel."""
    reads, makes = [("in", i) for i in range(len(kernel.ins))], [("out", i) for i in range(len(kernel.outs))]
    step = kernel_step(kernel, node.numbers, reads, makes)
    step.labels = labels(node.plan, defined, names) or step.labels
    module.forms = {key: jax.ShapeDtypeStruct(tuple(aval.shape), aval.dtype.np)
                    for key, aval in zip(reads, kernel.ins, strict=True)}
    flat = Flat(module.traced(step))
    return step, flat, parameter_names(step, flat)


# -- formulas

def _taken_together(lines) -> dict | None:
    """{variable: expression} of plain assignments; None where there is anything else."""
    found = {}
    for line in lines:
        try:
            statement, = ast.parse(line).body
        except (SyntaxError, ValueError, TypeError):
            return None
        if not (isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)):
            return None
        found[statement.targets[0].id] = statement.value
    return found


class _Plain(ast.NodeTransformer):
    """Puts expressions in the place of variables, and leaves out what a formula does not need."""

    def __init__(self, variables):
        self.variables = variables

    def visit_Name(self, node):
        value = self.variables.get(node.id)
        return node if value is None else self.visit(value)

    def visit_Attribute(self, node):
        if isinstance(node.value, ast.Name) and node.value.id in ("jnp", "lax", "jax"):
            return ast.Name(node.attr)
        return self.generic_visit(node)

    def visit_Call(self, node):
        made = self.generic_visit(node)
        name = made.func.id if isinstance(made.func, ast.Name) else getattr(made.func, "attr", "")
        if name in _TRANSPARENT:
            return made.func.value if isinstance(made.func, ast.Attribute) else made.args[0]
        if name in _REDUCTIONS and isinstance(made.func, ast.Attribute):
            return ast.Call(ast.Name(_REDUCTIONS[name]), [made.func.value], [k for k in made.keywords if k.arg == "axis"])
        return made


_TRANSPARENT = {"astype", "reduce_precision", "stop_gradient", "broadcast_to", "optimization_barrier"}
_REDUCTIONS = {"sum": "Σ", "max": "max", "min": "min"}
_SIGNS = ((" * ", " · "), (" ** 2", "²"), (" ** 3", "³"), (".T", "ᵀ"), ("rsqrt(", "1/√("), ("sqrt(", "√("))


def mathematical(code: str, variables: dict | None = None) -> str:
    """An expression in JAX as a formula for reading: ``g * jnp.cos(x)`` is ``g · cos(x)``.

    Args:
        code: the expression.
        variables: {name: expression} of what is written in the place of a name.

    Returns:
        The formula.
    """
    try:
        tree = ast.parse(code, mode="eval")
    except SyntaxError:
        return code
    text = ast.unparse(_Plain(variables or {}).visit(tree))
    text = re.sub(r"(\d)\.0\b", r"\1", text)
    for sign, shown in _SIGNS:
        text = text.replace(sign, shown)
    return text
