"""A custom Function under the transforms of `torchlike.func`.
https://pytorch.org/docs/stable/notes/extending.func.html

The transforms around a call are taken off one by one, the innermost first, as PyTorch does. A derivative is a
`jax.custom_vjp` of what is inside with the user's ``backward``, or a `jax.custom_jvp` with the user's ``jvp``;
what ``setup_context`` saves goes from forward to backward as JAX's residuals. A vmap is the user's ``vmap`` on
the whole batch; with ``generate_vmap_rule`` it is left to JAX.
"""

import contextlib
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero

from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError
from torchlike._base.structure import form_of, spread
from torchlike._compile import avals
from torchlike._compile.jax_private import kind_of, like, outer, own_work, set_current_trace, trace_of
from torchlike._record.cell import Storage
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.trace import force, state
from torchlike._record.tracers import seen, stripped

_SETUP = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override the "
    "setup_context staticmethod. For more details, please see "
    "https://pytorch.org/docs/main/notes/extending.func.html")
_DOCS = " For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"
_NO_RULE = ("You tried to vmap over {}, but it does not have vmap support. Please override and implement the vmap "
            "staticmethod or set generate_vmap_rule=True." + _DOCS)
_TWO_RULES = ("You tried to vmap over {}, but it has both generate_vmap_rule=True and an overridden vmap staticmethod. "
              "Please set generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid ambiguity." + _DOCS)
_TWO_RETURNS = ("Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
                "compatible with the output. Got {} instead")
_DIMS = ("The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected out_dims={} "
         "to be compatible with the structure of `output`. out_dims has structure {} but output has structure {}." + _DOCS)
_COUNT = "Function's jvp returned an invalid number of forward gradients (expected {} but got {})"


class VmapInfo(NamedTuple):
    """What a ``vmap`` staticmethod gets first: the size of the batch, and the vmap's `randomness`."""

    batch_size: int
    randomness: str


def under_transform(args) -> bool:
    """Whether a tensor among the arguments of ``apply`` holds a jax tracer."""
    return bool(state.thread.frames) and any(
        isinstance(x, Tensor) and isinstance(force(x._cell), jax.core.Tracer) for x in args)


def run_pure(cls, args, with_setup, has_rule):
    """What ``apply`` returns. ``has_rule``: whether the Function has a ``vmap`` of its own.

    RuntimeError where it has no setup_context, or not exactly one way to be batched under vmap.
    """
    if not with_setup:
        raise RuntimeError(_SETUP)
    if any(frame.lane is not None for frame in state.thread.frames) or kind_of(_innermost(_tracers(args))) == "BatchTrace":
        if has_rule and cls.generate_vmap_rule:
            raise RuntimeError(_TWO_RULES.format(cls.__name__))
        if not (has_rule or cls.generate_vmap_rule):
            raise RuntimeError(_NO_RULE.format(cls.__name__))
    with own_work():
        return _apply(cls, tuple(_seen(x) if isinstance(x, Tensor) else x for x in args))


def _seen(x) -> Tensor:
    """`x` as the transforms that are running see it, without the vmaps that it takes no part in."""
    array = force(x._cell)
    found = stripped(seen((x,))[0])
    return x if found is array else _tensor(found, x._cell.aval.device)


# -- one transform after the other

def _tracers(args) -> list:
    arrays = [force(x._cell) for x in args if isinstance(x, Tensor)]
    return [a for a in arrays if isinstance(a, jax.core.Tracer)]


def _depth(trace) -> int:
    depth = 0
    while trace is not None:
        trace, depth = outer(trace), depth + 1
    return depth


def _innermost(tracers):
    """The innermost transform that one of these takes part in, or None."""
    return max(map(trace_of, tracers), key=_depth, default=None)


def _apply(cls, args):
    """What ``forward`` returns, for arguments under any transforms."""
    trace = _innermost(_tracers(args))
    if trace is None:
        return cls.forward(*args)
    if kind_of(trace) == "BatchTrace" and not cls.generate_vmap_rule:
        return _by_rule(cls, args, trace)
    derivative = trace
    while kind_of(derivative) == "BatchTrace":
        derivative = outer(derivative)
    kind = kind_of(derivative)
    if kind == "JVPTrace":
        return _Call(cls, args, _apply).forward_mode()
    if kind == "LinearizeTrace":
        return _Call(cls, args, _apply).reverse_mode()
    if kind == "EvalTrace":  # vmap alone
        return cls.forward(*args)
    return _Call(cls, args, lambda cls, args: cls.forward(*args)).reverse_mode()  # jax.jit


