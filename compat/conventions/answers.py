"""JAX expressions that give PyTorch's answer: those that a row names, and families made by rule. Each is run before
it is listed.

Families: JAX's value with PyTorch's derivatives (`sloped`); the result or the inputs in other dtypes; at isolated
points a branch of its own (``jnp.where`` twice, so that the other branch never sees the point) whose value and
derivatives are `pin`'s.
"""

import ast

import numpy as np

from compat.conventions import differing, run
from compat.conventions.points import number

_PINNED = (
    "zeros",
    "bounds and kinks",
    "whole and half numbers",
    "infinities",
    "nan",
    "equal operands",
    "float16",
    "bfloat16",
)
_PLACES = (
    0,
    0.5,
    -0.5,
    1,
    -1,
    1.5,
    -1.5,
    2,
    -2,
    2.5,
    3,
    -3,
    6,
    20,
    np.inf,
    -np.inf,
    0.25,
    0.75,
)  # where an expression may branch
_MOST = 4  # branches in one expression
_LONGEST = 260  # nobody would write more
_FLOATS = ("float16", "bfloat16", "float32", "complex64")


def found(row, point, want, kinds) -> dict:
    """{kind: the first expression that agrees with PyTorch at all points of that kind of this call}."""
    answers: dict = {}
    for text, only in _candidates(row, point, want, kinds):
        left = [kind for kind in kinds if kind not in answers and (only is None or kind == only)]
        if not left:
            continue
        got = run.by_jax(text, point.inputs, row)
        for kind in left:
            if agrees(point, want, got, kind):
                answers[kind] = text
    return answers


def agrees(point, want, got, kind) -> bool:
    """Whether all levels agree at the points of this kind."""
    unlike = differing.all_levels(want, got, not point.by_element)
    if not point.by_element:
        return not unlike
    if any(not isinstance(what, list) for what in unlike.values()):
        return False
    return not any(point.kinds[place[0]] == kind for what in unlike.values() for _, place in what)


def _candidates(row, point, want, kinds):
    """(expression, the only kind that it is for or None), handmade ones first."""
    for text in row.answer:
        yield text, None
    yield from ((text, None) for text in _sloped(row, point))
    yield from ((text, None) for text in _cast(row, point, want))
    if point.by_element and all(x.dtype.name in ("float32", "float16", "bfloat16") for x in point.inputs.values()):
        for kind in kinds:
            text = _pinned(row, point, want, kind) if kind in _PINNED else None
            if text:
                yield text, kind


def _sloped(row, point):
    """With PyTorch's derivatives; half types as they are, and by way of float32."""
    if row.slope:
        names = ", ".join(row.inputs)
        plain = row.jax.removesuffix(f"({names})")
        function = plain if plain.replace(".", "").isidentifier() else f"lambda {names}: {row.jax}"
        made = f"sloped({function}, {', '.join(f'lambda {names}: {text}' for text in row.slope)})"
        yield f"{made}({names})"
        types = {x.dtype.name for x in point.inputs.values()}
        if types <= {"float16", "bfloat16"} and len(types) == 1:
            yield f"{made}({', '.join(f'{name}.astype(jnp.float32)' for name in row.inputs)}).astype(jnp.{types.pop()})"


def _cast(row, point, want):
    if isinstance(want[0], run.Raised) or not want[0]:
        return
    dtype = want[0][0].dtype.name
    name = "jnp.bool_" if dtype == "bool" else f"jnp.{dtype}"
    if all(x.dtype == np.float32 for x in point.inputs.values()) and dtype == "float32":
        return
    wide = "jnp.float32" if dtype in ("float16", "bfloat16") else name
    inputs = {
        x: f"{x}.astype({wide})"
        for x, array in point.inputs.items()
        if array.dtype.kind in "biu" or array.dtype.name in _FLOATS
    }
    if len(want[0]) == 1:
        yield f"({row.jax}).astype({name})"
        inner = substituted(row.jax, inputs)
        yield f"({inner}).astype({name})"
        yield f"({substituted(row.jax, {x: f'{x}.astype(jnp.float32)' for x in inputs})}).astype({name})"
    if len(want[0]) > 1:
        yield substituted(row.jax, inputs)


def substituted(text, inputs) -> str:
    """The expression with other expressions in the place of inputs."""

    class Names(ast.NodeTransformer):
        def visit_Name(self, node):
            return ast.parse(inputs[node.id], mode="eval").body if node.id in inputs else node

    return ast.unparse(Names().visit(ast.parse(text, mode="eval")))


