"""`torch.overrides`: what ``__torch_function__`` can take over, and modes that take over everything in a block.

https://pytorch.org/docs/stable/torch.overrides.html. How calls get there is in `torchlike._record.torch_function`.
"""

import contextlib
import functools
import inspect
import types
import warnings
from collections.abc import Callable, Iterable

from torchlike import _api, autograd, fft, linalg, special
from torchlike._base import symbolic
from torchlike._lobpcg import lobpcg
from torchlike._record import torch_function
from torchlike._record.tensor import Tensor
from torchlike._record.torch_function import handle_torch_function as handle_torch_function
from torchlike._record.torch_function import has_torch_function as has_torch_function
from torchlike._record.torch_function import has_torch_function_unary as has_torch_function_unary
from torchlike._record.torch_function import has_torch_function_variadic as has_torch_function_variadic
from torchlike._record.torch_function import local, without_innermost
from torchlike.nn import functional, init
from torchlike.nn._torch_namespace import FUNCTIONS as FUNCTIONS_OF_NN

__all__ = [
    "BaseTorchFunctionMode", "TorchFunctionMode", "enable_reentrant_dispatch", "get_default_nowrap_functions",
    "get_ignored_functions", "get_overridable_functions", "get_testing_overrides", "handle_torch_function",
    "has_torch_function", "has_torch_function_unary", "has_torch_function_variadic", "is_tensor_like",
    "is_tensor_method_or_property", "redispatch_function", "resolve_name", "wrap_torch_function",
]

# A function in two namespaces takes the first one's name.
_SPACES = {"torch.nn.functional": functional, "torch": _api, "torch.linalg": linalg, "torch.fft": fft,
           "torch.special": special}
_OWNERS = {**_SPACES, "torch.nn.init": init, "torch.autograd": autograd}
_OF_TENSOR = "torch.Tensor."
_ELSEWHERE = ("_", "linalg_", "fft_", "special_")  # prefixes of names that are in another namespace in PyTorch, or in none
# As in PyTorch their arguments are not examined; modes do see these calls.
_BY_MODES = frozenset(str.split(
    "arange as_tensor asarray bartlett_window blackman_window empty empty_permuted empty_strided eye from_numpy "
    "frombuffer full hamming_window hann_window kaiser_window linspace logspace ones rand randint randn randperm "
    "range scalar_tensor sparse_bsc_tensor sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor "
    "sparse_csr_tensor tensor tril_indices triu_indices zeros fftfreq rfftfreq"))
_NEVER = frozenset(str.split(
    "can_cast is_storage is_tensor promote_types set_default_tensor_type vmap broadcast_shapes typename "
    "grouped_mm scaled_grouped_mm scaled_mm handle_torch_function has_torch_function has_torch_function_unary "
    "has_torch_function_variadic "
    "is_anomaly_check_nan_enabled is_anomaly_enabled set_anomaly_enabled"))
_NEVER_OF_TENSOR = frozenset(str.split(
    "__class__ __delitem__ __dict__ __dir__ __getattr__ __hash__ __init_subclass__ __iter__ __new__ __subclasshook__ "
    "__torch_function__ _make_subclass _make_wrapper_subclass as_subclass"))
_ACCESSORS = (".__get__", ".__set__", ".__delete__")
# Python's operators -> the method that ``__torch_function__`` gets for them.
_AS_METHOD = {
    "__add__": "add", "__radd__": "add", "__mul__": "mul", "__rmul__": "mul", "__sub__": "sub", "__truediv__": "div",
    "__matmul__": "matmul", "__mod__": "remainder", "__neg__": "neg", "__pos__": "positive", "__abs__": "abs",
    "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge", "__iadd__": "add_", "__isub__": "sub_",
    "__imul__": "mul_", "__itruediv__": "__idiv__", "__imod__": "remainder_",
}


def _functions() -> Iterable:
    """(text, function, its public form, whether its arguments are examined) for everything that can be taken over."""
    yield from _of_spaces()
    for name, function in FUNCTIONS_OF_NN.items():
        yield f"torch.{name}", function, function, True
    for name in ("constant_", "kaiming_uniform_", "normal_", "uniform_"):
        yield f"torch.nn.init.{name}", getattr(init, name), getattr(init, name), True
    for name, function in vars(symbolic).items():
        if name.startswith("sym_") and name != "sym_fresh_size":
            yield f"torch.{name}", function, function, True
    yield "torch._grouped_mm", _api._grouped_mm, _api._grouped_mm, True  # behind nn.functional.grouped_mm
    yield "torch.lobpcg", lobpcg, lobpcg, True
    for name in ("backward", "grad"):
        yield f"torch.autograd.{name}", getattr(autograd, name), getattr(autograd, name), True
    yield from _of_tensor()


def _is_own(function) -> bool:
    """Whether it is a function of torchlike's: programs put others on torch and Tensor."""
    return isinstance(function, types.FunctionType) and \
        function.__globals__["__name__"].partition(".")[0] == __name__.partition(".")[0]


def _of_spaces() -> Iterable:
    for space, module in _SPACES.items():
        for name, function in vars(module).items():
            if _is_own(function) and not name.startswith(_ELSEWHERE) and name not in _NEVER:
                # an internal function that only Modules call counts as the public one of nn.functional
                public = function if module is not _api or name in _api.__all__ else getattr(functional, name, function)
                yield f"{space}.{name}", function, public, name not in _BY_MODES


