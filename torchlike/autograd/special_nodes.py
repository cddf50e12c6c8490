"""Nodes whose backward is more than the instruction of their kernel, or that have none.

The recorder asks for most of them through `torchlike/_record/node_factory.py`. Those of custom Functions are in
`_function/node.py`.
"""

import functools
import weakref

import jax
import jax.numpy as jnp

from torchlike._base import errors
from torchlike._compile.avals import is_dense
from torchlike._compile.gradients import places
from torchlike._modes.transform import call
from torchlike._ops.table import ROWS
from torchlike._record.bind import bind
from torchlike._record.history import rebuilt, regenerate
from torchlike._record.inplace import put
from torchlike._record.thread import SEQUENCE
from torchlike._record.trace import state
from torchlike.autograd.accumulate import accumulate_grad
from torchlike.autograd.node import FreeNode, Node, class_of


class RecordedNodes:
    """The `NodeFactory` of the recorder, see there."""

    class_of = staticmethod(class_of)
    leaf = staticmethod(accumulate_grad)

    @staticmethod
    def in_place(node, row, narrowed):
        """Gives a Node that was recorded as if out of place the class of the row in place.

        Args:
            node: the Node.
            row: the row.
            narrowed: whether its result was cast down.
        """
        name = row.write.node
        if row.write.grad is not None:
            node.__class__ = _ruled(row)
        elif name:
            node.rename(name(dict(zip(row.params, node.plan.kernel.spec[1], strict=True))) if callable(name) else name)
        elif narrowed:
            node.__class__ = _widening(node.__class__)

    @staticmethod
    def copy_slices(edge, fn, chain, aval, written):
        """The Node of a base after a write to a view of it.

        Args:
            edge: the history of the base until now.
            fn: the writing operation's Node.
            chain: the steps from the base to the view, as (row, parameters).
            aval: the form of the base.
            written: the view.

        Returns:
            A `CopySlices`.
        """
        node = CopySlices(edge, fn, chain, aval, written)
        state.thread.tell(node, (written,))
        return node

    @staticmethod
    def window(edge, chain, source, aval):
        """The Node of a view by some steps of a base.

        Args:
            edge: the history of the base.
            chain: the steps, as (row, parameters).
            source: the form of the base.
            aval: that of the view.

        Returns:
            A `Window`.
        """
        return Window(edge, chain, source, aval)

    @staticmethod
    def pure(function, sources, avals, saves):
        """The Node of results that a pure function of arrays computed from tensors.

        Args:
            function: the function.
            sources: Tensors of the values that were read, with the edges that these had.
            avals: the forms of the results.
            saves: whether PyTorch's Nodes would keep values, which a backward pass frees.

        Returns:
            A `PureCall`.
        """
        return PureCall(function, sources, avals, saves)


def _named(name):
    """Gives a class the name under which users see it."""
    def rename(kind):
        kind.__name__ = kind.__qualname__ = name
        return kind

    return rename


# -- writes in place

_WIDENING: dict = {}


@functools.cache
def _ruled(row):
    """The Node class of a row whose in-place form has a gradient rule of its own, which raises: PyTorch has no formula."""
    def backward(self, grads):
        return [row.write.grad(grads[0])]

    return type(row.write.node, (Node,), {"__slots__": (), "__module__": "torch.autograd.graph", "backward": backward,
                                          "replayable": False})


def _widening(kind):
    """The Node class `kind` for a result that was rounded to a narrower dtype: its gradient comes in that."""
    found = _WIDENING.get(kind)
    if found is None:
        found = _WIDENING[kind] = type(kind.__name__, (_Widening, kind), {"__slots__": (), "__module__": kind.__module__})
    return found


class _Widening:
    """Casts the incoming gradient to the dtype of the operation."""

    __slots__ = ()
    replayable = False

    def backward(self, grads) -> list:
        dtype = self.plan.kernel.outs[0].dtype
        return super().backward([None if g is None else bind(ROWS["_to_copy"], (g,), (), (dtype,)) for g in grads])


