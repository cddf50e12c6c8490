"""Dual tensors: a value and its tangent, for forward-mode automatic differentiation.

A dual tensor's cell is a DualCell, which holds two ordinary Tensors. It belongs to no trace and brings a handler, which does
every operation on both: the row on the values, its tangent (`_compile/tangents.py`) on values and tangents. Views and writes
are done on both as well, so aliasing needs nothing of its own.
"""

from torchlike._base.errors import UnsupportedError
from torchlike._compile import tangents
from torchlike._modes import vmap_levels
from torchlike._ops import promotion
from torchlike._ops.table import ROWS
from torchlike._record.bind import bind, bind_kernel
from torchlike._record.cell import Cell, counter_of
from torchlike._record.dispatch import Handler, Operation
from torchlike._record.inplace import chain_from, inplace, write_value
from torchlike._record.saved import rewrapped
from torchlike._record.tensor import Tensor, all_attributes, wrap
from torchlike._record.torch_function import disabled_torch_function_impl
from torchlike._record.trace import force, state
from torchlike._record.views import view


class Level:
    """A stretch of forward-mode differentiation; ``active`` until it is left."""

    __slots__ = ("active",)

    def __init__(self):
        self.active = True


class DualHandler(Handler):
    """Does the operations on dual tensors, on values and tangents one after the other."""

    def handle(self, operation: Operation):
        """The result, dual where it has a tangent. Tangents of a level that was left do not count."""
        if operation.is_view:
            return self._views(operation)
        tensors = flat(operation.operands)
        plain = operation.with_operands(_values(operation.operands))
        level = level_of(tensors)
        if level is None:
            return plain.run()
        kernel, _, _, given = plain.kernel()
        moved = _tangents_of(kernel, tensors, given)
        out = plain.run()
        made = _joined(out if isinstance(out, tuple) else (out,), moved, tensors, level)
        return made if isinstance(out, tuple) else made[0]

    def _views(self, operation):
        x, = operation.operands
        primal, tangent = parts(x)
        found = operation.with_operands((primal,)).run()
        if tangent is None:
            return found
        moved = operation.with_operands((tangent,)).run()
        if isinstance(found, tuple):
            return tuple(dual(p, t, x._cell.level) for p, t in zip(found, moved, strict=True))
        return dual(found, moved, x._cell.level)

    def write(self, row, self_, out, before) -> None:
        """Write the value of a dual result to the value of the tensor `self_`, and its tangent to the tangent."""
        value, tangent = parts(out)
        if self_._cell.handler is None:
            _start_tangent(self_, out._cell.level, tangent)
        mine, old = parts(self_)
        write_value(row, mine, value, before)
        inplace(ROWS["copy"], (old, tangent))


class DualCell(Cell):
    """``primal`` and ``tangent`` are Tensors; the rest is what a Cell has, read from the primal's."""

    __slots__ = ("level", "primal", "tangent")
    handler = DualHandler()

    def __init__(self, primal, tangent, level):
        self.primal, self.tangent, self.level = primal, tangent, level
        self.trace, self.slot = None, -1

    base = views = None
    array = property(lambda self: force(self.primal._cell))
    aval = property(lambda self: self.primal._cell.aval)
    version = property(lambda self: self.primal._cell.version, lambda self, v: self._count(v))
    inference = property(lambda self: self.primal._cell.inference)

    def _count(self, version):
        counter_of(self.primal._cell).version = version

    def rewrapped(self) -> Tensor:
        """A dual Tensor of this cell, without history."""
        return dual(wrap(self.primal._cell), self.tangent, self.level)


class Dual(Tensor):
    """A Tensor whose history, gradient and hooks are those of its primal."""

    __torch_function__ = staticmethod(disabled_torch_function_impl)


def _of_primal(name):
    def get(self):
        return getattr(self._cell.primal, name)

    def put(self, value):
        setattr(self._cell.primal, name, value)

    return property(get, put)


for _name in ("_edge", "_view", "_grad", "_acc", "_hooks", "_post_hooks", "_retains", "_grad_dtype"):
    setattr(Dual, _name, _of_primal(_name))


def dual(primal, tangent, level) -> Dual:
    """The dual tensor of both."""
    made = object.__new__(Dual)
    made._cell = DualCell(primal, tangent, level)
    return made


def become_dual(x, tangent, level) -> None:
    """An ordinary Tensor gets a tangent; its state moves to a primal of its own."""
    primal = wrap(x._cell)
    attributes = all_attributes(x)
    all_attributes(primal).update(attributes)
    attributes.clear()
    x.__class__ = Dual
    x._cell = DualCell(primal, tangent, level)


