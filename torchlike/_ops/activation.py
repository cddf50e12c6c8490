"""Activations and softmax.

https://pytorch.org/docs/stable/nn.functional.html#non-linear-activation-functions
"""

import jax
import jax.numpy as jnp

from torchlike._ops.rules import ELEMENTWISE, is_complex, is_integral, like, wide
from torchlike._ops.table import op


@op("relu(Tensor self) -> Tensor", grads={"self": lambda g, result: jnp.where(result <= 0, 0, g)},
    **ELEMENTWISE)
def _relu(x):
    """max(x, 0), NaN kept."""
    if x.dtype == jnp.bool_:
        raise RuntimeError("Boolean inputs not supported for relu")
    if is_complex(x):
        raise NotImplementedError("clamp is not supported for complex types")
    return jnp.where(x < 0, 0, x)
