"""`torch.nn.utils.stateless`: modules with other tensors in the places of their own, for a call or for a block.

`torch.func.functional_call` has taken its place.
"""

import warnings

from torchlike.func._modules import functional_call as _functional_call
from torchlike.func._modules import reparametrized


def functional_call(module, parameters_and_buffers, args=None, kwargs=None, *, tie_weights=True, strict=False):
    """`torch.func.functional_call`, under its old name.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.stateless.functional_call.html

    Args:
        module, args, kwargs, tie_weights, strict: those of `torch.func.functional_call`.
        parameters_and_buffers: a dict from paths to tensors.

    Returns:
        The module's result.
    """
    warnings.warn("This API is deprecated as of PyTorch 2.0 and will be removed in a future version of PyTorch. Please use "
                  "torch.func.functional_call instead which is a drop-in replacement for this API.", FutureWarning,
                  stacklevel=2)
    return _functional_call(module, parameters_and_buffers, args, kwargs, tie_weights=tie_weights, strict=strict)


def _reparametrize_module(module, parameters_and_buffers, tie_weights=False, strict=False, stack_weights=False):
    """A block in which the module has these tensors."""
    return reparametrized(module, parameters_and_buffers, tie_weights=tie_weights, strict=strict)
