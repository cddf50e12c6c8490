"""Views as copies: ``view_copy``, ``unbind_copy`` and the rest do what the view does, into memory of their own; so do
``unsafe_split`` and its kin. https://pytorch.org/docs/stable/torch.html

Each is made from the view's row, and has its gradient.
"""


import jax
import jax.numpy as jnp

from torchlike._base.errors import INTERNAL_OVERLAP, wrap_dim
from torchlike._ops import geometry as geo
from torchlike._ops.indexing import views as _views  # noqa: F401 - the rows of views must be there
from torchlike._ops.indexing.joining import shape_text
from torchlike._ops.table import ROWS, Row, add, op


def _copied(view_name, name, node="", **options):
    """The row `name`, which copies what the view row `view_name` shows."""
    row = ROWS[view_name]

    def function(x, **params):
        row.view.geometry(x.shape, geo.row_major(x.shape), 0, **params)  # raises the view's errors
        return row.fn(x, **params)

    function.__module__, function.__name__ = __name__, name.replace(".", "_")
    view_node = row.node
    node = node or ((lambda params: f"{view_node(params)}_copy") if callable(view_node) else f"{view_node}_copy")
    schema = row.schema._replace(name=name)
    add(Row(name, function, schema, grads=row.grads, gradient=row.gradient, node=node, method=False, home=__name__,
            doc=f"A copy of the view that `{row.face}` makes.", **options))


for _view, _name in (
        ("expand", "expand_copy"), ("diagonal", "diagonal_copy"), ("alias", "alias_copy"),
        ("permute", "permute_copy"), ("unfold", "unfold_copy"),
        ("squeeze", "squeeze_copy"), ("unsqueeze", "unsqueeze_copy"), ("transpose.int", "transpose_copy.int"),
        ("t", "t_copy"), ("select.int", "select_copy.int"), ("slice.Tensor", "slice_copy.Tensor"),
        ("view_as_real", "view_as_real_copy")):
    _copied(_view, _name)
for _view, _name in (("view", "view_copy"), ("unbind.int", "unbind_copy.int"), ("split.Tensor", "split_copy.Tensor"),
                     ("split_with_sizes", "split_with_sizes_copy")):
    _copied(_view, _name, function=False)  # with several forms, or an `out=` of their own
_copied("alias", "detach_copy", node="NotImplemented")
_copied("split.Tensor", "unsafe_split.Tensor", node="UnsafeSplitBackward0", out=False)
_copied("split_with_sizes", "unsafe_split_with_sizes", node="UnsafeSplitWithSizesBackward0", out=False)


@op("narrow_copy(Tensor self, int dim, int start, int length) -> Tensor", grads={"self": ""})
def _narrow_copy(x, *, dim, start, length):
    """The `length` slices from `start` along `dim`, as a copy."""
    if not x.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    dim = wrap_dim(dim, x.ndim)
    size = x.shape[dim]
    if not -size <= start <= size:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-size}, {size}], but got {start})")
    start += size if start < 0 else 0
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return jax.lax.slice_in_dim(x, start, start + length, axis=dim)


# -- windows on memory

_copied("as_strided", "_as_strided_copy", function=False, ours=True)
_as_strided, _put_as_strided = ROWS["as_strided"].fn, ROWS["as_strided"].view.put


def _written_part(g, size, stride, storage_offset, base_layout):
    """PyTorch's gradient of `self`: that of the elements which `src` took the place of, and 0 elsewhere."""
    window = {"size": size, "stride": stride, "storage_offset": storage_offset, "base_layout": base_layout}
    return _put_as_strided(jnp.zeros_like(g), _as_strided(g, **window), **window)


@op("_as_strided_scatter(Tensor self, Tensor src, int[] size, int[] stride, int storage_offset, *, "
    "int[] base_layout) -> Tensor", function=False, method=False, node="AsStridedScatterBackward0", grads={
        "self": _written_part,
        "src": lambda g, size, stride, storage_offset, base_layout: _as_strided(
            g, size=size, stride=stride, storage_offset=storage_offset, base_layout=base_layout)}, ours=True,
    tangent="fn apart", gradient={"src": lambda stride: stride})
def _as_strided_scatter(x, src, *, size, stride, storage_offset, base_layout):
    if src.shape != tuple(size):
        raise RuntimeError("expected src to have a size equal to the slice of self. src size = "
                           f"{shape_text(src.shape)}, slice size = {shape_text(size)}")
    if any(n > 1 and s == 0 for n, s in zip(size, stride, strict=True)):
        raise RuntimeError(INTERNAL_OVERLAP)
    return _put_as_strided(x, src.astype(x.dtype), size=size, stride=stride, storage_offset=storage_offset,
                           base_layout=base_layout)
