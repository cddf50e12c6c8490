"""Writing in place: a functional update of the Storage, a version bump, and PyTorch's history rules."""

import contextlib
import threading
import warnings
import weakref
from typing import Any

from torchlike._base.errors import UnsupportedError, different_devices, type_name
from torchlike._base.forkable import forkable
from torchlike._compile import avals, picks
from torchlike._ops import promotion
from torchlike._ops.table import ROWS
from torchlike._record.bind import Apply, bind, bind_kernel
from torchlike._record.cell import counter_of, is_read_elsewhere, storage_of
from torchlike._record.creation_meta import DEFAULT, refusal
from torchlike._record.dispatch import dispatch, trace_for, undisturbed
from torchlike._record.history import check_usable, edge_of, no_node_yet, window
from torchlike._record.host_window import is_window
from torchlike._record.node_factory import nodes
from torchlike._record.overlap import check_base, check_internal, check_out, check_pointwise, check_read, check_scattering
from torchlike._record.saved import Packed, snapshot
from torchlike._record.shared_memory import Outside, is_outside, put_outside
from torchlike._record.site import count_write
from torchlike._record.tensor import LEAF, STALE, Tensor, wrap
from torchlike._record.trace import HasHandler, NotHere, computed, state
from torchlike._record.views import forget_values, mark_stale
from torchlike._record.views import view as make_view
from torchlike._record.wrong_calls import instead_of

_COPY = ROWS["copy"]
_RESIZED = (
    "An output with one or more elements was resized since it had shape {}, which does not match the required output "
    "shape {}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
    "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
    "t.resize_(0).")
# Held from reading memory until what has become of it is there: threads may write to different parts of it. Not where a
# user's hooks and handlers run meanwhile, which may wait for another thread.
_WRITING, _ALONE = forkable(threading.RLock()), contextlib.nullcontext()


class _Opened:
    """A block in which `_WRITING`, which this thread holds, is open."""

    def __enter__(self):
        _WRITING.release()

    def __exit__(self, *error):
        _WRITING.acquire()


_OPENED = _Opened()


def inplace(row, operands, numbers=(), params=(), compute=bind) -> Tensor:
    """Record ``row`` and make its result the new value of ``operands[0]``, which is returned."""
    if state.open is None and trace_for(row) is None:
        return dispatch(Write(row, operands, numbers, params))
    frames = state.thread.frames
    if frames:
        frames[-1].check_write(row, operands, params)
    try:
        check_written(row, operands)
    except RuntimeError as error:  # PyTorch's parser looks at the arguments first
        raise instead_of(error) from None
    self, read = operands[0], operands
    lock = _WRITING if state.thread.plain_graph and not frames else _ALONE
    with lock:
        try:
            state.trace.enter(self._cell)
        except HasHandler as brought:
            with lock if lock is _ALONE else _OPENED:
                found = brought.handler.in_place(Write(row, operands, numbers, params))
            if found is not NotImplemented:
                return found
        except NotHere:  # the operation itself deals with it
            pass
        if state.thread.grad and self._cell.inference:  # PyTorch saves a copy of what it overwrites, which is no such tensor
            read = (copy_of(self), *operands[1:])
        out = compute(row, read, numbers, params)
        _check_result(row, self, out)
        check_scattering(row, operands)
        if not self._cell.aval.contiguous and row is not _COPY and not row.write.repeats:
            check_read(self._cell.aval)
        if frames:
            out = frames[-1].kept_apart(self, out)
        if out._cell.handler is not None:
            out._cell.handler.write(row, self, out, lambda: snapshot(self))
        else:
            write_value(row, self if self._cell.handler is None else self._cell.primal, out, lambda: snapshot(self))
    return self


def writing():
    """The lock under which parts of memory are written to; see above."""
    return _WRITING if state.thread.plain_graph and state.open is not None else _ALONE


class Write(Apply):
    """A row in place: what `inplace` records."""

    __slots__ = ()
    in_place = True

    def run(self) -> Tensor:
        """The first operand."""
        return inplace(self.row, self.operands, self.numbers, self.params)

    def recall(self, values: list) -> Tensor:
        """The first operand, which becomes a copy of the value."""
        def compute(*operation):
            return Apply(*operation).recall([copy_of(values[0])])

        with undisturbed():
            return inplace(self.row, self.operands, self.numbers, self.params, compute)


