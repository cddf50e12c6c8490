"""Parameter: a Tensor that Modules register."""

import numpy as np

from torchlike._base import device as dev
from torchlike._base.errors import type_name
from torchlike._ops import promotion
from torchlike._record.leaf import leaf
from torchlike._record.tensor import Tensor
from torchlike._record.torch_function import disabled_torch_function_impl, met, takes_over


class _ParameterMeta(type):
    def __instancecheck__(cls, instance):
        return type.__instancecheck__(cls, instance) or (
            cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False))


def check_flag(require_grad) -> None:
    """Refuses what is no bool, in PyTorch's words, which makes parameters by `_make_subclass`.

    Args:
        require_grad: whether what is made requires grad.

    Raises:
        TypeError: it is no bool.
    """
    if require_grad is not True and require_grad is not False:
        raise TypeError(f"_make_subclass(): argument 'require_grad' (position 3) must be bool, not "
                        f"{type_name(type(require_grad))}")


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that a Module registers when it is assigned as an attribute.
    https://pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html

    Of an instance of a subclass that has a ``__torch_function__`` it makes one of that class, which Modules register, too.

    Args:
        data: a Tensor, whose memory it shares; None means an empty one.
        requires_grad: whether it requires grad.

    Raises:
        TypeError: `data` is no Tensor, or `requires_grad` no bool.
        RuntimeError: `requires_grad` with integers or bools.
    """

    _is_param = True
    __torch_function__ = staticmethod(disabled_torch_function_impl)

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = leaf(np.zeros(0, promotion.default.dtype.np), dev.get_default_device())
        if not isinstance(data, Tensor):
            raise TypeError(f"Parameter data must be a Tensor, not {type(data).__name__}")
        check_flag(requires_grad)
        if takes_over(type(data)) or (data._cell.handler is not None and data._cell.handler.sees_all):
            made = data.detach().requires_grad_(requires_grad)
            made._is_param = True
            return made
        if requires_grad and not (data.is_floating_point() or data.is_complex()):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        met(cls)
        made = object.__new__(cls)
        made._cell = (data.detach() if data._cell.inference else data)._cell
        if requires_grad:
            made.requires_grad_(True)
        return made

    def __repr__(self, *, tensor_contents=None):
        return "Parameter containing:\n" + super().__repr__(tensor_contents=tensor_contents)
