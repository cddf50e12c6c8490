"""`torch.sparse`: functions of sparse tensors. https://pytorch.org/docs/stable/sparse.html

Constructors are in the torch namespace, conversions are methods of Tensor. How sparse tensors work is in
`torchlike/_api/sparse/`, which these functions are from. `semi_structured.py` has the classes of a format of NVIDIA's tensor
cores, without its kernels; `gradcheck.py` checks gradients; `spsolve`, for cuDSS alone in PyTorch, raises as on a CPU.
"""

from torchlike._api.sparse.construct import spdiags as spdiags
from torchlike._api.sparse.invariants import check_sparse_tensor_invariants as check_sparse_tensor_invariants
from torchlike._api.sparse.legacy import BFloat16Tensor as BFloat16Tensor
from torchlike._api.sparse.legacy import ByteTensor as ByteTensor
from torchlike._api.sparse.legacy import CharTensor as CharTensor
from torchlike._api.sparse.legacy import DoubleTensor as DoubleTensor
from torchlike._api.sparse.legacy import FloatTensor as FloatTensor
from torchlike._api.sparse.legacy import HalfTensor as HalfTensor
from torchlike._api.sparse.legacy import IntTensor as IntTensor
from torchlike._api.sparse.legacy import LongTensor as LongTensor
from torchlike._api.sparse.legacy import ShortTensor as ShortTensor
from torchlike._api.sparse.products import sampled_addmm as sampled_addmm
from torchlike._api.sparse.products import sparse_addmm as addmm
from torchlike._api.sparse.products import sparse_mm as mm
from torchlike._api.sparse.products import spsolve as spsolve
from torchlike._api.sparse.reductions import sparse_log_softmax as log_softmax
from torchlike._api.sparse.reductions import sparse_softmax as softmax
from torchlike._api.sparse.reductions import sparse_sum as sum
from torchlike.sparse.gradcheck import as_sparse_gradcheck as as_sparse_gradcheck
from torchlike.sparse.semi_structured import SparseSemiStructuredTensor as SparseSemiStructuredTensor
from torchlike.sparse.semi_structured import SparseSemiStructuredTensorCUSPARSELT as SparseSemiStructuredTensorCUSPARSELT
from torchlike.sparse.semi_structured import SparseSemiStructuredTensorCUTLASS as SparseSemiStructuredTensorCUTLASS
from torchlike.sparse.semi_structured import to_sparse_semi_structured as to_sparse_semi_structured

__all__ = ["SparseSemiStructuredTensor", "SparseSemiStructuredTensorCUSPARSELT", "SparseSemiStructuredTensorCUTLASS",
           "addmm", "check_sparse_tensor_invariants", "log_softmax", "mm", "sampled_addmm", "softmax", "spdiags", "spsolve",
           "sum", "to_sparse_semi_structured"]
