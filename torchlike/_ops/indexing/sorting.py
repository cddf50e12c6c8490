"""Sorting and order statistics: sort, argsort, topk, kthvalue.

NaN counts as the largest value, and -0.0 equals 0.0, as in PyTorch.
https://pytorch.org/docs/stable/generated/torch.sort.html
"""

import jax.numpy as jnp

from torchlike._base import dtypes as dt
from torchlike._base.errors import wrap_dim
from torchlike._ops.indexing.scatter import spread_along
from torchlike._ops.numerics import ranks
from torchlike._ops.rules import is_complex, no_formula, refuse
from torchlike._ops.table import op


def _sort(x, *, dim, descending, stable=None):
    axis = wrap_dim(dim, x.ndim)
    if is_complex(x):
        raise RuntimeError(" Sort does not support complex dtypes on CPU")
    if x.ndim == 0:
        return x, jnp.zeros((), jnp.int64)
    return ranks.sorted_with_indices(x, axis, descending)


def _picked(g0, result1, self_aval, dim):
    """PyTorch's gradient of a selection: it goes back to the places the values came from."""
    return spread_along(g0, result1, self_aval.shape, dim)


op("sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", _sort,
   grads={"self": _picked}, layout="preserve", copies=True, doc="The elements in order along `dim`, and where they were.",
   by_hand="function method")
op("sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor "
   "indices)",
   _sort, grads={"self": _picked}, node="SortBackward1", method=False, function=False, layout="preserve", copies=True,
   doc="The elements in order along `dim`, and where they were; equal ones keep their order.")


@op("argsort(Tensor self, int dim=-1, bool descending=False, bool stable=False) -> Tensor",
    doc="The indices that sort the elements along `dim`.")
def _argsort(x, *, dim, descending, stable):
    return _sort(x, dim=dim, descending=descending)[1]


@op("topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor "
    "indices)",
    grads={"self": _picked}, doc="The `k` largest or smallest elements along `dim`, and where they are.")
def _topk(x, *, k, dim, largest, sorted):
    axis = wrap_dim(dim, x.ndim)
    if not 0 <= k <= (x.shape[axis] if x.ndim else 1):
        raise RuntimeError("selected index k out of range")
    if x.dtype == jnp.bool_:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    if is_complex(x):
        raise RuntimeError(" topk does not support complex dtypes on CPU")
    if x.ndim == 0:
        return x, jnp.zeros((), jnp.int64)
    indices = ranks.top(x, k, axis, largest)
    return jnp.take_along_axis(x, indices, axis), indices


def _kth_gradient(g0, result1, self_aval, dim, keepdim):
    if not self_aval.shape:
        return g0
    axis = wrap_dim(dim, len(self_aval.shape))
    if not keepdim:
        g0, result1 = jnp.expand_dims(g0, axis), jnp.expand_dims(result1, axis)
    return spread_along(g0, result1, self_aval.shape, axis)


@op("kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
    grads={"self": _kth_gradient}, doc="The `k`-th smallest element along `dim`, and where it is.", by_hand="function")
def _kthvalue(x, *, k, dim, keepdim):
    axis = wrap_dim(dim, x.ndim)
    if x.ndim and x.shape[axis] == 0:
        raise IndexError(f"kthvalue(): Expected reduction dim {axis} to have non-zero size.")
    if not 1 <= k <= (x.shape[axis] if x.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {axis}")
    if x.ndim == 0:
        return x, jnp.zeros((), jnp.int64)
    refuse(x, "kthvalue_cpu", (dt.BOOL, dt.COMPLEX))
    found = ranks.kth(x, k - 1, axis)
    return found if keepdim else tuple(jnp.squeeze(a, axis) for a in found)


def _history_only(x, values):
    """`values` were found on the host; the row gives them PyTorch's history."""
    return values


for _name in ("_unique2", "unique_dim", "unique_consecutive"):
    op(f"_{_name.removeprefix('_')}(Tensor self, Tensor values) -> Tensor", _history_only, grads={"self": no_formula(_name)},
       method=False, function=False, dispatch=f"{_name}.default")
