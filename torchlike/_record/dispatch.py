"""Who does an operation: a handler of the thread, one that an operand brings, or the recorder.

A thread's handlers (autocast, interceptors) are a stack. While it is empty, which is nearly always, an operation goes
straight to the running trace: ``state.open`` is that trace, and None while there are handlers. An operand that no trace can
take (a dual tensor, a jax tracer, a tensor on another device) is found by `Trace.enter`, which raises a `NotHere` that says
who takes the operation. So each entry of the recorder has the same three lines::

    t = state.open or trace_for(row)            # None: a handler of the thread wants it
    if t is None: return dispatch(operation)
    try: ...
    except NotHere as elsewhere: return elsewhere.take(operation)
"""

from torchlike._base.block import Block
from torchlike._ops import dispatcher_names
from torchlike._record import tracers
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.trace import Trace, state


class Operation:
    """One operation on its way to the recorder.

    Attributes:
        row: the operator; None for what is none (a gradient's kernel, a function that draws random numbers).
        operands: Tensors, numbers, None, and tuples of Tensors, as `bind` takes them.
        numbers, params: likewise.
    """

    __slots__ = ("numbers", "operands", "params", "row")
    in_place = False
    is_view = False

    def __init__(self, row, operands: tuple, numbers: tuple = (), params: tuple = ()):
        self.row, self.operands, self.numbers, self.params = row, operands, numbers, params

    @property
    def name(self) -> str:
        """The operator and overload that PyTorch's dispatcher sees, ``mul_.Tensor``."""
        are_tensors = tuple(isinstance(x, Tensor) for x in self.operands)
        return dispatcher_names.name_of(self.row, are_tensors, self.params, self.in_place)

    @property
    def args(self) -> tuple:
        """The positional arguments that PyTorch's dispatcher passes."""
        return dispatcher_names.arguments(self.row, self.operands, self.numbers, self.params)[0]

    @property
    def kwargs(self) -> dict:
        """Its keyword arguments."""
        return dispatcher_names.arguments(self.row, self.operands, self.numbers, self.params)[1]

    def run(self):
        """The result, by whichever handlers there are now."""
        raise NotImplementedError

    def with_operands(self, operands: tuple) -> "Operation":
        """The same operation on other operands."""
        return self.__class__(self.row, operands, self.numbers, self.params)

    def kernel(self) -> tuple:
        """(Kernel, Avals of its results, the Tensors it reads, the numbers it reads)."""
        raise NotImplementedError

    def on_one_device(self) -> "Operation":
        """The same with scalars moved to the device of the other operands; RuntimeError where these are on several."""
        return self

    def adopt(self, outs: list):
        """What `run` returns, of results that somebody else has computed: Tensors."""
        return outs[0] if len(outs) == 1 else tuple(outs)

    def apply_now(self):
        """The result where an operand holds a jax tracer: the kernel is applied at once, nothing is recorded."""
        kernel, outs, tensors, given = self.kernel()
        return self.adopt(tracers.apply_kernel(kernel, tensors, given, outs))

    def recall(self, values: list):
        """The result, with its history, where its values are there already: Tensors, which are not computed again."""
        kernel, avals, tensors, given = self.kernel()
        outs = [wrap(x._cell) for x in values]
        tracers.attach_alone(kernel, avals, tensors, given, outs)
        return Operation.adopt(self, outs)  # of a view, too: what is recalled is no view


class Call(Operation):
    """A call of a public function that makes a tensor without a row, which interceptors see under PyTorch's `name`.

    ``function`` is the public one (see `_modes/intercept.py`): it asks the handlers again.
    """

    __slots__ = ("called", "function", "given", "given_kwargs", "rewrite")

    def __init__(self, called: str, function, args: tuple, kwargs: dict, rewrite=None):
        Operation.__init__(self, None, ())
        self.called, self.function, self.given, self.given_kwargs, self.rewrite = called, function, args, kwargs, rewrite

    name = property(lambda self: self.called)
    args = property(lambda self: self.given)
    kwargs = property(lambda self: self.given_kwargs)

    def run(self):
        """What the function returns, by whichever handlers there are now."""
        return self.function(*self.given, **self.given_kwargs)

    def recall(self, values: list):
        """The value; a function that writes to its first argument does that with it."""
        return values[0] if self.rewrite is None else self.rewrite(self.given[0], values[0])


