"""The convention of gradients where a function has none: PyTorch's, or JAX's inside of a block."""

import contextlib
from collections.abc import Iterator

from torchlike._ops import jax_gradients
from torchlike._record.dispatch import Handler, Operation, installed, removed
from torchlike._record.trace import state

CONVENTIONS = ("jax", "torch")


class _Subgradients(Handler):
    """Has the rows that JAX differentiates otherwise recorded with JAX's rules."""

    def __init__(self):
        self.rows = jax_gradients.rows()

    def wants(self, row) -> bool:
        """Whether JAX's gradient of the row is another one somewhere."""
        return row in self.rows

    def handle(self, operation: Operation):
        """The result of the row with the other rules."""
        with removed(self):
            row = self.rows[operation.row]
            return operation.__class__(row, operation.operands, operation.numbers, operation.params).run()


@contextlib.contextmanager
def subgradients(convention: str) -> Iterator[None]:
    """Record operations with the gradients that PyTorch or JAX has at ties, at zeros, on bounds and at nan.

    The two agree wherever a function has a derivative. Elsewhere each has a rule of its own: at equal elements JAX's
    `max` along a dimension shares the gradient, PyTorch's gives it to one; at 0 JAX's `abs` has the gradient 1 and
    PyTorch's 0; the norm of zeros has the gradient nan in JAX and 0 in PyTorch. docs/differences lists them. Values are
    PyTorch's in both.

    The convention holds for what this thread records inside of the block, whenever backward runs. PyTorch has nothing
    like it.

    Args:
        convention: "jax" or "torch".

    Yields:
        Nothing.

    Raises:
        ValueError: the convention is neither.
    """
    if convention not in CONVENTIONS:
        raise ValueError(f"subgradients(): convention must be 'jax' or 'torch', not {convention!r}")
    handlers = [handler for handler in state.thread.handlers if isinstance(handler, _Subgradients)]
    with removed(*handlers), installed(_Subgradients()) if convention == "jax" else contextlib.nullcontext():
        yield
