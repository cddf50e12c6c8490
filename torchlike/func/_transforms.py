"""`torch.func.grad`, `vjp`, `jvp`, `linearize`, `jacrev`, `jacfwd`, `hessian`: JAX's, of functions of Tensors.
https://pytorch.org/docs/stable/func.api.html
"""

import functools
from collections.abc import Iterable

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._base import errors
from torchlike._base.structure import LEAF, flatten, form_of, unflatten
from torchlike._modes.dual import fitting, level_of, widened
from torchlike._modes.transform import array_of, arrays_of, call
from torchlike._ops.table import ROWS
from torchlike._record.cell import was_written
from torchlike._record.facade import trace_of
from torchlike._record.inplace import inplace
from torchlike._record.tensor import LEAF as REQUIRES_GRAD
from torchlike._record.tensor import Tensor
from torchlike._record.trace import force, state
from torchlike._record.tracers import tensor_of
from torchlike.func._on_tape import Taped, is_for_tape

_NO_HOOKS = ("torch.func.{grad, vjp, jacrev, hessian} don't yet support saved tensor hooks. Please open an issue with your "
             "use case.")
_ARGNUM = "Got argnum={}, but only {} positional inputs"


def flat_tensors(value, text) -> tuple:
    """(Tensors, structure) of nested tuples, lists and dictionaries; `text` is formatted with the type of anything else."""
    leaves, structure = flatten(value)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise text(type(leaf))
    return leaves, structure


class Pure:
    """`func` as a function of the arrays of some of its arguments. It keeps the structure of its results. `leaves` says
    that the arguments require grad inside and so may not be written to.
    """

    def __init__(self, check, func, args, kwargs, argnums, has_aux=False, leaves=True):
        if leaves and state.thread.hooks:
            raise RuntimeError(_NO_HOOKS)
        self.leaves = leaves
        self.check, self.func, self.args, self.kwargs, self.has_aux = check, func, list(args), kwargs, has_aux
        self.numbers = (argnums,) if isinstance(argnums, int) else tuple(argnums)
        for n in self.numbers:
            if not -len(args) <= n < len(args):
                raise RuntimeError(_ARGNUM.format(n, len(args)))
        selected = [args[n] for n in self.numbers]
        self.tensors, self.structure = flat_tensors(selected, lambda kind: ValueError(
            f"Thing passed to transform API must be Tensor, got {kind}"))
        self.out_structure = self.aux_structure = LEAF  # until it was called
        if leaves and not all(map(_is_inexact, self.tensors)):
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        self.written: list = []  # likewise: the tensors among the arguments that `func` writes to;
        self.known: list = []  # with their new values, those of which these are no tracers

    def __call__(self, *arrays):
        """(arrays of the output, arrays of aux and of what was written)."""
        found = self._run(arrays)
        inside = state.thread.frames[-1]
        if arrays:
            inside.leave(trace_of(arrays[0]))
        else:
            inside.settle()
        return found

    def _run(self, arrays):
        device = self.tensors[0]._cell.aval.device if self.tensors else None
        if self.leaves:
            inside = state.thread.frames[-1]
            inside.leaves, inside.stopped = arrays, False
            inside.level = trace_of(arrays[0]) if arrays else None
        layouts = [x._cell.aval for x in self.tensors]  # what `as_strided` counts in
        given = unflatten(self.structure, [tensor_of(a, device, of.strides, of.offset)
                                           for a, of in zip(arrays, layouts, strict=True)])
        pairs = list(zip(self.tensors, flatten(given)[0], strict=True))
        if self.leaves:
            for _, x in pairs:  # the tape records, too: `func` may call torch.autograd.grad
                x._edge = REQUIRES_GRAD if jnp.issubdtype(array_of(x).dtype, jnp.inexact) else None
        args, kwargs = self._others(pairs)
        for n, value in zip(self.numbers, given, strict=True):
            args[n] = value
        cells = [inside._cell for _, inside in pairs]
        output = self.func(*args, **kwargs)
        written = [(x, force(cell)) for (x, _), cell in zip(pairs, cells, strict=True) if was_written(cell)]
        traced = [isinstance(array, jax.core.Tracer) for _, array in written]
        self.known = [(x, tensor_of(a, device)) for (x, a), is_traced in zip(written, traced, strict=True) if not is_traced]
        self.written = [x for (x, _), is_traced in zip(written, traced, strict=True) if is_traced]
        output, aux = self.parted(output)
        self.check(output)
        outs, self.out_structure = flatten(output)
        aux, self.aux_structure = self.aux_tensors(aux)
        found = arrays_of([*outs, *aux])
        return found[:len(outs)], [*found[len(outs):], *(a for _, a in written if isinstance(a, jax.core.Tracer))]

    def parted(self, result) -> tuple:
        """(output, aux) of what `func` returns; aux is None where there is none."""
        if not self.has_aux:
            return result, None
        if not (isinstance(result, tuple) and len(result) == 2):
            raise RuntimeError(f"{self.check.name}: output of function f should be a tuple: (output, aux) if has_aux "
                               "is True")
        return result

    def aux_tensors(self, aux) -> tuple:
        """(Tensors of aux, their structure)."""
        return flat_tensors(aux, lambda kind: RuntimeError(
            f"Expected tensors, got unsupported type {kind}")) if self.has_aux else ([], LEAF)

    def _others(self, pairs) -> tuple:
        """(args, kwargs) with stand-ins, added to `pairs`, for tensors without history, so that these may be written to."""
        selected = {n % len(self.args) for n in self.numbers}
        leaves, structure = flatten(([None if n in selected else x for n, x in enumerate(self.args)], self.kwargs))
        for i, x in enumerate(leaves):
            if isinstance(x, Tensor) and x._edge is None and x._cell.handler is None:
                leaves[i] = tensor_of(array_of(x), x._cell.aval.device)
                pairs.append((x, leaves[i]))
        return unflatten(structure, leaves)

    def settled(self, found) -> list:
        """What a call of it gave, but for the last ones: these are written to the arguments."""
        end = len(found) - len(self.written)
        for x, value in (*self.known, *zip(self.written, found[end:], strict=True)):
            inplace(ROWS["copy"], (x, value))
        return found[:end]

    def inputs(self, leaves, argnums):
        """Values for the selected arguments, in the structure that the user gave."""
        found = unflatten(self.structure, leaves)
        return found[0] if isinstance(argnums, int) else tuple(found)


