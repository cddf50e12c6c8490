"""Each primitive of JAX as a line of Python: one table of rows, one row a primitive.

A rule is called with the writer of the function (functions.py), the equation and the Texts of its operands; it returns
the Text of its result, or a list of them.
"""

import re

import numpy as np

from torchlike._lower.texts import (
    AND,
    ATOM,
    COMPARE,
    OR,
    POWER,
    PRODUCT,
    SIGN,
    SUM,
    XOR,
    Text,
    at,
    call,
    dtype_name,
    is_floating,
    method,
    tuple_of,
    typed,
)

RULES: dict = {}


def rule(*names):
    """Makes a function the rule of these primitives."""
    def add(function):
        RULES.update(dict.fromkeys(names, function))
        return function

    return add


def shape_of(eqn, k=0) -> tuple:
    """The shape of a result of an equation.

    Args:
        eqn: the equation.
        k: which result.

    Returns:
        A tuple of ints.
    """
    return tuple(eqn.outvars[k].aval.shape)


def dtype_of(eqn, k=0):
    """The dtype of a result of an equation.

    Args:
        eqn: the equation.
        k: which result.

    Returns:
        A numpy dtype.
    """
    return eqn.outvars[k].aval.dtype


def _common(*texts) -> tuple:
    return tuple(np.broadcast_shapes(*(x.shape for x in texts)))


# -- element by element

_OPERATORS = {"add": ("+", SUM), "sub": ("-", SUM), "mul": ("*", PRODUCT), "eq": ("==", COMPARE), "ne": ("!=", COMPARE),
              "lt": ("<", COMPARE), "le": ("<=", COMPARE), "gt": (">", COMPARE), "ge": (">=", COMPARE), "and": ("&", AND),
              "or": ("|", OR), "xor": ("^", XOR), "add_any": ("+", SUM)}


@rule(*_OPERATORS)
def _operator(writer, eqn, a, b):
    sign, level = _OPERATORS[eqn.primitive.name]
    if sign in "+*" and sign == "*":
        for one, other in ((a, b), (b, a)):
            if one.literal is not None and one.literal == 1:  # exact, whatever the other is
                return other
    left = at(a, level if level in (SUM, PRODUCT) else level + 1)
    return Text(f"{left} {sign} {at(b, level + 1)}", level, _common(a, b), a.cost + b.cost + 1)


@rule("div")
def _div(writer, eqn, a, b):
    if not (is_floating(dtype_of(eqn)) or dtype_of(eqn).kind == "c"):
        return call("lax.div", *(writer.whole(x, v) for x, v in zip((a, b), eqn.invars, strict=True)), shape=shape_of(eqn))
    if b.literal is not None and b.literal == 1:
        return a
    return Text(f"{at(a, PRODUCT)} / {at(b, PRODUCT + 1)}", PRODUCT, _common(a, b), a.cost + b.cost + 1)


_FUNCTIONS = {
    "exp": "jnp.exp", "log": "jnp.log", "sin": "jnp.sin", "cos": "jnp.cos", "tan": "jnp.tan", "tanh": "jnp.tanh",
    "sinh": "jnp.sinh", "cosh": "jnp.cosh", "asin": "jnp.arcsin", "acos": "jnp.arccos", "atan": "jnp.arctan",
    "asinh": "jnp.arcsinh", "acosh": "jnp.arccosh", "atanh": "jnp.arctanh", "log1p": "jnp.log1p", "expm1": "jnp.expm1",
    "exp2": "jnp.exp2", "sqrt": "jnp.sqrt", "cbrt": "jnp.cbrt", "abs": "jnp.abs", "sign": "jnp.sign", "floor": "jnp.floor",
    "ceil": "jnp.ceil", "is_finite": "jnp.isfinite", "square": "jnp.square", "rsqrt": "lax.rsqrt", "erf": "lax.erf",
    "erfc": "lax.erfc", "erf_inv": "lax.erf_inv", "lgamma": "lax.lgamma", "digamma": "lax.digamma",
    "logistic": "jax.nn.sigmoid", "stop_gradient": "lax.stop_gradient", "real": "jnp.real", "imag": "jnp.imag",
    "conj": "jnp.conj", "bessel_i0e": "lax.bessel_i0e", "bessel_i1e": "lax.bessel_i1e",
    "population_count": "lax.population_count", "clz": "lax.clz",
}


