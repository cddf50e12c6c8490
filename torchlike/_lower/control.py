"""Loops and branches of JAX's own as source: `lax.scan`, `lax.while_loop`, `lax.cond`; and functions with a
derivative of their own."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxpr_as_fun

from torchlike._compile.jax_private import function_of, results_of, scan_counts
from torchlike._lower.flat import Flat, traced
from torchlike._lower.layout import block, needed
from torchlike._lower.names import identifier
from torchlike._lower.primitives import rule
from torchlike._lower.texts import Text, tuple_of


def _flat(writer, closed) -> Flat:
    function = jaxpr_as_fun(closed)
    return Flat(traced(lambda *xs: tuple(function(*xs)), closed.in_avals, writer.source.is_differentiated))


def _held(writer, texts, variables) -> list:
    """Texts that a function inside reads: variables."""
    return [writer.named(writer.whole(text, var), "value") for text, var in zip(texts, variables, strict=True)]


def _function(writer, name, closed, consts, arguments, results, unused=()) -> str:
    """Writes a function inside of the present one.

    Args:
        writer: the Writer of the present function.
        name: that of the new one, unless it is taken.
        closed: its ClosedJaxpr.
        consts: the Texts of its first arguments, which it does not take.
        arguments: ([variable], [its names]) of the others: one variable for several stands for a tuple.
        results: from its results' codes to what it returns.
        unused: names of further arguments, before the others.

    Returns:
        The name.
    """
    flat = _flat(writer, closed)
    inner = writer.inner()
    found = writer.fresh(name)
    names, heads, lines = [], list(unused), []
    first = len(consts)
    for variable, count in arguments:
        own = [inner.fresh(variable if count == 1 else f"{variable}{i}") for i in range(count)]
        forms = [tuple(v.aval.shape) for v in flat.invars[first:first + count]]
        first += count
        names += [Text(each, shape=form) for each, form in zip(own, forms, strict=True)]
        if count == 1:
            heads.append(own[0])
        else:
            heads.append(inner.fresh(variable))
            if own:
                lines.append(f"{', '.join(own)} = {heads[-1]}")
    texts = inner.write(flat, [*consts, *names])
    writer.lines.append(f"def {found}({', '.join(heads)}):")
    writer.lines.append([*lines, *inner.lines, f"return {results([text.code for text in texts])}"])
    return found


def _tuple(codes) -> str:
    return codes[0] if len(codes) == 1 else tuple_of(codes)


@rule("scan")
def _scan(writer, eqn, *xs):
    p = eqn.params
    n_consts, n_carry = scan_counts(p)
    whole = [writer.whole(x, var) for x, var in zip(xs, eqn.invars, strict=True)]
    consts = _held(writer, xs[:n_consts], eqn.invars[:n_consts])
    carry, series = whole[n_consts:n_consts + n_carry], whole[n_consts + n_carry:]

    def results(codes):
        left = codes[n_carry:]
        return f"{_tuple(codes[:n_carry])}, {_tuple(left) if left else None}"

    name = _function(writer, "step", p["jaxpr"], consts, [("carry", n_carry), ("x", len(series))], results)
    through = _tuple([x.code for x in series]) if series else f"None, length={p['length']}"
    given = [name, _tuple([x.code for x in carry]), through]
    if p["reverse"]:
        given.append("reverse=True")
    return _unpacked(writer, eqn, f"lax.scan({', '.join(given)})", n_carry)


def _unpacked(writer, eqn, code, n_carry) -> list:
    """The results of a scan: what was carried, and what each turn has made."""
    names = [writer.fresh("last" if i < n_carry else "outs") if var in writer.uses else "_"
             for i, var in enumerate(eqn.outvars)]

    def group(some):
        return some[0] if len(some) == 1 else f"({', '.join(some)})" if some else "_"

    writer.lines.append(f"{group(names[:n_carry])}, {group(names[n_carry:])} = {code}")
    return [Text(name, shape=tuple(var.aval.shape)) for name, var in zip(names, eqn.outvars, strict=True)]


@rule("while")
def _while(writer, eqn, *xs):
    p = eqn.params
    first, second = p["cond_nconsts"], p["cond_nconsts"] + p["body_nconsts"]
    consts = _held(writer, xs[:second], eqn.invars[:second])
    start = [writer.whole(x, var) for x, var in zip(xs[second:], eqn.invars[second:], strict=True)]
    goes_on = _function(writer, "goes_on", p["cond_jaxpr"], consts[:first], [("state", len(start))], _tuple)
    turn = _function(writer, "turn", p["body_jaxpr"], consts[first:], [("state", len(start))], _tuple)
    return _several(writer, eqn, f"lax.while_loop({goes_on}, {turn}, {_tuple([x.code for x in start])})")


def _several(writer, eqn, code) -> list:
    if len(eqn.outvars) > 1:
        return writer.several(code, eqn)
    return [writer.named(Text(code, shape=tuple(eqn.outvars[0].aval.shape), cost=1), "state")]


@rule("cond")
def _cond(writer, eqn, which, *xs):
    operands = _held(writer, xs, eqn.invars[1:])
    names = [_function(writer, f"case{i}", branch, operands, [], _tuple)
             for i, branch in enumerate(eqn.params["branches"])]
    return _several(writer, eqn, f"lax.switch({which.code}, [{', '.join(names)}])")


@rule("custom_linear_solve")
def _linear_solve(writer, eqn, *xs):
    jaxprs, lengths = eqn.params["jaxprs"], eqn.params["const_lengths"]
    consts, first = {}, 0
    for name in ("matvec", "vecmat", "solve", "transpose_solve"):
        count = getattr(lengths, name)
        consts[name] = _held(writer, xs[first:first + count], eqn.invars[first:first + count])
        first += count
    right = [writer.whole(x, var) for x, var in zip(xs[first:], eqn.invars[first:], strict=True)]

    def function(name, unused=()):
        return _function(writer, name, getattr(jaxprs, name), consts[name], [("x", len(right))], _tuple, unused)

    given = [function("matvec"), _tuple([x.code for x in right]), function("solve", ("_",))]
    if jaxprs.transpose_solve is not None:
        given.append(f"transpose_solve={function('transpose_solve', ('_',))}")
    return _several(writer, eqn, f"lax.custom_linear_solve({', '.join(given)})")


@rule("lt_to", "le_to", "eq_to")
def _total_order(writer, eqn, a, b):
    whole = [writer.whole(x, var).code for x, var in zip((a, b), eqn.invars, strict=True)]
    return Text(f"lax.{eqn.primitive.name}_p.bind({', '.join(whole)})", shape=tuple(eqn.outvars[0].aval.shape), cost=1)


# -- functions with a derivative of their own

@rule("custom_jvp_call")
def _custom_jvp(writer, eqn, *xs):
    whole = [writer.whole(x, var) for x, var in zip(xs, eqn.invars, strict=True)]
    name = _with_rule(writer.source, eqn)
    code = f"{name}({', '.join(x.code for x in whole)})"
    if len(eqn.outvars) > 1:
        return writer.several(code, eqn)
    return Text(code, shape=tuple(eqn.outvars[0].aval.shape), cost=1 + sum(x.cost for x in whole))


def _with_rule(module, eqn) -> str:
    """The name of a function of the module with the rule that JAX has for it."""
    count, avals = len(eqn.outvars), [var.aval for var in eqn.invars]
    smooth = [i for i, aval in enumerate(avals) if jnp.issubdtype(aval.dtype, jnp.inexact)]

    def function(*values):
        return tuple(results_of(eqn.primitive, values, eqn.params))

    def derivative(*values):
        tangents = [np.zeros(aval.shape, jax.dtypes.float0) for aval in avals]
        for i, tangent in zip(smooth, values[len(avals):], strict=True):
            tangents[i] = tangent
        outs, dots = jax.jvp(function, values[:len(avals)], tuple(tangents))
        return (*outs, *(jnp.zeros_like(out) if dot.dtype == jax.dtypes.float0 else dot
                         for out, dot in zip(outs, dots, strict=True)))

    names = [f"x{i}" for i in range(len(avals))] if len(avals) > 1 else ["x"]
    dots = [f"{name}_dot" if i in smooth else "_" for i, name in enumerate(names)]
    lines, results = _written(module, traced(function, avals), names)
    rule_lines, rule_results = _written(module, traced(derivative, [*avals, *(avals[i] for i in smooth)]),
                                        [*names, *(dots[i] for i in smooth)])
    lines_of_rule = block([f"{_tuple_of_names(names)} = primals", f"{_tuple_of_names(dots)} = tangents",
                           *needed(rule_lines, rule_results),
                           f"return {_tuple(rule_results[:count])}, {_tuple(rule_results[count:])}"], 4)
    after = ("\n", "@{name}.defjvp", "def {name}_jvp(primals, tangents):",
             *(line.replace("{", "{{").replace("}", "}}") for line in lines_of_rule))
    name = identifier(function_of(eqn.params["call_jaxpr"].jaxpr).strip("_<>") or "function")
    return module.function(name, names, lines, [_tuple(results)], decorators=("@jax.custom_jvp",), after=after)


def _tuple_of_names(names) -> str:
    return f"{names[0]}," if len(names) == 1 else ", ".join(names)


def _written(module, closed, names) -> tuple:
    """(statements, codes of the results) of a jaxpr whose arguments have these names."""
    flat, writer = Flat(closed), module.writer(names)
    arguments = [Text(name, shape=tuple(var.aval.shape)) for name, var in zip(names, flat.invars, strict=True)]
    texts = writer.write(flat, arguments)
    return writer.lines, [text.code for text in texts]
