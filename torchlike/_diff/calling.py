"""Calls a function of PyTorch's tensors, of torchlike's, or of jax arrays: what it gives, its gradients, a rerun in float64.

Which of the three it is of is found by calling it. Under torch and torchlike a rerun widens everything that the function
makes or closes over, as `recorder.py` does. A function of jax arrays is called under `jax.enable_x64` with float64 arrays;
where it computes in a narrower type all the same, its jaxpr shows that, and `doubt` says so.
"""

import contextlib
import dataclasses
import inspect
import itertools
import sys
import types
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import tree_util as tree
from jax.extend.core import Literal

from torchlike._diff import deep, recorder, verdicts

# Primitives of JAX that round nothing: of constants in a narrow type they make no narrow numbers.
EXACT = frozenset(str.split(
    "broadcast_in_dim reshape transpose squeeze expand_dims slice dynamic_slice gather concatenate rev select_n copy "
    "stop_gradient iota pad max min neg abs sign sort argmax argmin"))
DRAWS = ("random_", "threefry")  # how the names of primitives begin that draw numbers
NEAR = 3.0  # a rerun that is farther than this times the root of a rounding (of the largest element) is of another program


@dataclasses.dataclass
class Call:
    """A function and its inputs: leaves, arrays and whatever else, and their names."""

    function: Callable
    name: str
    leaves: list
    labels: list[str]
    structure: tree.PyTreeDef
    is_training: bool = False
    steps: int | None = None
    own: set[str] = dataclasses.field(default_factory=set)  # libraries that inputs are of

    @property
    def floats(self) -> list[int]:
        """The places of the inputs that have gradients; those of a training have none."""
        if self.is_training:
            return []
        return [i for i, x in enumerate(self.leaves) if isinstance(x, np.ndarray) and jnp.issubdtype(x.dtype, jnp.inexact)]

    def items(self, given: list):
        """Calls the function; yields (name, what it gives) in order."""
        result = self.function(*tree.tree_unflatten(self.structure, given))
        steps = enumerate(itertools.islice(result, self.steps), 1) if self.is_training else [(0, result)]
        for number, item in steps:
            item = tree.tree_map(lambda x: tuple(x) if isinstance(x, tuple) else x, item, is_leaf=_is_named)
            for path, leaf in tree.tree_flatten_with_path(item)[0]:
                if self.is_training:
                    yield f"{tree.keystr(path, simple=True, separator='.') or 'what is yielded'} of step {number}", leaf
                else:
                    yield f"value{tree.keystr(path)}", leaf


def _is_named(x) -> bool:
    """Whether this is a tuple with names, as results are of several values, whose names differ between libraries."""
    return isinstance(x, tuple) and type(x) is not tuple


@dataclasses.dataclass
class Result:
    """What a function gave under a library. `wide` is that in float64, `problem` why there is none."""

    library: str
    values: dict[str, np.ndarray]
    gradients: dict[str, np.ndarray]
    numbers: set[str]  # the values that are numbers of Python's or arrays of numpy's
    wide: "Result | None" = None
    problem: str = ""
    doubt: str | None = None  # why the rerun says nothing about another function's, once that is known

    @property
    def all(self) -> dict[str, np.ndarray]:
        """Values, then gradients."""
        return {**self.values, **self.gradients}


def called(function: Callable, inputs, name: str, is_training=False, steps=None) -> Call:
    """A function with its inputs, of whichever library these are, as arrays. Their labels are the function's own names."""
    pairs, structure = tree.tree_flatten_with_path(tuple(inputs))
    parameters = _parameters(function)
    made = Call(function, name, [], [], structure, is_training, steps)
    for path, leaf in pairs:
        number = path[0].idx
        label = f"{parameters[number]} (input {number})" if number < len(parameters) else f"input {number}"
        made.labels.append(label + tree.keystr(path[1:]))
        library = next((key for key, item in libraries().items() if item.owns(leaf)), "")
        plain = np.asarray(leaf) if isinstance(leaf, np.generic) else leaf
        made.leaves.append(libraries()[library].array(leaf) if library else plain)
        made.own |= {library} - {""}
    return made