def _pinned(row, point, want, kind):
    """``jnp.where(x == 0, pin(x, 0.0, inf), f(jnp.where(x == 0, 1.0, x)))``, or None where this is no answer."""
    if (
        any(isinstance(level, run.Raised) or any(a.dtype != want[0][0].dtype for a in level) for level in want)
        or len(want[0]) != 1
    ):
        return None
    got = run.by_jax(row.jax, point.inputs, row)
    unlike = differing.all_levels(want, got)
    if any(not isinstance(what, list) for what in unlike.values()):
        return None
    places = sorted({place[0] for what in unlike.values() for _, place in what if point.kinds[place[0]] == kind})
    branches: dict = {}
    for place in places:
        if not all(x[place] in _PLACES or np.isnan(x[place]) for x in point.inputs.values()) or not _isolated(
            row, point, place
        ):
            return None
        branches.setdefault(_pins(point, want, place), []).append(place)
    if not 0 < len(branches) <= _MOST or len(places) > 2 * _MOST:
        return None
    conditions = [_condition(point, places) for places in branches.values()]
    inside = _condition(point, places)
    plain = {name: f"jnp.where({inside}, {_safe(row, name)}, {name})" for name in point.inputs}
    text = substituted(row.jax, plain)
    for condition, pins in zip(conditions, branches, strict=True):
        text = f"jnp.where({condition}, {pins}, {text})"
    return text if len(text) <= _LONGEST else None


def _condition(point, places) -> str:
    """That the inputs are one of these points: both signs of a number as one condition."""
    if len(point.inputs) > 1:
        pairs = [" & ".join(f"({_is(name, x[place])})" for name, x in point.inputs.items()) for place in places]
        return pairs[0] if len(pairs) == 1 else " | ".join(f"({text})" for text in pairs)
    ((name, x),) = point.inputs.items()
    texts: list = []
    for place in places:
        both = any(x[other] == -x[place] and np.signbit(x[other]) != np.signbit(x[place]) for other in places)
        if both:
            text = (
                f"{name} == 0"
                if x[place] == 0
                else f"jnp.isinf({name})"
                if np.isinf(x[place])
                else f"jnp.abs({name}) == {number(abs(x[place]))}"
            )
        else:
            text = _is(name, x[place])
        if text not in texts:
            texts.append(text)
    return texts[0] if len(texts) == 1 else " | ".join(f"({text})" for text in texts)


def _is(name, x) -> str:
    if np.isnan(x):
        return f"jnp.isnan({name})"
    if x == 0:
        return f"({name} == 0) & {'' if np.signbit(x) else '~'}jnp.signbit({name})"
    return f"{name} == {number(x)}"


def _pins(point, want, place) -> str:
    """The value once, the derivatives by each input."""
    texts = []
    for i, name in enumerate(point.inputs):
        numbers = [want[0][0][place] if i == 0 else 0.0, *(level[i][place] for level in want[1:])]
        while len(numbers) > 1 and numbers[-1] == 0:
            numbers.pop()
        texts.append(f"pin({name}, {', '.join(_exact(x) for x in numbers)})")
    return " + ".join(texts)


def _exact(x) -> str:
    return repr(float(x)) if np.isfinite(x) else number(x)


def _safe(row, name) -> str:
    return "2.0" if row.inputs[name].startswith("above") else "0.6"


def _isolated(row, point, place) -> bool:
    """Whether the plain expression agrees with PyTorch to all sides of the point."""
    here = [x[place] for x in point.inputs.values()]
    if not np.all(np.isfinite(here)):
        return True
    steps = (-0.02, 0.02)
    beside = [tuple(x + step * (i == j) for j, x in enumerate(here)) for i in range(len(here)) for step in steps]
    if len(here) > 1:
        beside = [(here[0] + a, here[1] + b) for a in steps for b in steps]
    # of the shape of the point's own arrays: what is compiled for them serves again
    inputs = {
        name: np.resize(np.array([point[i] for point in beside], np.float32), x.shape)
        for i, (name, x) in enumerate(point.inputs.items())
    }
    want, got = (f(text, inputs, row) for f, text in ((run.by_torch, row.call), (run.by_jax, row.jax)))
    return not differing.all_levels(want, got)
