"""`torch.nested`: tensors whose parts differ in size.

https://pytorch.org/docs/stable/nested.html. What is computed of them is in `_internal/`.

Of the jagged layout the parts differ in one dimension and lie side by side in one tensor; of the strided layout they are a
list. Here are the functions that make nested tensors.
"""

from torchlike import _api
from torchlike._base import dtypes as dt
from torchlike._base.settings import jagged, strided
from torchlike._record.tensor import Tensor
from torchlike.nested._internal import functions as _functions
from torchlike.nested._internal import strided_functions as _strided_functions
from torchlike.nested._internal.nested_tensor import Nested, NestedTensor, StridedNested
from torchlike.nested._internal.ragged import Ragged

__all__ = ["as_nested_tensor", "masked_select", "narrow", "nested_tensor", "nested_tensor_from_jagged", "to_padded_tensor"]

_LAYOUT = "Specified layout is unsupported for nested tensors: {}"


def nested_tensor(tensor_list, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False) -> Tensor:
    """A nested tensor, a leaf, with copies of these parts.
    https://pytorch.org/docs/stable/nested.html#torch.nested.nested_tensor

    Args:
        tensor_list: tensors, or what `torch.tensor` takes, each a part.
        dtype, device: of the result; None means those of the first part.
        layout: `torch.strided`, which None means, or `torch.jagged`.
        requires_grad: whether it requires grad.
        pin_memory: without effect.

    Returns:
        The tensor.

    Raises:
        TypeError: `tensor_list` is neither a list nor a tuple.
        RuntimeError: of the jagged layout there are no parts, or they differ in more than one dimension.
    """
    if not isinstance(tensor_list, list | tuple):
        raise TypeError("Only lists (List[Tensor] and List[List...[Scalar]]) are accepted in nested_tensor")
    parts = [part.detach() if isinstance(part, Tensor) else _api.tensor(part) for part in tensor_list]
    made = as_nested_tensor(parts, dtype=dtype, device=device, layout=layout)
    if layout in (None, strided):
        made._pieces = [part.clone() for part in made._pieces]
    return made.requires_grad_(True) if requires_grad else made


def as_nested_tensor(ts, dtype=None, device=None, layout=None) -> Tensor:
    """A nested tensor of these parts, to which gradients flow.
    https://pytorch.org/docs/stable/nested.html#torch.nested.as_nested_tensor

    Args:
        ts: a list of tensors, or a tensor whose first dimension is that of the parts.
        dtype, device: of the result; None means those of the first part.
        layout: `torch.strided`, which None means, or `torch.jagged`.

    Returns:
        The tensor.

    Raises:
        TypeError: `ts` is neither.
        RuntimeError: as for `nested_tensor`.
    """
    if isinstance(ts, Nested):
        return ts
    if not isinstance(ts, Tensor | list | tuple) or not all(isinstance(part, Tensor) for part in ts):
        raise TypeError("as_nested_tensor(): Expected first argument to be a tensor or a list / tuple of tensors ")
    parts = list(ts.unbind() if isinstance(ts, Tensor) else ts)
    if layout not in (None, strided, jagged):
        raise RuntimeError(_LAYOUT.format(layout))
    if not parts:
        raise RuntimeError("Cannot construct a nested tensor from an empty tensor list")
    parts = [part.to(dtype=dtype or parts[0].dtype, device=device or parts[0].device) for part in parts]
    at = next((i for i, part in enumerate(parts) if part.dim() != parts[0].dim()), 0)
    if at and layout is jagged:
        raise RuntimeError("When constructing a nested tensor, all tensors in list must have the same dim")
    if at:
        raise RuntimeError("All Tensors given to nested_tensor must have the same dimension. Found dimension "
                           f"{parts[at].dim()} for Tensor at index {at} and dimension {parts[0].dim()} for Tensor at index "
                           "0.")
    return StridedNested(parts) if layout is not jagged else _jagged(parts)


