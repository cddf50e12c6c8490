"""Selective activation checkpoints: which results a region keeps, instead of computing them again.
https://pytorch.org/docs/stable/checkpoint.html

Both runs of the region are watched (`_modes/intercept.py`). In the first a policy is asked for each operation
and results are kept; in the second they stand in for the operation, which is not recorded. They pass the
same barrier as the region's inputs: what is computed from them would be merged with the first run's, and
so kept as well.
"""

import enum
import weakref
from collections import defaultdict

from torchlike import ops
from torchlike._modes import intercept
from torchlike._record.tensor import Tensor, wrap
from torchlike.utils._recompute import running_barrier

_MISMATCH = ("This can happen if the operations in the checkpointed region are nondeterministic or depend on global state "
             "that changed between forward and backward.")
_TWICE = ("Trying to backward an extra time. You are only allowed to backward once on any region computed under selective "
          "activation checkpoint.")
_MUTATED = "Tensor cached during selective activation checkpoint has been mutated"
_RECOMPUTE, _CONSUMED = object(), object()
# Which operators no policy is asked about. What asks for a tensor's form alone, as most of PyTorch's do, is none here.
SAC_IGNORED_OPS = {ops.by_name("detach.default"), ops.by_name("numel.default")}


class CheckpointPolicy(enum.Enum):
    """What a policy answers for an operation: SAVE keeps the result, RECOMPUTE and CPU_OFFLOAD do not (offloading is for
    compilers in PyTorch, too). MUST and PREFER differ only for compilers.
    https://pytorch.org/docs/stable/checkpoint.html
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_SAVE = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE, True)


class SelectiveCheckpointContext:
    """What a policy gets as its first argument.
    https://pytorch.org/docs/stable/checkpoint.html

    Args:
        is_recompute: whether this is the second run; always False here.
        op_output: the operation's result.
    """

    def __init__(self, *, is_recompute, op_output=None):
        self.is_recompute, self.op_output = is_recompute, op_output


def create_selective_checkpoint_contexts(policy_fn_or_list, allow_cache_entry_mutation=False) -> tuple:
    """The two contexts of a checkpoint that keeps the results of some operations: ``checkpoint(...,
    context_fn=partial(create_selective_checkpoint_contexts, policy))``.
    https://pytorch.org/docs/stable/checkpoint.html

    Args:
        policy_fn_or_list: a function ``(ctx, op, *args, **kwargs)`` that gives a `CheckpointPolicy` or whether to save,
            or a list of the operators to save, such as ``torch.ops.aten.mm.default``.
        allow_cache_entry_mutation: whether a kept result may be written to before backward; else that raises RuntimeError
            there.

    Returns:
        The contexts of the first and of the second run.

    Raises:
        TypeError: the policy is neither.
        ValueError: the list holds something other than operators.
    """
    if isinstance(policy_fn_or_list, list):
        policy = _policy_of_list(policy_fn_or_list)
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage: dict = defaultdict(dict)
    return _Caching(policy, storage), _Cached(storage, allow_cache_entry_mutation)


def _policy_of_list(names):
    for op in names:
        if not isinstance(op, ops.OpOverload):
            extra = ("Please update the OpOverloadPacket to a specific OpOverload.For example, if you have "
                     "`torch.ops.aten.mm`, change it to `torch.ops.aten.mm.default`.") \
                if isinstance(op, ops.OpOverloadPacket) else ""
            raise ValueError(f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. {extra}")
    return lambda ctx, op, *args, **kwargs: op in names


class _Run:
    """A context that intercepts the operations of one run of a region. Results are found by operator and by the number of
    calls of it before.
    """

    def __init__(self, storage):
        self.storage = storage

    def __enter__(self):
        self.counts: dict = defaultdict(int)
        self.watching = intercept.intercepting(self.handle)
        self.watching.__enter__()
        return self

    def __exit__(self, *exc):
        return self.watching.__exit__(*exc)

    def place(self, op) -> int:
        """The number of this call among those of `op`."""
        self.counts[op] += 1
        return self.counts[op] - 1


class _Caching(_Run):
    """The first run."""

    def __init__(self, policy, storage):
        super().__init__(storage)
        self.policy = policy
        self.kept: weakref.WeakSet = weakref.WeakSet()  # the Nodes of what is kept

    def handle(self, operation):
        """The operation's result, kept if the policy says so."""
        op = ops.by_name(operation.name)
        out = operation.run()
        if op in SAC_IGNORED_OPS:
            return out
        place = self.place(op)
        alone = _each(out, lambda x: wrap(x._cell))
        context = SelectiveCheckpointContext(is_recompute=False, op_output=alone)
        save = self.policy(context, op, *operation.args, **operation.kwargs) in _SAVE
        self.storage[op][place] = _Kept(alone, operation.name) if save else _RECOMPUTE
        if save:
            _each(out, lambda x: self.kept.add(x._edge[0]) if x._edge is not None and len(x._edge) == 2 else None)
        return out


class _Cached(_Run):
    """The second run."""

    def __init__(self, storage, allow_mutation):
        super().__init__(storage)
        self.allow_mutation = allow_mutation

    def handle(self, operation):
        """The operation's result, kept or computed again."""
        op = ops.by_name(operation.name)
        if op in SAC_IGNORED_OPS:
            return operation.run()
        place = self.place(op)
        if op not in self.storage:
            raise RuntimeError(f"{op} encountered during backward but not found in storage. {_MISMATCH}")
        kept = self.storage[op].get(place)
        if kept is None:
            raise RuntimeError(f"{op} invocation index {place} encountered during backward but not found in storage. "
                               f"{_MISMATCH}")
        if kept is _CONSUMED:
            raise RuntimeError(_TWICE)
        if kept is _RECOMPUTE:
            return operation.run()
        self.storage[op][place] = _CONSUMED
        return operation.recall(kept.tensors(self.allow_mutation))




class _Kept:
    """The results of one operation, and their versions. The result of an in-place operation counts as written to."""

    def __init__(self, out, name):
        self.out = out if isinstance(out, tuple) else (out,)
        written = name.partition(".")[0].endswith("_")
        self.versions = [x._cell.version - written for x in self.out]

    def tensors(self, allow_mutation) -> list:
        """The results, behind the barrier."""
        if not allow_mutation and any(x._cell.version != v for x, v in zip(self.out, self.versions, strict=True)):
            raise RuntimeError(_MUTATED)
        return running_barrier(self.out)


def _each(out, function):
    if isinstance(out, Tensor):
        return function(out)
    return tuple(function(x) if isinstance(x, Tensor) else x for x in out)
