"""XLA on the CPU."""

import functools

import jax

from torchlike._compile.backends.xla import ROUNDED, XlaBackend

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


class XlaCpu(XlaBackend):
    """JAX's CPU device, even where a GPU exists."""

    in_host_memory = True
    draws_as_pytorch = True

    def kernel_options(self, elements):
        return next((options for bound, options in _BY_ELEMENTS if elements <= bound), PROGRAM)

    def program_options(self):
        return PROGRAM

    def hardware(self):
        return _first()


@functools.lru_cache(maxsize=1)
def _first():
    return jax.local_devices(backend="cpu")[0]
