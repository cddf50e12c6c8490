"""Making views: a Tensor that reads another's Storage through a chain of view rows.

How a view may be written to follows PyTorch's creation meta:
https://pytorch.org/docs/stable/notes/autograd.html#in-place-operations-with-autograd
"""

import operator
import weakref

from torchlike._compile import avals
from torchlike._ops.table import ROWS
from torchlike._record import explain_log, tree
from torchlike._record.bind import Apply, bind
from torchlike._record.cell import Counter, ViewCell, counter_of, register_view, storage_of
from torchlike._record.creation_meta import DEFAULT, INFERENCE, MULTI_OUTPUT, NO_GRAD, maker, of_view
from torchlike._record.dispatch import Operation, dispatch, observer, trace_for
from torchlike._record.history import attach, check_usable, window
from torchlike._record.host_window import at_hand, is_window
from torchlike._record.layout import call, kernel_of
from torchlike._record.shared_memory import Outside
from torchlike._record.tensor import LEAF, STALE, Tensor, wrap
from torchlike._record.trace import NotHere, state
from torchlike._record.wrong_calls import instead_of

_LONGEST = 32  # steps
_REPEATED = 1 << 24  # elements of a view that are more than its memory has
_PICKED: dict = {}  # (row, aval) -> the parameters of picks so far
_FEW, _FORMS = 64, 1000


class ViewInfo:
    """What a view tensor knows: its base Tensor and how it was made (`meta`, see creation_meta.py).

    ``made_by``: its output number and its Node's name, kept for errors when its history is lost to a write.
    ``version``: the version it was made at. Where it was made without history (under no_grad, or before its base
    required grad) it has none until a write, though it requires grad as its base does. ``had_node``: whether it had
    a Node before the last write. PyTorch's view holds the Node that it had until its history is asked for again: that is
    ``last``, or the one that it has from the write numbered ``written`` on, which is made when somebody needs it.
    """

    __slots__ = ("base", "had_node", "last", "made_by", "meta", "version", "written")

    def __init__(self, base, meta, version):
        self.base, self.meta, self.made_by, self.version, self.had_node = base, meta, None, version, False
        self.last = self.written = None


def view(row, self, params) -> Tensor:
    """The view of `self` that the one-result view row makes."""
    t = state.open or trace_for(row)
    if t is None:
        return dispatch(TakeView(row, (self,), (), params))
    try:
        c = self._cell
    except AttributeError as error:
        raise instead_of(error) from None
    some = c.apart if c.base is not None else c.array is not None and (row.view.pick is not None or c.trace is not None)
    if some and _may_stay_apart(row, self, params):
        return _apart(t, row, self, params)
    try:
        s = c.slot if c.trace is t else t.enter(c)
        key = (row, params, s)
        child = t.node.get(key)
    except NotHere as elsewhere:
        return elsewhere.take(TakeView(row, (self,), (), params))
    if child is None:
        try:
            if any(isinstance(x, Tensor) for x in params):
                return view(row, self, _ints(params))
            child = _miss(t, key, row, self, params)
        except Exception as error:  # noqa: BLE001 - any may come of wrong arguments
            raise instead_of(error) from None
    values = t.values
    if len(values) != child.first:
        t.mend()
    cell = ViewCell(t, child.first, child.out, c if c.base is None else c.base,
                    _chain(c, row, params, child.out) if c.base is not None else ((row, params),), counter_of(c))
    values.append(cell)
    t.node = child
    out = _viewing(t, self, cell)
    if self._edge is not None and t.thread.grad and not c.inference:
        attach(t, child, (out,), (self,), ())
    return out


class TakeView(Apply):
    """A view row with one result: what `view` records."""

    __slots__ = ()
    is_view = True

    def run(self) -> Tensor:
        """The view."""
        return view(self.row, self.operands[0], self.params)

    def adopt(self, outs: list) -> Tensor:
        """The result as a view of the operand."""
        return _adopt(self.operands[0], outs, self.row, self.params, DEFAULT)[0]


class TakeViews(Apply):
    """A view row with several results: what `views` records."""

    __slots__ = ()
    is_view = True

    def run(self) -> tuple:
        """The views."""
        return views(self.row, self.operands[0], self.params)


