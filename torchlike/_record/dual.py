"""Dual tensors: a value and its tangent, for forward-mode automatic differentiation.

A dual tensor's cell is a DualCell, which holds two ordinary Tensors. It belongs to no trace, so every
operation on it leaves the recorder's short path (DualMode), and is done on both: the row on the
values, its tangent (`_compile/tangents.py`) on values and tangents. Views and writes are done on both
as well, so aliasing needs nothing of its own. The functions here get `bind` and the like as arguments:
those modules come later.
"""

from torchlike._compile import tangents
from torchlike._record.cell import Cell, counter_of
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.trace import DUAL, force, state


class Level:
    """A stretch of forward-mode differentiation; ``active`` until it is left."""

    __slots__ = ("active",)

    def __init__(self):
        self.active = True


class DualCell(Cell):
    """``primal`` and ``tangent`` are Tensors; the rest is what a Cell has, read from the primal's."""

    __slots__ = ("level", "primal", "tangent")

    def __init__(self, primal, tangent, level):
        self.primal, self.tangent, self.level = primal, tangent, level
        self.trace, self.slot = None, DUAL

    base = views = None
    array = property(lambda self: force(self.primal._cell))
    aval = property(lambda self: self.primal._cell.aval)
    version = property(lambda self: self.primal._cell.version, lambda self, v: self._count(v))
    inference = property(lambda self: self.primal._cell.inference)

    def _count(self, version):
        counter_of(self.primal._cell).version = version


class Dual(Tensor):
    """A Tensor whose history, gradient and hooks are those of its primal."""


def _of_primal(name):
    def get(self):
        return getattr(self._cell.primal, name)

    def put(self, value):
        setattr(self._cell.primal, name, value)

    return property(get, put)


for _name in ("_edge", "_view", "_grad", "_acc", "_hooks", "_post_hooks", "_retains"):
    setattr(Dual, _name, _of_primal(_name))


def dual(primal, tangent, level) -> Dual:
    """The dual tensor of both."""
    made = object.__new__(Dual)
    made._cell = DualCell(primal, tangent, level)
    return made


def become_dual(x, tangent, level) -> None:
    """An ordinary Tensor gets a tangent; its state moves to a primal of its own."""
    primal = wrap(x._cell)
    for name in list(x.__dict__):
        primal.__dict__[name] = x.__dict__.pop(name)
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


def apply_row(bind, bind_kernel, kernel_for, row, operands, numbers, params):
    """`bind` where an operand is dual. `kernel_for` gives the kernel first and its numbers last."""
    plain = _values(operands)
    tensors = flat(operands)
    level = level_of(tensors)
    if level is None:
        return bind(row, plain, numbers, params)
    kernel, _, _, given = kernel_for(row, plain, numbers, params)
    moved = _tangents_of(bind_kernel, kernel, tensors, given)
    out = bind(row, plain, numbers, params)
    made = _joined(out if isinstance(out, tuple) else (out,), moved, tensors, level)
    return made if isinstance(out, tuple) else made[0]


def apply_kernel(bind_kernel, kernel, tensors, numbers):
    """`bind_kernel` where a tensor is dual."""
    plain = [parts(x)[0] for x in tensors]
    level = level_of(tensors)
    if level is None:
        return bind_kernel(kernel, plain, numbers)
    moved = _tangents_of(bind_kernel, kernel, tensors, numbers)
    return _joined(bind_kernel(kernel, plain, numbers), moved, tensors, level)


def _tangents_of(bind_kernel, kernel, tensors, numbers) -> dict:
    """Tangent of each result that has one, by number."""
    pairs = [parts(x) for x in tensors]
    moving = tuple(i for i, (_, t) in enumerate(pairs) if t is not None)
    results = tangents.moving_results(kernel, moving)
    if not results:
        return {}
    found = bind_kernel(tangents.of_kernel(kernel, moving), [*(p for p, _ in pairs), *(pairs[i][1] for i in moving)],
                        numbers)
    return dict(zip(results, found, strict=True))


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


def rewrapped(cell) -> Tensor:
    """A Tensor of any cell, without history: a Node may keep it of its own result, no cycle leads through it."""
    return dual(wrap(cell.primal._cell), cell.tangent, cell.level) if cell.__class__ is DualCell else wrap(cell)


def views_of_both(views, x) -> tuple:
    """Views of a dual tensor: `views` of its value and of its tangent."""
    primal, tangent = parts(x)
    found = views(primal)
    if tangent is None:
        return found
    return tuple(dual(p, t, x._cell.level) for p, t in zip(found, views(tangent), strict=True))


