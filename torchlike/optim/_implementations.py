"""What optimizers written for PyTorch ask before they choose one of PyTorch's implementations of a step."""

import functools

from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import set_grad_enabled
from torchlike.utils._foreach_utils import (
    _get_foreach_kernels_supported_devices,
    _get_fused_kernels_supported_devices,
)


def _default_to_fused_or_foreach(params, differentiable, use_fused=False) -> tuple:
    """(fused, foreach): whether each would be taken unasked."""
    given = [p for p in params if p is not None]

    def all_on(types):
        return not differentiable and all(isinstance(p, Tensor) and p.device.type in types for p in given)

    fused = use_fused and all_on(_get_fused_kernels_supported_devices()) and all(p.is_floating_point() for p in given)
    return fused, not fused and all_on(_get_foreach_kernels_supported_devices())


def _get_capturable_supported_devices(supports_xla=True) -> list:
    """Device types for ``capturable=True``."""
    return ["cuda", "xpu", "hpu", "privateuseone", *(["xla"] if supports_xla else [])]


def _use_grad_for_differentiable(func):
    """`func`, a step, with gradients recorded where the optimizer is differentiable, and not elsewhere."""
    @functools.wraps(func)
    def step(self, *args, **kwargs):
        with set_grad_enabled(self.defaults["differentiable"]):
            return func(self, *args, **kwargs)

    return step
