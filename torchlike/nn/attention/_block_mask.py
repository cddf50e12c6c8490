"""Masks of `flex_attention`: functions of indices, and which blocks of the scores they leave over."""

import functools
import inspect
import itertools

from torchlike import _api
from torchlike._base import dtypes as dt
from torchlike._record.tensor import Tensor
from torchlike.func import vmap

_BLOCK = 128
_TENSORS = ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices",
            "q_num_blocks", "q_indices", "full_q_num_blocks", "full_q_indices")


def noop_mask(batch, head, token_q, token_kv):
    """The `mask_mod` that leaves everything over.

    Args:
        batch, head, token_q, token_kv: indices, tensors without dimensions.

    Returns:
        True, a tensor.
    """
    return batch.new_ones((), dtype=dt.bool_)


def _sliced_mask_mod_error(batch, head, token_q, token_kv):
    raise RuntimeError("Cannot use mask_mod from a sliced BlockMask")


def and_masks(*mask_mods):
    """A `mask_mod` that leaves over what all of these do.

    Args:
        mask_mods: functions of four indices.

    Returns:
        a function of four indices.

    Raises:
        RuntimeError: one of them is no function.
    """
    _check_callable(mask_mods)
    return lambda b, h, q, kv: functools.reduce(lambda found, mod: found & mod(b, h, q, kv), mask_mods,
                                                b.new_ones((), dtype=dt.bool_))


def or_masks(*mask_mods):
    """A `mask_mod` that leaves over what one of these does.

    Args:
        mask_mods: functions of four indices.

    Returns:
        a function of four indices.

    Raises:
        RuntimeError: one of them is no function.
    """
    _check_callable(mask_mods)
    return lambda b, h, q, kv: functools.reduce(lambda found, mod: found | mod(b, h, q, kv), mask_mods,
                                                b.new_zeros((), dtype=dt.bool_))


def _check_callable(mask_mods) -> None:
    if not all(map(callable, mask_mods)):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")


def _vmap_for_bhqkv(fn, prefix=(), suffix=(), out_dims=0):
    """`fn` of (b, h, q, kv) over four lists of indices: a tensor of four dimensions. `prefix` and `suffix` are the `in_dims`
    of other arguments, in each of the four."""
    for which in reversed(range(4)):
        dims = tuple(0 if i == which else None for i in range(4))
        fn = vmap(fn, in_dims=(*prefix, *dims, *suffix), out_dims=out_dims)
    return fn


def _counting(sizes, device) -> tuple:
    return tuple(_api.arange(size, device=device, dtype=dt.int64) for size in sizes)


def scores_changed(score_mod, scores: Tensor) -> Tensor:
    """``score_mod(score, b, h, q, kv)`` for all scores (B, H, Q, KV)."""
    return _vmap_for_bhqkv(score_mod, prefix=(0,))(scores, *_counting(scores.shape, scores.device))


def mask_of(mask_mod, sizes, device) -> Tensor:
    """``mask_mod(b, h, q, kv)`` for all indices below `sizes`: (B, H, Q, KV), bool."""
    return _vmap_for_bhqkv(mask_mod)(*_counting(sizes, device))


def create_mask(mod_fn, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device=None) -> Tensor:  # noqa: N803
    """What a function leaves over.
    https://pytorch.org/docs/stable/nn.attention.flex_attention.html#torch.nn.attention.flex_attention.create_mask

    Args:
        mod_fn: a `mask_mod`, or a `score_mod`, which leaves over what it does not make -inf.
        B, H: how many batches and heads; None means 1.
        Q_LEN, KV_LEN: how many queries and keys.
        device: of the mask.

    Returns:
        (B, H, Q_LEN, KV_LEN), bool.

    Raises:
        AssertionError: a function of another number of arguments than four and five.
    """
    sizes = (1 if B is None else B, 1 if H is None else H, Q_LEN, KV_LEN)
    if _is_score_mod(mod_fn):
        return ~_api.isneginf(scores_changed(mod_fn, _api.zeros(sizes, device=device)))
    return mask_of(mod_fn, sizes, device)


def _is_score_mod(fn) -> bool:
    given = sum(p.default is p.empty for p in inspect.signature(fn).parameters.values())
    if given not in (4, 5):
        raise AssertionError(f"Expected 4 or 5 positional args, got {given}")
    return given == 5


def _ordered(dense: Tensor) -> tuple:
    """(how many blocks each row has, their columns first and the others after them) of (..., rows, columns)."""
    return dense.sum(-1).to(dt.int32), dense.argsort(-1, descending=True, stable=True).to(dt.int32)


def _dense(numbers: Tensor, indices: Tensor) -> Tensor:
    """The inverse of `_ordered`: (..., rows, columns) of 0 and 1."""
    columns = indices.shape[-1]
    there = _api.arange(columns, device=indices.device) < numbers.unsqueeze(-1)
    held = _api.zeros((*indices.shape[:-1], columns + 1), dtype=dt.int32, device=indices.device)
    return held.scatter(-1, _api.where(there, indices.to(dt.int64), columns), value=1)[..., :columns]


