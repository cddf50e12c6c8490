"""The graph side of custom Functions: the Node, and how results of ``forward`` get their history.

The Node and the ctx that users see are two objects, because ctx takes any attribute a user likes
(``ctx.seq``, ``ctx.saved``) and the engine's own must not be in its way.
"""

import warnings
import weakref

from torchlike._base import dtypes as dt
from torchlike._ops.table import ROWS
from torchlike._record import creation_meta, views
from torchlike._record.bind import bind
from torchlike._record.history import edge_of
from torchlike._record.inplace import cast, check_inference, move_retained, rebase
from torchlike._record.site import count_write
from torchlike._record.tensor import LEAF, Tensor
from torchlike._record.trace import state
from torchlike.autograd.node import FreeNode

_AS_IS_SAVED = (
    "An input that has been returned as-is as output is being saved for backward. This is not supported if "
    "you override setup_context. You should return and save a view of the input instead, e.g. with "
    "x.view_as(x) or setup ctx inside the forward function itself.")
_DIRTY_MISSING = (
    "Some elements marked as dirty during the forward method were not returned as output. The inputs that "
    "are modified inplace must all be outputs of the Function.")
_DIRTY_VIEW = (
    "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
    "return more than one Tensor. This is not supported by the current autograd engine. You should either "
    "make sure the input is not a view (using .clone() for example) or make your Function only return one "
    "Tensor (potentially splitting it into two Functions: one doing the inplace that returns a single Tensor "
    "and a second one that does the other operations). You can ask on the forum https://discuss.pytorch.org/ "
    "if you need help to do this change.")
_DIRTY_OTHER = ("ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been "
                "mutated should be passed to ctx.mark_dirty().")
_DIRTY_LEAF = "a leaf Variable that requires grad has been used in an in-place operation."
_DIRTY_LEAF_VIEW = "a view of a leaf Variable that requires grad is being used in an in-place operation."
_REAL_FOR_COMPLEX = (
    "Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be true, but "
    "got false.  (Could this error message be improved?  If so, please report an enhancement request to "
    "PyTorch.)")


class FunctionNode(FreeNode):
    """The Node of one call of a custom Function.

    ``ctx`` is what users see of it; ``tensor_flags`` says which inputs of forward are tensors (each has
    an edge); ``avals`` are the Avals of the outputs, None for one that is no tensor.
    """

    __slots__ = ("ctx", "tensor_flags")
    wants_undefined = True

    def __init__(self, ctx, edges, tensor_flags):
        super().__init__(edges, ())
        self.ctx, self.tensor_flags = ctx, tensor_flags

    def name(self) -> str:
        return type(self.ctx).__name__

    def __repr__(self):
        return repr(self.ctx)

    @property
    def public(self):
        self.ctx._hold(self)
        return self.ctx

    @property
    def metadata(self):
        return self.ctx.metadata

    def release(self) -> None:
        """Free what ctx saved."""
        self.ctx._free()

    def backward(self, grads) -> list:
        """The gradients of the tensor inputs, from the user's backward, checked and in their dtype."""
        if self.ctx._materialize_grads:
            grads = [_zeros(a) if g is None and a is not None else g
                     for g, a in zip(grads, self.avals, strict=True)]
        results = self.ctx.apply(*grads)
        results = self._for_tensors(results if isinstance(results, tuple) else (results,))
        pairs = zip(results, self.edges, strict=True)
        return [_fit(self.name(), i, g, edge) for i, (g, edge) in enumerate(pairs)]

    def _for_tensors(self, results) -> list:
        name, expected = self.name(), len(self.tensor_flags)
        if len(results) > expected and all(g is None for g in results[expected:]):
            results = results[:expected]
        if len(results) != expected:
            raise RuntimeError(f"function {name} returned an incorrect number of gradients (expected "
                               f"{expected}, got {len(results)})")
        kept = []
        for i, (g, is_tensor) in enumerate(zip(results, self.tensor_flags, strict=True)):
            if is_tensor:
                if g is not None and not isinstance(g, Tensor):
                    raise RuntimeError(f"expected Variable or None (got {type(g).__name__})")
                kept.append(g)
            elif g is not None:
                raise RuntimeError(f"function {name} returned a gradient different than None at position "
                                   f"{i + 1}, but the corresponding forward input was not a Variable")
        return kept


class HeldNode(FunctionNode):
    """Stands for a call's Node when that is gone and a user still holds its ctx, which this one does not hold."""

    __slots__ = ("_reference",)
    ctx = property(lambda self: self._reference())

    def __init__(self, node):
        for name in ("plan", "edges", "saved", "numbers", "seq", "child", "site", "avals", "tensor_flags"):
            setattr(self, name, getattr(node, name))
        self.hooks = node.own_hooks()  # the same ones
        self._reference = weakref.ref(node.ctx)


def _zeros(aval) -> Tensor:
    return bind(ROWS["_zeros"], (), (), (tuple(aval.shape), aval.dtype, aval.device))