@rule(*_FUNCTIONS)
def _function(writer, eqn, x):
    return call(_FUNCTIONS[eqn.primitive.name], typed_text(x, eqn.invars[0]), shape=x.shape)


def typed_text(x: Text, var) -> Text:
    """A Text whose dtype nothing else tells."""
    return x if x.literal is None else Text(typed(x, var.aval.dtype), shape=x.shape)


_OF_TWO = {"max": "jnp.maximum", "min": "jnp.minimum", "atan2": "jnp.arctan2", "nextafter": "jnp.nextafter"}


@rule(*_OF_TWO)
def _of_two(writer, eqn, a, b):
    return call(_OF_TWO[eqn.primitive.name], a, b, shape=_common(a, b))


_OF_EQUAL_SHAPES = {"rem": "lax.rem", "complex": "lax.complex", "shift_left": "lax.shift_left",
                    "shift_right_logical": "lax.shift_right_logical", "shift_right_arithmetic": "lax.shift_right_arithmetic",
                    "igamma": "lax.igamma", "igammac": "lax.igammac", "polygamma": "lax.polygamma", "zeta": "lax.zeta",
                    "regularized_incomplete_beta": "lax.betainc", "random_gamma_grad": "lax.random_gamma_grad"}


@rule(*_OF_EQUAL_SHAPES)
def _of_equal_shapes(writer, eqn, *xs):
    return call(_OF_EQUAL_SHAPES[eqn.primitive.name], *wholes(writer, eqn, xs), shape=shape_of(eqn))


def wholes(writer, eqn, xs) -> list:
    """The operands of an equation, of their shapes.

    Args:
        writer: the Writer.
        eqn: the equation.
        xs: the Texts of its operands.

    Returns:
        A Text for each.
    """
    return [writer.whole(x, var) for x, var in zip(xs, eqn.invars, strict=True)]


@rule("pow")
def _pow(writer, eqn, a, b):
    return Text(f"{at(a, ATOM)} ** {at(b, POWER)}", POWER, _common(a, b), a.cost + b.cost + 1)


@rule("integer_pow")
def _integer_pow(writer, eqn, x):
    y = eqn.params["y"]
    return Text(f"{at(x, ATOM)} ** {y}", POWER, x.shape, x.cost + 1)


@rule("neg")
def _neg(writer, eqn, x):
    return Text(f"-{at(x, SIGN)}", SIGN, x.shape, x.cost + 1)


@rule("not")
def _not(writer, eqn, x):
    return Text(f"~{at(x, SIGN)}", SIGN, x.shape, x.cost + 1)


@rule("select_n")
def _select(writer, eqn, which, *cases):
    if len(cases) != 2 or eqn.invars[0].aval.dtype != np.bool_:
        return call("lax.select_n", *wholes(writer, eqn, (which, *cases)), shape=shape_of(eqn))
    no, yes = cases
    if which.literal is not None:
        return yes if which.literal else no
    first = typed_text(yes, eqn.invars[2]) if no.literal is not None else yes
    return call("jnp.where", which, first, no, shape=_common(which, no, yes))


@rule("clamp")
def _clamp(writer, eqn, low, x, high):
    return call("jnp.clip", x, low, high, shape=_common(low, x, high))


@rule("convert_element_type")
def _convert(writer, eqn, x):
    return method(x, "astype", dtype_name(dtype_of(eqn)), shape=x.shape)


@rule("copy", "copy_p", "pvary")
def _same(writer, eqn, x):
    return x


@rule("round")
def _round(writer, eqn, x):
    kind = eqn.params["rounding_method"].name
    if kind == "TO_NEAREST_EVEN":
        return call("jnp.round", x, shape=x.shape)
    return call("lax.round", x, f"lax.RoundingMethod.{kind}", shape=x.shape)


@rule("reduce_precision")
def _reduce_precision(writer, eqn, x):
    p = eqn.params
    return call("lax.reduce_precision", x, str(p["exponent_bits"]), str(p["mantissa_bits"]), shape=x.shape)