def _blocks(mask: Tensor, block_size: tuple) -> tuple:
    """(blocks that are left over in part, blocks that are left over whole), each (B, H, rows, columns)."""
    rows, columns = (-(-length // size) for length, size in zip(mask.shape[2:], block_size, strict=True))
    padded = _api.zeros((*mask.shape[:2], rows * block_size[0], columns * block_size[1]), dtype=dt.int64, device=mask.device)
    padded[:, :, :mask.shape[2], :mask.shape[3]] = mask.to(dt.int64)
    counts = padded.view(*mask.shape[:2], rows, block_size[0], columns, block_size[1]).sum((3, 5))
    whole = counts == block_size[0] * block_size[1]
    return (counts > 0) & ~whole, whole


def _picture(rows: list, down: int, across: int) -> str:
    """Lines of squares, each for so many rows and columns of 0 and 1."""
    text = ""
    for r in range(0, len(rows), down):
        for c in range(0, len(rows[0]), across):
            found = {value for row in rows[r:r + down] for value in row[c:c + across]}
            text += {(0,): "  ", (1,): "██"}.get(tuple(found), "░░")
        text += "\n"
    return text


class BlockMask:
    """Which blocks of the scores a `mask_mod` leaves over. `flex_attention` looks at the `mask_mod` alone.
    https://pytorch.org/docs/stable/nn.attention.flex_attention.html#torch.nn.attention.flex_attention.BlockMask

    Args:
        seq_lengths: how many queries and keys.
        kv_num_blocks: (B, H, R), int32, how many blocks each row of blocks has that are left over in part.
        kv_indices: (B, H, R, C), int32, their columns.
        full_kv_num_blocks, full_kv_indices: the same of blocks that are left over as a whole; None if all are in the former.
        q_num_blocks, q_indices, full_q_num_blocks, full_q_indices: the same by columns, or None.
        BLOCK_SIZE: the numbers of queries and keys in a block.
        mask_mod: the function.

    Raises:
        RuntimeError: `kv_indices` of fewer than two dimensions.
    """

    dq_write_order = dq_write_order_full = dq_kv_order = dq_kv_order_spt = None  # of PyTorch's kernels

    def __init__(self, seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, q_num_blocks, q_indices,
                 full_q_num_blocks, full_q_indices, BLOCK_SIZE=(_BLOCK, _BLOCK), mask_mod=noop_mask):  # noqa: N803
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        self.seq_lengths = seq_lengths
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.BLOCK_SIZE, self.mask_mod = BLOCK_SIZE, mask_mod

    @classmethod
    def from_kv_blocks(cls, kv_num_blocks, kv_indices, full_kv_num_blocks=None, full_kv_indices=None,
                       BLOCK_SIZE: int | tuple = _BLOCK, mask_mod=None, seq_lengths=None,  # noqa: N803
                       compute_q_blocks: bool = True) -> "BlockMask":
        """A mask from what its rows of blocks leave over.

        Args:
            kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices: as for `BlockMask`.
            BLOCK_SIZE: the number of queries and of keys in a block, or both.
            mask_mod: the function; None means `noop_mask`.
            seq_lengths: how many queries and keys; None means as many as the blocks hold.
            compute_q_blocks: whether to find out what its columns leave over.

        Returns:
            the mask.
        """
        size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
        by_columns: list = [None] * 4
        if compute_q_blocks:
            by_columns[:2] = _ordered(_dense(kv_num_blocks, kv_indices).transpose(-2, -1))
            if full_kv_num_blocks is not None and full_kv_indices is not None:
                by_columns[2:] = _ordered(_dense(full_kv_num_blocks, full_kv_indices).transpose(-2, -1))
        if seq_lengths is None:
            seq_lengths = (kv_indices.shape[-2] * size[0], kv_indices.shape[-1] * size[1])
        return cls(seq_lengths, kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices, *by_columns, BLOCK_SIZE=size,
                   mask_mod=noop_mask if mask_mod is None else mask_mod)

    @property
    def shape(self) -> tuple:
        """(B, H, queries, keys)."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def numel(self) -> int:
        """How many scores there are."""
        return functools.reduce(lambda total, size: total * size, self.shape, 1)

    def sparsity(self) -> float:
        """How many per cent of the scores are in blocks that are left out."""
        blocks = int(self.kv_num_blocks.sum())
        if self.full_kv_num_blocks is not None:
            blocks += int(self.full_kv_num_blocks.sum())
        return 100 * (1 - blocks * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1] / self.numel())

    def to_dense(self) -> Tensor:
        """Which blocks are left over: (B, H, rows, columns) of 0 and 1, int32."""
        partial = _dense(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is None:
            return partial
        return partial | _dense(self.full_kv_num_blocks, self.full_kv_indices)

    def as_tuple(self, flatten: bool = True) -> tuple:
        """All attributes in PyTorch's order; those that its kernels alone use are None.

        Args:
            flatten: whether the two lengths, and the two numbers of a block, are elements of their own.

        Returns:
            a tuple of 17, or of 15.
        """
        lengths, size = (self.seq_lengths, self.BLOCK_SIZE) if flatten else ((self.seq_lengths,), (self.BLOCK_SIZE,))
        return (*lengths, *self._tensors(), self.dq_write_order, self.dq_write_order_full, self.dq_kv_order,
                self.dq_kv_order_spt, *size, self.mask_mod)

    def to_string(self, grid_size: int | tuple = (20, 20), limit: int = 4) -> str:
        """A picture of each mask: full, grey and empty squares.

        Args:
            grid_size: how many squares there may be down and across; a number is both, and -1 has one for each block.
            limit: how many masks are shown.

        Returns:
            the text.
        """
        dense = self.to_dense()
        *sizes, rows, columns = dense.shape
        most = (grid_size, grid_size) if isinstance(grid_size, int) else grid_size
        steps = [max(1, -(-length // number)) for length, number in zip((rows, columns), most, strict=True)]
        pictures = []
        for index in itertools.product(*map(range, sizes)):
            if len(pictures) == limit:
                pictures += ["...", "To print out more, set BlockMask.to_string(limit=N)",
                             "You can also index (BlockMask[batch, head]) to choose a specific batch or head"]
                break
            pictures.append(f"{index}\n{_picture(dense[index].tolist(), *steps)}")
        return "\n".join(pictures)

    def __str__(self) -> str:
        return f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n{self.to_string().strip()}\n)"

    def to(self, device) -> "BlockMask":
        """The mask on another device.

        Args:
            device: the device.

        Returns:
            the mask.
        """
        return self._with([None if x is None else x.to(device) for x in self._tensors()], self.mask_mod)

    def _tensors(self) -> list:
        return [getattr(self, name) for name in _TENSORS]

    def _with(self, tensors, mask_mod) -> "BlockMask":
        return BlockMask(self.seq_lengths, *tensors, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=mask_mod)

    def _adjust(self, new_q_len: int, new_kv_len: int) -> "BlockMask":
        """The mask of fewer queries and keys, or of more, for which its blocks have room."""
        rows, columns = (-(-length // size) for length, size in zip((new_q_len, new_kv_len), self.BLOCK_SIZE, strict=True))
        kept = [_ordered(_dense(numbers, indices)[..., :rows, :columns]) if numbers is not None else (None, None)
                for numbers, indices in ((self.kv_num_blocks, self.kv_indices),
                                         (self.full_kv_num_blocks, self.full_kv_indices))]
        return BlockMask.from_kv_blocks(*kept[0], *kept[1], BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod,
                                        seq_lengths=(new_q_len, new_kv_len))

    def __getitem__(self, index) -> "BlockMask":
        chosen = tuple(slice(i, i + 1 or None) if isinstance(i, int) else i
                       for i in (index if isinstance(index, tuple) else (index,)))
        of_rows = len(chosen) > 2  # then nothing is known of the columns any more
        found = [None if x is None or (of_rows and "q_" in name and "kv" not in name) else x[chosen]
                 for name, x in zip(_TENSORS, self._tensors(), strict=True)]
        return self._with(found, _sliced_mask_mod_error)

    def __repr__(self) -> str:
        lines = [f"{name}={None if x is None else x.shape}" for name, x in zip(_TENSORS, self._tensors(), strict=True)]
        lines += [f"BLOCK_SIZE={self.BLOCK_SIZE}", f"shape={self.shape}", f"sparsity={self.sparsity():.2f}%",
                  f"mask_mod={getattr(self.mask_mod, '__name__', self.mask_mod)}"]
        return "BlockMask(\n    " + ",\n    ".join(lines) + "\n)"


def create_block_mask(mask_mod, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device=None,  # noqa: N803
                      BLOCK_SIZE: int | tuple = _BLOCK, _compile=False, separate_full_blocks: bool = True,  # noqa: N803
                      compute_dq_write_order: bool = False, dq_kv_order: bool = True) -> BlockMask:
    """The blocks of the scores that a function leaves over.
    https://pytorch.org/docs/stable/nn.attention.flex_attention.html#torch.nn.attention.flex_attention.create_block_mask

    Args:
        mask_mod: a function of the indices of batch, head, query and key, which are tensors without dimensions; it tells
            whether the score is left over.
        B, H: how many batches and heads it tells apart; None means 1.
        Q_LEN, KV_LEN: how many queries and keys.
        device: of the mask.
        BLOCK_SIZE: the number of queries and of keys in a block, or both.
        separate_full_blocks: whether blocks that are left over as a whole are held apart.
        compute_dq_write_order, dq_kv_order: without effect.

    Returns:
        the mask.

    Raises:
        AssertionError: a function of another number of arguments than four.
    """
    if _is_score_mod(mask_mod):
        raise AssertionError(f"create-block_mask requires a mask_mod function! Got {mask_mod}")
    size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    partial, whole = _blocks(create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device), size)
    full = _ordered(whole) if separate_full_blocks else (None, None)
    return BlockMask.from_kv_blocks(*_ordered(partial if separate_full_blocks else partial | whole), *full,
                                    BLOCK_SIZE=size, mask_mod=mask_mod, seq_lengths=(Q_LEN, KV_LEN))
