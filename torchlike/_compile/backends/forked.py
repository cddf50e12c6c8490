"""A device as a process sees it that was forked from one that uses JAX.

Such a process has none of XLA's threads: reading an array works there, running or compiling a program hangs. Its values are
numpy arrays, and numpy computes (`torchlike/_compile/executors/forked.py`).
"""

from collections.abc import Callable

import numpy as np

from torchlike._base.errors import UnsupportedError
from torchlike._compile.backends.backend import Backend

_NO_CUDA = ("Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' "
            "start method")
_NO_THREADS = "'{}' in a forked process, which has none of XLA's threads: start it by 'spawn' or 'forkserver'"


class _Helper:
    """Who runs what numpy cannot: ``run(kernel, arrays)`` returns the results. None: nobody."""

    run: Callable | None = None


helper = _Helper()


class InForkedProcess(Backend):
    """What the parent has as `inner`."""

    runs_jax = False

    def __init__(self, inner: Backend):
        self.inner, self.device = inner, inner.device
        self.in_host_memory, self.has_values = inner.in_host_memory, inner.has_values
        self.is_accelerator, self.draws_as_pytorch = inner.is_accelerator, inner.draws_as_pytorch
        self.legacy_module = inner.legacy_module

    def describe(self, shape, dtype):
        return self.inner.describe(shape, dtype)

    def place(self, array):
        self.check_reachable()
        return np.asarray(array)

    def to_jax(self, array):
        return array

    def read(self, array):
        return np.asarray(array)

    def is_ready(self, array):
        return True

    def tracing(self, precision):
        return self.inner.tracing(precision)

    def interpret(self, jaxpr, sizes=()):
        return self.inner.interpret(jaxpr, sizes)

    def rewritten(self, jaxpr):
        return None

    def compile_kernel(self, kernel):
        if helper.run is None:
            raise UnsupportedError(_NO_THREADS.format(kernel.name))
        run = helper.run
        return lambda *arrays: run(kernel, arrays)

    def number(self, kind):
        return kind

    def operand(self, array):
        return np.asarray(array)

    def result(self, array):
        return self.inner.result(array)

    def compile_program(self, function, arguments, donated, digest):
        raise UnsupportedError(_NO_THREADS.format("whole programs"))

    def has_compiled(self, digest, arguments):
        return False

    def hardware(self):
        return self.inner.hardware()

    def check_reachable(self):
        if self.is_accelerator:
            raise RuntimeError(_NO_CUDA)

    def synchronize(self):
        self.check_reachable()
