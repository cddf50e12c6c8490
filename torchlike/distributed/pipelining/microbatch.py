"""A batch as microbatches, and what becomes of them as a batch again.
https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.microbatch.TensorChunkSpec
"""

from typing import Any

from torchlike._api.from_data import tensor as _tensor
from torchlike._api.joining import cat
from torchlike._api.shapes import tensor_split
from torchlike._record.tensor import Tensor
from torchlike.fx.node import map_aggregate
from torchlike.nn.attention.flex_attention import BlockMask
from torchlike.utils._pytree import tree_flatten, tree_map, tree_unflatten

DEFAULT_CHUNK_DIM = 0


class _CustomReducer:
    """How something is put together that is no tensor to be joined.

    Args:
        init_value: what it is before the first microbatch.
        reduce_fn: of what it is so far and of what a microbatch gives, what it is then.
    """

    def __init__(self, init_value, reduce_fn):
        self.init_value, self.reduce_fn = init_value, reduce_fn


class _LossReducer(_CustomReducer):
    """One of losses."""


sum_reducer = _LossReducer(_tensor(0.0), lambda a, b: a + b)


class TensorChunkSpec:
    """The dimension along which a tensor is divided.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.microbatch.TensorChunkSpec

    Args:
        split_dim: its number.
    """

    split_dim: int

    def __init__(self, split_dim):
        self.split_dim = split_dim

    def __repr__(self) -> str:
        return f"{type(self).__module__}.{type(self).__name__}({self.split_dim})"

    def __str__(self) -> str:
        return f"TensorChunkSpec({self.split_dim})"

    @staticmethod
    def from_tuple(chunk_dims: tuple):
        """Of each number in a tuple, also a nested one, a `TensorChunkSpec`.

        Args:
            chunk_dims: the numbers.

        Returns:
            the same structure.
        """
        return map_aggregate(chunk_dims, TensorChunkSpec)

    @staticmethod
    def from_dict(chunk_dims: dict):
        """Of each number in a dict a `TensorChunkSpec`.

        Args:
            chunk_dims: the numbers.

        Returns:
            the same structure.
        """
        return map_aggregate(chunk_dims, TensorChunkSpec)


class _Replicate:
    """What all microbatches get as it is."""


def _is_mask(x) -> bool:
    return isinstance(x, BlockMask)


def _is_replicated(spec) -> bool:
    return spec is _Replicate or isinstance(spec, _Replicate)


def _split_tensor(tensor: Tensor, spec: TensorChunkSpec, num_chunks: int) -> list[Tensor]:
    """The parts of a tensor, the first ones longer by one where they cannot be equal.

    Args:
        tensor: the tensor.
        spec: along which dimension.
        num_chunks: how many parts.

    Returns:
        the parts.

    Raises:
        AssertionError: it is shorter than that.
    """
    if tensor.size(spec.split_dim) < num_chunks:
        raise AssertionError(f"Tensor size {tensor.size(spec.split_dim)} is smaller than num_chunks")
    chunks = list(tensor_split(tensor, num_chunks, spec.split_dim))
    if tensor.requires_grad and tensor.is_leaf:  # a stage reads the gradients of its inputs in .grad
        for chunk in chunks:
            chunk.retain_grad()
    return chunks


def _split_mask(mask: BlockMask, num_chunks: int) -> list[BlockMask]:
    """A mask of many samples as masks of some; one of a single sample is for all."""
    length = mask.kv_num_blocks.size(0)
    if length == 1:
        return [mask] * num_chunks
    if length < num_chunks:
        raise AssertionError("Block mask has fewer batch size than the number of chunks. ")
    parts = [None if x is None else tensor_split(x, num_chunks)
             for x in (mask.kv_num_blocks, mask.kv_indices, mask.full_kv_num_blocks, mask.full_kv_indices)]
    made, first = [], 0
    for i in range(num_chunks):
        blocks = [None if part is None else part[i] for part in parts]
        made.append(BlockMask.from_kv_blocks(*blocks, BLOCK_SIZE=mask.BLOCK_SIZE, mask_mod=_shifted(mask.mask_mod, first),
                                             seq_lengths=mask.seq_lengths))
        first += blocks[0].size(0)
    return made


def _shifted(mask_mod, first: int):
    return lambda b, h, q, kv: mask_mod(b + first, h, q, kv)


def _chunkable(value, spec, num_chunks: int) -> int:
    """Into how many parts a value can be divided, at most `num_chunks`."""
    if _is_replicated(spec):
        return num_chunks
    if not isinstance(value, Tensor | BlockMask):
        raise ValueError(f"Unsupported chunk spec: {spec} and value: {value} combination.")
    if not isinstance(spec, TensorChunkSpec):
        raise AssertionError(f"Expected TensorChunkSpec, got {type(spec)}")
    if isinstance(value, Tensor):
        return min(num_chunks, value.size(spec.split_dim))
    if spec.split_dim != 0:
        raise AssertionError("BlockMask only supports split_dim=0")
    return num_chunks if value.kv_num_blocks.size(0) == 1 else min(num_chunks, value.kv_num_blocks.size(0))