@rule("bitcast_convert_type")
def _bitcast(writer, eqn, x):
    return call("lax.bitcast_convert_type", writer.whole(x, eqn.invars[0]), dtype_name(dtype_of(eqn)), shape=shape_of(eqn))


# -- shapes

@rule("broadcast_in_dim")
def _broadcast(writer, eqn, x, *sizes):
    dims, shape = eqn.params["broadcast_dimensions"], shape_of(eqn)
    source = tuple(eqn.invars[0].aval.shape)
    if not x.shape or x.inner is KEPT:
        return Text(x.code, x.level, x.shape, x.cost, x.literal)
    lead = len(shape) - len(dims)
    if tuple(dims) == tuple(range(lead, len(shape))):
        return x
    x = x if len(x.shape) == len(source) else writer.whole(x, eqn.invars[0])
    first = dims[0]
    places = [":" if i in dims else "None" for i in range(first, len(shape))]
    actual = tuple(x.shape[dims.index(i)] if i in dims else 1 for i in range(first, len(shape)))
    at_end = tuple(dims) == tuple(range(first, first + len(dims))) and len(places) == len(dims) + 1
    index = "..., None" if at_end and len(dims) > 1 else ", ".join(places)
    while index.endswith(", :"):
        index = index[:-3]
    return Text(f"{at(x, ATOM)}[{index}]", shape=actual, cost=x.cost + 1, inner=x if at_end else None)


KEPT = "keepdims"  # what `inner` of a sum is that has kept its dimensions


@rule("reshape")
def _reshape(writer, eqn, x):
    shape = shape_of(eqn)
    if not x.shape and x.literal is not None:
        return x
    x = writer.whole(x, eqn.invars[0])
    if eqn.params.get("dimensions") is not None:
        return call("lax.reshape", x, tuple_of(shape), f"dimensions={tuple_of(eqn.params['dimensions'])}", shape=shape)
    return method(x, "reshape", *([str(n) for n in shape] or ["()"]), shape=shape)


@rule("squeeze")
def _squeeze(writer, eqn, x):
    if x.literal is not None:
        return x
    dims = eqn.params["dimensions"]
    x = writer.whole(x, eqn.invars[0])
    if not dims:
        return x
    picked = _PICKED.fullmatch(x.code) if len(dims) == 1 and x.picked == dims[0] else None
    if picked is not None:
        return Text(f"{picked[1]}{picked[2] or 0}]", shape=shape_of(eqn), cost=x.cost)
    return method(x, "squeeze", str(dims[0]) if len(dims) == 1 else tuple_of(dims), shape=shape_of(eqn))


@rule("expand_dims")
def _expand_dims(writer, eqn, x):
    return call("jnp.expand_dims", writer.whole(x, eqn.invars[0]), tuple_of(eqn.params["dimensions"]), shape=shape_of(eqn))


@rule("transpose")
def _transpose(writer, eqn, x):
    order = tuple(eqn.params["permutation"])
    if x.literal is not None:
        return x
    x = writer.whole(x, eqn.invars[0])
    if order == (1, 0):
        return Text(f"{at(x, ATOM)}.T", shape=shape_of(eqn), cost=x.cost)
    moved = [i for i, k in enumerate(order) if i != k]
    if len(moved) == 2:
        return method(x, "swapaxes", *map(str, moved), shape=shape_of(eqn))
    return method(x, "transpose", *map(str, order), shape=shape_of(eqn))


@rule("slice")
def _slice(writer, eqn, x):
    if x.literal is not None:
        return x
    x, p = writer.whole(x, eqn.invars[0]), eqn.params
    strides = p["strides"] or (1,) * len(p["start_indices"])
    places = []
    for start, stop, stride, size in zip(p["start_indices"], p["limit_indices"], strides, x.shape, strict=True):
        text = f"{start or ''}:{stop if stop < size else ''}"
        places.append(text if stride == 1 else f"{text}:{stride}")
    while len(places) > 1 and places[-1] == ":":
        places.pop()
    one = len(places) - 1 if x.shape[len(places) - 1] > 1 and shape_of(eqn)[len(places) - 1] == 1 else None
    return Text(f"{at(x, ATOM)}[{', '.join(places)}]", shape=shape_of(eqn), cost=x.cost + 1, picked=one)