def _parameters(function) -> list[str]:
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [x.name for x in found if x.kind in (x.POSITIONAL_ONLY, x.POSITIONAL_OR_KEYWORD)]


def _cotangent(name: str, like: np.ndarray) -> np.ndarray:
    """What a value's gradient begins with: 1 of a scalar, else numbers that are drawn by its name."""
    drawn = np.random.default_rng(list(name.encode())).standard_normal(like.shape) if like.ndim else np.ones(())
    return drawn.astype(like.dtype)


def cotangents(result: "Result") -> dict[str, np.ndarray]:
    """What the gradients of a result begin with, in float64, for a rerun."""
    return {name: widened(_cotangent(name, x)) for name, x in result.values.items()}


def widened(array: np.ndarray) -> np.ndarray:
    """The array in float64 or complex128 if it is of narrower floats."""
    if not jnp.issubdtype(array.dtype, jnp.inexact):
        return array
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def largest(array: np.ndarray) -> float:
    """The largest finite absolute value."""
    return verdicts.largest(widened(array))


# libraries


class _Widening(recorder.Recording):
    """Widens what a function makes, and keeps no record."""

    def place(self, frame, name):
        """Nowhere but in optimizers, whose own operations stay as they are."""
        return recorder.BY_OPTIMIZER if super().place(frame, name) is recorder.BY_OPTIMIZER else None

    def step(self, optimizer, *unused) -> None:
        """After a step there is nothing to keep."""


class Tensors:
    """torch or torchlike: functions of its tensors, differentiated by `autograd.grad`."""

    def __init__(self, name: str, torch: types.ModuleType):
        self.name, self.torch = name, torch

    def owns(self, x) -> bool:
        """Whether `x` is one of its tensors."""
        return isinstance(x, self.torch.Tensor)

    def array(self, x) -> np.ndarray:
        """The values of a tensor."""
        made = recorder.array(x, self.torch)
        if made is None:
            raise TypeError(f"a tensor of layout {x.layout} has no values that can be compared")
        return made.astype(jnp.bfloat16) if x.dtype == self.torch.bfloat16 else made

    def given(self, x):
        """An array as a tensor, of whatever else itself."""
        if not isinstance(x, np.ndarray):
            return x
        if x.dtype == jnp.bfloat16:
            return self.torch.tensor(x.astype(np.float32)).to(self.torch.bfloat16)
        return self.torch.tensor(x)

    def run(self, call: Call, leaves: list, starts: dict | None = None) -> Result:
        """Calls the function with these leaves; with `starts` it widens what the function makes.

        Returns:
            the Result, whose gradients begin with those, or those that its values ask for.
        """
        torch, is_wide = self.torch, starts is not None
        values, numbers, outs = {}, set(), {}
        with deep.random_state(torch), self._widening(is_wide):
            given = [self.given(x) for x in leaves]
            xs = [given[i].requires_grad_() for i in call.floats]
            for name, leaf in call.items(given):
                values[name] = _value(self, name, leaf, numbers)
                if self.owns(leaf) and leaf.requires_grad:
                    outs[name] = leaf
            _check_owned(values, numbers)
            gs = [None] * len(xs)
            if outs and xs:
                begins = [self.given(_start(name, values[name], starts)) for name in outs]
                gs = torch.autograd.grad(list(outs.values()), xs, begins, allow_unused=True)
            gradients = {f"gradient of {call.labels[i]}": np.zeros_like(leaves[i]) if g is None else self.array(g)
                         for i, g in zip(call.floats, gs, strict=True)}
        return Result(self.name, values, gradients, numbers)

    @contextlib.contextmanager
    def _widening(self, is_wide: bool):
        if not is_wide:
            yield
            return
        recording = _Widening(self.torch, widen=True)
        try:
            with recorder.recorded(recording):
                yield
        finally:
            recording.restore()