def _is_noted(arrays) -> bool:
    """Whether what is computed of these may be differentiated later, by a backward (see `primitive_graph.py`). Forward mode
    around it differentiates now."""
    if not state.thread.frames or state.thread.frames[0].recorder is None:
        return False
    trace = _innermost(a for a in arrays if isinstance(a, jax.core.Tracer))
    while trace is not None and kind_of(trace) != "JVPTrace":
        trace = outer(trace)
    return trace is None


# -- vmap

def _by_rule(cls, args, trace):
    """The user's ``vmap`` on the whole batch."""
    values, dims = [], []
    for x in args:
        array = force(x._cell) if isinstance(x, Tensor) else None
        inside = isinstance(array, jax.core.Tracer) and trace_of(array) is trace
        values.append(_tensor(array.val, x._cell.aval.device) if inside else x)
        dims.append(array.batch_dim if inside else None)
    frame = next((f for f in state.thread.frames if f.lane is not None and trace_of(f.lane[1]) is trace), None)
    info = VmapInfo(trace.axis_data.size, "error" if frame is None else frame.randomness)
    with _outside(frame), set_current_trace(trace.parent_trace):
        returned = cls.vmap(info, tuple(dims), *values)
    output, out_dims = _two_returns(returned)
    tracer = next(a for a in _tracers(args) if trace_of(a) is trace)
    outs = [_split(x, dim, tracer) for x, dim in zip(output if isinstance(output, tuple) else (output,), out_dims,
                                                     strict=True)]
    return tuple(outs) if isinstance(output, tuple) else outs[0]


@contextlib.contextmanager
def _outside(frame):
    """Inside, the vmap of `frame` has no say in random numbers."""
    if frame is None:
        yield
        return
    before = frame.lane, frame.randomness
    frame.lane, frame.randomness = None, "same"
    try:
        yield
    finally:
        frame.lane, frame.randomness = before


def _two_returns(returned) -> tuple:
    """(output, a dimension or None for each result)."""
    if not isinstance(returned, tuple):
        kind = "<class 'torch.Tensor'>" if isinstance(returned, Tensor) else type(returned)
        raise RuntimeError(_TWO_RETURNS.format(f"a {kind}"))
    if len(returned) != 2:
        raise RuntimeError(_TWO_RETURNS.format(f"{len(returned)} returns"))
    output, dims = returned
    found = spread(dims, output)
    if found is None:
        raise RuntimeError(_DIMS.format(dims, form_of(dims), form_of(output)))
    return output, found


def _split(x, dim, tracer):
    """One slice's part of a result for the whole batch: a tracer like this one."""
    if dim is None or not isinstance(x, Tensor):
        return x
    return _tensor(like(tracer, force(x._cell), dim % x.dim()), x._cell.aval.device)


# -- derivatives

def _tensor(array, device) -> Tensor:
    return wrap(Storage(None, -1, avals.aval(tuple(array.shape), dt.from_np(array.dtype), device), array))