def check_written(row, operands) -> None:
    """What PyTorch checks before it looks at the operation: whether its first operand may be written to."""
    if not isinstance(operands[0], Tensor):
        raise instead_of(TypeError(f"expected Tensor, not {type_name(type(operands[0]))}"))
    check_writable(operands[0], any(isinstance(x, Tensor) and x._edge is not None for x in operands),
                   row.write.differentiable, row.write.repeats or row.overlap == "apart first", operands)
    check_pointwise(row, operands)
    if row.overlap == "apart first":
        check_internal(operands[0]._cell.aval)


def write_value(row, self, out, before) -> None:
    """Write the result of the row to `self`. `before` gives a snapshot of the old value."""
    node, narrowed = out._edge[0] if out._edge is not None else None, False
    if out._cell.aval.dtype is not self._cell.aval.dtype:
        out = cast(out, self._cell.aval.dtype)
        narrowed = True
    if node is not None:
        nodes.in_place(node, row, narrowed)
    kept = node is not None and _operand_saved(node, self)
    write(self, out, node, before() if kept else None)


def copy_of(x) -> Tensor:
    """The value of `x` in a cell of its own, without history."""
    with undisturbed():
        return bind(ROWS["clone"], (wrap(x._cell),), (), (None,))


def cast(x, dtype) -> Tensor:
    """The value of `x` in another dtype, without history."""
    with_grad, state.thread.grad = state.thread.grad, False
    try:
        return bind(ROWS["_to_copy"], (x,), (), (dtype,))
    finally:
        state.thread.grad = with_grad


def _operand_saved(node, self) -> bool:
    return node.plan is not None and 0 in node.plan.save_ins and node.saved[0] is self


def check_writable(self, needs_grad, differentiable=True, uniform=False, operands=()) -> None:
    """PyTorch's rules about leaves and views that have a gradient, and about elements that share their memory."""
    check_history(self, needs_grad, differentiable, operands)
    check_base(self._cell)
    if not uniform:
        check_internal(self._cell.aval)


def check_history(self, needs_grad, differentiable=True, operands=()) -> None:
    """PyTorch's rules about leaves and views that have a gradient, which come before all that an operation looks at."""
    if state.thread.grad and differentiable:
        _check_history(self, needs_grad)
        check_usable(operands)


def check_inference(cell) -> None:
    """PyTorch counts the version of what it wrote, and then refuses to do so for an inference tensor."""
    if getattr(counter_of(cell), "inference", False) and not state.thread.inference:
        raise RuntimeError("Inplace update to inference tensor outside InferenceMode is not allowed.You can make "
                           "a clone to get a normal tensor before doing inplace update.See "
                           "https://github.com/pytorch/rfcs/pull/17 for more details.")


def _check_history(self, needs_grad) -> None:
    info = self._view
    if info is not None and (needs_grad or self._edge is not None or info.base._edge is not None):
        if info.meta != DEFAULT:
            raise refusal(self)
        if self._edge is not None and (info.base._edge is None or info.base._edge is LEAF):
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if self._edge is not None and no_node_yet(self):
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def check_shape(mine, broadcast) -> None:
    """RuntimeError where what is written has another shape than what it is written to."""
    if tuple(mine) != tuple(broadcast):
        raise RuntimeError(f"output with shape {list(mine)} doesn't match the broadcast shape {list(broadcast)}")


def _check_result(row, self, out) -> None:
    mine, theirs = self._cell.aval, out._cell.aval
    if mine.device is not theirs.device:  # a scalar, of one that has no values
        raise different_devices((mine.device, theirs.device))
    if mine.shape != theirs.shape:
        check_shape(mine.shape, theirs.shape)
    if row.write.real and mine.dtype.is_complex:
        raise RuntimeError(f"In-place {row.face} is not supported for complex tensors.")
    if mine.dtype is not theirs.dtype and not promotion.can_cast(theirs.dtype, mine.dtype):
        wanted = mine.dtype.cpp_name if row.write.cpp_names else mine.dtype.scalar_name
        raise RuntimeError(f"result type {theirs.dtype.scalar_name} can't be cast to the desired output type {wanted}")


