"""Forward mode through a custom Function: its ``jvp``.
https://pytorch.org/docs/stable/notes/extending.html#forward-mode-ad
"""

from torchlike._base import dtypes as dt
from torchlike._modes.dual import dual, level_of, parts
from torchlike._ops.table import ROWS
from torchlike._record.bind import bind
from torchlike._record.cell import storage_of
from torchlike._record.tensor import Tensor

_COUNT = "Function's jvp returned an invalid number of forward gradients (expected {} but got {})"
_NOT_DIFFERENTIABLE = (
    "Function's jvp returned a gradient at position {}, but  the corresponding forward output is not a differentiable "
    "Tensor.You should return None at that position instead.")
_NO_VIEW = (
    "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view.")
_NOT_IN_PLACE = (
    "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is modifying an "
    "input inplace, then the jvp function must modify the corresponding gradient inplace.")
_SIZE = (
    "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
    "Tensor is of size {} while the given forward gradient is of size {}.")


def level_among(args):
    """The Level of the first dual tensor among the arguments of ``apply``, or None."""
    return level_of([x for x in args if isinstance(x, Tensor)])


def run_forward_mode(run, args, level):
    """The results of `run(args)`, which gives (ctx, results), with the tangents that the Function's jvp gives them."""
    pairs = [parts(x) if isinstance(x, Tensor) else (x, None) for x in args]
    ctx, output = run(tuple(x for x, _ in pairs))
    outputs = output if isinstance(output, tuple) else (output,)
    given = tuple(_given(ctx, x, t) for x, t in pairs)
    ctx._given = ctx.saved_for_forward or ()
    try:
        found = ctx.apply_jvp(*given)
    finally:
        ctx._given = None
    found = found if isinstance(found, tuple) else (found,)
    if len(found) != len(outputs):
        raise RuntimeError(_COUNT.format(len(outputs), len(found)))
    made = tuple(_with_tangent(i, out, t, args, pairs, level)
                 for i, (out, t) in enumerate(zip(outputs, found, strict=True)))
    return made if isinstance(output, tuple) else made[0]


def _given(ctx, x, tangent):
    """What jvp gets for an input: zeros for one without a tangent, unless the Function wants to know."""
    if tangent is not None or not isinstance(x, Tensor) or not ctx._materialize_grads or x.dtype.category < dt.FLOAT:
        return tangent
    return bind(ROWS["_zeros"], (), (), (tuple(x.shape), x.dtype, x.device))


def _with_tangent(i, out, tangent, args, pairs, level):
    if tangent is None:
        return out
    if not isinstance(tangent, Tensor):
        raise RuntimeError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {i}.")
    if not isinstance(out, Tensor) or out.dtype.category < dt.FLOAT:
        raise RuntimeError(_NOT_DIFFERENTIABLE.format(i))
    for x, (value, before) in zip(args, pairs, strict=True):
        if out is value:
            if tangent is not before:
                raise RuntimeError(_NOT_IN_PLACE)
            return x
        if isinstance(value, Tensor) and before is not None and storage_of(out._cell) is storage_of(value._cell) \
                and storage_of(tangent._cell) is not storage_of(before._cell):
            raise RuntimeError(_NO_VIEW)
    if out.shape != tangent.shape:
        raise RuntimeError(_SIZE.format(list(out.shape), list(tangent.shape)))
    return dual(out, tangent, level)
