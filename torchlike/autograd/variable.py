"""`torch.autograd.Variable`: https://pytorch.org/docs/stable/autograd.html#variable-deprecated"""

from collections.abc import Callable

from torchlike._record.tensor import Tensor
from torchlike._record.warning import warn
from torchlike.autograd.graph_task import running


class ImperativeEngine:
    """What PyTorch's libraries ask of the engine: ``Variable._execution_engine``."""

    def queue_callback(self, callback: Callable[[], None]) -> None:
        """Have a function called at the end of the backward pass that is running.

        Args:
            callback: the function.

        Raises:
            RuntimeError: none is running.
        """
        if running.task is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        running.task.ends.append(callback)


class VariableMeta(type):
    """What makes every Tensor an instance of `Variable`."""

    def __instancecheck__(cls, instance) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=VariableMeta):
    """The old name of a Tensor. ``Variable(data, requires_grad)`` is a Tensor with the memory of `data`, a leaf.

    Args:
        data: a Tensor; an empty float32 one if it is left out.
        requires_grad: whether it is to have a gradient.
        volatile: removed; without effect.

    Raises:
        TypeError: `data` is no Tensor.
        RuntimeError: a gradient is asked for, and `data` is neither floating nor complex.
    """

    _execution_engine = ImperativeEngine()

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = False, volatile: bool | None = None) -> Tensor:
        if volatile:
            warn("volatile was removed and now has no effect. Use `with torch.no_grad():` instead.")
        if data is None:
            return Tensor()
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if requires_grad and not (data.is_floating_point() or data.is_complex()):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        return data.detach().requires_grad_(requires_grad)


def variable(*args, **kwargs) -> None:
    """The older name yet. It hides this module.

    Args:
        *args, **kwargs: anything.

    Raises:
        RuntimeError: always, as in PyTorch.
    """
    raise RuntimeError("torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead")
