"""Sequences of different lengths: padded tensors, and packed ones without the padding.

https://pytorch.org/docs/stable/generated/torch.nn.utils.rnn.PackedSequence.html. A padded batch is
(T, B, *), or (B, T, *) with `batch_first`.
"""

import itertools
from collections.abc import Iterable
from typing import NamedTuple

from torchlike import _api
from torchlike._base import dtypes as dt
from torchlike._record.tensor import Tensor
from torchlike.nn._functional_pad import pad

_NOT_SORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
    "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if "
    "you do not need ONNX exportability."
)
_BATCH_SIZES_ON_CPU = (
    "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. "
    "They should be instantiated by functions like pack_sequence and pack_padded_sequences in nn.utils.rnn. "
    "https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
)


class PackedSequence_(NamedTuple):  # noqa: N801 - PyTorch's name
    """The fields of a `PackedSequence`.

    Args: as for `PackedSequence`.
    """

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(PackedSequence_):
    """The steps of a batch of sequences, longest first, without padding.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.rnn.PackedSequence.html

    Args:
        data: (total number of steps, *): step 0 of all sequences, then step 1, and so on; or a pair of it and
            `batch_sizes`.
        batch_sizes: (T), int64 on the CPU: how many sequences have a step t.
        sorted_indices, unsorted_indices: (B), int64: the order from the original batch to the sorted one, and back. None
            where the batch was sorted already.

    Raises:
        AssertionError: no `batch_sizes`, and `data` is no pair.
        ValueError: `batch_sizes` is not on the CPU.
    """

    __slots__ = ()

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, (list, tuple)) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        elif not batch_sizes.is_cpu:
            raise ValueError(_BATCH_SIZES_ON_CPU)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args, **kwargs):
        """Moves or casts the data; the indices follow its device.

        Args:
            args, kwargs: those of `Tensor.to`.

        Returns:
            a PackedSequence.
        """
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        indices = (None if t is None else t.to(data.device)
                   for t in (self.sorted_indices, self.unsorted_indices))
        return type(self)(data, self.batch_sizes, *indices)

    def cuda(self, device="cuda"):
        """Moves to a GPU.

        Args:
            device: which one.

        Returns:
            a PackedSequence.
        """
        return self.to(device)

    def cpu(self):
        """Moves to the CPU."""
        return self.to("cpu")

    def double(self):
        """Casts the data to float64."""
        return self.to(dtype=dt.float64)

    def float(self):
        """Casts the data to float32."""
        return self.to(dtype=dt.float32)

    def half(self):
        """Casts the data to float16."""
        return self.to(dtype=dt.float16)

    def long(self):
        """Casts the data to int64."""
        return self.to(dtype=dt.int64)

    def int(self):
        """Casts the data to int32."""
        return self.to(dtype=dt.int32)

    def short(self):
        """Casts the data to int16."""
        return self.to(dtype=dt.int16)

    def char(self):
        """Casts the data to int8."""
        return self.to(dtype=dt.int8)

    def byte(self):
        """Casts the data to uint8."""
        return self.to(dtype=dt.uint8)

    def is_pinned(self) -> bool:
        """Whether the data is pinned: never."""
        return self.data.is_pinned()

    def pin_memory(self):
        """With the data and the indices of `Tensor.pin_memory`."""
        indices = (None if t is None else t.pin_memory() for t in (self.sorted_indices, self.unsorted_indices))
        return type(self)(self.data.pin_memory(), self.batch_sizes, *indices)

    @property
    def is_cuda(self) -> bool:
        """Whether the data is on a GPU."""
        return self.data.is_cuda


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes another.

    Args:
        permutation: (N), int64, or None.

    Returns:
        (N), or None.
    """
    if permutation is None:
        return None
    positions = _api.arange(0, permutation.numel(), device=permutation.device)
    return _api.empty_like(permutation).scatter_(0, permutation, positions)


def pack_padded_sequence(input: Tensor, lengths, batch_first: bool = False,
                         enforce_sorted: bool = True) -> PackedSequence:
    """Packs a padded batch of sequences.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_padded_sequence.html

    Args:
        input: (T, B, *), or (B, T, *) with `batch_first`.
        lengths: (B), a list or tensor of positive integers.
        batch_first: whether the batch is dimension 0.
        enforce_sorted: whether lengths must not rise; else the batch is sorted here.

    Returns:
        a PackedSequence.

    Raises:
        RuntimeError: lengths rise, are not positive, or do not fit the batch.
    """
    if not isinstance(lengths, Tensor):
        lengths = _api.tensor(list(lengths), dtype=dt.int64)
    lengths = lengths.to(dtype=dt.int64)
    order = None
    if not enforce_sorted:
        lengths, order = _api.sort(lengths, descending=True)
        order = order.to(input.device)
        input = input.index_select(0 if batch_first else 1, order)
    data, batch_sizes = _pack(input.transpose(0, 1) if batch_first else input, lengths.tolist())
    return PackedSequence(data, batch_sizes, order, None)


def _pack(input, lengths):
    if input.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    batch = input.size(1)
    if len(lengths) != batch:
        raise RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} "
                           f"(batch_size={batch})")
    if lengths[-1] <= 0:
        raise RuntimeError("Length of all samples has to be greater than 0, but found an element in "
                           "'lengths' that is <= 0")
    if any(a < b for a, b in itertools.pairwise(lengths)):
        raise RuntimeError(_NOT_SORTED)
    sizes = [sum(length > step for length in lengths) for step in range(lengths[0])]
    rows = [step * batch + i for step, size in enumerate(sizes) for i in range(size)]
    flat = input.reshape(input.size(0) * batch, *input.shape[2:])
    picked = _api.tensor(rows, dtype=dt.int64, device=input.device)
    return flat.index_select(0, picked), _api.tensor(sizes, dtype=dt.int64)


def pad_packed_sequence(sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0,
                        total_length: int | None = None):
    """The inverse of `pack_padded_sequence`.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pad_packed_sequence.html

    Args:
        sequence: a PackedSequence.
        batch_first: whether the batch becomes dimension 0.
        padding_value: what fills the missing steps.
        total_length: T; None means the longest length.

    Returns:
        (T, B, *) or (B, T, *), and the lengths (B), int64.

    Raises:
        ValueError: `total_length` is less than the longest length.
    """
    sizes = sequence.batch_sizes.tolist()
    steps = len(sizes)
    if total_length is not None:
        if total_length < steps:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {steps}")
        steps = total_length
    data, batch = sequence.data, sizes[0]
    starts = [sum(sizes[:step]) for step in range(len(sizes))]
    # One row of padding follows the data; every position without a step refers to it.
    rows = [starts[step] + i if step < len(sizes) and i < sizes[step] else data.size(0)
            for step in range(steps) for i in range(batch)]
    blank = _api.full((1, *data.shape[1:]), padding_value, dtype=data.dtype, device=data.device)
    picked = _api.tensor(rows, dtype=dt.int64, device=data.device)
    padded = _api.cat([data, blank]).index_select(0, picked).view(steps, batch, *data.shape[1:])
    if batch_first:
        padded = padded.transpose(0, 1)
    lengths = _api.tensor([sum(size > i for size in sizes) for i in range(batch)], dtype=dt.int64)
    order = sequence.unsorted_indices
    if order is None:
        return padded, lengths
    return padded.index_select(0 if batch_first else 1, order), lengths[order.cpu()]


def pad_sequence(sequences, batch_first: bool = False, padding_value: float = 0.0,
                 padding_side: str = "right") -> Tensor:
    """Stacks sequences of different lengths.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pad_sequence.html

    Args:
        sequences: an iterable of B tensors (L_i, *).
        batch_first: whether the batch becomes dimension 0.
        padding_value: what fills the missing steps.
        padding_side: "left" or "right", where those are.

    Returns:
        (T, B, *), or (B, T, *) with `batch_first`; T is the longest length.

    Raises:
        RuntimeError: no sequences, or another `padding_side`.
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError("pad_sequence: Expected iterable for input sequences, but got arg of type: "
                           f"{type(sequences)}")
    sequences = tuple(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    steps = max(seq.size(0) for seq in sequences)
    padded = []
    for seq in sequences:
        missing = steps - seq.size(0)
        widths = (0, missing) if padding_side == "right" else (missing, 0)
        padded.append(pad(seq, (0, 0) * (seq.dim() - 1) + widths, "constant", padding_value)
                      if missing else seq)
    return _api.stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list:
    """The inverse of `pad_sequence`. https://pytorch.org/docs/stable/generated/torch.nn.utils.rnn.unpad_sequence.html

    Args:
        padded_sequences: (T, B, *), or (B, T, *) with `batch_first`.
        lengths: (B), a tensor of integers.
        batch_first: whether the batch is dimension 0.

    Returns:
        a list of B tensors (L_i, *).
    """
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    return [seq[:length] for seq, length in zip(padded_sequences, lengths.tolist(), strict=True)]


def pack_sequence(sequences, enforce_sorted: bool = True) -> PackedSequence:
    """Packs sequences of different lengths.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_sequence.html

    Args:
        sequences: a list of tensors (L_i, *).
        enforce_sorted: as for `pack_padded_sequence`.

    Returns:
        a PackedSequence.
    """
    lengths = _api.tensor([seq.size(0) for seq in sequences], dtype=dt.int64)
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list:
    """The inverse of `pack_sequence`. https://pytorch.org/docs/stable/generated/torch.nn.utils.rnn.unpack_sequence.html

    Args:
        packed_sequences: a PackedSequence.

    Returns:
        a list of tensors (L_i, *), in their original order.
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
