"""`torch.nn.parameter`: tensors that a module registers when they are assigned to it."""

import sys

from torchlike import _api
from torchlike._record.parameter import Parameter as Parameter
from torchlike._record.site import is_ours
from torchlike._record.tensor import LEAF, Tensor, all_attributes
from torchlike._record.torch_function import disabled_torch_function_impl

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "UninitializedTensorMixin", "is_lazy"]

_NO_SHAPE = (
    "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` when "
    "trying to load an uninitialized parameter into an initialized one. Call `forward` to initialize the parameters before "
    "accessing their attributes.")
_NOT_SHARED = (
    "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters before calling "
    "`module.share_memory()`.")
_USED = (
    "Attempted to use an uninitialized parameter in {}. This error happens when you are using a `LazyModule` or explicitly "
    "manipulating `torch.nn.parameter.{}` objects. When using LazyModules Call `forward` with a dummy batch to initialize "
    "the parameters before calling torch functions")


_ParameterMeta = type(Parameter)


class _BufferMeta(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(metaclass=_BufferMeta):
    """A tensor that a module registers as a buffer when it is assigned. It is a plain Tensor with a mark, and shares
    memory with `data`.
    https://pytorch.org/docs/stable/generated/torch.nn.parameter.Buffer.html

    Args:
        data: (*); None means an empty tensor.
        persistent: whether the buffer is part of the `state_dict`.
    """

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = _api.empty(0)
        made = data.detach().requires_grad_(data.requires_grad)
        made.persistent = persistent
        made._is_buffer = True
        return made


def _asked_of_it(name):
    """A property that uninitialized tensors have, too."""
    return property(lambda self: getattr(self._empty, name))


def _converted(name):
    """A conversion: the result is uninitialized, too."""
    def method(self, *args, **kwargs):
        return self._like(getattr(self._empty, name)(*args, **kwargs))

    method.__name__ = name
    return method


class UninitializedTensorMixin:
    """A tensor whose shape is not known yet, only its dtype and device. It can be converted and moved; any other use
    raises ValueError, asking for its shape RuntimeError.
    """

    __torch_function__ = staticmethod(disabled_torch_function_impl)
    _empty: Tensor  # of its dtype and device
    cls_to_become: type = Tensor

    @classmethod
    def _of(cls, empty, requires_grad):
        made = object.__new__(cls)
        made._empty = empty
        made._edge = LEAF if requires_grad else None
        return made

    def _like(self, empty):
        """An uninitialized tensor of the same kind."""
        return self._of(empty, self._edge is LEAF)

    def materialize(self, shape, device=None, dtype=None) -> None:
        """Turns it into a plain Parameter or Tensor, whose values are still to be set.

        Args:
            shape: its shape.
            device, dtype: None keeps those it has.
        """
        empty = self.__dict__.pop("_empty")
        device, dtype = empty.device if device is None else device, empty.dtype if dtype is None else dtype
        made = _api.empty(shape, device=device, dtype=dtype)
        self.__class__ = self.cls_to_become
        all_attributes(self)["_cell"] = made._cell

    @property
    def _cell(self):
        frame, name = sys._getframe(1), ""
        while frame is not None and is_ours(frame.f_code):
            row = frame.f_locals.get("row")  # the row of an operator whose function was generated
            name, frame = frame.f_code.co_name if row is None else row.face, frame.f_back
        raise ValueError(_USED.format(f"torch.{name}", type(self).__name__))

    @property
    def shape(self):
        """Not known yet.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(_NO_SHAPE)

    @property
    def data(self):
        """Itself: there are no values."""
        return self

    @data.setter
    def data(self, value):
        self._empty = value._empty

    dtype, device, layout, ndim = map(_asked_of_it, ("dtype", "device", "layout", "ndim"))
    half, float, double, char, short, int, long, cuda, cpu, to = map(
        _converted, ("half", "float", "double", "char", "short", "int", "long", "cuda", "cpu", "to"))

    def size(self, dim=None):
        """The extents of an empty tensor.

        Args:
            dim: a dimension, or None for all.

        Returns:
            0, or ``torch.Size([0])``.
        """
        return self._empty.size(dim)

    def is_floating_point(self):
        """Whether its dtype will be a floating one."""
        return self._empty.is_floating_point()

    def is_complex(self):
        """Whether its dtype will be a complex one."""
        return self._empty.is_complex()

    def get_device(self):
        """The number of the GPU it will be on; -1 for the CPU."""
        return self._empty.get_device()

    def share_memory_(self):
        """Refused before the shape is known.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError(_NOT_SHARED)

    def __repr__(self):
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol):
        return type(self), (self._edge is LEAF,)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            memo[id(self)] = self._like(self._empty)
        return memo[id(self)]


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A Parameter whose shape is not known yet; see `UninitializedTensorMixin`.
    https://pytorch.org/docs/stable/generated/torch.nn.parameter.UninitializedParameter.html

    Args:
        requires_grad: whether it will require grad.
        device, dtype: those it will have; None means the defaults.
    """

    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return cls._of(_api.empty(0, device=device, dtype=dtype), requires_grad)


class UninitializedBuffer(UninitializedTensorMixin, Tensor):  # pyrefly: ignore[inconsistent-inheritance]
    """A buffer whose shape is not known yet; see `UninitializedTensorMixin`.
    https://pytorch.org/docs/stable/generated/torch.nn.parameter.UninitializedBuffer.html

    Args:
        requires_grad: whether it will require grad.
        device, dtype: those it will have; None means the defaults.
        persistent: as for `Buffer`.
    """

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        made = cls._of(_api.empty(0, device=device, dtype=dtype), requires_grad)
        made.persistent = persistent
        return made

    @classmethod
    def _of(cls, empty, requires_grad):
        made = super()._of(empty, requires_grad)
        made._is_buffer = True
        return made


def is_lazy(param) -> bool:
    """Whether the shape of a parameter or buffer is not known yet.

    Args:
        param: any object.

    Returns:
        True for an `UninitializedParameter` or `UninitializedBuffer`.
    """
    return isinstance(param, UninitializedTensorMixin)
