"""What a sparse tensor tells of itself: indices, values, numbers of dimensions and elements.

https://pytorch.org/docs/stable/sparse.html#torch-tensor-methods-and-sparse
"""

from __future__ import annotations

from torchlike._api.sparse.cell import bare, coo, indices_of, is_sparse, nnz_of, sparse_dims, values_of, with_values
from torchlike._api.sparse.compressed import FORMS, dense_dims, layout_name
from torchlike._api.sparse.coo import coalesced
from torchlike._api.sparse.history import recorded
from torchlike._api.sparse.rules import not_there, put
from torchlike._base.settings import sparse_coo, strided
from torchlike._record.tensor import Tensor


def _check_coo(x, name) -> None:
    if x._cell.layout is not sparse_coo:
        raise RuntimeError(f"{name} expected sparse coordinate tensor layout but got {layout_name(x)}")


def _check_coalesced(x, name) -> None:
    if not x._cell.coalesced:
        raise RuntimeError(f"Cannot get {name} on an uncoalesced tensor, please call .coalesce() first")


def coalesce(self: Tensor) -> Tensor:
    """Sorted by index, and elements of one index summed up; looks at the indices.
    https://pytorch.org/docs/stable/generated/torch.Tensor.coalesce.html"""
    _check_coo(self, "coalesce")
    if self._cell.coalesced:
        return self
    return recorded("CoalesceBackward0", (self,), lambda: coalesced(self), lambda g: g)


def is_coalesced(self: Tensor) -> bool:
    """Whether the indices are known to be sorted and distinct.
    https://pytorch.org/docs/stable/generated/torch.Tensor.is_coalesced.html"""
    _check_coo(self, "is_coalesced")
    return self._cell.coalesced


def indices(self: Tensor) -> Tensor:
    """The indices, int64 of shape (sparse dimensions, nnz).
    https://pytorch.org/docs/stable/generated/torch.Tensor.indices.html"""
    _check_coo(self, "indices")
    _check_coalesced(self, "indices")
    return indices_of(self).detach()


def values(self: Tensor) -> Tensor:
    """The values. https://pytorch.org/docs/stable/generated/torch.Tensor.values.html"""
    cell = self._cell
    if cell.layout is strided:
        raise RuntimeError(f"values expected sparse tensor layout but got {layout_name(self)}")
    if cell.layout is sparse_coo:
        _check_coalesced(self, "values")
    return recorded("ValuesBackward0", (self,), lambda: bare(values_of(self)), lambda g: with_values(self, g))


def _of_coo(name, read):
    """A method of layout COO alone, of PyTorch's dispatcher."""
    def method(self: Tensor):
        if self._cell.layout is not sparse_coo:
            raise not_there(name, self)
        return read(self)

    method.__name__ = method.__qualname__ = name
    return method


def _nnz(self: Tensor) -> int:
    """How many elements are specified. https://pytorch.org/docs/stable/generated/torch.Tensor._nnz.html"""
    if not is_sparse(self):
        raise not_there("_nnz", self)
    return nnz_of(self)


def _set_coalesced(self: Tensor, coalesced: bool) -> Tensor:
    """Says whether the indices are sorted and distinct, in place."""
    _check_coo(self, "_coalesced_")
    found = coo(indices_of(self), values_of(self), self.shape, coalesced)
    put(self, found)
    return self


def sparse_dim(self: Tensor) -> int:
    """The number of sparse dimensions; 0 of a strided tensor.
    https://pytorch.org/docs/stable/generated/torch.Tensor.sparse_dim.html"""
    return sparse_dims(self) if is_sparse(self) else 0


def dense_dim(self: Tensor) -> int:
    """The number of dense dimensions.
    https://pytorch.org/docs/stable/generated/torch.Tensor.dense_dim.html"""
    if self._cell.layout in FORMS:
        return dense_dims(self)
    return self.dim() - sparse_dim(self)


def _index_of(name, kind):
    """The method of this name: the compressed (0) or the plain (1) indices of the layouts that have such."""
    line = "row" if name in ("crow_indices", "col_indices") else "column"

    def method(self: Tensor) -> Tensor:
        form = FORMS.get(self._cell.layout)
        if form is None or name not in (form.compressed, form.plain):
            raise RuntimeError(f"{name} expected sparse {line} compressed tensor layout but got {layout_name(self)}")
        return self._cell.indices[kind].detach()

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"The indices. https://pytorch.org/docs/stable/generated/torch.Tensor.{name}.html"
    return method


crow_indices, col_indices = _index_of("crow_indices", 0), _index_of("col_indices", 1)
ccol_indices, row_indices = _index_of("ccol_indices", 0), _index_of("row_indices", 1)
_indices = _of_coo("_indices", lambda x: indices_of(x).detach())
_values = _of_coo("_values", lambda x: values_of(x).detach())

METHODS: dict = {
    "coalesce": coalesce, "is_coalesced": is_coalesced, "indices": indices, "values": values, "_nnz": _nnz,
    "_indices": _indices, "_values": _values, "_coalesced_": _set_coalesced,
    "sparse_dim": sparse_dim, "dense_dim": dense_dim,
    "crow_indices": crow_indices, "col_indices": col_indices, "ccol_indices": ccol_indices, "row_indices": row_indices,
}