class _Scalar:
    name = "grad_and_value(f)(*args)"

    def __call__(self, output):
        if not isinstance(output, Tensor):
            raise RuntimeError(f"{self.name}: Expected f(*args) to return a Tensor, got {type(output)}")
        if output.dim():
            raise RuntimeError(f"{self.name}: Expected f(*args) to return a scalar Tensor, got tensor with {output.dim()} "
                               "dims. Maybe you wanted to use the vjp or jacrev APIs instead?")
        if output.is_complex():
            raise RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {output.dtype}")


class _Tensors:
    def __init__(self, name, inexact=False):
        self.name, self.inexact = name, inexact

    def __call__(self, output):
        for leaf in flatten(output)[0]:
            if not isinstance(leaf, Tensor):
                raise RuntimeError(f"{self.name}: expected f(*primals) to return only tensors, got unsupported type "
                                   f"{type(leaf)}")
            if self.inexact and not _is_inexact(leaf):
                raise RuntimeError("vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor "
                                   f"with dtype {leaf.dtype}")


def _conj(array):
    return jnp.conj(array) if array.dtype.kind == "c" else array


def _is_inexact(x) -> bool:
    return x.is_floating_point() or x.is_complex()


def grad_and_value(func, argnums=0, has_aux=False):
    """A function that gives a function's gradient and its value.

    Args:
        As for `grad`.

    Returns:
        a function of the same arguments; its result is (gradients, output), or with `has_aux` (gradients, (output, aux)).
    """

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        pure = Pure(_Scalar(), func, args, kwargs, argnums, has_aux)
        if is_for_tape(pure.tensors):
            taped = Taped(pure)
            return parted([*taped.pulled([None]), *taped.outs, *taped.aux], pure)

        def fn(*arrays):
            out, pull, aux = jax.vjp(pure, *arrays, has_aux=True)
            grads: Iterable = pull([np.ones(out[0].shape, out[0].dtype)]) if jnp.issubdtype(out[0].dtype, jnp.inexact) \
                else [jnp.zeros_like(a) for a in arrays]
            return [*map(_conj, grads), out[0], *aux]

        return parted(pure.settled(call(fn, pure.tensors)), pure)

    def parted(found, pure):
        count = len(pure.tensors)
        grads = pure.inputs(found[:count], argnums)
        if not has_aux:
            return grads, found[count]
        return grads, (found[count], unflatten(pure.aux_structure, found[count + 1:]))

    return wrapper


