"""Functions of one MaskedTensor, element by element: those of the data, with the mask as it is."""

from torchlike import _api as ops
from torchlike._base.settings import sparse_coo, sparse_csr
from torchlike._record.tensor import Tensor
from torchlike.masked._names import INPLACE_UNARY_NAMES, UNARY_NAMES
from torchlike.masked.maskedtensor.core import (
    DISPATCH,
    _get_data,
    _maybe_get_mask,
    _wrap_result,
    dispatched,
    mapped,
    packet_name,
)

_COMPOSED = ("isfinite",)  # of several operators in PyTorch, all of which it has


def _with_values(x, values):
    """A tensor with the indices and the size of a sparse one, and other values."""
    if x.layout == sparse_coo:
        return ops.sparse_coo_tensor(x.indices(), values, x.size())
    return ops.sparse_csr_tensor(x.crow_indices(), x.col_indices(), values, x.size())


@dispatched(*UNARY_NAMES, *INPLACE_UNARY_NAMES, *_COMPOSED)
def _unary(func, *args, **kwargs):
    if kwargs:
        raise ValueError("MaskedTensor unary ops require that len(kwargs) == 0. "
                         "If you need support for this, please open an issue on Github.")
    if any(isinstance(x, Tensor) for x in args[1:]):
        raise TypeError("MaskedTensor unary ops do not support additional Tensor arguments")
    first, *rest = mapped(args, _get_data)
    if args[0].layout in (sparse_coo, sparse_csr):
        first = first.coalesce() if first.layout == sparse_coo else first
        result = _with_values(first, func(first.values(), *rest))
    else:
        result = func(first, *rest)
    if packet_name(func).endswith("_"):
        args[0]._set_data_mask(result, _maybe_get_mask(args[0]))
        return args[0]
    return _wrap_result(result, _maybe_get_mask(args[0]))


def _is_native_unary(fn) -> bool:
    return DISPATCH.get(packet_name(fn)) is _unary
