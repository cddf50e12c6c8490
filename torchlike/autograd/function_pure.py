"""A custom Function under a transform of `torchlike.func`: `jax.custom_vjp` with the user's ``backward``.
https://pytorch.org/docs/stable/notes/extending.func.html

What ``setup_context`` saves goes from the forward to the backward function as JAX's residuals.
"""

import jax
import jax.numpy as jnp
import numpy as np

from torchlike import dtypes as dt
from torchlike._lower import avals
from torchlike._storage import Storage
from torchlike._tensor import Tensor, wrap
from torchlike._trace.trace import force, state
from torchlike.errors import UnsupportedError

_SETUP = (
    "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override the "
    "setup_context staticmethod. For more details, please see "
    "https://pytorch.org/docs/main/notes/extending.func.html")


def under_transform(args) -> bool:
    """Whether a tensor among the arguments of ``apply`` holds a jax tracer."""
    return bool(state.frames) and any(
        isinstance(x, Tensor) and isinstance(force(x._cell), jax.core.Tracer) for x in args)


def run_pure(cls, args, with_setup):
    """What ``apply`` returns. RuntimeError where the Function has no setup_context."""
    if not with_setup:
        raise RuntimeError(_SETUP)
    call = _Call(cls, args)
    function = jax.custom_vjp(lambda *arrays: call.forward(*arrays)[0])
    function.defvjp(call.forward, call.backward)
    with jax.enable_x64(True):
        results = iter(function(*(force(args[i]._cell) for i in call.places)))
    outputs = tuple(call.wrap(next(results)) if x is None else x for x in call.others)
    return outputs[0] if call.single else outputs


class _Call:
    """One application: forward and backward as functions of arrays."""

    def __init__(self, cls, args):
        self.cls, self.args = cls, args
        self.places = [i for i, x in enumerate(args) if isinstance(x, Tensor)]
        self.device = args[self.places[0]]._cell.aval.device
        self.ctx, self.single, self.others, self.present = None, True, [], []

    def wrap(self, array) -> Tensor:
        return wrap(Storage(None, -1, avals.aval(tuple(array.shape), dt.from_np(array.dtype), self.device), array))

    def forward(self, *arrays):
        """(arrays of the results, residuals)."""
        given = list(self.args)
        for i, a in zip(self.places, arrays, strict=True):
            given[i] = self.wrap(a)
        self.ctx = ctx = self.cls._backward_cls()
        ctx.needs_input_grad = tuple(isinstance(x, Tensor) and x.dtype.category >= dt.FLOAT for x in given)
        output = self.cls.forward(*given)
        self.cls.setup_context(ctx, tuple(given), output)
        if ctx.dirty_tensors:
            raise UnsupportedError("mark_dirty under a transform of torch.func")
        outs = output if isinstance(output, tuple) else (output,)
        self.single = not isinstance(output, tuple)
        self.others = [None if isinstance(x, Tensor) else x for x in outs]
        saved = ctx.to_save or ()
        self.present = [x is not None for x in saved]
        return (tuple(force(x._cell) for x in outs if isinstance(x, Tensor)),
                (arrays, tuple(force(x._cell) for x in saved if x is not None)))

    def backward(self, residuals, cotangents):
        """The user's gradients. JAX's complex ones are conjugates of PyTorch's."""
        arrays, saved = residuals
        kept, given = iter(saved), iter(cotangents)
        ctx = self.ctx
        ctx._given = tuple(self.wrap(next(kept)) if there else None for there in self.present)
        grads = [self._incoming(next(given)) if x is None else None for x in self.others]
        found = ctx.apply(*grads)
        found = found if isinstance(found, tuple) else (found,)
        return tuple(self._outgoing(found[i], a) for i, a in zip(self.places, arrays, strict=True))

    def _incoming(self, cotangent):
        return None if cotangent.dtype == jax.dtypes.float0 else self.wrap(jnp.conj(cotangent))

    def _outgoing(self, gradient, array):
        if not jnp.issubdtype(array.dtype, jnp.inexact):
            return np.zeros(array.shape, jax.dtypes.float0)
        if gradient is None:
            return jnp.zeros_like(array)
        return jnp.conj(jnp.broadcast_to(force(gradient._cell), array.shape).astype(array.dtype))