def _viewing(t, self, cell) -> Tensor:
    """The Tensor of a new view `cell` of `self`, without a Node."""
    register_view(cell.base, weakref.ref(cell))
    if cell.base.trace.__class__ is Outside:
        _stay_outside(cell)
    out = wrap(cell)
    info = self._view
    base = self if info is None else info.base
    meta = DEFAULT
    if not t.thread.grad:
        meta = INFERENCE if t.thread.inference else NO_GRAD
        if base._edge is not None and not cell.inference:
            out._edge = STALE  # like its base it requires grad
    if info is not None:
        meta = of_view(info.meta, meta)
    if not cell.inference:
        out._view = ViewInfo(base, meta, cell.version)
        cell.owner = weakref.ref(out)
    elif cell.base.inference:
        cell.counter = cell.base
    return out


def _may_stay_apart(row, self, params) -> bool:
    """Whether a pick is one of many from a tensor that is computed, as the samples of a data set are.

    A kernel is made for each index; after the first few the window is read on the host instead. A pick of a pick is
    read, too. Any other view of one is recorded from the base on, since its offset counts.
    """
    c = self._cell
    plain = self._edge is None and c.handler is None and not state.thread.frames
    if plain and row.view.is_window and storage_of(c).trace.__class__ is Outside:
        return True
    if plain and row.view.pick is not None and at_hand(c):
        if c.base is not None:
            return True
        seen = _PICKED.get((row, c.aval))
        if seen is None:
            if len(_PICKED) >= _FORMS:
                _PICKED.clear()
            seen = _PICKED[row, c.aval] = set()
        if params in seen:
            return False
        if len(seen) >= _FEW:
            return True
        seen.add(params)
    if c.base is not None:
        record_from_base(c)
    return False


def _stay_outside(cell) -> None:
    """A view of memory that others write to is in no trace, as that is: each use reads anew."""
    if cell.trace is not None:
        cell.trace.values[cell.slot] = None
    cell.trace, cell.array, cell.apart = None, None, True


def record_from_base(cell) -> None:
    """A view that stayed apart becomes one like others."""
    cell.apart = False
    cell.trace = None
    state.trace.foreign.pop(cell, None)


def _ints(params) -> tuple:
    """The parameters with the numbers of tensors, which PyTorch's parser takes for ints, too."""
    return tuple(operator.index(x) if isinstance(x, Tensor) else x for x in params)


def _apart(t, row, self, params) -> Tensor:
    c, params = self._cell, _ints(params)
    old = c.aval
    shape, strides, offset = row.view.geometry(tuple(old.shape), old.strides, old.offset,
                                               **dict(zip(row.params, params, strict=True)))
    aval = avals.moved(avals.aval(tuple(shape), old.dtype, old.device, tuple(strides)), offset)
    storage, chain = (c, ((row, params),)) if c.base is None else (c.base, _chain(c, row, params, aval))
    cell = ViewCell(None, -1, aval, storage, chain, counter_of(c))
    cell.apart = True
    return _viewing(t, self, cell)


def _chain(cell, row, params, aval) -> tuple:
    """The steps to a view of the view `cell`. Many are one window on the memory, so that views of views stay cheap, and so
    is a part of what repeats the memory very often, so that a write to it does not go through all of that."""
    chain = (*cell.chain, (row, params))
    base = cell.base.aval
    is_short = len(chain) <= _LONGEST and cell.aval.numel <= max(base.numel, _REPEATED)
    if is_short or aval.dtype is not base.dtype or not is_window(chain):
        return chain
    return (window(aval, base),)


def _miss(t, key, row, self, params):
    if t.thread.grad:
        check_usable((self,))
    aval = self._cell.aval
    kernel, outs = kernel_of(row, ("a",), (aval,), (), params, aval.device)
    return tree.add(t.node, key, call(kernel, (key[2],), ()), outs)


def views(row, self, params) -> tuple:
    """The views of a row with several results (split, unbind)."""
    if state.open is None and trace_for(row) is None:
        return dispatch(TakeViews(row, (self,), (), params))
    try:
        handler = self._cell.handler
    except AttributeError as error:
        raise instead_of(error) from None
    if handler is not None:
        return handler.handle(TakeViews(row, (self,), (), params))
    if self._cell.base is not None and self._cell.apart:
        record_from_base(self._cell)
    outs = bind(row, (self,), (), params)
    outs = outs if isinstance(outs, tuple) else (outs,)
    thread = state.thread
    meta = INFERENCE if thread.inference else MULTI_OUTPUT if thread.grad else NO_GRAD
    return tuple(_adopt(self, outs, row, params, meta))


