"""`torch.fx.experimental.proxy_tensor`: traces of dispatched operators, of which there are none."""

from torchlike._base import absent
from torchlike._base.errors import UnsupportedError

_REASON = "operators are recorded for JAX; torchlike.func.to_jax gives a function of JAX, which jax.make_jaxpr shows"
make_fx = absent.failing("make_fx", __name__, UnsupportedError,
                         f"torch.fx.experimental.proxy_tensor.make_fx is not supported: {_REASON}")


def get_proxy_mode() -> None:
    """None: no such trace is being made."""
