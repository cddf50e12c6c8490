"""`MaskedTensor`, a prototype in PyTorch: https://pytorch.org/docs/stable/masked.html

`core.py` has the class, `creation.py` the functions that make one. What it does is in tables that the others fill:
`unary.py` and `binary.py` element by element, `passthrough.py` views and indexing, `reductions.py`, and `_ops_refs.py` the
rest.

Start with `core.py`. `reductions.py`, which needs the functions of `torch.masked`, is imported after them, by that.
"""

from torchlike.masked.maskedtensor import _ops_refs as _ops_refs
from torchlike.masked.maskedtensor.binary import _is_native_binary as _is_native_binary
from torchlike.masked.maskedtensor.core import MaskedTensor as MaskedTensor
from torchlike.masked.maskedtensor.core import is_masked_tensor as is_masked_tensor
from torchlike.masked.maskedtensor.passthrough import _apply_pass_through_fn as _apply_pass_through_fn
from torchlike.masked.maskedtensor.passthrough import _is_pass_through_fn as _is_pass_through_fn
from torchlike.masked.maskedtensor.unary import _is_native_unary as _is_native_unary
