"""JAX's undocumented names: they are used in one module, and every supported JAX has them."""

import ast
import inspect
import pathlib
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import torchlike
from torchlike._compile import eager, jax_private, primitive_graph
from torchlike._compile.jax_private import closed_jaxpr, file_of, function_of, low, open_jaxpr, scan_counts, traced

ROOT = pathlib.Path(__file__).parents[2]
# Modules of JAX's packages that it does not document, and attributes of its objects that begin with an underscore.
PRIVATE = re.compile(r"jax\._src|jax\.interpreters|jaxlib\.|(jax|jaxlib)(\.\w+)*\._(?!_)")
ATTRIBUTES = ("_trace", "_line_info", "_weakref", "_npy_value")


def private_names(text) -> list[str]:
    """Imports of modules that JAX does not document, and attributes of its objects that it does not, in a source."""
    found: list[str] = []
    if not re.search(rf"_src|interpreters|jaxlib|{'|'.join(ATTRIBUTES)}", text):
        return found  # parsing takes most of the time
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if PRIVATE.match(alias.name)]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [name for alias in node.names if PRIVATE.match(name := f"{node.module}.{alias.name}")]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("jax", "jaxlib"):
            found += [node.attr] if node.attr in ("_src", "interpreters") else []
        if isinstance(node, ast.Attribute) and node.attr in ATTRIBUTES:
            found.append(node.attr)
        elif isinstance(node, ast.Constant) and node.value in ATTRIBUTES:
            found.append(str(node.value))
    return found


def test_they_are_used_in_one_module():
    folders = (pathlib.Path(torchlike.__file__).parent, ROOT / "compat", ROOT / "benchmarks")
    files = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    assert [path for path in files if private_names(path.read_text())] == [pathlib.Path(jax_private.__file__)]


@pytest.mark.parametrize("text", [
    "from jax._src import core", "import jax._src.core as core", "from jax.interpreters import ad",
    "from jaxlib import lapack", "import jax\njax._src.core", "import jaxlib.xla_client", "def f(x):\n    return x._trace",
    "getattr(x, '_npy_value')"])
def test_planted_names_are_seen(text):
    assert private_names(text)


def test_documented_names_are_not():
    text = "import jax\nimport jaxlib\nfrom jax.extend.core import Jaxpr\njax.core.Tracer\njaxlib.__version__"
    assert private_names(text) == []


def test_traces_have_every_method_that_jax_demands():
    """A method that JAX's Trace only declares is one that JAX calls."""
    declared = {name for name, method in inspect.getmembers(jax_private.Trace, inspect.isfunction)
                if "must override" in inspect.getsource(method)}
    assert declared >= {"process_primitive"}
    declared -= {"process_map", "process_custom_transpose"}  # before jax 0.10; torchlike calls neither
    assert declared <= {*vars(primitive_graph.Recorder)}
    assert declared - {"stage_value"} <= {name for kind in eager.Eager.__mro__[:2] for name in vars(kind)}


def test_scans():
    def function(a, b, xs):
        return lax.scan(lambda carry, x: ((carry[0] + x * a, carry[1] * b), x + a), (xs.sum(), b), xs)

    (scan,) = (eqn for eqn in traced(function, 2.0, 3.0, jnp.arange(4.0)).eqns if eqn.primitive.name == "scan")
    assert scan_counts(scan.params) == (2, 2)


@pytest.mark.parametrize("function", [
    pytest.param(jnp.frexp, id="frexp"), pytest.param(lambda x: jnp.searchsorted(x, 2.5), id="searchsorted"),
    pytest.param(lambda x: jnp.ldexp(x, 2), id="ldexp"),
    pytest.param(lambda x: jax.jit(lambda y: jnp.frexp(y)[0] + 1)(x), id="frexp in a jitted function")])
def test_high_level_primitives_are_taken_apart(function):
    def names(jaxpr):
        inner = [part for eqn in jaxpr.eqns for part in eqn.params.values() if hasattr(part, "eqns")]
        return {eqn.primitive.name for eqn in jaxpr.eqns}.union(*map(names, inner))

    x = jnp.arange(1.0, 5.0)
    made = traced(function, x)
    assert "call_hi_primitive" not in names(made)
    wanted = jax.tree.leaves(function(x))
    for got, want in zip(jax.core.eval_jaxpr(made.jaxpr, made.consts, x), wanted, strict=True):
        np.testing.assert_array_equal(got, want)


def test_an_open_jaxpr_holds_no_values():
    captured = jnp.arange(100.0)
    closed = jax.make_jaxpr(lambda x: x + captured)(1.0)
    jaxpr = open_jaxpr(closed)
    assert len(closed.consts) == 1 and not getattr(jaxpr, "consts", ())
    given = [*closed.consts, np.float32(2)]
    np.testing.assert_array_equal(jax.core.eval_jaxpr(jaxpr, given[:1], *given[1:])[0], captured + 2)


def test_what_is_closed_stays_so():
    closed = jax.make_jaxpr(jnp.sin)(1.0)
    assert closed_jaxpr(closed) is closed
    assert closed_jaxpr(open_jaxpr(closed)).eqns == closed.eqns
    assert low(closed) is closed


def test_where_a_jaxpr_is_from():
    def sine(x):
        return jnp.sin(x)

    jaxpr = jax.make_jaxpr(sine)(1.0).jaxpr
    assert function_of(jaxpr) == "sine" and file_of(jaxpr) == __file__


def test_transforms_of_tracers():
    seen = []

    def look(x):
        trace = jax_private.trace_of(x)
        kind = jax_private.kind_of(trace)
        again = jax_private.like(x, x.val, x.batch_dim) if jax_private.is_batched(x) else x
        seen.append((kind, jax_private.is_batched(x), jax_private.is_dual(x), jax_private.outer(trace) is not None,
                     jax_private.trace_of(again) is trace))
        return x

    jax.vmap(look)(jnp.ones(2))
    jax.jvp(look, (1.0,), (1.0,))
    jax.grad(look)(1.0)
    assert seen == [("BatchTrace", True, False, True, True), ("JVPTrace", False, True, True, True),
                    ("LinearizeTrace", False, False, True, True)]


def test_numpy_s_copy_of_an_array():
    x = jnp.arange(3.0) + 1
    assert getattr(x, jax_private.HOST_COPY) is None
