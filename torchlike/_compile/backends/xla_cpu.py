"""The CPU: numpy for what has not been compiled, XLA for the rest."""

import contextlib
import functools
import itertools
import math
import os
import platform

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._base.settings import get_num_threads
from torchlike._compile.backends import cpu_forms
from torchlike._compile.backends.xla import ROUNDED, XlaBackend
from torchlike._compile.fork_locks import JaxAroundForks, around_forks
from torchlike._compile.plans.plan import Plan
from torchlike._compile.plans.table import Declined

# jaxlib 0.10 can hand sums, products and convolutions on the CPU to its library YNN. Sums along the first dimension are
# faster with it (0.02 ms against 0.1), convolutions twice as slow. Products by a large matrix are faster, those by a small
# one are not, for YNN gives them one thread. Milliseconds in float32 on two cores, Eigen / YNN / torch:
# (256, 2048) @ (2048, 2048) 17.0 / 15.5 / 16.0, by the transposed matrix 51 / 14.6 / 16.4; (64, 512) @ (512, 512) 0.34 /
# 0.27 / 0.25 and 0.78 / 0.32 / 0.24; (512, 512) @ (512, 128) 0.54 / 0.60 / 0.39; (128, 128) @ (128, 512) 0.16 / 0.25 / 0.17.
# So a program that has a large matrix among its arguments multiplies with YNN.
_YNN = "xla_cpu_experimental_ynn_fusion_type"
PROGRAM = {**ROUNDED, _YNN: "LIBRARY_FUSION_TYPE_REDUCE"}
_WITH_LARGE = {**ROUNDED, _YNN: "LIBRARY_FUSION_TYPE_REDUCE,LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT"}
# A kernel of the cold tier runs a few times and then its program takes over, so compiling it is what it
# costs: 29 ms with everything, 18 without the fusion emitters at level 1, 14 at level 0 (means of ten
# kernels). What that loses grows with the arrays: nothing up to 4096 elements, at 131072 a factor of 1.5
# at level 1 and of 2 to 5 at level 0.
_QUICK = {**PROGRAM, "xla_cpu_use_fusion_emitters": False}
_BY_ELEMENTS = ((4096, {**_QUICK, "xla_backend_optimization_level": 0}),
                (131072, {**_QUICK, "xla_backend_optimization_level": 1}))

_NPROC = "NPROC"  # the variable by which XLA is told how many threads it has
# The lines of /proc/cpuinfo that are the same on every core and at every time.
_TELLING = ("vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU ")


class XlaCpu(XlaBackend):
    """JAX's CPU device, even where a GPU exists.

    Its arrays are numpy's and jax's. `jax.device_put` takes 0.1 ms for each array, so what numpy has made becomes jax's only
    where JAX's functions need it. Nobody writes to either.
    """

    in_host_memory = True
    draws_as_pytorch = True
    runs_chains = True

    def place(self, array):
        return array if array.__class__ is np.ndarray else super().place(array)

    def to_jax(self, array):
        return super().place(array) if array.__class__ is np.ndarray else array

    def read(self, array):
        return np.asarray(array)

    def is_ready(self, array):
        return array.__class__ is np.ndarray or array.is_ready()

    def interpret(self, jaxpr, sizes=()):
        try:
            return Plan(jaxpr, sizes)
        except Declined:
            return None

    def compile_kernel(self, kernel):
        run = super().compile_kernel(kernel)
        return lambda *arrays: [_to_numpy(x) for x in run(*arrays)]

    def operand(self, array):
        return _to_numpy(array)

    def result(self, array):
        """Its own memory, in order: kernels give windows on their arguments, too."""
        array = _to_numpy(array)
        if array.__class__ is not np.ndarray:
            return array
        if not array.flags.c_contiguous:
            return np.ascontiguousarray(array)
        base = array.base
        if base is not None and base.__class__ is np.ndarray and base.nbytes > 2 * array.nbytes + 1024:
            return array.copy()
        return array

    def kernel_options(self, elements, precision):
        return next((options for bound, options in _BY_ELEMENTS if elements <= bound), PROGRAM)

    def program_options(self, arguments):
        is_large = any(len(a.shape) == 2 and math.prod(a.shape) >= cpu_forms.LARGE for a in arguments)
        return _WITH_LARGE if is_large else PROGRAM

    def rewritten(self, jaxpr):
        return cpu_forms.rewritten(jaxpr)

    def circumstances(self):
        return *super().circumstances(), _processor()

    def hardware(self):
        return _first()


def _to_numpy(array):
    """The values; keys of jax.random, which numpy has no dtype for, as they are."""
    if array.__class__ is np.ndarray:
        return array
    if isinstance(array, np.generic):
        return np.asarray(array)
    return array if jnp.issubdtype(array.dtype, jax.dtypes.extended) else np.asarray(array)


@functools.lru_cache(maxsize=1)
def _first():
    with _threads():
        found = jax.local_devices(backend="cpu")[0]
    around_forks(JaxAroundForks(found.client))
    return found


@contextlib.contextmanager
def _threads():
    """A block in which XLA makes its client for the CPU, with as many threads as PyTorch would have: two ranks on two
    processors take a quarter longer for a step of a CNN if each has two. XLA looks at NPROC, which is not there later."""
    if _NPROC in os.environ:
        yield
        return
    os.environ[_NPROC] = str(get_num_threads())
    try:
        yield
    finally:
        del os.environ[_NPROC]


@functools.lru_cache(maxsize=1)
def _processor() -> tuple:
    """What XLA's code for the CPU depends on: what the processor can do, and how many threads share the work."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            first = [*itertools.takewhile(str.strip, file)]
    except OSError:  # not on Linux
        first = [platform.processor()]
    told = [line for line in first if line.startswith(_TELLING)] or first
    return platform.machine(), os.environ.get(_NPROC) or get_num_threads(), *told
