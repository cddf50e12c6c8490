"""Autocast: a thread's settings, and what is cast for which operator.

While it is on, the thread has a handler that wants the rows of the active cast lists. It casts their operands, and has the
row recorded with autocast off, as PyTorch excludes the dispatch key. Operators that are not rows ask in `composite.py`.
"""

import functools
import threading

from torchlike._base import dtypes
from torchlike._base.block import Block
from torchlike._modes import autocast_lists
from torchlike._ops.table import ROWS
from torchlike._record.bind import Apply, bind
from torchlike._record.dispatch import Handler, Operation, replace
from torchlike._record.tensor import LEAF, Tensor
from torchlike._record.trace import state

_LOWER = {"cpu": dtypes.bfloat16, "maia": dtypes.bfloat16, "xla": dtypes.bfloat16, "hpu": dtypes.bfloat16}
DEVICE_TYPES = ("cpu", "cuda", "ipu", "xpu", "maia", "xla", "mps", "hpu", "mtia", "privateuseone")
_LISTED = ("cuda", "cpu")  # in the order in which PyTorch asks them
_NO_PROMOTION = "Unexpected floating ScalarType in at::autocast::prioritize"
_UNSAFE = (
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
    "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
    "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
    "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
    "safe to autocast.")


_NONE: frozenset = frozenset()


# -- the thread's settings

class _Settings(threading.local):
    """`enabled`: the device types. `dtypes`: the dtype of each, never
    changed but replaced. `nesting`: how many regions the thread is in.
    `cache`: id of a tensor -> the tensor, and its cast."""

    def __init__(self):
        self.enabled: frozenset = frozenset()
        self.dtypes = {kind: _LOWER.get(kind, dtypes.float16) for kind in DEVICE_TYPES}
        self.dtypes.update(hip=dtypes.float16)  # PyTorch answers for this one, too
        self.cache_enabled, self.nesting, self.cache = True, 0, {}


settings = _Settings()


def enable(kinds) -> None:
    """From now on autocast is on for these device types, and for no others."""
    kinds = kinds if kinds.__class__ is frozenset else frozenset(kinds)
    handler = _handler(kinds)
    replace(Autocast, handler if handler.rows else None)
    settings.enabled = kinds


def _rows(kinds) -> frozenset:
    """The rows of the cast lists. A view row has a face that asks."""
    return frozenset(row for row in ROWS.values()
                     if row.view is None and any(policy_on(kind, row.autocast) for kind in kinds))


def policy_on(kind, policies) -> str | None:
    """Of these policies of an operator the one on a device type; None where it is left alone there."""
    return policies.get(kind)


@functools.cache
def _policies_by_name() -> dict:
    """Operator without the overload -> {device type: policy}, of rows and of operators that are none."""
    found: dict = {}
    for row in ROWS.values():
        if row.autocast:
            found.setdefault(row.face, {}).update(row.autocast)
    for kind, policies in autocast_lists.COMPOSITES.items():
        for policy, names in policies.items():
            for name in names.split():
                found.setdefault(name.partition(".")[0], {})[kind] = policy
    return found


def policies_of(name) -> dict:
    """Device type -> policy of the operator of this name."""
    return _policies_by_name().get(name, {})


class off(Block):  # noqa: N801 - reads as a word of the language
    """A context without autocast: the inside of an operator, forms that write to a tensor, backward."""

    __slots__ = ("enabled",)

    def __init__(self):
        self.enabled = settings.enabled

    def _begin(self) -> None:
        if self.enabled:
            replace(Autocast, None)
            settings.enabled = _NONE

    def _end(self) -> None:
        if self.enabled:
            enable(self.enabled)


class Region(Block):
    """A context with the settings that the thread had when it was made: for what runs again later."""

    def __init__(self):
        self.kept = (settings.enabled, settings.dtypes, settings.cache_enabled)
        self.outer = None

    def _begin(self) -> None:
        self.outer = (settings.enabled, settings.dtypes, settings.cache_enabled, settings.nesting)
        self._set(*self.kept, settings.nesting + 1)

    def _end(self) -> None:
        if self.outer is not None:
            self._set(*self.outer)

    def _set(self, kinds, of_kinds, cached, nesting) -> None:
        set_nesting(nesting)
        enable(kinds)
        settings.dtypes, settings.cache_enabled = of_kinds, cached