class CopySlices(Node):
    """The history of a base after a write to a view of it.

    ``writing``, weakly: the view written to; ``version``: its version after that; ``regenerated``: its Node at that
    version, weakly, once somebody asked.

    Args:
        base_edge: the history of the base before the write.
        fn: the writing operation's Node.
        chain: the steps from the base to the view, as (row, parameters).
        aval: the form of the base.
        written: the view.
    """

    __slots__ = ("aval", "chain", "fn", "regenerated", "version", "writing")
    replayable = False
    n_outputs = 1

    def __init__(self, base_edge, fn, chain, aval, written):
        self.fn, self.chain, self.aval = fn, chain, aval
        self.writing, self.regenerated, self.version = weakref.ref(written), None, written._cell.version
        self.edges = (base_edge, *fn.edges[1:])
        self.plan, self.saved, self.numbers, self.hooks = fn.plan, (), (), None
        self.site, self.child, self.seq = fn.site, None, next(SEQUENCE)

    @property
    def next_functions(self) -> tuple:
        edges = [None if i is None else self.edges[i] for i in self.result_places(self.edges)]
        return tuple((edge[0].public, edge[1]) if edge is not None else (None, 0) for edge in edges)

    def result_places(self, results):
        return range(len(self.edges)) if self.plan is None else places(self.plan.kernel)

    def output_aval(self, i):
        return self.aval

    def made_from(self, view) -> bool:
        """Whether it is this view that was written to, and has not been since.

        Args:
            view: the tensor.

        Returns:
            A bool.
        """
        return self.writing() is view and self.version == view._cell.version

    def result_edge(self):
        """The edge of the view as it was after this write, which its saved result has; None if nobody holds that."""
        if self.regenerated is not None:
            node = self.regenerated()
            return None if node is None else (node, 0)
        view = self.writing()
        if view is None or view._view is None or view._view.written != self.seq:
            return None
        base = view._view.base
        if base._edge == (self, 0) and self.made_from(view):
            return regenerate(view)
        return rebuilt((self, 0), base, view._cell), 0

    def backward(self, grads) -> list:
        """The gradients of the base before the write, and of the operation's other operands.

        Args:
            grads: a list with the gradient of the base after the write.

        Returns:
            For each edge its gradient, or None.

        Raises:
            RuntimeError: what it saved has been freed.
        """
        fn = self.fn  # read once: another thread may free it meanwhile
        if fn is None:
            raise RuntimeError(errors.FREED)
        g = grads[0] if not self.chain else _lying_as(self.aval, grads[0])
        parts = [g]
        for row, params in self.chain:
            parts.append(bind(row, (parts[-1],), (), params))
        inner = fn.backward([parts.pop()])
        mine = inner[0]
        if mine is None:
            mine = _zeros_like_view(g, self.chain)
        for (row, params), parent in zip(reversed(self.chain), reversed(parts), strict=True):
            mine = put(row, params, parent, mine)
        return [mine, *inner[1:]]

    def release(self) -> None:
        super().release()
        self.fn = None


def _lying_as(aval, g):
    """The gradient `g` with the strides of a form, where these have no gaps: views are taken of it."""
    mine, strides = g._cell.aval, aval.strides
    if mine.shape != aval.shape or mine.strides == strides or not is_dense(aval.shape, strides):
        return g
    if aval.contiguous:
        return bind(ROWS["_contiguous"], (g,))
    order = tuple(sorted(range(len(strides)), key=lambda dim: (-strides[dim], -aval.shape[dim])))
    back = tuple(map(order.index, range(len(order))))
    packed = bind(ROWS["_contiguous"], (bind(ROWS["permute"], (g,), (), (order,)),))
    return bind(ROWS["permute"], (packed,), (), (back,))


def _zeros_like_view(g, chain):
    x = g
    for row, params in chain:
        x = bind(row, (x,), (), params)
    return bind(ROWS["mul"], (x, 0.0), (), ())


