"""What a backend is."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from jax.extend.core import ClosedJaxpr

from torchlike._base.device import device as Device


class Traced(Protocol):
    """What a backend compiles: a TracedKernel, see `torchlike/_compile/kernels.py`."""

    name: str
    """What JAX's tools call it."""

    @property
    def jaxpr(self) -> ClosedJaxpr:
        """Of a function of arrays that returns a tuple of them."""

    @property
    def elements(self) -> int:
        """The size of its largest array."""

    @property
    def traced_digest(self) -> str:
        """Says in every process which kernel it is; "" if only this process knows."""

    precision: str
    """"convolutions" where it is made of these, else "products"."""

    def arguments(self) -> Sequence:
        """The jax.ShapeDtypeStruct of each argument, by `Backend.describe`; of numbers, scalars without a place."""


class Backend(Protocol):
    """Where the arrays of one `torch.device` live, and what compiles and runs functions on them.

    Found by `registry.backend_of(device)`, once for each trace, kernel or array that comes from outside: never for each
    operation. All that the rest of torchlike knows of a device it learns here, so a new backend is a class with this
    contract and a line in `registry.MAKERS`; nobody else changes. Three that were thought through:

    - *The CPU* (`xla_cpu.py`): arrays are numpy's or jax's. Numpy runs what has not been compiled, XLA everything else.
    - *A process that was forked* (`forked.py`): arrays are numpy's, and numpy computes.
    - *A mesh of devices*: one `torch.device` for all of them, whose `describe` and `place` say how an array is spread
      (a `NamedSharding`). XLA then compiles kernels and programs for the mesh from these descriptions alone.

    An array is anything with jax.Array's ``shape``, ``dtype`` and ``__array__``. It frees its memory when nobody holds it
    any more, so no method does that: the executors drop arrays as early as they can, and say of a program's inputs which
    ones it may overwrite (``donated``).
    """

    device: Device
    in_host_memory: bool
    """Whether numpy can look at the arrays where they are, without a copy."""
    has_values: bool
    """False on 'meta'."""
    is_accelerator: bool
    """Whether it has streams and memory of its own: what ``is_cuda`` and the like are about."""
    draws_as_pytorch: bool
    """Whether random numbers are PyTorch's own stream (mt19937), not jax.random's."""
    runs_jax: bool
    """Whether jax's functions and transforms can run here. False in a forked process."""
    runs_chains: bool
    """Whether a program whose parts repeat is compiled as a chain of smaller ones (chains.py)."""
    legacy_module: str
    """Where PyTorch has the old names of its tensors: ``torch.FloatTensor``, ``torch.cuda.FloatTensor``."""

    # -- arrays

    def describe(self, shape: tuple, dtype: np.dtype) -> Any:
        """The jax.ShapeDtypeStruct of an array here, under 64-bit rules: what kernels are traced and compiled for."""

    def place(self, array: Any) -> Any:
        """A numpy or jax array as an array here. It may share the memory of a numpy array that nobody writes to.

        Raises:
            RuntimeError: PyTorch's, where there is no such device, or where this process cannot reach it.
        """

    def to_jax(self, array: Any) -> Any:
        """An array of this backend as the jax.Array of the same values, for JAX's functions and whole programs."""

    def read(self, array: Any) -> np.ndarray:
        """The values of an array of this backend, not to be written to. Waits for them."""

    def is_ready(self, array: Any) -> bool:
        """Whether `read` would not wait."""

    # -- functions

    def tracing(self, precision: str) -> contextlib.AbstractContextManager:
        """The context in which a kernel is traced: settings that are fixed at that time.

        Args:
            precision: "products" or "convolutions", see `Row`.
        """

    def interpret(self, jaxpr: ClosedJaxpr, sizes: tuple = ()) -> Callable | None:
        """A kernel without compiling it; None where that has no way, or a slow one.

        Args:
            jaxpr: of a function of arrays that returns a tuple of them.
            sizes: where it is one of all sizes (sizes.py), the values of its symbols.

        Returns:
            As `compile_kernel`, for arguments that went through `operand`: any callable, or a Plan.
        """

    def rewritten(self, jaxpr: ClosedJaxpr) -> Callable | None:
        """A kernel's function in the form that this backend compiles best; None where that is the jaxpr itself."""

    def compile_kernel(self, kernel: Traced) -> Callable:
        """A kernel as a program of its own, which will run a few times: compiling must be quick.

        Returns:
            A callable that takes the arrays and numpy scalars and returns a sequence of arrays.
        """

    def operand(self, array: Any) -> Any:
        """An array of this backend in the form that kernels take."""

    def number(self, kind: type[np.generic]) -> Callable[[Any], Any]:
        """What makes a Python number an argument of kernels, in numpy's type `kind`."""

    def result(self, array: Any) -> Any:
        """The result of a kernel as an array of this backend, which lives longer."""

    def compile_program(self, function: Callable, arguments: Sequence, donated: tuple, digest: str) -> Callable:
        """A whole trace as one program, which will run many times.

        Args:
            function: a pure function on jax arrays; returns a tuple of them.
            arguments: as `Traced.arguments`.
            donated: the positions of arguments whose memory the results may take: the first results, in their order.
            digest: as `Traced.traced_digest`. Where the program has been compiled before, `function` is not called.

        Returns:
            A callable that takes arrays of this backend and returns a sequence of them.
        """

    def has_compiled(self, digest: str, arguments: Sequence) -> bool:
        """Whether the program of that digest, with such arguments, has been compiled before, and is kept."""

    # -- the device

    def hardware(self) -> Any:
        """JAX's device: its name, its memory. RuntimeError, PyTorch's, where there is none."""

    def check_reachable(self) -> None:
        """RuntimeError, PyTorch's, where this process cannot reach the device."""

    def synchronize(self) -> None:
        """Wait until the device has nothing to do."""
