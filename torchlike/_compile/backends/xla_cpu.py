"""The CPU: numpy for what has not been compiled, XLA for the rest."""

import functools
import itertools
import os
import platform

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._compile.backends.xla import ROUNDED, XlaBackend
from torchlike._compile.plans.plan import Plan
from torchlike._compile.plans.table import Declined

# jaxlib 0.10 hands matrix products on the CPU to its YNN library, which runs each on one thread:
# (512, 512) x (512, 128) in float32 takes 0.7 ms on two cores, 0.25 ms with Eigen. Sums along the first
# dimension are faster with it (0.02 ms against 0.1), so these stay.
PROGRAM = {**ROUNDED, "xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_REDUCE"}
# A kernel of the cold tier runs a few times and then its program takes over, so compiling it is what it
# costs: 29 ms with everything, 18 without the fusion emitters at level 1, 14 at level 0 (means of ten
# kernels). What that loses grows with the arrays: nothing up to 4096 elements, at 131072 a factor of 1.5
# at level 1 and of 2 to 5 at level 0.
_QUICK = {**PROGRAM, "xla_cpu_use_fusion_emitters": False}
_BY_ELEMENTS = ((4096, {**_QUICK, "xla_backend_optimization_level": 0}),
                (131072, {**_QUICK, "xla_backend_optimization_level": 1}))

# The lines of /proc/cpuinfo that are the same on every core and at every time.
_TELLING = ("vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU ")


class XlaCpu(XlaBackend):
    """JAX's CPU device, even where a GPU exists.

    Its arrays are numpy's and jax's. `jax.device_put` takes 0.1 ms for each array, so what numpy has made becomes jax's only
    where JAX's functions need it. Nobody writes to either.
    """

    in_host_memory = True
    draws_as_pytorch = True

    def place(self, array):
        return array if array.__class__ is np.ndarray else super().place(array)

    def to_jax(self, array):
        return super().place(array) if array.__class__ is np.ndarray else array

    def is_ready(self, array):
        return array.__class__ is np.ndarray or array.is_ready()

    def interpret(self, jaxpr):
        try:
            return Plan(jaxpr)
        except Declined:
            return None

    def compile_kernel(self, name, jaxpr, arguments, elements, digest):
        run = super().compile_kernel(name, jaxpr, arguments, elements, digest)

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

    def kernel_options(self, elements):
        return next((options for bound, options in _BY_ELEMENTS if elements <= bound), PROGRAM)

    def program_options(self):
        return PROGRAM

    def circumstances(self):
        return *super().circumstances(), _processor()

    def hardware(self):
        return _first()


def _to_numpy(array):
    """The values; keys of jax.random, which numpy has no dtype for, as they are."""
    if array.__class__ is np.ndarray:
        return array
    return array if jnp.issubdtype(array.dtype, jax.dtypes.extended) else np.asarray(array)


@functools.lru_cache(maxsize=1)
def _first():
    return jax.local_devices(backend="cpu")[0]


@functools.lru_cache(maxsize=1)
def _processor() -> tuple:
    """What XLA's code for the CPU depends on: what the processor can do, and how many threads share the work."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            first = [*itertools.takewhile(str.strip, file)]
    except OSError:  # not on Linux
        first = [platform.processor()]
    told = [line for line in first if line.startswith(_TELLING)] or first
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return platform.machine(), threads, *told