@_named("AsStridedBackward0")
class Window(FreeNode):
    """The history of a view of a complex tensor's parts (or of pairs as complex numbers), by its steps.

    Args:
        edge, chain, source, aval: as for `RecordedNodes.window`.
    """

    __slots__ = ("chain", "source")

    def __init__(self, edge, chain, source, aval):
        super().__init__((edge,), (aval,))
        self.chain, self.source = chain, source

    def backward(self, grads) -> list:
        """The gradient at its place in zeros of the form of the base.

        Args:
            grads: a list with the gradient of the view.

        Returns:
            A list with the gradient of the base.
        """
        source = self.source
        parts = [bind(ROWS["_zeros"], (), (), (tuple(source.shape), source.dtype, source.device))]
        for row, params in self.chain[:-1]:
            parts.append(bind(row, (parts[-1],), (), params))
        g = grads[0]
        for (row, params), parent in zip(reversed(self.chain), reversed(parts), strict=True):
            g = put(row, params, parent, g)
        return [g]


class ReshapedInPlace(FreeNode):
    """Stands before the Node of a tensor whose dimensions were changed in place without history (``t_()`` under
    no_grad): that Node expects another shape than the gradients that come. Sums or refuses them, as PyTorch's engine does.

    Args:
        edge: that of the tensor before.
        aval: the form of the tensor after.
    """

    __slots__ = ()

    def __init__(self, edge, aval):
        super().__init__((edge,), (aval,))

    def name(self) -> str:
        return self.edges[0][0].name()

    @property
    def public(self):
        return self.edges[0][0].public

    def output_aval(self, i):
        return self.avals[0]

    def backward(self, grads) -> list:
        node, number = self.edges[0]
        g, wanted = grads[number], tuple(node.output_aval(number).shape)
        shape = tuple(g._cell.aval.shape)
        lead = len(shape) - len(wanted)
        if lead < 0 or any(want not in (1, size) for size, want in zip(shape[lead:], wanted, strict=True)):
            raise RuntimeError(f"invalid gradient at index 0 - got {list(shape)} but expected shape compatible with "
                               f"{list(wanted)}")
        dims = (*range(lead), *(lead + i for i, want in enumerate(wanted) if want == 1 != shape[lead + i]))
        g = bind(ROWS["sum.dim_IntList"], (g,), (), (dims, True, None)) if dims else g
        return [bind(ROWS["view"], (g,), (), (wanted,)) if lead else g]


# -- calls of pure functions

@_named("PureBackward")
class PureCall(FreeNode):
    """A call of a pure function: its gradient is `jax.vjp` of it, again a call.

    It is that of the values which were read: arrays do not change where a tensor is written to. PyTorch raises there if it
    has saved the tensor.

    Args:
        function, sources, avals, saves: as for `RecordedNodes.pure`.
    """

    __slots__ = ("function", "saves")

    def __init__(self, function, sources, avals, saves):
        super().__init__(tuple(x._edge for x in sources), avals)
        self.function, self.saves = function, saves
        self.saved: list | None = list(sources)

    def release(self) -> None:
        if self.saves:
            self.saved = self.function = None

    def backward(self, grads) -> list:
        if self.saved is None:
            raise RuntimeError(errors.FREED)
        count, function = len(self.saved), self.function
        floats = [i for i, g in enumerate(grads) if g is not None]

        def pulled(*arrays):
            def of_sources(*sources):
                results = function(*sources)
                return [results[i] for i in floats]

            _, pull = jax.vjp(of_sources, *arrays[:count])
            return [jnp.conj(g) for g in pull([jnp.conj(g) for g in arrays[count:]])]

        return call(pulled, [*self.saved, *(grads[i] for i in floats)])


# -- gradients that end here

@_named("Error")
class RefusesSecond(FreeNode):
    """The history of gradients that may not be differentiated again: backward raises RuntimeError.

    Args:
        text: that of the error.
        edges, avals: as for `FreeNode`.
    """

    __slots__ = ("text",)
    wants_undefined = True

    def __init__(self, text, edges, avals):
        super().__init__(edges, avals)
        self.text = text

    def backward(self, grads) -> list:
        raise RuntimeError(self.text)


class UndefinedGrad(FreeNode):
    """Passes no gradient on."""

    __slots__ = ()

    def backward(self, grads) -> list:
        return [None]
