"""`torch.nn.parameter`: tensors that a module registers when they are assigned to it."""

from torchlike import _api
from torchlike._tensor import Parameter as Parameter
from torchlike._tensor import Tensor

__all__ = ["Buffer", "Parameter"]


class _BufferMeta(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(metaclass=_BufferMeta):
    """``Buffer(data, persistent=True)``: a Tensor that a module registers as a buffer on assignment.

    The result is a plain Tensor sharing `data`'s storage, marked as a buffer; no `data` makes an empty
    one. https://pytorch.org/docs/stable/generated/torch.nn.parameter.Buffer.html
    """

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = _api.empty(0)
        made = data.detach().requires_grad_(data.requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made
