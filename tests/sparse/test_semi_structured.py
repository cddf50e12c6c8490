"""Semi-structured sparsity and the solver of sparse systems: on a CPU PyTorch has the classes and the errors."""

import pytest

import torchlike
from compat import compare
from compat.compare.tolerances import EXACT

CASES = {
    "text": "repr(x)",
    "transposed": "(repr(x.t()), x.t().packed_t, x.t().packed is None, x.t().t().values())",
    "parts": "(x.values(), x.indices(), x.packed, x.meta)",
    "parts in one": "(y.values(), y.indices(), y.values().dtype)",
    "detached": "(repr(x.detach()), x.detach().requires_grad)",
    "cloned": "(repr(x.clone()), x.clone().packed)",
    "another view": "x.view(2, 8)",
    "sum": "x + 1",
    "sizes": "(tuple(x.shape), str(x.dtype), str(x.layout), x.requires_grad)",
    "flattened": "[list(part) for part in x.__tensor_flatten__()]",
    "put together": "repr(C.__tensor_unflatten__({'packed': t.ones(4, 2)}, (t.Size([4, 4]), False, 0, False), None, None))",
    "of nothing": "C(t.Size([4, 4]), None, None, None, None, None)",
    "compress": "S.to_sparse_semi_structured(t.ones(4, 4))",
    "compress, transposed": "S.to_sparse_semi_structured(t.ones(4, 4), True)",
    "compress by the base": "S.SparseSemiStructuredTensor.from_dense(1)",
    "compress by CUTLASS": "C.from_dense(t.ones(32, 64).half())",
    "constraints": "[(k.BACKEND, sorted((str(d), tuple(n)) for d, n in k._DTYPE_SHAPE_CONSTRAINTS.items())) for k in"
                   " (C, S.SparseSemiStructuredTensorCUSPARSELT)]",
    "solve": "S.spsolve(t.eye(3).to_sparse_csr(), t.ones(3))",
    "solve COO": "S.spsolve(t.eye(3).to_sparse(), t.ones(3), left=False)",
    "solve strided": "S.spsolve(t.eye(3), t.ones(3))",
    "solve numbers": "S.spsolve(1, 2)",
    "solve a number": "S.spsolve(t.eye(3).to_sparse_csr(), 2)",
}


def outcome(package, expression):
    """What the expression gives."""
    def function(t):
        kind = t.sparse.SparseSemiStructuredTensorCUTLASS
        kind._PROTOTYPE_WARNING_SHOWN = False
        t.sparse.SparseSemiStructuredTensorCUSPARSELT._PROTOTYPE_WARNING_SHOWN = False
        x = kind(t.Size([4, 4]), t.ones(4, 2), t.zeros(4, 1).short(), None, None, None)
        y = t.sparse.SparseSemiStructuredTensorCUSPARSELT(t.Size([4, 4]), t.arange(12).half(), None, None, None, None)
        return eval(expression, {"t": t, "S": t.sparse, "C": kind, "x": x, "y": y})
    found, warned = compare.outcome(function, package, types=True)
    if isinstance(found, compare.Raised):  # PyTorch's continues with all the operator's backends
        found = found._replace(text=found.text.partition("possible resolutions")[0])
    return found, sorted({pair for pair in warned if not pair[1].startswith("Sparse CSR")})  # once a process


@pytest.mark.parametrize("name", CASES)
def test_cases(name):
    theirs, mine = (outcome(package, CASES[name]) for package in compare.PACKAGES)
    found = compare.difference(theirs, mine, EXACT)
    assert not found, found


def test_products_refuse():
    kind = torchlike.sparse.SparseSemiStructuredTensorCUTLASS
    kind._PROTOTYPE_WARNING_SHOWN = False
    with pytest.warns(UserWarning, match="prototype"):
        x = kind(torchlike.Size([4, 4]), torchlike.ones(4, 2), torchlike.zeros(4, 1).short(), None, None, None)
    with pytest.raises(torchlike.UnsupportedError, match="SparseSemiStructuredTensorCUTLASS"):
        torchlike.mm(x, torchlike.ones(4, 4))
