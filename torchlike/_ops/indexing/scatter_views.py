"""Rows made of other rows: index_reduce, select_scatter, slice_scatter, diagonal_scatter.

https://pytorch.org/docs/stable/generated/torch.slice_scatter.html
"""

import jax
import jax.numpy as jnp

from torchlike._base import dtypes as dt
from torchlike._base.errors import wrap_dim
from torchlike._ops import index_bounds
from torchlike._ops.indexing import views as _views  # noqa: F401 - the rows of views must be there
from torchlike._ops.indexing.by_tensors import check_index_add
from torchlike._ops.indexing.joining import shape_text
from torchlike._ops.indexing.scatter import reduce_along, reduced_self, reduced_src
from torchlike._ops.promotion import cast
from torchlike._ops.rules import refuse
from torchlike._ops.table import ROWS, op

# -- index_reduce: scatter_reduce with one index for a whole slice

_KINDS = ("prod", "mean", "amax", "amin")


def _spread(index, shape, dim):
    line = [1] * len(shape)
    line[dim] = -1
    return jnp.broadcast_to(index.reshape(line), shape)


def _index_reduced(rule, which):
    def gradient(g, self, index, source, dim, reduce, include_self, result):
        dim = wrap_dim(dim, self.ndim)
        places = _spread(index, source.shape, dim) if source.ndim else index.reshape(())
        return rule(g, self, places, source, dim, reduce, include_self, result)

    gradient.__name__ = f"gradient_of_{which}"
    return gradient


def _check_dtype(x, reduce, include_self):
    if not include_self:
        refuse(x, "index_reduce_func_exclude_input_init", (dt.BOOL, dt.COMPLEX))
    if reduce == "mean":
        refuse(x, "div_floor_cpu", (dt.BOOL,))
    if reduce in ("amax", "amin"):
        refuse(x, "maximum_cpu" if reduce == "amax" else "minimum_cpu", (dt.COMPLEX,))


@op("index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) "
    "-> Tensor",
    grads={"self": _index_reduced(reduced_self, "self"), "source": _index_reduced(reduced_src, "source")},
    inplace=True, bounds=index_bounds.index_reduce,
    doc="`self` with slices of `source` combined by `reduce` into those that `index` names along `dim`.",
    by_hand="function method in_place")
def _index_reduce(x, index, source, *, dim, reduce, include_self):
    dim = wrap_dim(dim, x.ndim)
    if reduce not in _KINDS:
        raise RuntimeError("index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
                           f"{reduce}.")
    check_index_add(x, index, source, dim, "index_reduce_()")
    _check_dtype(x, reduce, include_self)
    places = _spread(index, source.shape, dim) if source.ndim else index.reshape(())
    return reduce_along(x, places, source, dim, reduce, include_self)


# -- parts replaced, out of place

def _replaced(view_name):
    """Forward and gradients of ``select_scatter`` and its kin, from the view they are named after."""
    row = ROWS[view_name]

    def replace(x, src, **params):
        wanted = jax.eval_shape(lambda a: row.fn(a, **params), x).shape
        if src.shape != wanted:
            raise RuntimeError("expected src to have a size equal to the slice of self. src size = "
                               f"{shape_text(src.shape)}, slice size = {shape_text(wanted)}")
        return row.view.put(x, cast(src, dt.from_np(x.dtype)), **params)

    return row.fn, replace


_select, _select_scatter = _replaced("select.int")
_slice, _slice_scatter = _replaced("slice.Tensor")
_diagonal, _diagonal_scatter = _replaced("diagonal")


@op("select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor", grads={
    "self": lambda g, src_aval, dim, index: _select_scatter(
        g, jnp.zeros(src_aval.shape, g.dtype), dim=dim, index=index),
    "src": lambda g, dim, index: _select(g, dim=dim, index=index)},
    doc="`self` with `src` in the place of one slice along `dim`.", by_hand="function method")
def _select_scatter_row(x, src, *, dim, index):
    size = x.shape[wrap_dim(dim, x.ndim)] if x.ndim else 0
    if not -size <= index < size:
        raise IndexError(f"select(): index {index} out of range for tensor of size {shape_text(x.shape)} at "
                         f"dimension {wrap_dim(dim, x.ndim)}")
    return _select_scatter(x, src, dim=dim, index=index)


op("slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
   _slice_scatter, grads={
       "self": lambda g, src_aval, dim, start, end, step: _slice_scatter(
           g, jnp.zeros(src_aval.shape, g.dtype), dim=dim, start=start, end=end, step=step),
       "src": lambda g, dim, start, end, step: _slice(g, dim=dim, start=start, end=end, step=step)},
   doc="`self` with `src` in the place of the slices from `start` to `end` along `dim`.", by_hand="function method")
op("diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
   _diagonal_scatter, out=False,
   grads={
       "self": lambda g, src_aval, offset, dim1, dim2: _diagonal_scatter(
           g, jnp.zeros(src_aval.shape, g.dtype), offset=offset, dim1=dim1, dim2=dim2),
       "src": lambda g, offset, dim1, dim2: _diagonal(g, offset=offset, dim1=dim1, dim2=dim2)},
   doc="`self` with `src` in the place of a diagonal.")