def _jagged(parts) -> NestedTensor:
    if parts[0].dim() < 1:
        raise RuntimeError("Cannot construct a nested tensor from a list of zero-dim tensors")
    different = [d for d in range(parts[0].dim()) if len({part.shape[d] for part in parts}) > 1]
    if len(different) > 1:
        raise RuntimeError("Cannot represent given tensor list as a nested tensor with the jagged layout. Note that the "
                           "jagged layout only allows for a single ragged dimension. For example: (B, *, D_0, D_1, ..., "
                           "D_N), with ragged * dim.")
    along = different[0] if different else 0
    return NestedTensor(_api.cat(parts, along), Ragged.of_lengths([part.shape[along] for part in parts]), along + 1)


def nested_tensor_from_jagged(values, offsets=None, lengths=None, jagged_dim=None, min_seqlen=None,
                              max_seqlen=None) -> Tensor:
    """A jagged tensor of parts that lie one after the other in `values`.
    https://pytorch.org/docs/stable/nested.html#torch.nested.nested_tensor_from_jagged

    Args:
        values: (*, all parts, *).
        offsets: (parts + 1): where each part begins, and where the last one ends.
        lengths: (parts): how long each is, where there are gaps, or where there are no offsets.
        jagged_dim: the ragged dimension of the result; None means 1.
        min_seqlen, max_seqlen: without effect.

    Returns:
        The tensor.

    Raises:
        RuntimeError: neither offsets nor lengths are given.
    """
    if offsets is None and lengths is None:
        raise RuntimeError("nested_tensor_from_jagged(): At least one of offsets or lengths is required.")
    if offsets is None:
        offsets, lengths = _offsets_of(lengths), None
    return NestedTensor(values, Ragged(offsets, lengths), jagged_dim or 1)


def _offsets_of(lengths) -> Tensor:
    """Where parts of these lengths begin, and where the last one ends.

    Args:
        lengths: (parts).
    """
    return _api.cat([lengths.new_zeros(1), lengths.cumsum(0)])


def narrow(tensor, dim, start, length, layout=strided) -> Tensor:
    """A nested tensor of a stretch of each row of a dense one.
    https://pytorch.org/docs/stable/nested.html#torch.nested.narrow

    Args:
        tensor: (parts, longest, *).
        dim: 1.
        start, length: for all parts, or (parts) each.
        layout: of the result.

    Returns:
        The tensor; of the jagged layout on the memory of `tensor`.

    Raises:
        RuntimeError: another layout or dimension.
    """
    count = tensor.shape[0]
    starts, lengths = ([int(each)] * count if not isinstance(each, Tensor) else each.tolist() for each in (start, length))
    if dim != 1:
        raise RuntimeError("jagged layout only supports dim=1")
    if layout is strided:
        return as_nested_tensor([tensor[i].narrow(0, a, n) for i, (a, n) in enumerate(zip(starts, lengths, strict=True))])
    if layout is not jagged:
        raise RuntimeError(_LAYOUT.format(layout))
    longest = tensor.shape[1]
    begins = [i * longest + a for i, a in enumerate(starts)]
    offsets = _api.tensor([*begins, begins[-1] + lengths[-1]], dtype=dt.int64)
    return NestedTensor(tensor.flatten(0, 1), Ragged(offsets, _api.tensor(lengths, dtype=dt.int64)))


def masked_select(tensor, mask) -> Tensor:
    """A jagged tensor of the elements of each row where the mask is true.
    https://pytorch.org/docs/stable/nested.html#torch.nested.masked_select

    Args:
        tensor: (parts, longest).
        mask: bools, to which it is broadcast.

    Returns:
        The tensor.

    Raises:
        RuntimeError: the tensor is not strided.
    """
    if tensor.layout is not strided:
        raise RuntimeError(f"torch.nested.masked_select requires a strided tensor, given {tensor.layout}")
    mask = mask.expand(tensor.shape)
    return NestedTensor(tensor.masked_select(mask), Ragged(_offsets_of(mask.sum(1))))


def to_padded_tensor(input, padding, output_size=None, out=None) -> Tensor:
    """A dense tensor with the parts of a nested one.
    https://pytorch.org/docs/stable/nested.html#torch.nested.to_padded_tensor

    Args:
        input: the nested tensor.
        padding: what stands behind the parts.
        output_size: of the result; None means the largest sizes.
        out: not supported.

    Returns:
        (parts, longest, *).
    """
    own = _functions if isinstance(input, NestedTensor) else _strided_functions
    return own.to_padded_tensor(input, padding, output_size)