# A slice of one element along its last axis: what is before that, where it begins.
_PICKED = re.compile(r"(.*[\[ ])(\d*):\d*\]", re.DOTALL)


@rule("dynamic_slice")
def _dynamic_slice(writer, eqn, x, *starts):
    return call("lax.dynamic_slice", writer.whole(x, eqn.invars[0]), tuple_of(s.code for s in starts),
                tuple_of(eqn.params["slice_sizes"]), shape=shape_of(eqn))


@rule("dynamic_update_slice")
def _dynamic_update_slice(writer, eqn, x, new, *starts):
    x, new = (writer.whole(t, v) for t, v in zip((x, new), eqn.invars, strict=False))
    return call("lax.dynamic_update_slice", x, new, tuple_of(s.code for s in starts), shape=shape_of(eqn))


@rule("concatenate")
def _concatenate(writer, eqn, *xs):
    parts = ", ".join(x.code for x in wholes(writer, eqn, xs))
    found = call("jnp.concatenate", f"[{parts}]", f"axis={eqn.params['dimension']}", shape=shape_of(eqn))
    return Text(found.code, shape=found.shape, cost=1 + sum(x.cost for x in xs))


@rule("stack")
def _stack(writer, eqn, *xs):
    parts = ", ".join(x.code for x in wholes(writer, eqn, xs))
    axis = eqn.params.get("axis", eqn.params.get("dimension", 0))
    code = f"jnp.stack([{parts}]{f', axis={axis}' if axis else ''})"
    return Text(code, shape=shape_of(eqn), cost=1 + sum(x.cost for x in xs))


@rule("unstack")
def _unstack(writer, eqn, x):
    axis = eqn.params.get("axis", 0)
    return writer.several(f"jnp.unstack({writer.whole(x, eqn.invars[0]).code}{f', axis={axis}' if axis else ''})", eqn)


@rule("empty", "empty2")
def _empty(writer, eqn):
    return call("jnp.zeros", tuple_of(shape_of(eqn)), dtype_name(dtype_of(eqn)), shape=shape_of(eqn))


@rule("tile")
def _tile(writer, eqn, x):
    return call("jnp.tile", writer.whole(x, eqn.invars[0]), tuple_of(eqn.params["reps"]), shape=shape_of(eqn))


@rule("split")
def _split(writer, eqn, x):
    p = eqn.params
    x = writer.whole(x, eqn.invars[0])
    return writer.several(f"lax.split({x.code}, {tuple_of(p['sizes'])}, axis={p['axis']})", eqn)


@rule("pad")
def _pad(writer, eqn, x, value):
    config = eqn.params["padding_config"]
    x = writer.whole(x, eqn.invars[0])
    if not any(map(any, config)):
        return x
    if value.literal is not None and value.literal == 0 and all(lo >= 0 and hi >= 0 and not mid for lo, hi, mid in config):
        return call("jnp.pad", x, tuple_of(tuple_of(c[:2]) for c in config), shape=shape_of(eqn))
    return call("lax.pad", x, typed(value, dtype_of(eqn)), tuple_of(tuple_of(c) for c in config), shape=shape_of(eqn))


@rule("rev")
def _rev(writer, eqn, x):
    return call("lax.rev", writer.whole(x, eqn.invars[0]), tuple_of(eqn.params["dimensions"]), shape=shape_of(eqn))


@rule("iota")
def _iota(writer, eqn):
    p, shape = eqn.params, shape_of(eqn)
    if len(shape) == 1:
        return call("jnp.arange", str(shape[0]), f"dtype={dtype_name(dtype_of(eqn))}", shape=shape)
    size, lead = shape[p["dimension"]], len(shape) - p["dimension"] - 1
    index = "" if not lead else f"[:{', None' * lead}]"
    found = f"jnp.arange({size}, dtype={dtype_name(dtype_of(eqn))}){index}"
    return Text(found, shape=(size, *(1,) * lead), cost=1)


# -- reductions

_SUMS = {"reduce_sum": "sum", "reduce_prod": "prod", "reduce_max": "max", "reduce_min": "min", "reduce_or": "any",
         "reduce_and": "all"}


