"""`torch.utils._python_dispatch`: modes that take operators over, and wrappers of tensors.

https://pytorch.org/docs/stable/notes/extending.html#extending-torch-native-api
"""

import contextlib
import warnings

from torchlike import ops
from torchlike._modes.torch_dispatch import ModeHandler, without_dispatch
from torchlike._record.dispatch import install, removed, uninstall
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state


class TorchDispatchMode:
    """In its block each operator of this thread, forward and backward, is a call of `__torch_dispatch__`.
    https://pytorch.org/docs/stable/notes/extending.html#extending-all-torch-api-with-modes

    Args:
        _dispatch_key: not looked at.
    """

    supports_higher_order_operators = False

    def __init__(self, _dispatch_key=None):
        self._dispatch_key = _dispatch_key
        self._installed: list[ModeHandler] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """The result of an operator.

        Args:
            func: the overload, ``torch.ops.aten.mm.default``.
            types: the classes with ``__torch_dispatch__`` among the arguments.
            args, kwargs: of the call.

        Returns:
            The result, or NotImplemented.
        """
        raise NotImplementedError

    def __enter__(self):
        if "_installed" not in self.__dict__:  # a class whose __init__ does not call this one's
            self._installed = []
        handler = ModeHandler(self)
        try:
            install(handler)
        except BaseException:  # Ctrl-C, say: `__exit__` is not called then
            uninstall(handler)
            raise
        self._installed = [*self._installed, handler]
        return self

    def __exit__(self, *exception) -> None:
        *self._installed, handler = self._installed
        try:
            uninstall(handler)
        except BaseException:
            uninstall(handler)
            raise

    @classmethod
    def push(cls, *args, **kwargs):
        """A mode, for ``with``. Deprecated: ``with Mode()``.

        Args:
            args, kwargs: of the class.

        Returns:
            The mode.
        """
        warnings.warn("`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`", stacklevel=2)
        return cls(*args, **kwargs)

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        """Whether PyTorch's compiler shall not ask it."""
        return False

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Whether it belongs to PyTorch's own machinery."""
        return False


class BaseTorchDispatchMode(TorchDispatchMode):
    """A mode that changes nothing."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """What the operator returns.

        Args:
            func, types, args, kwargs: as for `TorchDispatchMode`.
        """
        return func(*args, **(kwargs or {}))


# -- the modes of this thread

def _handlers() -> list[ModeHandler]:
    return [handler for handler in state.thread.handlers if isinstance(handler, ModeHandler)]


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether there is a mode in this thread.

    Args:
        include_infra_modes: whether those count for which `is_infra_mode` holds.
    """
    return any(include_infra_modes or not handler.mode.is_infra_mode() for handler in _handlers())


def any_torch_dispatch_mode_on_stack() -> bool:
    """Whether there is a mode in this thread."""
    return bool(_handlers())


def _get_current_dispatch_mode() -> TorchDispatchMode | None:
    """The innermost mode."""
    found = _handlers()
    return found[0].mode if found else None


def _get_current_dispatch_mode_stack() -> list:
    """The modes, the innermost last."""
    return [handler.mode for handler in reversed(_handlers())]


@contextlib.contextmanager
def _disable_current_modes():
    """A block without such modes; gives those that there are, the innermost first."""
    found = _handlers()
    with removed(*found):
        yield [handler.mode for handler in found]


def _push_mode(mode: TorchDispatchMode) -> None:
    """From now on `mode` is the innermost."""
    mode.__enter__()


def _pop_mode(k=None) -> TorchDispatchMode:
    """The innermost mode, which is none from now on."""
    mode = _handlers()[0].mode
    mode.__exit__(None, None, None)
    return mode


@contextlib.contextmanager
def _pop_mode_temporarily(k=None):
    """A block without the innermost mode, which it gives."""
    mode = _pop_mode()
    try:
        yield mode
    finally:
        _push_mode(mode)


no_dispatch = without_dispatch

# -- wrappers

def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether a class says what tensors it is made of."""
    return issubclass(t, Tensor) and all(hasattr(t, name) for name in ("__tensor_flatten__", "__tensor_unflatten__"))


def is_traceable_wrapper_subclass(t) -> bool:
    """Whether a tensor is of a class that says what tensors it is made of."""
    return is_traceable_wrapper_subclass_type(type(t))


def transform_subclass(t, callback, outer_size=None, outer_stride=None):
    """A wrapper made of other tensors.

    Args:
        t: an instance of a class with ``__tensor_flatten__`` and ``__tensor_unflatten__``.
        callback: ``callback(name, tensor)`` for each that it is made of.
        outer_size, outer_stride: of the result; None means those of `t`.

    Returns:
        A tensor of the same class.

    Raises:
        AssertionError: the class made one of another size.
    """
    outer_size = outer_size if outer_size is not None else t.size()
    outer_stride = outer_stride if outer_stride is not None else t.stride()
    names, context = t.__tensor_flatten__()
    parts = {name: callback(name, getattr(t, name)) for name in names}
    made = type(t).__tensor_unflatten__(parts, context, outer_size, outer_stride)
    for word, found, wanted in (("shape", made.shape, outer_size), ("stride", made.stride(), outer_stride)):
        assert found == wanted, (f"Expected return value from {type(t)}__tensor_unflatten__() to have {word} equal to "
                                 f"{wanted}, but got: {found}")
    return made


def return_and_correct_aliasing(func, args, kwargs, out):
    """What a class with ``__torch_dispatch__`` returns for an operator: the argument itself where the operator writes to it.

    Args:
        func: the overload.
        args, kwargs: of the call.
        out: the result as the class has computed it.

    Returns:
        `out`, or the argument that was written to.
    """
    if "out" in (kwargs or {}):
        return kwargs["out"]
    return args[0] if isinstance(func, ops.OpOverload) and func.writes_to_first else out