class _Call:
    """One application: values and derivatives as functions of arrays. ``inner(cls, args)`` gives the values."""

    def __init__(self, cls, args, inner):
        self.cls, self.args, self.inner = cls, args, inner
        self.places = [i for i, x in enumerate(args) if isinstance(x, Tensor)]
        self.device = args[self.places[0]]._cell.aval.device
        self.ctx, self.single, self.others, self.present = None, True, [], []

    def reverse_mode(self):
        """What ``apply`` returns, differentiated by the user's ``backward``."""
        function = jax.custom_vjp(lambda *arrays: self.values(self.given(arrays))[0])
        function.defvjp(self.forward, self.backward, symbolic_zeros=True)
        return self.results(function)

    def forward_mode(self):
        """What ``apply`` returns, differentiated by the user's ``jvp``."""
        function = jax.custom_jvp(lambda *arrays: self.values(self.given(arrays))[0])
        function.defjvp(self.jvp, symbolic_zeros=True)
        return self.results(function)

    def results(self, function):
        """The function's results in the form of the user's."""
        found = iter(function(*(force(self.args[i]._cell) for i in self.places)))
        outputs = tuple(_tensor(next(found), self.device) if x is None else x for x in self.others)
        return outputs[0] if self.single else outputs

    def given(self, arrays) -> list:
        """The arguments, with these arrays for the tensors."""
        given = list(self.args)
        for i, a in zip(self.places, arrays, strict=True):
            given[i] = _tensor(a, self.device)
        return given

    def values(self, given) -> tuple:
        """(arrays of the results, what ``forward`` returned)."""
        output = self.inner(self.cls, tuple(given))
        outs = output if isinstance(output, tuple) else (output,)
        self.single = not isinstance(output, tuple)
        self.others = [None if isinstance(x, Tensor) else x for x in outs]
        return tuple(force(x._cell) for x in outs if isinstance(x, Tensor)), output

    def context(self, given, output, moving):
        """A ctx that ``setup_context`` has seen. ``moving``: which tensors have a derivative."""
        ctx = self.cls._backward_cls()
        needs = dict(zip(self.places, moving, strict=True))
        ctx.needs_input_grad = tuple(needs.get(i, False) for i in range(len(given)))
        self.cls.setup_context(ctx, tuple(given), output)
        if ctx.dirty_tensors:
            raise UnsupportedError("mark_dirty under a transform of torch.func")
        return ctx

    def forward(self, *pairs):
        """(arrays of the results, residuals)."""
        arrays = tuple(p.value for p in pairs)
        given = self.given(arrays)
        results, output = self.values(given)
        ctx = self.ctx = self.context(given, output, [p.perturbed for p in pairs])
        saved = ctx.to_save or ()
        self.present = [x is not None for x in saved]
        residuals = arrays, tuple(force(x._cell) for x in saved if x is not None)
        return self.held(residuals, results) if _is_noted(arrays) else results, residuals

    def held(self, residuals, results):
        """The results, whose derivatives of a higher order are by the user's ``backward``, too."""
        @jax.custom_vjp
        def held(residuals, results):
            return results

        def pulled(given, cotangents):
            (arrays, saved), results = given
            return (self.backward((arrays, saved), cotangents), jax.tree.map(_zero, saved)), jax.tree.map(_zero, results)

        held.defvjp(lambda *given: (held(*given), given), pulled)
        return held(residuals, results)

    def backward(self, residuals, cotangents):
        """The user's gradients. JAX's complex ones are conjugates of PyTorch's."""
        arrays, saved = residuals
        kept, given = iter(saved), iter(cotangents)
        ctx = self.ctx
        ctx._given = tuple(_tensor(next(kept), self.device) if there else None for there in self.present)
        grads = [self._incoming(next(given), jnp.conj) if x is None else None for x in self.others]
        found = ctx.apply(*grads)
        found = found if isinstance(found, tuple) else (found,)
        return tuple(self._outgoing(found[i], a) for i, a in zip(self.places, arrays, strict=True))

    def jvp(self, primals, tangents):
        """(arrays of the results, their tangents by the user's ``jvp``)."""
        given = self.given(primals)
        results, output = self.values(given)
        moving = [not isinstance(t, SymbolicZero) for t in tangents]
        ctx = self.ctx = self.context(given, output, moving)
        ctx._given = ctx.saved_for_forward or ()
        moved: list = [None] * len(given)
        for i, t in zip(self.places, tangents, strict=True):
            moved[i] = self._incoming(t, lambda x: x)
        found = ctx.apply_jvp(*moved)
        found = found if isinstance(found, tuple) else (found,)
        if len(found) != len(self.others):
            raise RuntimeError(_COUNT.format(len(self.others), len(found)))
        outs = [t for t, x in zip(found, self.others, strict=True) if x is None]
        return results, tuple(_instantiated(t, r) for t, r in zip(outs, results, strict=True))

    def _incoming(self, change, of):
        """A gradient or tangent as the user gets it: None for integers, and for zero unless it is materialized."""
        if change.dtype == jax.dtypes.float0:
            return None
        if isinstance(change, SymbolicZero):
            zero = change.aval
            return _tensor(jnp.zeros(zero.shape, zero.dtype), self.device) if self.ctx._materialize_grads else None
        return _tensor(of(change), self.device)

    def _outgoing(self, gradient, array):
        if gradient is None or not jnp.issubdtype(array.dtype, jnp.inexact):
            return _zero(array)
        return jnp.conj(_summed_to(force(gradient._cell), array.shape).astype(array.dtype))


def _zero(array):
    """The gradient of what has none."""
    inexact = jnp.issubdtype(array.dtype, jnp.inexact)
    return jnp.zeros_like(array) if inexact else np.zeros(array.shape, jax.dtypes.float0)


def _summed_to(gradient, shape):
    """The sum over the dimensions along which an operand of this shape was broadcast; or broadcast to it."""
    extra = gradient.ndim - len(shape)
    if extra >= 0:
        gradient = gradient.sum(tuple(range(extra)))
        gradient = gradient.sum(tuple(i for i, n in enumerate(shape) if n == 1), keepdims=True)
    return jnp.broadcast_to(gradient, shape)


def _instantiated(tangent, result):
    """A tangent as an array, zeros for None."""
    if not jnp.issubdtype(result.dtype, jnp.inexact):
        return np.zeros(result.shape, jax.dtypes.float0)
    return jnp.zeros_like(result) if tangent is None else force(tangent._cell).astype(result.dtype)