@rule(*_SUMS)
def _reduction(writer, eqn, x):
    axes, name, dtype = tuple(eqn.params["axes"]), _SUMS[eqn.primitive.name], dtype_of(eqn)
    x = writer.whole(x, eqn.invars[0])
    arguments = [] if len(axes) == len(x.shape) else [f"axis={_axes(axes, len(x.shape))}"]
    keeps = writer.keeps_dimensions(eqn)
    if keeps:
        arguments.append("keepdims=True")
    shape = tuple(1 if i in axes else n for i, n in enumerate(x.shape)) if keeps else shape_of(eqn)
    if name in ("sum", "prod") and dtype.kind in "iu":
        arguments.append(f"dtype={dtype_name(dtype)}")
    elif name in ("sum", "prod") and dtype.itemsize < 4 and dtype != np.bool_:
        operation, start = ("lax.add", 0) if name == "sum" else ("lax.mul", 1)
        return call("lax.reduce", x, f"{dtype_name(dtype)}({start})", operation, tuple_of(axes), shape=shape_of(eqn))
    found = method(x, name, *arguments, shape=shape)
    return Text(found.code, shape=shape, cost=found.cost, inner=KEPT) if keeps else found


def _axes(axes, ndim) -> str:
    if axes == (ndim - 1,):
        return "-1"
    return str(axes[0]) if len(axes) == 1 else tuple_of(axes)


@rule("argmax", "argmin")
def _arg(writer, eqn, x):
    p = eqn.params
    return call(f"lax.{eqn.primitive.name}", writer.whole(x, eqn.invars[0]), str(p["axes"][0]),
                dtype_name(np.dtype(p["index_dtype"])), shape=shape_of(eqn))


@rule("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp")
def _cumulative(writer, eqn, x):
    p = eqn.params
    given = [f"axis={p['axis']}", *(["reverse=True"] if p["reverse"] else [])]
    return call(f"lax.{eqn.primitive.name}", writer.whole(x, eqn.invars[0]), *given, shape=shape_of(eqn))


@rule("sort")
def _sort(writer, eqn, *xs):
    p = eqn.params
    given = tuple_of(x.code for x in wholes(writer, eqn, xs))
    code = f"lax.sort({given}, dimension={p['dimension']}, is_stable={p['is_stable']}, num_keys={p['num_keys']})"
    return writer.several(code, eqn)


@rule("top_k")
def _top_k(writer, eqn, x):
    p = eqn.params
    axis = p.get("axis", len(x.shape) - 1)
    if axis != len(eqn.invars[0].aval.shape) - 1:
        raise NotImplementedError
    return writer.several(f"lax.top_k({writer.whole(x, eqn.invars[0]).code}, {p['k']})", eqn)


@rule("optimization_barrier")
def _barrier(writer, eqn, *xs):
    codes = [x.code for x in wholes(writer, eqn, xs)]
    if len(codes) == 1:
        return call("lax.optimization_barrier", codes[0], shape=shape_of(eqn))
    return writer.several(f"lax.optimization_barrier({tuple_of(codes)})", eqn)


_WINDOWS = {"reduce_window_max": ("lax.max", "-inf"), "reduce_window_min": ("lax.min", "inf"),
            "reduce_window_sum": ("lax.add", "0")}


@rule(*_WINDOWS)
def _window(writer, eqn, x):
    operation, start = _WINDOWS[eqn.primitive.name]
    dtype, p = dtype_of(eqn), eqn.params
    if start != "0" and dtype.kind in "iu":
        bound = np.iinfo(dtype)
        start = str(bound.min if start == "-inf" else bound.max)
    start = f"{dtype_name(dtype)}(0)" if start == "0" else \
        f"{dtype_name(dtype)}({start})" if "inf" not in start else start.replace("inf", "jnp.inf")
    arguments = [tuple_of(p["window_dimensions"]), tuple_of(p["window_strides"]),
                 tuple_of(tuple_of(pair) for pair in p["padding"])]
    for name in ("base_dilation", "window_dilation"):
        if any(n != 1 for n in p[name]):
            arguments.append(f"{name}={tuple_of(p[name])}")
    return call("lax.reduce_window", writer.whole(x, eqn.invars[0]), start, operation, *arguments, shape=shape_of(eqn))