class Arrays:
    """JAX: functions of arrays, differentiated by `jax.vjp`."""

    name = "jax"

    def owns(self, x) -> bool:
        """Whether `x` is an array of JAX's."""
        return isinstance(x, jax.Array)

    def array(self, x) -> np.ndarray:
        """The values of an array."""
        return np.asarray(x)

    def run(self, call: Call, leaves: list, starts: dict | None = None) -> Result:
        """As for `Tensors`; arrays of 64 bits stay so, whatever the configuration of JAX."""
        wide_inputs = [x for x in leaves if isinstance(x, np.ndarray) and x.dtype in (np.float64, np.complex128)]
        is_wide = starts is not None or bool(wide_inputs)
        with deep.random_state(deep.module_of("tape")), jax.enable_x64(True) if is_wide else contextlib.nullcontext():
            return self._run(call, leaves, starts)

    def _run(self, call, leaves, starts) -> Result:
        values, numbers = {}, set()
        given = [jnp.asarray(x) if isinstance(x, np.ndarray) else x for x in leaves]
        if call.is_training:
            values = {name: _value(self, name, leaf, numbers) for name, leaf in call.items(given)}
            _check_owned(values, numbers)
            return Result(self.name, values, {}, numbers)
        found = {}

        def function(*xs):
            now = list(given)
            for i, x in zip(call.floats, xs, strict=True):
                now[i] = x
            found.update(call.items(now))
            own = {name: x for name, x in found.items() if self.owns(x)}
            inexact = {name: x for name, x in own.items() if jnp.issubdtype(x.dtype, jnp.inexact)}
            return inexact, own

        made, pull, own = jax.vjp(function, *[given[i] for i in call.floats], has_aux=True)
        values = {name: _value(self, name, own.get(name, x), numbers) for name, x in found.items()}
        _check_owned(values, numbers)
        begins = {name: jnp.conj(_start(name, values[name], starts)) for name in made}
        gradients = {f"gradient of {call.labels[i]}": np.asarray(jnp.conj(g))
                     for i, g in zip(call.floats, pull(begins), strict=True)}
        return Result(self.name, values, gradients, numbers)


def _narrowness_of(call: Call) -> str:
    """Why a rerun of a function of jax arrays is not all in float64, "" if it is."""
    places = [i for i, x in enumerate(call.leaves) if isinstance(x, np.ndarray)]

    def function(*xs):
        given = list(call.leaves)
        for i, x in zip(places, xs, strict=True):
            given[i] = x
        return [leaf for _, leaf in call.items(given) if isinstance(leaf, jax.Array)]

    with deep.random_state(deep.module_of("tape")), jax.enable_x64(True):
        try:
            made = jax.make_jaxpr(function)(*[widened(call.leaves[i]) for i in places])
        except Exception as problem:  # noqa: BLE001 - of the user's function
            return f"it cannot be traced by JAX ({type(problem).__name__}), which would show where it is not in float64"
    return _narrowness(made.jaxpr)


def _narrowness(jaxpr) -> str:
    """Where a jaxpr computes in narrower floats than float64, or draws numbers, which depend on the type."""
    for eqn in jaxpr.eqns:
        name = eqn.primitive.name
        if name.startswith(DRAWS):
            return "it draws random numbers, in float64 others"
        parts = tree.tree_leaves(list(eqn.params.values()), is_leaf=lambda x: not isinstance(x, tuple | list))
        inner = [x for part in parts if hasattr(x := getattr(part, "jaxpr", part), "eqns")]
        found = next(filter(None, map(_narrowness, inner)), "")
        if found:
            return found
        if not inner and name not in EXACT and any(map(_is_narrow, eqn.outvars)) and not _is_raised(eqn):
            return f"it computes in {eqn.outvars[0].aval.dtype} by itself ({name})"
    return ""


def _is_narrow(var) -> bool:
    dtype = getattr(var.aval, "dtype", np.dtype(bool))
    return jnp.issubdtype(dtype, jnp.inexact) and dtype not in (np.float64, np.complex128)


def _is_raised(eqn) -> bool:
    """Whether this changes a type to one that has all values of the type before."""
    if eqn.primitive.name != "convert_element_type":
        return False
    before, after = eqn.invars[0].aval.dtype, eqn.outvars[0].aval.dtype
    return isinstance(eqn.invars[0], Literal) or jnp.promote_types(before, after) == after