def grad(func, argnums=0, has_aux=False):
    """A function that gives a function's gradient, by `jax.grad`. At ties, zeros and bounds derivatives are PyTorch's.
    https://pytorch.org/docs/stable/generated/torch.func.grad.html

    Args:
        func: the function; returns a Tensor without dimensions, or with `has_aux` (output, aux).
        argnums: which argument the gradient is for; a tuple of several gives a tuple.
        has_aux: whether there is a second result, which is passed through.

    Returns:
        a function of the same arguments; its result is the gradients, or with `has_aux` (gradients, aux).
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        grads, value = both(*args, **kwargs)
        return (grads, value[1]) if has_aux else grads

    return wrapper


def vjp(func, *primals, has_aux=False):
    """A function's output, and the function from cotangents to gradients. `func` runs once, and again only where
    gradients are differentiated.
    https://pytorch.org/docs/stable/generated/torch.func.vjp.html

    Args:
        func: the function; returns Tensors in any containers, or with `has_aux` (output, aux).
        primals: its arguments.
        has_aux: whether there is a second result, which is passed through.

    Returns:
        (output, vjp_fn), or with `has_aux` (output, vjp_fn, aux). ``vjp_fn(cotangents)`` takes the form of the output and
        gives a tuple of gradients; RuntimeError for other forms and shapes.
    """
    pure = Pure(_Tensors("vjp(f, *primals)", inexact=True), func, primals, {}, tuple(range(len(primals))), has_aux)
    kept: list = []

    def forward(*arrays):
        out, pull, aux = jax.vjp(pure, *arrays, has_aux=True)
        if not kept:
            kept.append(pull)
        return [*out, *aux]

    taped = Taped(pure) if is_for_tape(pure.tensors) else None
    found = pure.settled(call(forward, pure.tensors)) if taped is None else [*taped.outs, *taped.aux]
    structure, n_outs = pure.out_structure, pure.out_structure.count
    outs = found[:n_outs]

    def vjp_fn(cotangents, retain_graph=True, create_graph=None):
        leaves = _matching(cotangents, structure, outs)
        if taped is not None:
            return tuple(unflatten(pure.structure, taped.pulled(leaves, retain_graph)))
        if kept[0] is None:
            raise RuntimeError(errors.FREED)
        pull = kept[0]
        kept[0] = pull if retain_graph else None
        return tuple(unflatten(pure.structure, _pulled(pure, pull, leaves)))

    output = unflatten(structure, outs)
    if has_aux:
        return output, vjp_fn, unflatten(pure.aux_structure, found[n_outs:])
    return output, vjp_fn


def _matching(cotangents, structure, outs) -> list:
    """The cotangents as a list; RuntimeError unless they have the structure and shapes of the outputs."""
    leaves, given = flatten(cotangents)
    if given != structure:
        raise RuntimeError("Expected pytree structure of cotangents to be the same as pytree structure of outputs to "
                           f"the function. cotangents: {given.brief()}, primal output: {structure.brief()}")
    for i, (g, out) in enumerate(zip(leaves, outs, strict=True)):
        if g.shape != out.shape:
            raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a "
                               f"shape of {out.shape}.")
        if g.is_complex() != out.is_complex():
            raise RuntimeError("For complex Tensors, both grad_output and output are required to have the same dtype. "
                               f"Mismatch in dtype: grad_output[{i}] has a dtype of {g.dtype} and output[{i}] has a dtype "
                               f"of {out.dtype}.")
    return [g.to(out.dtype) for g, out in zip(leaves, outs, strict=True)]


def _pulled(pure, pull, leaves) -> list:
    """Gradients by the linear map that `vjp` kept. JAX's complex gradients are conjugates of PyTorch's."""
    count = len(pure.tensors)

    def apply(pull, cotangents):
        return [*map(_conj, pull([*map(_conj, cotangents)]))]

    def back(*arrays):
        return apply(jax.vjp(pure, *arrays[:count], has_aux=True)[1], arrays[count:])

    if level_of([*pure.tensors, *leaves]) is not None:  # the kept map has no derivatives of its own
        return call(back, [*pure.tensors, *leaves])
    return call(lambda *arrays: apply(pull, arrays), leaves)


def jvp(func, primals, tangents, *, strict=False, has_aux=False):
    """A function's output, and its derivative in a direction, by `jax.jvp`.
    https://pytorch.org/docs/stable/generated/torch.func.jvp.html

    Args:
        func: as for `vjp`.
        primals: a tuple of its arguments.
        tangents: the directions, in the form and shapes of `primals`; a dtype of their own is promoted with the output's.
        strict: without effect.
        has_aux: as for `vjp`.

    Returns:
        (output, tangent), or with `has_aux` (output, tangent, aux).

    Raises:
        RuntimeError: the tangents have another form or shape.
        ValueError: something is neither floating point nor complex.
        UnsupportedError: a complex tangent of a real primal.
    """
    pure, moved = _moving("jvp(f, primals, tangents)", func, primals, tangents, has_aux)
    count = len(pure.tensors)

    def fn(*arrays):
        out, tangent, aux = jax.jvp(pure, arrays[:count], arrays[count:], has_aux=True)
        return [*out, *_as_tensors(out, tangent), *aux]

    given = list(zip(pure.tensors, moved, strict=True))
    found = pure.settled(call(fn, [*pure.tensors, *(fitting(*pair) for pair in given)]))
    n = pure.out_structure.count
    result = [unflatten(pure.out_structure, found[:n]),
              unflatten(pure.out_structure, [widened(t, given) if _is_inexact(t) else t for t in found[n:2 * n]])]
    if has_aux:
        result.append(unflatten(pure.aux_structure, found[2 * n:]))
    return tuple(result)


def _as_tensors(outs, tangents) -> list:
    """The tangents as PyTorch has them: those of integers and truth values are zeros of their dtype."""
    return [t if jnp.issubdtype(x.dtype, jnp.inexact) else jnp.zeros_like(x) for x, t in zip(outs, tangents, strict=True)]


def _moving(name, func, primals, tangents, has_aux):
    if not isinstance(primals, tuple):
        raise RuntimeError(f"{name}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    pure = Pure(_Tensors(name), func, primals, {}, tuple(range(len(primals))), has_aux, leaves=False)
    leaves, structure = flatten(tangents)
    if structure != form_of(primals):
        raise RuntimeError(f"{name}: Expected primals and tangents to have the same python structure. For example, if "
                           "primals is a tuple of 3 tensors, tangents also must be. Got primals with structure "
                           f"{form_of(primals)} and tangents with structure {structure}")
    _check_inexact("primal", pure.tensors)
    _check_inexact("tangent", leaves)
    for x, t in zip(pure.tensors, leaves, strict=True):
        if x.shape != t.shape:
            raise RuntimeError("Trying to set a forward gradient that has a different size than that of the original "
                               f"Tensor, this is not supported. Tensor is of size {list(x.shape)} while the given forward "
                               f"gradient is of size {list(t.shape)}.")
    return pure, leaves


def _check_inexact(name, values) -> None:
    for x in values:
        if not _is_inexact(x):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {x.dtype}")


def linearize(func, *primals):
    """A function's output, and its derivative as a linear function. `func` runs once.
    https://pytorch.org/docs/stable/generated/torch.func.linearize.html

    Args:
        func: as for `vjp`.
        primals: its arguments.

    Returns:
        (output, jvp_fn). ``jvp_fn(*tangents)`` gives the output's tangent; RuntimeError for other forms, shapes and
        dtypes.
    """
    pure = Pure(_Tensors("linearize(f, *primals)"), func, primals, {}, tuple(range(len(primals))), leaves=False)
    _check_inexact("primal", pure.tensors)
    count, kept = len(pure.tensors), []

    def forward(*arrays):
        out, push = jax.linearize(lambda *a: pure(*a)[0], *arrays)
        if not kept:
            kept.append(push)
        return out

    outs = call(forward, pure.tensors)

    def jvp_fn(*tangents):
        moved = _like_primals(pure, primals, tangents)

        def again(*arrays):
            return jax.jvp(lambda *a: pure(*a)[0], arrays[:count], arrays[count:])[1]

        given = [*pure.tensors, *moved]
        if level_of(given) is not None:
            return unflatten(pure.out_structure, call(again, given))
        found = call(lambda *arrays: kept[0](*arrays), moved)
        return unflatten(pure.out_structure, found)

    return unflatten(pure.out_structure, outs), jvp_fn


def _like_primals(pure, primals, tangents) -> list:
    """The tangents as a list; RuntimeError unless they have the structure, shapes and dtypes of the primals."""
    leaves, structure = flatten(tangents)
    if structure != form_of(primals):
        raise RuntimeError(f"Expected the tangents {structure} to have the same argspec as the primals {form_of(primals)}")
    for i, (x, t) in enumerate(zip(pure.tensors, leaves, strict=True)):
        if x.shape != t.shape:
            raise RuntimeError(f"tangent:{i} with shape {t.shape} in flattened pytree doesn't match the shape {x.shape} of "
                               "the corresponding primal.")
        if x.dtype != t.dtype:
            raise RuntimeError(f"tangent:{i} with dtype {t.dtype} in flattened pytree doesn't match the dtype {x.dtype} of "
                               "the corresponding primal.")
    return leaves


# -- Jacobians

def _jacobian(name, check, rows, func, argnums, has_aux, randomness="same"):
    """``rows(pure, arrays)`` gives (for each output a Jacobian for each input, aux)."""
    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        pure = Pure(_Tensors(check, rows is _by_rows), func, args, kwargs, argnums, has_aux, rows is _by_rows)
        if rows is _by_columns:
            _check_inexact("primal", pure.tensors)
        _check_real(name, "inputs", pure.tensors)
        count = len(pure.tensors)
        forms: list = []

        def fn(*arrays):
            jac, aux = rows(pure, arrays)
            forms[:] = [len(jac)]
            return [*(j for row in jac for j in row), *aux]

        found = pure.settled(call(fn, pure.tensors, randomness))
        given = [pure.inputs(found[i * count:(i + 1) * count], argnums) for i in range(forms[0])]
        output = unflatten(pure.out_structure, given)
        if has_aux:
            return output, unflatten(pure.aux_structure, found[forms[0] * count:])
        return output

    return wrapper


def _check_real(name, what, values) -> None:
    for i, x in enumerate(values):
        if jnp.iscomplexobj(x) if isinstance(x, jax.Array) else x.is_complex():
            raise RuntimeError(f"{name}: Expected all {what} to be real but received complex tensor at flattened input "
                               f"idx: {i}")


def _by_rows(pure, arrays):
    out, pull, aux = jax.vjp(pure, *arrays, has_aux=True)
    _check_real("jacrev", "outputs", out)
    jac = []
    for i, o in enumerate(out):
        def row(g, i=i):
            return pull([g if k == i else jnp.zeros_like(x) for k, x in enumerate(out)])

        found = jax.vmap(row)(_basis(o))
        jac.append([f.reshape(o.shape + x.shape) for f, x in zip(found, arrays, strict=True)])
    return jac, aux


def _by_columns(pure, arrays):
    """One input after the other: each of its elements is a slice of a vmap, as in PyTorch."""
    columns, aux = [], []
    for i, x in enumerate(arrays):
        def column(number, direction, i=i, size=x.size):
            state.thread.frames[-1].lane = (size, number)
            tangents = tuple(direction if k == i else jnp.zeros_like(y) for k, y in enumerate(arrays))
            out, moved, aux = jax.jvp(pure, arrays, tangents, has_aux=True)
            _check_real("jacfwd", "outputs", out)
            return moved, aux

        moved, aux = jax.vmap(column, out_axes=(-1, None))(np.arange(x.size), _basis(x))
        columns.append([m.reshape((*m.shape[:-1], *x.shape)) for m in moved])
    return list(map(list, zip(*columns, strict=True))), aux


def _basis(x):
    """The unit vectors in the shape of `x`, one after the other."""
    return np.eye(x.size, dtype=x.dtype).reshape(x.size, *x.shape)


def jacrev(func, argnums=0, *, has_aux=False, chunk_size=None, _preallocate_and_copy=False):
    """A function that gives a function's Jacobian, computed row by row with one `jax.vjp`.
    https://pytorch.org/docs/stable/generated/torch.func.jacrev.html

    Args:
        func, argnums, has_aux: as for `grad`, but the output may be any Tensors.
        chunk_size: without effect: XLA plans the memory.

    Returns:
        a function of the same arguments. For an output (*out) and an argument (*in) it gives (*out, *in), in the
        containers of both; with `has_aux` (jacobian, aux).

    Raises:
        ValueError: `chunk_size` is not positive.
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")
    return _jacobian("jacrev", "vjp(f, *primals)", _by_rows, func, argnums, has_aux)


def jacfwd(func, argnums=0, has_aux=False, *, randomness="error"):
    """A function that gives a function's Jacobian, computed column by column: `jax.jvp` under `jax.vmap`.
    https://pytorch.org/docs/stable/generated/torch.func.jacfwd.html

    Args:
        func, argnums, has_aux: as for `jacrev`.
        randomness: as for `vmap`.

    Returns:
        As for `jacrev`.
    """
    return _jacobian("jacfwd", "jvp(f, primals, tangents)", _by_columns, func, argnums, has_aux, randomness)


def hessian(func, argnums=0):
    """A function that gives a function's Hessian: `jacfwd` of `jacrev`.
    https://pytorch.org/docs/stable/generated/torch.func.hessian.html

    Args:
        func, argnums: as for `grad`.

    Returns:
        a function of the same arguments. For an argument (*in) it gives (*in, *in).
    """
    return jacfwd(jacrev(func, argnums), argnums)
