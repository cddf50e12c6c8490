"""What sparse tensors tell of themselves, compared with torch."""

from tests.api.sparse.running import each_as_torch

PROGRAMS = [
    "T(i,vg).coalesce()",
    "h",
    "h.coalesce()",
    "h.sparse_dim(),h.dense_dim(),h._nnz(),h.shape",
    "s.dtype,s.layout,s.is_sparse",
    "s.coalesce() is s, sc.coalesce() is sc",
    "s.zero_()",
    "sc.is_same_size(d)",
    "s.requires_grad_().detach()",
    "d.indices()",
    "d._indices()",
    "d._values()",
    "d._nnz()",
    "d.col_indices()",
    "d.ccol_indices()",
    "s.crow_indices()",
    "s.col_indices()",
    "d.coalesce()",
    "s.detach().is_coalesced()",
    "s.data",
    "s._coalesced_(False)",
    "s.is_coalesced()",
    "s.untyped_storage()",
    "torch.nn.Parameter(s)",
    "torch.is_tensor(s)",
    "sd.coalesce()",
    "e.coalesce()",
    "e._nnz()",
    "h.coalesce().values().shape",
    "s.storage()",
    "s.data_ptr()",
    "s.cpu() is s",
    "s.contiguous()",
    "s.detach_()",
    "s.requires_grad_().requires_grad",
]

test_programs = each_as_torch(PROGRAMS)
