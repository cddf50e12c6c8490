"""Device 'meta': shapes and dtypes without values."""

import jax

from torchlike._compile.backends.xla import XlaBackend


class Meta(XlaBackend):
    """Kernels are traced, for that is where shapes and errors come from. No value can be placed here."""

    has_values = False

    def describe(self, shape, dtype):
        with jax.enable_x64(True):
            return jax.ShapeDtypeStruct(shape, dtype)

    def hardware(self):
        raise RuntimeError("No CUDA GPUs are available")