def set_nesting(depth: int) -> None:
    """From now on the thread is in so many regions. The casts are kept until the outermost ends."""
    settings.nesting = depth
    if depth == 0:
        settings.cache.clear()


# -- the handler

class Autocast(Handler):
    """Casts for the rows of the cast lists of some device types."""

    precedence = 1

    def __init__(self, kinds: frozenset):
        self.rows = _rows(kinds)

    def wants(self, row) -> bool:
        """Whether the row is in one of the lists."""
        return row in self.rows

    def handle(self, operation: Operation):
        """The result of the row on the operands that PyTorch gives it. What writes to its first operand is not cast."""
        if not operation.in_place:
            operation = _casted(operation)
        with off():
            return operation.run()


@functools.cache
def _handler(kinds: frozenset) -> Autocast:
    return Autocast(kinds)


# -- the policies

def _casted(operation: Operation) -> Operation:
    """The operation as PyTorch does it under autocast."""
    row, operands, params = operation.row, operation.operands, operation.params
    tensors = [x for x in flat(operands) if isinstance(x, Tensor)]
    kind, policy = policy_of(row.autocast, tensors)
    if policy is None:
        return operation
    if policy == "fp32_dtype" and "dtype" in row.params:
        at = row.params.index("dtype")
        if params[at] is not None or not eligible(operands[0], kind):
            return operation
        return Apply(row, operands, operation.numbers, (*params[:at], dtypes.float32, *params[at + 1:]))
    return operation.with_operands(cast_all(policy, kind, operands))


def policy_of(policies, tensors) -> tuple:
    """(device type, policy) of an operator with these policies on these tensors; (None, None) if it is left alone."""
    kinds = {x._cell.aval.device.type for x in tensors}
    for kind in _LISTED:
        if kind in kinds and kind in settings.enabled:
            found = policy_on(kind, policies)
            if found is not None:
                return kind, found
    return None, None


def flat(values):
    """What is in lists and tuples of lists and tuples."""
    for x in values:
        if isinstance(x, tuple | list):
            yield from flat(x)
        else:
            yield x


def eligible(x, kind) -> bool:
    """Whether `x` is a tensor that autocast on this device type may cast."""
    if not isinstance(x, Tensor):
        return False
    aval = x._cell.aval
    return aval.dtype.is_floating_point and aval.dtype is not dtypes.float64 and aval.device.type == kind


def cast_all(policy, kind, values) -> tuple:
    """The values, also those in lists, cast as the policy says."""
    if policy == "banned":
        raise RuntimeError(_UNSAFE)
    target = settings.dtypes[kind] if policy == "lower_precision" else dtypes.float32
    if policy == "promote":
        target = _widest([x for x in flat(values) if eligible(x, kind)], settings.dtypes[kind])

    def cast_one(x):
        if isinstance(x, tuple | list):
            return type(x)([cast_one(y) for y in x])
        return cast(x, target, kind) if eligible(x, kind) else x

    return tuple([cast_one(x) for x in values])


def _widest(tensors, lower):
    """float32 if a tensor has it, else the dtype of the region; the order counts, as in PyTorch, for others."""
    found = lower
    for x in tensors:
        mine = x._cell.aval.dtype
        if found is dtypes.float32 or mine is dtypes.float32:
            found = dtypes.float32
        elif mine is not lower:
            raise RuntimeError(_NO_PROMOTION)
    return found


def cast(x, dtype, kind):
    """`x` in this dtype. A parameter is cast to the region's dtype once, until the outermost region ends."""
    mine = x._cell.aval.dtype
    if mine is dtype:
        return x
    kept = settings.cache_enabled and mine is dtypes.float32 and dtype is settings.dtypes[kind] and \
        x._edge is LEAF and x._view is None and not state.thread.frames and not state.thread.inference
    if not kept:
        return bind(ROWS["_to_copy"], (x,), (), (dtype,))
    found = settings.cache.get(id(x))
    if found is None:
        thread = state.thread
        before, thread.grad = thread.grad, True  # what is first used under no_grad has its history all the same
        try:
            found = settings.cache[id(x)] = (x, bind(ROWS["_to_copy"], (x,), (), (dtype,)))
        finally:
            thread.grad = before
    return found[1]
