"""The whole values of a parameter, which are there only while they are needed.

A leaf is made once and stays: Nodes keep it, and views of it. What comes and goes is the array of its Storage. A Node that
saved the weight, or ``weight.t()``, so keeps no values, and finds them again when they have been gathered for its backward.
"""

from collections.abc import Iterable

import numpy as np

from torchlike._base.errors import UnsupportedError
from torchlike._base.settings import strided
from torchlike._c10d import tensors
from torchlike._compile import avals
from torchlike._compile.backends.registry import backend_of
from torchlike._record.cell import Storage
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.trace import run, state
from torchlike._record.views import mark_stale
from torchlike.distributed.tensor._dispatch import made
from torchlike.distributed.tensor._dtensor import DTensor
from torchlike.distributed.tensor._dtensor_spec import DTensorSpec
from torchlike.nn.parameter import Parameter


class Whole:
    """A parameter whose values are there between `fill` and `free`.

    Args:
        shape, dtype, device: of the values that this rank has then.
        requires_grad: whether it is a leaf with a gradient.
        spec: where that is a part of a DTensor (by tensor parallelism), how it lies.

    ``leaf`` is the parameter; ``kept`` a gradient in another dtype that waits to be reduced.
    """

    def __init__(self, shape, dtype, device, requires_grad: bool, spec: DTensorSpec | None = None):
        self._cell = Storage(None, -1, avals.aval(tuple(shape), dtype, device), None)
        local = wrap(self._cell)
        self.leaf = Parameter(local if spec is None else made(DTensor, local, spec, False), requires_grad)
        self._spec = spec
        self.kept: Tensor | None = None

    @property
    def shape(self) -> tuple:
        """The sizes of the values."""
        return tuple(self._cell.aval.shape)

    @property
    def dtype(self):
        """Their dtype."""
        return self._cell.aval.dtype

    @property
    def device(self):
        """Where they are."""
        return self._cell.aval.device

    @property
    def is_there(self) -> bool:
        """Whether the values are."""
        return self._cell.array is not None or self._cell.trace is not None

    @property
    def nbytes(self) -> int:
        """How much memory the values take just now."""
        return self._cell.aval.nbytes if self.is_there else 0

    def values(self) -> np.ndarray:
        """The values, one-dimensional. Nobody may write to them."""
        return tensors.taken(wrap(self._cell))

    def fill(self, values: np.ndarray) -> None:
        """The values are there again. Its version stays: Nodes that saved it find what they saved.

        Args:
            values: as many elements; nobody writes to them.
        """
        finished([self])
        self._cell.array = backend_of(self.device).place(values.reshape(self.shape))
        mark_stale(self._cell, None)

    def free(self) -> None:
        """The values go. Everything that reads them has been computed before (`finished`)."""
        self._cell.array = None
        mark_stale(self._cell, None)

    def accumulate(self, dtype) -> None:
        """A gradient that is not reduced yet is kept in this dtype.

        Args:
            dtype: None leaves it as it is.
        """
        grad = self.leaf.grad
        if grad is not None and dtype is not None and (self.kept is not None or grad.dtype is not dtype):
            grad = self._local(grad)
            self.kept = grad.to(dtype) if self.kept is None else self.kept + grad
            self.leaf.grad = None

    def take_grad(self) -> Tensor | None:
        """The gradient of the values, which is then no longer here."""
        grad, kept, self.leaf.grad, self.kept = self.leaf.grad, self.kept, None, None
        if grad is None:
            return kept
        grad = self._local(grad)
        return grad if kept is None else kept + grad

    def _local(self, grad) -> Tensor:
        if grad._cell.layout is not strided:
            raise UnsupportedError("torch.distributed.fsdp with sparse gradients is not supported")
        if self._spec is None:
            return grad.detach()
        return grad.redistribute(placements=self._spec.placements).to_local().detach()


def finished(wholes: Iterable[Whole]) -> None:
    """Whatever has been recorded of these is computed: a trace has its inputs until it has run.

    Args:
        wholes: of one thread.
    """
    if any(whole._cell.trace is not None for whole in wholes):
        run(state.trace)
