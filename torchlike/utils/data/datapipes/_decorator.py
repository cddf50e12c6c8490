"""Decorators of pipes: functional names, determinism, and checks of the types of samples."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, ClassVar, get_type_hints

from torchlike.utils.data.datapipes._typing import _DataPipeMeta
from torchlike.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe


class functional_datapipe:  # noqa: N801 - PyTorch's name
    """Decorates a class of pipes, which then is a method of all pipes of its kind.
    https://pytorch.org/docs/stable/data.html

    Args:
        name: the method's name.
        enable_df_api_tracing: whether what is called on the result is recorded for its data frames.
    """

    name: str

    def __init__(self, name: str, enable_df_api_tracing=False):
        self.name = name
        self.enable_df_api_tracing = enable_df_api_tracing

    def __call__(self, cls):
        if issubclass(cls, IterDataPipe):
            if not isinstance(cls, _DataPipeMeta):
                raise TypeError("`functional_datapipe` can only decorate IterDataPipe")
            IterDataPipe.register_datapipe_as_function(self.name, cls, enable_df_api_tracing=self.enable_df_api_tracing)
        elif issubclass(cls, MapDataPipe):
            MapDataPipe.register_datapipe_as_function(self.name, cls)
        return cls


# -- settings

_settings = {"determinism": False, "runtime validation": True}


class _Switched:
    """From when it is made to the end of its ``with`` a setting is the other one; `prev` is the one before."""

    setting: ClassVar[str]
    prev: bool

    def __init__(self):
        self.prev = _settings[self.setting]
        _settings[self.setting] = _FROM_THEN_ON[self.setting]

    def __enter__(self):
        pass

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any):
        _settings[self.setting] = self.prev


_FROM_THEN_ON = {setting: not first for setting, first in _settings.items()}


# -- determinism

_SWITCH = " for this DataPipe if that is acceptable for your application"


class guaranteed_datapipes_determinism(_Switched):  # noqa: N801 - PyTorch's name
    """From when it is made to the end of its ``with``, pipes that are not deterministic refuse to be made.
    https://pytorch.org/docs/stable/data.html
    """

    setting = "determinism"


class non_deterministic:  # noqa: N801 - PyTorch's name
    """Decorates a class of pipes whose order varies: it cannot be instantiated under `guaranteed_datapipes_determinism`.
    https://pytorch.org/docs/stable/data.html

    Args:
        arg: the class; or a function of the constructor's arguments that says whether the order varies, which makes a
            decorator.

    Raises:
        TypeError: it is neither.
    """

    cls: type[IterDataPipe] | None = None
    deterministic_fn: Callable[..., bool]

    def __init__(self, arg):
        if isinstance(arg, type):
            if not issubclass(arg, IterDataPipe):
                raise TypeError("Only `IterDataPipe` can be decorated with `non_deterministic`"
                                f", but {arg.__name__} is found")
            self.cls = arg
        elif callable(arg):
            self.deterministic_fn = arg
        else:
            raise TypeError(f"{arg} can not be decorated by non_deterministic")

    def __call__(self, *args, **kwargs):
        if self.cls is not None:
            if _settings["determinism"]:
                raise TypeError(f"{self.cls.__name__} is non-deterministic, but you set 'guaranteed_datapipes_determinism'. "
                                f"You can turn off determinism{_SWITCH}")
            return self.cls(*args, **kwargs)
        if not (isinstance(args[0], type) and issubclass(args[0], IterDataPipe)):
            raise TypeError(f"Only `IterDataPipe` can be decorated, but {args[0].__name__} is found")
        self.cls = args[0]
        return self.deterministic_wrapper_fn

    def deterministic_wrapper_fn(self, *args, **kwargs) -> IterDataPipe:
        """Make the pipe, unless the function says that its order varies while that is forbidden.

        Args:
            *args, **kwargs: those of the constructor.

        Returns: the pipe.

        Raises:
            TypeError: it varies, or the function does not return a bool.
        """
        varies = self.deterministic_fn(*args, **kwargs)
        kind: Any = self.cls
        if not isinstance(varies, bool):
            raise TypeError("deterministic_fn of `non_deterministic` decorator is required to return a boolean value, but "
                            f"{type(varies)} is found")
        if _settings["determinism"] and varies:
            raise TypeError(f"{kind.__name__} is non-deterministic with the inputs, but you set "
                            f"'guaranteed_datapipes_determinism'. You can turn off determinism{_SWITCH}")
        return kind(*args, **kwargs)


# -- types

def argument_validation(f):
    """Decorates a function: its arguments that are annotated as pipes must be pipes of such samples.
    https://pytorch.org/docs/stable/data.html

    Args:
        f: the function.

    Returns: one with the checks, which raises TypeError.
    """
    signature = inspect.signature(f)
    hints = {name: hint for name, hint in get_type_hints(f).items() if isinstance(hint, _DataPipeMeta)}

    @functools.wraps(f)
    def checked(*args, **kwargs):
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            if name not in hints:
                continue
            if not isinstance(value, IterDataPipe):
                raise TypeError(f"Expected argument '{name}' as a IterDataPipe, but found {type(value)}")
            given: Any = value.type
            if not given.issubtype(hints[name].type):
                raise TypeError(f"Expected type of argument '{name}' as a subtype of hint {hints[name].type}, but found "
                                f"{given}")
        return f(*args, **kwargs)

    return checked


class runtime_validation_disabled(_Switched):  # noqa: N801 - PyTorch's name
    """From when it is made to the end of its ``with``, `runtime_validation` checks nothing.
    https://pytorch.org/docs/stable/data.html
    """

    setting = "runtime validation"


def runtime_validation(f):
    """Decorates ``__iter__``: each sample must be of the pipe's type.
    https://pytorch.org/docs/stable/data.html

    Args:
        f: the method.

    Returns: one with the check, which raises RuntimeError.

    Raises:
        TypeError: it has another name.
    """
    if f.__name__ != "__iter__":
        raise TypeError(f"Can not decorate function {f.__name__} with 'runtime_validation'")

    @functools.wraps(f)
    def checked(self):
        if not _settings["runtime validation"]:
            yield from f(self)
            return
        for sample in f(self):
            if not self.type.issubtype_of_instance(sample):
                raise RuntimeError(f"Expected an instance as subtype of {self.type}, but found {sample}({type(sample)})")
            yield sample

    return checked
