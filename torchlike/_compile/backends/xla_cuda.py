"""XLA on NVIDIA's GPUs.

TensorFloat32: float32 products and convolutions on a GPU may round their operands to 10 bits. Two switches say whether they
may, as PyTorch has them and with its defaults. XLA decides by the precision of an instruction ("high" allows it, "highest"
does not), and that is fixed when a kernel is traced: at a change all kernels are made anew.
"""

import functools
import importlib.metadata

import jax

from torchlike._base.errors import AcceleratorError
from torchlike._compile.backends.xla import ROUNDED, XlaBackend

PRODUCTS, CONVOLUTIONS = "products", "convolutions"  # as rows say them
tf32_allowed = {PRODUCTS: False, CONVOLUTIONS: True}
_PRECISION = {False: "highest", True: "high"}


# A kernel of the cold tier runs until its program takes over. On an H200, to try algorithms for a float32 product of
# (8192, 768) and (768, 3072) takes 5.8 s, and cuBLAS's first one (0.02 s) is as fast. Of a convolution the first one took
# 29.6 and 95.7 ms forward and backward, the best 0.1 and 0.2; it is found in 0.53 and 0.66 s, without a check of each
# algorithm's results in 0.28 and 0.46.
_QUICK = {**ROUNDED, "xla_gpu_autotune_level": 0, "xla_gpu_enable_triton_gemm": False}
_TRIED = {**ROUNDED, "xla_gpu_autotune_level": 2}
_NUMBERS = 4096  # that are kept on a GPU


class XlaCuda(XlaBackend):
    """One of JAX's GPUs: 'cuda' and 'cuda:0' are the first."""

    is_accelerator = True
    legacy_module = "torch.cuda"

    def __init__(self, device):
        super().__init__(device)
        self._numbers: dict = {}

    def number(self, kind):
        return functools.partial(self._sent, kind)

    def _sent(self, kind, value):
        """The number on the GPU. Numbers recur, and to send one takes as long as a small kernel."""
        number = kind(value)
        key = number.dtype, number.tobytes()  # not the number: 0.0 is equal to -0.0
        found = self._numbers.get(key)
        if found is None:
            if len(self._numbers) >= _NUMBERS:
                self._numbers.clear()
            found = self._numbers[key] = self.place(number)
        return found

    def kernel_options(self, elements, precision):
        return _TRIED if precision == CONVOLUTIONS else _QUICK

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
