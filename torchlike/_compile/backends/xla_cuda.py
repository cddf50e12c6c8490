"""XLA on NVIDIA's GPUs.

TensorFloat32: float32 products and convolutions on a GPU may round their operands to 10 bits. Two switches say whether they
may, as PyTorch has them and with its defaults. XLA decides by the precision of an instruction ("high" allows it, "highest"
does not), and that is fixed when a kernel is traced: at a change all kernels are made anew.
"""

import functools
import importlib.metadata

import jax

from torchlike._base.errors import AcceleratorError
from torchlike._compile.backends.xla import XlaBackend

PRODUCTS, CONVOLUTIONS = "products", "convolutions"  # as rows say them
tf32_allowed = {PRODUCTS: False, CONVOLUTIONS: True}
_PRECISION = {False: "highest", True: "high"}


class XlaCuda(XlaBackend):
    """One of JAX's GPUs: 'cuda' and 'cuda:0' are the first."""

    is_accelerator = True
    legacy_module = "torch.cuda"

    def tracing(self, precision):
        return jax.default_matmul_precision(_PRECISION[tf32_allowed[precision]])

    def circumstances(self):
        return *super().circumstances(), *sorted(tf32_allowed.items())

    def hardware(self):
        gpus = gpu_devices()
        if not gpus:
            raise no_gpu()
        if (self.device.index or 0) >= len(gpus):
            raise AcceleratorError("CUDA error: invalid device ordinal")
        return gpus[self.device.index or 0]


def no_gpu() -> Exception:
    """The error without a GPU: that of PyTorch's build without CUDA where JAX's plugin for CUDA is not installed."""
    if any("cuda" in plugin.name for plugin in importlib.metadata.entry_points(group="jax_plugins")):
        return RuntimeError("No CUDA GPUs are available")
    return AssertionError("Torch not compiled with CUDA enabled")


@functools.lru_cache(maxsize=1)
def gpu_devices() -> tuple:
    """JAX's GPUs on this process, or ()."""
    try:
        return tuple(jax.local_devices(backend="gpu"))
    except RuntimeError:
        return ()
