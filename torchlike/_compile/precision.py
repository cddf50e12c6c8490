"""TensorFloat32: whether float32 products and convolutions on a GPU may round their operands to 10 bits.

Two switches, as PyTorch has them and with its defaults. XLA decides by the precision of an instruction ("high" allows it,
"highest" does not), and that is fixed when a kernel is traced: at a change all kernels are made anew. On the CPU float32
is float32 under every setting.
"""

import contextlib

import jax

PRODUCTS, CONVOLUTIONS = "products", "convolutions"
allowed = {PRODUCTS: False, CONVOLUTIONS: True}
_PRECISION = {False: "highest", True: "high"}


def tracing(name, device):
    """The context in which the kernel `name` is traced."""
    if device.type != "cuda":
        return contextlib.nullcontext()
    return jax.default_matmul_precision(_PRECISION[allowed[CONVOLUTIONS if "convolution" in name else PRODUCTS]])