def _of_tensor() -> Iterable:
    found = vars(Tensor)
    for name, function in found.items():
        if name in _NEVER_OF_TENSOR or getattr(function, "__name__", None) in _NEVER_OF_TENSOR:  # kept under another name
            continue
        if _is_own(function):
            yield f"{_OF_TENSOR}{name}", function, found.get(_AS_METHOD.get(name, name), function), True
        elif isinstance(function, property):
            for part, accessor in zip((function.fget, function.fset, function.fdel), _ACCESSORS, strict=True):
                if _is_own(part):
                    yield f"{_OF_TENSOR}{name}{accessor}", part, getattr(function, accessor[1:]), True


@functools.cache
def _each_once() -> tuple:
    """(function, public form, whether its arguments are examined), each function once. It also gives them their names."""
    found: dict = {}
    for text, function, public, by_arguments in _functions():
        if public is function or text.endswith(_ACCESSORS):
            torch_function.name(public, text)
        found.setdefault(function, (function, public, by_arguments))
    return tuple(found.values())


torch_function.register(_each_once)


# -- for functions of users that can be taken over themselves

def wrap_torch_function(dispatcher: Callable):
    """Decorates a function of a user, which ``__torch_function__`` can then take over.

    Args:
        dispatcher: a function of the same arguments; gives those that may take over.

    Returns:
        a decorator.
    """
    def decorate(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)
        return wrapped
    return decorate


def is_tensor_like(inp) -> bool:
    """Whether an object is a Tensor, or of a class with ``__torch_function__``.

    Args:
        inp: any object.

    Returns:
        a bool.
    """
    return type(inp) is Tensor or hasattr(inp, "__torch_function__")


# -- what can be taken over

def get_overridable_functions() -> dict:
    """What ``__torch_function__`` can take over, as a dict from modules and Tensor to lists of functions."""
    found: dict = {}
    for text, function, public, by_arguments in _functions():
        owner = Tensor if text.startswith(_OF_TENSOR) else _OWNERS[text.rpartition(".")[0]]
        if by_arguments and (public is function or owner is Tensor):
            found.setdefault(owner, []).append(public)
    return found


def get_ignored_functions() -> set:
    """The functions of the torch namespace whose arguments are not looked at, as a set."""
    names = vars(_api)
    return {names[name] for name in _BY_MODES | _NEVER if name in names}


@functools.cache
def get_testing_overrides() -> dict:
    """A dict from every function that can be taken over to a function of the same arguments that returns -1."""
    found = {}
    for functions in get_overridable_functions().values():
        for function in functions:
            found.setdefault(function, _minus_one(function))
    return found


def _minus_one(function):
    def answer(*args, **kwargs):
        return -1

    with contextlib.suppress(TypeError, ValueError):
        answer.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return answer


def get_default_nowrap_functions() -> set:
    """The functions whose results `Tensor.__torch_function__` does not turn into a subclass, as a set."""
    return set(torch_function.plain_results())


def resolve_name(f) -> str | None:
    """The name of a function that can be taken over.

    Args:
        f: a function.

    Returns:
        ``torch.add``, ``torch.Tensor.add``, ``torch.Tensor.shape.__get__`` and the like, or None.
    """
    _each_once()
    return torch_function.known_name(f)


def is_tensor_method_or_property(func: Callable) -> bool:
    """Whether a function is one of Tensor's.

    Args:
        func: a function.

    Returns:
        a bool.
    """
    return (resolve_name(func) or "").startswith(_OF_TENSOR) or getattr(func, "__name__", "") == "__get__"


# -- modes

class TorchFunctionMode:
    """A block in which ``__torch_function__`` of the instance sees every call of PyTorch's functions, creation of tensors
    included. Inside that method the mode is off.
    """

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        before = local.modes
        try:
            torch_function.activate()
            torch_function.push_mode(self)
        except BaseException:  # Ctrl-C, say: `__exit__` is not called then
            torch_function.set_modes(before)
            raise
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        outer = local.modes[:-1]
        try:
            torch_function.set_modes(outer)
        except BaseException:
            torch_function.set_modes(outer)
            raise

    @classmethod
    def push(cls, *args, **kwargs):
        """Deprecated: an instance, with a warning.

        Args:
            args, kwargs: those of the constructor.

        Returns:
            The instance.
        """
        warnings.warn("`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`", stacklevel=2)
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that changes nothing."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def _get_current_function_mode():
    return local.modes[-1] if local.modes else None


def _get_current_function_mode_stack() -> list:
    return list(local.modes)


_pop_mode_temporarily = without_innermost


@contextlib.contextmanager
def enable_reentrant_dispatch():
    """A block in which nothing changes: ``__torch_dispatch__`` of what is called inside one is reached as it is."""
    yield


def redispatch_function(func: Callable, types, args, kwargs):
    """Calls a function itself instead of what takes it over; calls inside it can be taken over again.

    Args:
        func: the function.
        types: without effect.
        args, kwargs: its arguments.

    Returns:
        its result.
    """
    local.skip = True
    local.changed()
    try:
        return func(*args, **(kwargs or {}))
    finally:
        local.skipped()