def _start(name: str, value: np.ndarray, starts: dict | None) -> np.ndarray:
    return _cotangent(name, value) if starts is None else starts[name].astype(value.dtype)


def _value(library, name: str, leaf, numbers: set) -> np.ndarray:
    """What a function gave as an array. TypeError if it is another library's."""
    if library.owns(leaf):
        return library.array(leaf)
    if not isinstance(leaf, np.ndarray | np.generic | bool | int | float | complex):
        raise TypeError(f"gives {type(leaf).__module__}.{type(leaf).__qualname__}")
    numbers.add(name)
    return np.asarray(leaf)


def _check_owned(values: dict, numbers: set) -> None:
    """TypeError where a function gave nothing that tells its library."""
    if len(numbers) == len(values):
        raise TypeError("gives only numbers" if values else "gives nothing")


def libraries() -> dict:
    """The libraries that a function may be of: PyTorch only where it is imported."""
    found = {"torchlike": Tensors("torchlike", deep.module_of("tape")), "jax": Arrays()}
    torch = sys.modules.get("torch")
    if torch is not None and torch is not found["torchlike"].torch:
        found["torch"] = Tensors("torch", torch)
    return found


# runs


def run(call: Call, library: str | None) -> Result:
    """What a function gives, with the rerun in float64.

    Args:
        call: the function.
        library: which it is of; None for what takes it and gives its own.

    Returns:
        the Result.

    Raises:
        TypeError: no library's arrays suit the function, or those of several do.
    """
    known = libraries()
    if library is not None and library not in known:
        raise TypeError(f"no such library: {library!r} (there are {', '.join(known)})")
    made, problems = {}, {}
    for key in known if library is None else [library]:
        try:
            made[key] = known[key].run(call, call.leaves)
        except Exception as problem:
            problems[key] = problem
            if library is not None:
                raise
    found = made if len(made) < 2 else {key: result for key, result in made.items() if key in call.own}
    if not made:
        texts = "".join(f"\n  {key}: {type(problem).__name__}: {problem}" for key, problem in problems.items())
        raise TypeError(f"{call.name} is a function of no library's arrays, as far as a call shows:{texts}")
    if len(found) != 1:
        raise TypeError(f"{call.name} runs with the arrays of {' and of '.join(made)}: say which is meant by libraries=, a "
                        "name each, or by the inputs")
    (key, result), = found.items()
    leaves = [widened(x) if isinstance(x, np.ndarray) else x for x in call.leaves]
    try:
        result.wide = known[key].run(call, leaves, cotangents(result))
    except Exception as problem:  # noqa: BLE001 - of the user's function, in a type that it may not expect
        result.problem = f"its rerun in float64 raises {type(problem).__name__}: {str(problem).partition(chr(10))[0]}"
    return result


def doubt(call: Call, result: Result) -> str:
    """Why the rerun of a function says nothing about another one's, "" if it does."""
    if result.doubt is None:
        result.doubt = _doubt(call, result)
    return result.doubt


def _doubt(call: Call, result: Result) -> str:
    wide = result.wide
    if wide is None:
        return result.problem
    if result.library != "jax":
        return ""  # all is widened
    return _narrowness_of(call) or _other(result.all, wide.all)


def _other(narrow: dict[str, np.ndarray], wide: dict[str, np.ndarray]) -> str:
    """What tells that a rerun is of another program, or not in float64."""
    floats = {name: x for name, x in narrow.items() if jnp.issubdtype(x.dtype, jnp.inexact)}
    for name, x in floats.items():
        if name not in wide or wide[name].shape != x.shape:
            return f"its rerun in float64 gives no such {name}"
        if wide[name].dtype not in (np.float64, np.complex128):
            return f"its rerun in float64 gives {wide[name].dtype}"
    size = max(map(largest, floats.values()), default=0.0)
    for name, x in floats.items():
        far = largest(verdicts.gaps(widened(x), wide[name]))
        if far > NEAR * float(jnp.finfo(x.dtype).eps) ** 0.5 * size:
            return f"its rerun in float64 is {far:.3g} from it"
    return ""
