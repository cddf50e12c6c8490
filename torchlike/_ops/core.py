"""Rows that the recorder and the engine themselves need: copies, casts, constants."""

import jax.numpy as jnp

from torchlike._base import dtypes as dt
from torchlike._ops.number_ranges import as_result
from torchlike._ops.promotion import cast
from torchlike._ops.table import SAME, Write, op


@op("clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", grads={"self": SAME}, layout="format",
    copies=True, doc="A copy with memory of its own.", by_hand="function method")
def _clone(x, *, memory_format):
    return x


def _cast_gradient(g):
    return g


@op("_to_copy(Tensor self, ScalarType dtype) -> Tensor", grads={"self": _cast_gradient}, layout="preserve",
    copies=True, method=False, function=False, node="ToCopyBackward0")
def _to_copy(x, *, dtype):
    return cast(x, dtype)


@op("copy(Tensor self, Tensor src) -> Tensor", layout="preserve", method=False, function=False,
    node="CopyBackwards", grads={"self": lambda g: jnp.zeros_like(g), "src": lambda g: g},
    write=Write(dispatch="copy_.default", vmap="arithmetic"), doc="`src`, broadcast and cast to the form of `self`.")
def _copy(x, src):
    out = cast(src, dt.from_np(x.dtype))
    return jnp.broadcast_to(out, x.shape) if out.shape != x.shape else out


@op("_ones(int[] size, *, ScalarType dtype, Device device) -> Tensor", method=False, function=False,
    dispatch="ones.default")
def _ones(*, size, dtype, device):
    return cast(jnp.ones(size), dtype) if dtype in dt.FLOAT8 else jnp.ones(size, dtype.np)


@op("_zeros(int[] size, *, ScalarType dtype, Device device) -> Tensor", method=False, function=False,
    dispatch="zeros.default")
def _zeros(*, size, dtype, device):
    return cast(jnp.zeros(size), dtype) if dtype in dt.FLOAT8 else jnp.zeros(size, dtype.np)


@op("_contiguous(Tensor self) -> Tensor", grads={"self": SAME}, node="CloneBackward0", method=False, copies=True,
    function=False, dispatch="clone.default")
def _contiguous(x):
    return x


@op("_constant(Tensor self) -> Tensor", method=False, function=False, layout="preserve", ours=True)
def _constant(x):
    """The value without history and without tangent, where PyTorch marks a result as not differentiable."""
    return x


@op("_fill(Tensor self, Tensor|Scalar value) -> Tensor", promote="first", method=False, function=False,
    node="FillBackward0", layout="preserve", grads={"self": lambda g: jnp.zeros_like(g)},
    inplace_functions=("fill_",), dispatch="fill.Scalar", fits={"value": as_result},
    write=Write(node="FillBackward2", dispatch="fill_.Scalar", repeats=True))
def _fill(x, value):
    return jnp.broadcast_to(value, x.shape)


@op("_fill_tensor(Tensor self, Tensor value) -> Tensor", promote="first", method=False, function=False,
    node="FillBackward1", layout="preserve", grads={"self": lambda g: jnp.zeros_like(g), "value": lambda g: g.sum()},
    dispatch="fill.Tensor",
    write=Write(node="FillBackward3", dispatch="fill_.Tensor", overlap="any", repeats=True, vmap="plain"))
def _fill_tensor(x, value):
    return jnp.broadcast_to(value, x.shape)


@op("_zero(Tensor self) -> Tensor", method=False, function=False, node="ZeroBackward0", layout="preserve",
    grads={"self": lambda g: jnp.zeros_like(g)},
    inplace_functions=("zero_",), dispatch="zero.default", write=Write(dispatch="zero_.default", repeats=True))
def _zero(x):
    return _zeros(size=x.shape, dtype=dt.from_np(x.dtype), device=None)