def parts(x) -> tuple:
    """(value, tangent or None) of any Tensor."""
    cell = x._cell
    if cell.__class__ is not DualCell:
        return x, None
    return cell.primal, cell.tangent if cell.level.active else None


def level_of(tensors):
    """The active Level of the first dual tensor among these, or None."""
    for x in tensors:
        cell = x._cell
        if cell.__class__ is DualCell and cell.level.active:
            return cell.level
    return None


def flat(operands) -> list:
    """The Tensors among a row's operands."""
    found = []
    for x in operands:
        if isinstance(x, Tensor):
            found.append(x)
        elif isinstance(x, tuple):
            found.extend(y for y in x if isinstance(y, Tensor))
    return found


def _values(operands):
    return tuple(parts(x)[0] if isinstance(x, Tensor) else
                 tuple(y if y is None else parts(y)[0] for y in x) if isinstance(x, tuple) else x for x in operands)


def _tangents_of(kernel, tensors, numbers) -> dict:
    """Tangent of each result that has one, by number."""
    pairs = [parts(x) for x in tensors]
    moving = tuple(i for i, (_, t) in enumerate(pairs) if t is not None)
    results = tangents.moving_results(kernel, moving)
    if not results:
        return {}
    given = [pairs[i] for i in moving]
    found = bind_kernel(tangents.of_kernel(kernel, moving), [*(p for p, _ in pairs), *(fitting(*pair) for pair in given)],
                        numbers)
    return dict(zip(results, [widened(t, given) for t in found], strict=True))


def fitting(x, tangent) -> Tensor:
    """The tangent in the dtype of `x`, in which derivatives are computed. UnsupportedError for a complex one of real `x`."""
    coming, own = tangent._cell.aval.dtype, x._cell.aval.dtype
    if coming is own:
        return tangent
    if coming.is_complex and not own.is_complex:
        raise UnsupportedError(f"forward mode with a tangent of dtype {coming} for a real tensor ({own})")
    return _converted(tangent, own)


def widened(found, given) -> Tensor:
    """A tangent that was found, promoted, as in PyTorch, with those of the `given` (value, tangent) that have dtypes of
    their own."""
    own = dtype = found._cell.aval.dtype
    for x, tangent in given:
        coming = tangent._cell.aval.dtype
        if coming is not x._cell.aval.dtype:
            dtype = promotion.promote_types(dtype, coming if own.is_complex else coming.to_real())
    return found if dtype is own else _converted(found, dtype)


def _converted(x, dtype):
    return bind(ROWS["_to_copy"], (x,), (), (dtype,))


def _joined(outs, moved, tensors, level) -> tuple:
    """The results, dual where they have a tangent, of an operation on `tensors`."""
    made = tuple(dual(out, moved[i], level) if i in moved else out for i, out in enumerate(outs))
    _save_duals(outs, tensors, made)
    return made


def _save_duals(outs, tensors, made) -> None:
    """The Node keeps the dual tensors: gradients of a dual are dual, and replaying would not see that."""
    edge = next((out._edge for out in outs if out._edge is not None), None)
    if edge is None or not state.thread.grad:
        return
    node = edge[0]
    if node.saved is None or node.plan is None:
        return
    node.token = None
    kept, plan = list(node.saved), node.plan
    for k, i in enumerate(plan.save_ins):
        if isinstance(kept[2 * k], Tensor):
            kept[2 * k] = tensors[i]
    start = 2 * len(plan.save_ins)
    for k, i in enumerate(plan.save_outs):
        if isinstance(kept[start + 2 * k], Cell):
            kept[start + 2 * k] = rewrapped(made[i]._cell)._cell
    node.saved = kept


def _start_tangent(x, level, coming) -> None:
    """An ordinary tensor that becomes dual starts with a tangent of zeros; of a view the base does."""
    def zeros(y):
        return vmap_levels.like(bind(ROWS["mul"], (wrap(y._cell), 0.0), (), ()), coming)

    info = x._view
    if info is None:
        become_dual(x, zeros(x), level)
        return
    base = info.base
    if base._cell.handler is None:
        become_dual(base, zeros(base), level)
    tangent = base._cell.tangent
    for row, params in chain_from(base._cell.primal, x._cell):
        tangent = view(row, tangent, params)
    become_dual(x, tangent, level)