def write(self, value, node, before=None, form=None) -> None:
    """Make `value` (a fresh Tensor of the same shape and dtype) what `self` holds; `node` its history.

    `before` is a snapshot of the old value, which `node` reads instead of `self`. `form`: the Aval that `self`, which is no
    view, takes over with the value. To be called under `writing`, where `self` may be a view.
    """
    thread = state.thread
    if any(handler.keeps_results for handler in thread.handlers) or (thread.hooks and _has_packed_results(node)):
        value = copy_of(value)
    cell = self._cell
    storage = storage_of(cell)
    source = value._cell if cell.base is None else _put_back(cell, value)._cell
    if storage.views is not None:
        forget_values(storage)
    counted = not cell.inference
    if counted:  # first: an interruption finds a version that is too high, which backward passes refuse, and none too low
        count_write(cell, node)
    _replace(storage, source, form or storage.aval)
    if not counted:
        mark_stale(storage, counter_of(cell))
        check_inference(cell)
        count_write(cell, node)
    if node is not None:
        repair_saved(node, self, before)
        rebase(self, node)
    mark_stale(storage, counter_of(cell))


def _has_packed_results(node) -> bool:
    """Whether a hook on saved tensors may hold what the Node's operation gave."""
    plan = None if node is None else node.plan
    return plan is not None and bool(plan.save_outs) and node.saved[2 * len(plan.save_ins)].__class__ is Packed


def _replace(storage, source, form) -> None:
    """The Storage takes over the slot or array of a cell that nobody else will read, and then has the Aval `form`."""
    old, slot = storage.trace, storage.slot
    if old.__class__ is Outside and is_outside(storage):
        put_outside(storage, computed(source))
        return
    if source.trace is None or source.array is not None:
        value = computed(source)
        if state.thread.frames:
            value = state.thread.frames[-1].to_write(storage, value)
        old, slot = storage.trace, storage.slot
        storage.aval, storage.array, storage.trace = form, value, None
    else:  # it is in its new place before it leaves the old one: no interruption finds it in none
        source.trace.values[source.slot] = storage
        old, slot = storage.trace, storage.slot
        storage.aval, storage.slot, storage.trace, storage.array = form, source.slot, source.trace, None
    values = () if old is None else old.values
    if 0 <= slot < len(values) and values[slot] is storage and (slot != storage.slot or old is not storage.trace):
        values[slot] = None


def _put_back(cell, value) -> Tensor:
    """The Storage's new value after the view `cell` has become `value`."""
    with_grad, state.thread.grad = state.thread.grad, False
    try:
        chain = _steps(cell.chain, cell.aval, cell.base.aval)
        parents = [wrap(cell.base)]
        for row, params in chain[:-1]:
            parents.append(bind(row, (parents[-1],), (), params))
        for (row, params), parent in zip(reversed(chain), reversed(parents), strict=True):
            value = put(row, params, parent, value)
        return value
    finally:
        state.thread.grad = with_grad


def _steps(chain, aval, source) -> tuple:
    """The chain to write through: one window where a step before the last may show an element twice."""
    if any(row.view.may_repeat for row, _ in chain[:-1]) and is_window(chain):
        return (window(aval, source),)
    return chain


def write_out(out, result, name="", read=()) -> Any:
    """``out=``: the result's value goes into `out`, which takes the result's shape if it has none.

    `name`: the function's, for the error text. `read`: operands that `out` may be, but not overlap with.
    """
    if isinstance(out, tuple | list):
        kind = getattr(type(result), "_out", type(result))
        return kind(*(write_out(o, r) for o, r in zip(out, result, strict=True))) \
            if hasattr(result, "_fields") else tuple(write_out(o, r) for o, r in zip(out, result, strict=True))
    if state.thread.grad and (out._edge is not None or result._edge is not None):
        if not name and result._edge is not None and len(result._edge) == 2:
            name = result._edge[0].plan.kernel.name if result._edge[0].plan is not None else ""
        raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic differentiation, but "
                           "one of the arguments requires grad.")
    check_out(out, read, apart=False)
    check_writable(out, False)
    mine, theirs = out._cell.aval, result._cell.aval
    if mine.device is not theirs.device:
        raise RuntimeError(f"Attempting to copy from device {theirs.device} to device {mine.device}, but cross-device "
                           "copies are not allowed!")
    if not promotion.can_cast(theirs.dtype, mine.dtype):
        raise RuntimeError(f"result type {theirs.dtype.scalar_name} can't be cast to the desired output type "
                           f"{mine.dtype.scalar_name}")
    if theirs.dtype is not mine.dtype:
        result = cast(result, mine.dtype)
    form = None
    if mine.shape != theirs.shape:
        if mine.numel:
            warnings.warn(_RESIZED.format(list(mine.shape), list(theirs.shape)), UserWarning, stacklevel=3)
        is_seen = is_read_elsewhere(out._cell)
        if (is_seen or out._cell.base is not None) and _has_room(out._cell, theirs.numel):
            _become_window(out, theirs.shape)
        elif is_seen or out._cell.base is not None:
            renew(out, copy_of(result))
            return out
        else:
            form = result._cell.aval
    else:
        result = bind(ROWS["clone"], (result,), (), (None,)) if result._cell.base is not None else result
    with writing():
        write(out, result, None, form=form)
    return out


