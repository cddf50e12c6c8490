"""Sparse tensors on the meta device against torch: they have no elements, but for those made of parts there."""

import pytest

from compat import compare
from compat.compare.tolerances import EXACT

CASES = {
    "moved": "repr(A.to('meta'))",
    "moved CSR": "repr(C.to('meta'))",
    "moved, hybrid": "repr(H.to('meta'))",
    "made of parts": "repr(t.sparse_coo_tensor(I.to('meta'), V.to('meta'), (3, 3)))",
    "made of nothing": "repr(t.sparse_coo_tensor((3, 3), device='meta'))",
    "made CSR": "repr(t.sparse_csr_tensor(t.tensor([0, 1, 2]), t.tensor([0, 1]), t.ones(2), (2, 2), device='meta'))",
    "empty": "[repr(t.empty(2, 3, layout=f, device='meta')) for f in (t.sparse_coo, t.sparse_csr)]",
    "zeros": "repr(t.zeros(2, 3, layout=t.sparse_coo, device='meta', dtype=t.float64))",
    "zeros_like": "repr(t.zeros_like(A, device='meta'))",
    "empty_like": "[repr(t.empty_like(x.to('meta'))) for x in (A, C)]",
    "facts": "[(x.is_meta, x.is_sparse, str(x.layout), tuple(x.shape), str(x.dtype), x._nnz())"
             " for x in (A.to('meta'), C.to('meta'))]",
    "parts": "[repr(x) for x in (A.to('meta')._values(), A.to('meta')._indices(), C.to('meta').crow_indices(),"
             " C.to('meta').values())]",
    "dimensions": "(A.to('meta').sparse_dim(), H.to('meta').dense_dim(), A.to('meta').is_coalesced())",
    "coalesced": "repr(A.to('meta').coalesce())",
    "cloned": "[repr(x.to('meta').clone()) for x in (A, C)]",
    "detached": "repr(A.to('meta').detach())",
    "cast": "repr(A.to('meta').double())",
    "transposed": "[repr(x.to('meta').t()) for x in (A, C)]",
    "sum": "repr(A.to('meta').sum())",
    "add": "repr(A.to('meta') + A.to('meta'))",
    "functions of CSR": "[repr(x) for x in (-C.to('meta'), C.to('meta') * 2, C.to('meta').to_dense())]",
    "refused": "kind_of(lambda: A.to('meta').to_dense())",
    "refused to sparse": "kind_of(lambda: D.to('meta').to_sparse())",
    "not back": "kind_of(lambda: A.to('meta').to('cpu'))",
    "gradient": "(v := V.clone().requires_grad_(), t.sparse_coo_tensor(I, v, (3, 3)).to('meta').requires_grad)[1]",
}


def kind_of(function):
    try:
        function()
    except Exception as error:  # noqa: BLE001 - its class is the result
        return type(error).__name__
    return None


def function(text):
    def evaluated(t):
        indices, values = t.tensor([[0, 1, 2], [1, 0, 2]]), t.tensor([1.0, 2.0, 3.0])
        coo = t.sparse_coo_tensor(indices, values, (3, 3))
        hybrid = t.sparse_coo_tensor(indices, t.ones(3, 2), (3, 3, 2))
        return eval(text, {"t": t, "I": indices, "V": values, "A": coo, "C": coo.to_sparse_csr(), "H": hybrid,
                           "D": t.ones(3, 3), "kind_of": kind_of})
    return evaluated


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CASES)
def test_cases(name):
    theirs, mine = (compare.outcome(function(CASES[name]), package, types=True)[0] for package in compare.PACKAGES)
    found = compare.difference(theirs, mine, EXACT)
    assert not found, found
