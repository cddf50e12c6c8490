"""What XLA's backends share."""

import contextlib
import re
from abc import abstractmethod
from collections.abc import Callable

import jax
import numpy as np
from jax.extend.core import jaxpr_as_fun
from jax.sharding import SingleDeviceSharding

from torchlike._compile.backends.backend import Backend
from torchlike._compile.fork_locks import QUIET

ROUNDED = {"xla_allow_excess_precision": False}  # bfloat16 -> float32 -> bfloat16 rounds, as in PyTorch
_NO_SUCH_OPTION = re.compile(r"No such compile option: '(\w+)'")
_missing: set = set()  # options that this jaxlib does not know


class XlaBackend(Backend):
    """One device of JAX's. A class below says which one, and with which options XLA compiles for it."""

    in_host_memory = False
    has_values = True
    is_accelerator = False
    draws_as_pytorch = False
    runs_jax = True
    legacy_module = "torch"

    def __init__(self, device):
        self.device = device
        self._sharding = None

    def describe(self, shape, dtype):
        if self._sharding is None:
            self._sharding = SingleDeviceSharding(self.hardware())
        with jax.enable_x64(True):
            return jax.ShapeDtypeStruct(shape, dtype, sharding=self._sharding)

    def place(self, array):
        with jax.enable_x64(True):
            return jax.device_put(array, self.hardware())

    def to_jax(self, array):
        return array

    def read(self, array):
        return np.asarray(array)

    def is_ready(self, array):
        return array.is_ready()

    def tracing(self, precision: str) -> contextlib.AbstractContextManager:
        return contextlib.nullcontext()

    def interpret(self, jaxpr) -> Callable | None:
        return None

    def compile_kernel(self, name, jaxpr, arguments, elements):
        evaluate = jaxpr_as_fun(jaxpr)

        def kernel(*arrays):
            return evaluate(*arrays)

        kernel.__name__ = kernel.__qualname__ = name
        with jax.enable_x64(True):
            return compiled(jax.jit(kernel).lower(*arguments), self.kernel_options(elements))

    def operand(self, array):
        return array

    def result(self, array):
        return array

    def compile_program(self, function, arguments, donated):
        with jax.enable_x64(True):
            with QUIET:
                lowered = jax.jit(function, donate_argnums=donated, keep_unused=True).lower(*arguments)
            return compiled(lowered, self.program_options())

    def kernel_options(self, elements: int) -> dict:
        """XLA's options for a kernel whose largest array has so many elements."""
        return ROUNDED

    def program_options(self) -> dict:
        """XLA's options for a whole program."""
        return ROUNDED

    @abstractmethod
    def hardware(self): ...

    def check_reachable(self):
        return None

    def synchronize(self):
        # Work is done in order: a computation that is asked for now ends after all others.
        jax.block_until_ready(_touch(self.place(np.zeros((), np.int32))))


@jax.jit
def _touch(x):
    return x + 1


def compiled(lowered, options: dict):
    """The jax.stages.Compiled of a jax.stages.Lowered, without the options that this jaxlib does not know.

    Raises:
        What XLA raises.
    """
    options = {name: value for name, value in options.items() if name not in _missing}
    try:
        return lowered.compile(compiler_options=options or None)
    except jax.errors.JaxRuntimeError as error:
        unknown = _NO_SUCH_OPTION.search(str(error))
        if unknown is None or unknown[1] not in options:
            raise
    _missing.add(unknown[1])
    return compiled(lowered, options)
