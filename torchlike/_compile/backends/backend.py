"""What a backend is."""

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from torchlike._base.device import device as Device


class Backend(Protocol):
    """Where the arrays of one `torch.device` live, and what compiles and runs functions on them.

    Found by `registry.backend_of(device)`, once for each trace, kernel or array that comes from outside: never for each
    operation. All that the rest of torchlike knows of a device it learns here, so a new backend is a class with this
    contract and a line in `registry.MAKERS`; nobody else changes. Three that were thought through:

    - *A worker that has been forked* (`forked.py`): arrays are numpy's, nothing can be compiled.
    - *numpy for the first runs*: a subclass of `XlaCpu`, whose `compile_kernel` gives a function that interprets the jaxpr
      with numpy and goes to XLA's for primitives it lacks. Its arrays may be numpy's, since XLA's programs take these, too.
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

    def compile_kernel(self, function: Callable, arguments: Sequence, elements: int) -> Callable:
        """A kernel as a program of its own, which will run a few times: compiling must be quick.

        Args:
            function: a pure function on jax arrays; returns a tuple of them.
            arguments: the jax.ShapeDtypeStruct of each argument, by `describe`; of numbers, scalars without a place.
            elements: the size of its largest array.

        Returns:
            For `run`: a callable that takes the arrays and numpy scalars and returns a sequence of arrays.
        """

    def compile_program(self, function: Callable, arguments: Sequence, donated: tuple) -> Callable:
        """A whole trace as one program, which will run many times. As `compile_kernel`.

        Args:
            donated: the positions of arguments whose memory the results may take: the first results, in their order.
        """

    def run(self, compiled: Callable, arguments: Sequence) -> Sequence:
        """The results of what one of the two has compiled."""

    # -- the device

    def hardware(self) -> Any:
        """JAX's device: its name, its memory. RuntimeError, PyTorch's, where there is none."""

    def check_reachable(self) -> None:
        """RuntimeError, PyTorch's, where this process cannot reach the device."""

    def synchronize(self) -> None:
        """Wait until the device has nothing to do."""
