"""Functions of two MaskedTensors with the same mask, or of one and a tensor or number, element by element."""

from torchlike._base.settings import sparse_coo, sparse_csr, strided
from torchlike._record.tensor import Tensor
from torchlike.masked._names import BINARY_NAMES, INPLACE_BINARY_NAMES
from torchlike.masked.maskedtensor.core import (
    DISPATCH,
    _masks_match,
    _maybe_get_mask,
    _same_csr_indices,
    _tensors_match,
    _wrap_result,
    dispatched,
    is_masked_tensor,
    mapped,
    packet_name,
)
from torchlike.masked.maskedtensor.unary import _with_values

_COMPOSED = ("isclose",)  # of several operators in PyTorch, all of which it has


def _get_at_least_one_mask(a, b):
    """The mask of two operands, one of which has one."""
    if not is_masked_tensor(a) and not is_masked_tensor(b):
        raise TypeError("At least one of `a` and `b` must be a MaskedTensor")
    if not _masks_match(a, b):
        raise ValueError("a and b must have matching masks")
    return a.get_mask() if is_masked_tensor(a) else b.get_mask()


def _check(args, kwargs) -> None:
    if kwargs:
        raise ValueError("len(kwargs) must equal 0")
    if any(isinstance(x, Tensor) for x in args[2:]):
        raise TypeError("MaskedTensor binary ops do not support Tensor arguments aside from the lhs and rhs")
    if not _masks_match(*args[:2]):
        raise ValueError("Input masks must match. If you need support for this, please open an issue on Github.")


def _of_values(func, first, second, rest):
    """The result for a sparse first operand, from the values of both."""
    if isinstance(second, Tensor) and second.layout == first.layout:
        coo = first.layout == sparse_coo
        same = _tensors_match(first.indices(), second.indices()) if coo else _same_csr_indices(first, second)
        if not same:
            kind = "sparse_coo" if coo else "sparse_csr"
            raise ValueError(f"{kind} indices must match. If you need support for this, please open an issue on Github.")
        if coo and first.size() != second.size():
            raise ValueError("input1 and input2 must have the same size for binary functions.")
        second = second.values()
    return _with_values(first, func(first.values(), second, *rest))


@dispatched(*BINARY_NAMES, *INPLACE_BINARY_NAMES, *_COMPOSED)
def _binary(func, *args, **kwargs):
    _check(args, kwargs)
    first, second, *rest = mapped(args, lambda x: x.get_data())
    sparse = first.layout in (sparse_coo, sparse_csr)
    result = _of_values(func, first, second, rest) if sparse else func(first, second, *rest)
    if packet_name(func).endswith("_"):
        args[0]._set_data_mask(result, _maybe_get_mask(args[0]))
        return args[0]
    mask = _get_at_least_one_mask(*args[:2])
    return _wrap_result(result, mask.expand_as(result) if first.layout == strided else mask)


def _is_native_binary(fn) -> bool:
    return DISPATCH.get(packet_name(fn)) is _binary
