"""`where` with masks of any layout."""

from torchlike import _api as ops
from torchlike._base.settings import sparse_coo, sparse_csr, strided


def where(mask, input, fill_value):
    """`input` where the mask is true, else `fill_value`; of sparse layouts, what the mask leaves out is not specified.

    Args:
        mask: (*), bool, of the layout of `input`.
        input: (*), strided, COO or CSR.
        fill_value: () of the dtype of `input`.

    Returns: (*)

    Raises:
        ValueError: another layout.
    """
    if mask.layout == strided:
        return ops.where(mask, input, fill_value)
    if mask.layout in (sparse_coo, sparse_csr):
        return sparse_where(mask, input, fill_value)
    raise ValueError(f"_where expects strided or sparse COO or sparse CSR tensor but got {mask.layout}")


def sparse_where(mask, input, fill_value):
    """`where` of sparse layouts. What `input` does not specify and the mask wants is 0."""
    if mask.layout == sparse_csr:
        return sparse_where(mask.to_sparse_coo(), input.to_sparse_coo(), fill_value).to_sparse_csr()
    _check_forms(mask, input)
    input, mask = input.coalesce(), mask.coalesce()
    wanted = mask.values()
    if mask.dense_dim():
        wanted = wanted.flatten(1).any(1)
    kept = wanted.nonzero()[:, 0]
    numbers, given = _numbers(mask)[kept], _numbers(input)
    values = input.values()
    if not given.numel():
        found = values.new_zeros((numbers.numel(), *values.shape[1:]))
    else:
        at = ops.searchsorted(given, numbers).clamp(max=given.numel() - 1)
        there = (given[at] == numbers).reshape(-1, *[1] * input.dense_dim())
        found = ops.where(there, values[at], values.new_zeros(()))
        if mask.dense_dim():
            found = ops.where(mask.values()[kept].logical_or(there.logical_not()), found, fill_value)
    return ops.sparse_coo_tensor(mask.indices()[:, kept], found, input.shape)._coalesced_(True)


def _check_forms(mask, input) -> None:
    if input.layout != sparse_coo:
        raise AssertionError(f"input.layout must be sparse_coo, got {input.layout}")
    if mask.layout != input.layout:
        raise AssertionError(f"mask.layout must match input.layout, got {mask.layout}")
    if mask.shape != input.shape:
        raise AssertionError(f"mask.shape must match input.shape: {mask.shape} vs {input.shape}")
    if mask.dense_dim() != input.dense_dim():
        raise AssertionError(f"mask.dense_dim() must match input.dense_dim(): {mask.dense_dim()} vs {input.dense_dim()}")


def _numbers(x):
    """Each element's index as one number, in the order of the elements of a coalesced tensor."""
    indices = x.indices()
    found = indices.new_zeros(indices.size(1))
    for size, along in zip(x.shape, indices.unbind(0), strict=False):
        found = found * size + along
    return found