def _has_room(cell, count) -> bool:
    """Whether the memory of `cell` has so many elements from its first one on."""
    return cell.aval.offset + count <= avals.span(storage_of(cell).aval) and (cell.base is None or is_window(cell.chain))


def _become_window(self, shape) -> None:
    """`self` becomes contiguous, of this shape, on the memory that it has and that others see."""
    storage, offset = storage_of(self._cell), self._cell.aval.offset
    base, wanted = storage.aval, avals.row_major(shape)
    made = make_view(ROWS["as_strided"], wrap(storage), (tuple(shape), wanted, offset, (tuple(base.strides), base.offset)))
    made._cell.counter = counter_of(self._cell)
    self._cell = made._cell
    if self._view is not None:
        self._cell.owner = weakref.ref(self)


def renew(self, value) -> None:
    """`self`, a window on memory that nobody else reads, gets the memory of a fresh tensor instead, or a window on that."""
    if self._view is not None or is_read_elsewhere(self._cell):
        raise UnsupportedError("to make a view larger than its memory, or memory that has views")
    cell = value._cell
    if cell.base is not None:
        cell.owner = weakref.ref(self)
    counter_of(cell).version = counter_of(self._cell).version
    count_write(cell)
    self._cell = cell  # last: an interruption finds the old memory, or all of the new one


def put(row, params, base, new) -> Tensor:
    """`base` after the view of it by `row` has become `new`."""
    kernel = picks.put(row, params, (base._cell.aval.plain, new._cell.aval.plain))
    return bind_kernel(kernel, (base, new), ())[0]


def repair_saved(node, self, before) -> None:
    """The Node was recorded as if out of place: point it at the old and the new value of `self`."""
    if node.plan is None:  # of a function of Python's, which saves what it reads itself
        return
    kept, n = node.saved, 2 * len(node.plan.save_ins)
    if isinstance(kept, tuple):
        kept = node.saved = list(kept)
    if before is not None:
        kept[0], kept[1] = before, 0
    for i in range(n, len(kept), 2):
        if kept[i].__class__ is not Packed:
            kept[i], kept[i + 1] = self._cell, self._cell.version


# -- history

def rebase(self, node) -> None:
    """After a write by `node`: it becomes the history of `self`, or of the base that `self` views."""
    info = self._view
    if info is None:
        move_retained(self, node)
        self._edge = (node, 0)
        return
    base = info.base
    source = base._cell.aval
    edge = edge_of(base) if base._edge is not None else None
    written = nodes.copy_slices(edge, node, chain_from(base, self._cell), source, self)
    if node.plan is not None and node.plan.save_outs:
        node.within = weakref.ref(written)
    move_retained(base, written)
    base._edge = (written, 0)
    info.had_node, info.last, info.written, self._edge = True, None, written.seq, STALE


def chain_from(base, cell) -> tuple:
    """The steps from the base tensor to the view (the base may itself sit on a chain)."""
    start = base._cell.chain if base._cell.base is not None else ()
    aval, source = cell.aval, base._cell.aval
    if cell.chain[:len(start)] == start:
        return _steps(cell.chain[len(start):], aval, source)
    return (window(aval, source),)  # the base was reordered in place (t_), or is a window itself


def move_retained(self, node) -> None:
    """Hooks and retain_grad of a tensor follow it to its new Node."""
    old = self._edge
    if old is not None and len(old) == 2:
        node.take_retained(*old)