class Handler:
    """Gets the operations of a thread, or those on its own operands, before the recorder does.

    A handler of a thread is there between `install` and `uninstall`, or inside of ``with installed(handler)``. One that
    operands bring is the ``handler`` of their cells (see `_modes/dual.py`).
    """

    precedence = 0  # among the handlers of a thread the highest comes first, as PyTorch's dispatch keys; then the innermost
    keeps_results = False  # whether results may live on: a write then copies the value that it takes over
    sees_all = False  # whether it gets what is no operation of the user, too: kernels of backward, the detach of a gradient

    def wants(self, row) -> bool:
        """Whether `handle` is to be asked about operations of the row (None: of what is no row)."""
        return True

    def handle(self, operation: Operation):
        """The result of the operation, or NotImplemented: then the next handler is asked, and at last the recorder.

        To have the operation done, in part or with other operands, a handler takes itself out of the way
        (``with removed(self)``) and calls `Operation.run`.
        """
        raise NotImplementedError

    def in_place(self, operation: Operation):
        """The same of a row that writes to its first operand, where it is that operand that brings the handler. After
        NotImplemented `handle` gets the row as if out of place, and the result's handler is to `write` it."""
        return NotImplemented


def observer() -> Handler | None:
    """The first handler of this thread that sees all, or None."""
    return next((handler for handler in state.thread.handlers if handler.sees_all), None)


def dispatch(operation: Operation):
    """The result of an operation that a handler of this thread wants."""
    for handler in state.thread.handlers:
        if handler.wants(operation.row):
            result = handler.handle(operation)
            if result is not NotImplemented:
                return result
    with undisturbed():
        return operation.run()


def trace_for(row) -> Trace | None:
    """The running trace, or None where a handler of this thread wants operations of the row."""
    for handler in state.thread.handlers:
        if handler.wants(row):
            return None
    return state.trace


# -- the stack

def _set(handlers: tuple) -> None:
    state.open = None if handlers else state.trace
    state.thread.handlers = handlers


def install(handler: Handler) -> None:
    """From now on `handler` is asked, before those that are there and have no higher precedence."""
    _set(_joined(state.thread.handlers, handler))


def _joined(there, handler) -> tuple:
    place = next((i for i, other in enumerate(there) if other.precedence <= handler.precedence), len(there))
    return (*there[:place], handler, *there[place:])


def uninstall(handler: Handler) -> None:
    """From now on `handler` is not asked; nothing happens if it was not."""
    _set(tuple(other for other in state.thread.handlers if other is not handler))


def replace(kind: type, handler: Handler | None) -> None:
    """From now on this handler is asked, if there is one, and no other of its class `kind`: at once, so that an interruption
    finds one of the two."""
    others = tuple(other for other in state.thread.handlers if other.__class__ is not kind)
    _set(others if handler is None else _joined(others, handler))


class installed(Block):  # noqa: N801 - used as a function
    """A context inside which `handler` is asked."""

    def __init__(self, handler: Handler):
        self.handler = handler

    def _begin(self) -> Handler:
        install(self.handler)
        return self.handler

    def _end(self) -> None:
        uninstall(self.handler)


class removed(Block):  # noqa: N801
    """A context inside which these handlers of the thread, the innermost first, are not asked."""

    def __init__(self, *handlers: Handler):
        self.handlers = handlers

    def _begin(self) -> None:
        for handler in self.handlers:
            uninstall(handler)

    def _end(self) -> None:
        for handler in reversed(self.handlers):
            if handler not in state.thread.handlers:
                install(handler)


class undisturbed(Block):  # noqa: N801
    """A context without handlers: for what is no operation of the user."""

    def __init__(self):
        self.before = state.thread.handlers

    def _begin(self) -> None:
        _set(())

    def _end(self) -> None:
        _set(self.before)