def _fit(name, i, g, edge):
    """A gradient as the receiving Node wants it: summed to its shape, cast to its dtype."""
    if g is None or edge is None:  # an input that requires no gradient: only hooks see this one
        return g
    target = edge[0].output_aval(edge[1])
    aval = g._cell.aval
    if tuple(aval.shape) != tuple(target.shape):
        g = _sum_to(name, i, g, tuple(target.shape))
    if aval.dtype is target.dtype:
        return g
    if not aval.dtype.is_floating_point and aval.dtype.is_complex != target.dtype.is_complex:
        raise RuntimeError(_REAL_FOR_COMPLEX)
    return bind(ROWS["_to_copy"], (g,), (), (target.dtype,)) if g._edge is not None else cast(g, target.dtype)


def _sum_to(name, i, g, target):
    shape = tuple(g._cell.aval.shape)
    lead = len(shape) - len(target)
    if lead < 0 or any(want not in (1, size) for size, want in zip(shape[lead:], target, strict=True)):
        raise RuntimeError(f"Function {name} returned an invalid gradient at index {i} - got {list(shape)} "
                           f"but expected shape compatible with {list(target)}")
    dims = (*range(lead), *(lead + k for k, want in enumerate(target) if want == 1 and shape[lead + k] != 1))
    if dims:
        g = bind(ROWS["sum.dim_IntList"], (g,), (), (dims, True, None))
    return views.view(ROWS["view"], g, (target,)) if lead else g


# -- results of forward

class Outputs:
    """What forward returned, turned into the results of ``apply``."""

    def __init__(self, node, executable, inputs, dirty, hidden, as_is_saved):
        self.node, self.executable = node, executable
        self.inputs = {id(x) for x in inputs if isinstance(x, Tensor)}
        self.dirty = {id(x) for x in dirty}
        self.hidden = {id(x) for x in hidden}
        self.as_is_saved = as_is_saved  # inputs that setup_context saved
        self.differentiable = 0

    def process(self, outputs) -> tuple:
        """The results, in order, with history where a gradient can flow."""
        found = {id(out) for out in outputs if isinstance(out, Tensor)}
        self.node.avals = tuple(out._cell.aval if isinstance(out, Tensor) else None for out in outputs)
        results = tuple(self._one(i, out, len(outputs)) if isinstance(out, Tensor) else out
                        for i, out in enumerate(outputs))
        if self.dirty - found:
            raise RuntimeError(_DIRTY_MISSING)
        if self.differentiable > 1:
            for out in results:
                if isinstance(out, Tensor) and out._view is not None:
                    _mark(out, creation_meta.MULTI_OUTPUT)
        return results

    def _one(self, i, out, count):
        key = id(out)
        is_input, is_dirty = key in self.inputs, key in self.dirty
        wanted = self.executable and key not in self.hidden and out._cell.aval.dtype.category >= dt.FLOAT
        if wanted:
            self.differentiable += 1
            out = self._with_history(i, out, is_input, is_dirty, count)
        elif out._edge is None:
            out = _alias(out) if is_input and not is_dirty else out
        elif is_input:
            out = views.detach(out)
        elif out._view is None:
            out._edge = None
        if not (is_input and is_dirty) and out._view is not None:
            _mark(out, creation_meta.CUSTOM)
        return out

    def _with_history(self, i, out, is_input, is_dirty, count):
        if not is_input:
            if is_dirty:
                _not_an_input(out)
            out._edge = (self.node, i)
        elif is_dirty:
            self._rewrite(i, out, count)
        else:
            if id(out) in self.as_is_saved:
                raise RuntimeError(_AS_IS_SAVED)
            out = _alias(out)
            out._edge = (self.node, i)
        return out

    def _rewrite(self, i, out, count):
        """An input that forward wrote to: this Function becomes its history."""
        if out._edge is LEAF:
            raise RuntimeError(_DIRTY_LEAF)
        out._grad = None  # as in PyTorch: what was accumulated belongs to the value before
        if out._view is None:
            move_retained(out, self.node)
            out._edge = (self.node, i)
            return
        if out._view.meta != creation_meta.DEFAULT:
            raise creation_meta.refusal(out)
        if count > 1:
            raise RuntimeError(_DIRTY_VIEW)
        if out._view.base._edge is LEAF:
            raise RuntimeError(_DIRTY_LEAF_VIEW)
        rebase(out, self.node)


def _not_an_input(out) -> None:
    """A result was marked as dirty that is no input of forward."""
    if out._view is not None:
        raise RuntimeError(_DIRTY_OTHER)
    warnings.warn(_DIRTY_OTHER, UserWarning, stacklevel=2)


def _alias(x) -> Tensor:
    """`x` as a view of itself, of its class but for parameters, without history."""
    thread = state.thread
    before, thread.grad = thread.grad, False
    try:
        made = x.view_as(x)  # as PyTorch does, so that modes see it
    finally:
        thread.grad = before
    made.__class__ = Tensor if x._is_param else type(x)
    return made


def _mark(out, meta) -> None:
    info = out._view
    out._view = views.ViewInfo(info.base, meta, info.version)


def bump_versions(dirty) -> None:
    """``mark_dirty`` counts as a write."""
    for x in dirty:
        check_inference(x._cell)
        count_write(x._cell)


def edges_of(tensors) -> tuple:
    """An edge for each tensor that requires grad, None for the others."""
    return tuple(edge_of(x) if x._edge is not None else None for x in tensors)
