"""The gradient of dropout as an operator. https://pytorch.org/docs/stable/nn.functional.html#dropout-functions"""

import jax.numpy as jnp

from torchlike._ops.rules import is_integral
from torchlike._ops.table import op


def _dropout_gradient(g, mask, scale):
    return _scaled(g, mask, scale)


def _scaled(x, mask, scale):
    """Rounded to the dtype of `x` after each product, as PyTorch's steps are."""
    return x * (mask.astype(x.dtype) * scale).astype(x.dtype)


@op("native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor", method=False, function=False,
    layout="pointwise", node="NativeDropoutBackwardBackward0", grads={"grad_output": _dropout_gradient})
def native_dropout_backward(g, mask, *, scale):
    """`grad_output` where `mask`, times `scale`: (*) and (*), integers become float32."""
    return _scaled(g.astype(jnp.float32) if is_integral(g) else g, mask, scale)
