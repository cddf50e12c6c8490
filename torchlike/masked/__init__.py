"""`torch.masked`: what counts of a tensor is said by a mask. https://pytorch.org/docs/stable/masked.html

`_ops.py` has reductions and normalisations of a tensor and a mask. `maskedtensor/` has `MaskedTensor`, which holds both.
`_masks.py` has what they share, `_names.py` the functions that PyTorch has there, `_sparse_reductions.py` what is done with
sparse tensors, `_where.py` chooses by masks.

Elements that are masked out are replaced by what changes nothing: 0 in a sum, 1 in a product, the lowest value in a maximum.
"""

from torchlike.masked import _masks
from torchlike.masked import _where as _selection
from torchlike.masked import maskedtensor as maskedtensor
from torchlike.masked._masks import _combine_input_and_mask as _combine_input_and_mask
from torchlike.masked._ops import (
    amax,
    amin,
    argmax,
    argmin,
    cumprod,
    cumsum,
    log_softmax,
    logaddexp,
    logsumexp,
    mean,
    median,
    norm,
    normalize,
    prod,
    softmax,
    softmin,
    std,
    sum,
    var,
)
from torchlike.masked.maskedtensor import reductions as _reductions  # noqa: F401 - registers them
from torchlike.masked.maskedtensor.core import MaskedTensor, is_masked_tensor
from torchlike.masked.maskedtensor.creation import as_masked_tensor, masked_tensor

# PyTorch's names, which its tests and packages use.
_canonical_dim, _reduction_identity = _masks.canonical_dims, _masks.identity
_input_mask, _output_mask = _masks.input_mask, _masks.output_mask
_where = _selection.where

__all__ = ["MaskedTensor", "amax", "amin", "argmax", "argmin", "as_masked_tensor", "cumprod", "cumsum", "is_masked_tensor",
           "log_softmax", "logaddexp", "logsumexp", "masked_tensor", "mean", "median", "norm", "normalize", "prod",
           "softmax", "softmin", "std", "sum", "var"]
