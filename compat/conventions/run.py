"""One expression at one point: value, gradient for ones, and the gradient of the sum of that, by PyTorch and by JAX.

JAX runs as it comes: without ``jax_enable_x64``. Integers and floats of 64 bits that PyTorch returns count as those
of 32. A gradient that is None counts as zeros. JAX's gradients of complex inputs are conjugated: PyTorch's convention
is the other one.
"""

import dataclasses
import warnings

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import torch

from compat.conventions.pinning import NAMES, TORCH_NAMES

LEVELS = ("value", "gradient", "second gradient")
_NARROW = {
    np.dtype("int64"): np.int32,
    np.dtype("float64"): np.float32,
    np.dtype("complex128"): np.complex64,
    np.dtype("uint64"): np.uint32,
}
_REFUSALS = (Exception,)  # of any kind: which, the page says


@dataclasses.dataclass(frozen=True)
class Raised:
    """That a level has no result, and the class of the error."""

    kind: str


def by_torch(call, inputs, row) -> list:
    """For each level of the row the arrays, or Raised; `call` is the row's or that of another of its names."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        tensors = {name: _tensor(array, row.levels > 1 and name not in row.fixed) for name, array in inputs.items()}
        found: list = []
        try:
            outs = leaves(eval(call, {**TORCH_NAMES, **row.given, **tensors}))
            found.append([_numpy(out) for out in outs])
            before, held = (
                [out for out in outs if isinstance(out, torch.Tensor)],
                [x for x in tensors.values() if x.requires_grad],
            )
            for _ in range(row.levels - 1):
                before = _torch_gradients(before, held)
                found.append([_numpy(g) for g in before])
        except _REFUSALS as error:
            found.append(Raised(type(error).__name__))
    return found + found[-1:] * (row.levels - len(found))


def by_jax(expression, inputs, row) -> list:
    """The same by JAX, eagerly: what is one primitive is compiled alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arrays = {name: jnp.asarray(_narrow(array)) for name, array in inputs.items()}
        held = [name for name, x in arrays.items() if jnp.issubdtype(x.dtype, jnp.inexact) and name not in row.fixed]

        def function(*values):
            return leaves(eval(expression, {**NAMES, **row.given, **arrays, **dict(zip(held, values, strict=True))}))

        values, found = [arrays[name] for name in held], []
        try:
            found.append([_numpy(out) for out in function(*values)])
            step = function
            for _ in range(row.levels - 1):
                step = _pulled(step)
                found.append([_conjugated(_numpy(g)) for g in step(*values)] if held else [])
        except _REFUSALS as error:
            found.append(Raised(type(error).__name__))
    return found + found[-1:] * (row.levels - len(found))


def leaves(out) -> list:
    """The tensors, arrays and numbers of a result, in order."""
    return [leaf for part in out for leaf in leaves(part)] if isinstance(out, (tuple, list)) else [out]


def _torch_gradients(outs, held) -> list:
    ends = [out for out in outs if out.requires_grad]
    if not ends or not held:
        return [torch.zeros_like(x) for x in held]
    found = torch.autograd.grad(ends, held, [torch.ones_like(end) for end in ends], create_graph=True, allow_unused=True)
    return [torch.zeros_like(x) if g is None else g for x, g in zip(held, found, strict=True)]


def _pulled(function):
    def gradients(*values):
        def ends(*values):
            return [out for out in function(*values) if jnp.issubdtype(jnp.result_type(out), jnp.inexact)]

        outs, pull = jax.vjp(ends, *values)
        return list(pull([jnp.ones_like(out) for out in outs]))

    return gradients


def _tensor(array, asks) -> torch.Tensor:
    if array.dtype == ml_dtypes.bfloat16:
        made = torch.from_numpy(array.astype(np.float32)).to(torch.bfloat16)
    else:
        made = torch.from_numpy(np.array(array))
    return made.requires_grad_(asks and (made.is_floating_point() or made.is_complex()))


def _narrow(array):
    return array.astype(_NARROW.get(array.dtype, array.dtype))


def _numpy(out) -> np.ndarray:
    if isinstance(out, torch.Tensor):
        out = (
            out.float().numpy(force=True).astype(ml_dtypes.bfloat16)
            if out.dtype is torch.bfloat16
            else out.numpy(force=True)
        )
    return _narrow(np.asarray(out))


def _conjugated(array) -> np.ndarray:
    return np.conj(array) if array.dtype.kind == "c" else array