def _adopt(self, outs, row, params, meta) -> list:
    """Turn results of a view row, which have history, into views of `self`."""
    cell = self._cell
    chain = cell.chain if cell.base is not None else ()
    named = dict(zip(row.params, params, strict=True))
    base_tensor = self if self._view is None else self._view.base
    meta = meta if self._view is None else of_view(self._view.meta, meta)
    for i, out in enumerate(outs):
        member = (row, params)
        if row.view.member is not None:
            name, member_params = row.view.member(i, cell.aval.shape, **named)
            member = (ROWS[name], member_params)
        old = out._cell
        base = storage_of(cell)
        made = ViewCell(old.trace, old.slot, old.aval, base, (*chain, member), counter_of(cell))
        made.array = old.array
        if old.trace is not None:
            old.trace.values[old.slot] = made
        register_view(base, weakref.ref(made))
        if base.trace.__class__ is Outside:
            _stay_outside(made)
        out._cell = made
        if made.inference:
            out._edge = None
        else:
            out._view = ViewInfo(base_tensor, meta, made.version)
            made.owner = weakref.ref(out)
            if base_tensor._edge is not None and not state.thread.grad:
                out._edge = STALE
    return list(outs)


def detach(self) -> Tensor:
    """A tensor on the same Storage without history, and without the tangent of a dual tensor."""
    cell = self._cell
    if state.open is None or cell.handler is not None:
        handler = observer() or cell.handler
        if handler is not None and handler.sees_all:
            return handler.handle(Detach(None, (self,)))
    alone = wrap(cell if cell.handler is None else cell.primal._cell)
    if alone._cell.inference and not state.thread.inference:
        return _recounted(alone)
    if self._edge is not None:
        explain_log.note_value(state.trace, explain_log.DETACHED, alone._cell)
    if state.thread.frames:
        alone = view(ROWS["_detach"], alone, ())
        alone._view = None
    return alone


class Detach(Operation):
    """What `detach` does."""

    __slots__ = ()
    is_view = True
    name = "detach.default"
    args = property(lambda self: self.operands)
    kwargs = property(lambda self: {})

    def run(self) -> Tensor:
        """The tensor without history."""
        return detach(self.operands[0])


def data(self) -> Tensor:
    """The same memory without history and with a version counter of its own."""
    alone = detach(self)
    return alone if alone._cell.handler is not None and alone._cell.handler.sees_all else _recounted(alone)


def _recounted(x) -> Tensor:
    out = view(ROWS["alias"], x, ())
    out._view = None
    out._cell.counter = Counter(x._cell.inference)
    out._cell.owner = None
    return out


def with_counter_of(x, old):
    """A cell on the memory of `x` that counts writes as the cell `old` does."""
    cell = data(x)._cell
    if any(reference() is not None for reference in storage_of(old).views or ()):
        cell.counter = counter_of(old)
    else:  # nobody shares it, and it need not keep the old memory alive
        cell.counter.version = old.version
    return cell


def forget_values(storage) -> None:
    """Before a write: every view reads the base again when it is looked at. An interruption behind the write finds no view
    that has the old value beside the new one."""
    for reference in tuple(storage.views or ()):  # other threads make further ones meanwhile
        cell = reference()
        if cell is not None:
            cell.trace = cell.array = None


def mark_stale(storage, counter) -> None:
    """After a write: every view reads the base again, and takes its history from it if it shares the version
    `counter` (a write through ``.data`` has one of its own)."""
    references = storage.views
    if references is None:
        return
    for reference in tuple(references):
        cell = reference()
        if cell is None:
            continue
        cell.trace = cell.array = None
        owner = cell.owner() if cell.owner is not None else None
        if owner is None or cell.counter is not counter:
            continue
        info = owner._view
        if info is not None and owner._edge is not STALE and (
                info.base._edge is not None or (owner._edge is not None and owner._edge is not LEAF)):
            if info.meta != DEFAULT:  # its use will be refused, by this name
                info.made_by = maker(owner)
            info.had_node, info.last = owner._edge is not None, owner._edge
            owner._edge = STALE