def _parts(value, spec, count: int) -> list:
    if _is_replicated(spec):
        return [value] * count
    return _split_tensor(value, spec, count) if isinstance(value, Tensor) else _split_mask(value, count)


def _shard_dict_of_args(args_dict: dict, args_chunk_spec: dict, num_chunks: int) -> list[dict]:
    """A dict of values as dicts of their parts; fewer than `num_chunks` where a value has not so many."""
    if not args_dict:
        return [{} for _ in range(num_chunks)]
    if len(args_dict) != len(args_chunk_spec):
        raise AssertionError(f"args_dict.keys() = {list(args_dict.keys())} "
                             f"args_chunk_spec.keys() = {list(args_chunk_spec.keys())}")
    values, structure = tree_flatten(args_dict, is_leaf=_is_mask)
    specs, _ = tree_flatten(args_chunk_spec, is_leaf=_is_mask)
    count = min([num_chunks, *(_chunkable(value, spec, num_chunks) for value, spec in zip(values, specs, strict=True))])
    parts = [_parts(value, spec, count) for value, spec in zip(values, specs, strict=True)]
    return [tree_unflatten([part[i] for part in parts], structure) for i in range(count)]


def _default_spec(value):
    return TensorChunkSpec(DEFAULT_CHUNK_DIM) if isinstance(value, Tensor | BlockMask) else _Replicate()


def split_args_kwargs_into_chunks(args: tuple[Any, ...], kwargs: dict[str, Any] | None, chunks: int,
                                  args_chunk_spec: tuple | None = None,
                                  kwargs_chunk_spec: dict | None = None) -> tuple[list[tuple], list[dict]]:
    """Arguments of a batch as arguments of microbatches.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.microbatch.split_args_kwargs_into_chunks

    Args:
        args, kwargs: the arguments.
        chunks: how many microbatches; there are fewer where a tensor is not so long.
        args_chunk_spec, kwargs_chunk_spec: for each of them a `TensorChunkSpec` or `_Replicate`. Without it tensors are
            divided along their first dimension, and everything else is for all.

    Returns:
        (a tuple for each microbatch, a dict for each).

    Raises:
        ValueError: a `TensorChunkSpec` for something else than a tensor. AssertionError: specs of another structure.
        RuntimeError: args and kwargs give different numbers of microbatches.
    """
    kwargs = {} if kwargs is None else kwargs
    if args_chunk_spec is None:
        args_chunk_spec = tree_map(_default_spec, args, is_leaf=_is_mask)
    if kwargs_chunk_spec is None:
        kwargs_chunk_spec = tree_map(_default_spec, kwargs, is_leaf=_is_mask)
    by_place, place_specs = dict(enumerate(args)), dict(enumerate(args_chunk_spec or ()))
    args_split = _shard_dict_of_args(by_place, place_specs, chunks)
    kwargs_split = _shard_dict_of_args(kwargs, kwargs_chunk_spec or {}, len(args_split))
    if len(kwargs_split) < len(args_split):
        args_split = _shard_dict_of_args(by_place, place_specs, len(kwargs_split))
    if len(args_split) != len(kwargs_split):
        raise RuntimeError("args and kwargs are split into different number of chunks: "
                           f"{len(args_split)}, {len(kwargs_split)}")
    return [tuple(each[i] for i in range(len(each))) for each in args_split], kwargs_split


def merge_chunks(chunks: list[Any], chunk_spec):
    """What microbatches give as what a batch gives.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.microbatch.merge_chunks

    Args:
        chunks: what each gives.
        chunk_spec: a structure like it: a `TensorChunkSpec` for a tensor that is to be joined, a `_CustomReducer`, or
            anything else where all give the same. None joins all tensors along their first dimension.

    Returns:
        the same structure.

    Raises:
        ValueError: one of another structure. AssertionError: what should be the same is not.
    """
    if chunk_spec is not None:
        specs, structure = tree_flatten(chunk_spec)
    else:
        first, structure = tree_flatten(chunks[0])
        specs = [TensorChunkSpec(DEFAULT_CHUNK_DIM)] * len(first)
    rows = []
    for chunk in chunks:
        row, _ = tree_flatten(chunk)
        if len(row) != len(specs):
            raise ValueError(f"Chunk {chunk} did not match chunk spec {chunk_spec}")
        rows.append(row)
    return tree_unflatten([_merged([row[i] for row in rows], spec) for i, spec in enumerate(specs)], structure)


def _merged(values: list, spec):
    if isinstance(spec, TensorChunkSpec):
        return cat(values, dim=spec.split_dim)
    if isinstance(spec, _CustomReducer):
        found = spec.init_value
        for value in values:
            found = spec.reduce_fn(found, value)
        return found
    for value in values[1:]:
        if value != values[0]:
            raise AssertionError(f"Expected {values[0]}, got {value}")
    return values[0]
