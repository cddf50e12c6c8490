"""The base classes of pipes: IterDataPipe gives samples in its own order, MapDataPipe by key."""

import functools
import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, TypeVar

from torchlike.utils._import_utils import dill_available, import_dill
from torchlike.utils.data.datapipes._hook_iterator import _SnapshotState
from torchlike.utils.data.datapipes._typing import _DataPipeMeta, _IterDataPipeMeta
from torchlike.utils.data.datapipes.utils.common import (
    _deprecation_warning,
    _iter_deprecated_functional_names,
    _map_deprecated_functional_names,
)
from torchlike.utils.data.dataset import Dataset, IterableDataset

__all__ = ["DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe"]

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)
HAS_DILL = dill_available()
# These do not give data frames, so nothing that is called on their results is recorded.
UNTRACABLE_DATAFRAME_PIPES = ["batch", "groupby", "_dataframes_as_tuples", "trace_as_dataframe"]


class DataChunk(list[_T]):
    """A batch of samples.
    https://pytorch.org/docs/stable/data.html

    Args:
        items: the samples.
    """

    def __init__(self, items: Iterable[_T]):
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent: str = "") -> str:
        """The samples as a list is printed.

        Args:
            indent: put in front.

        Returns: a str.
        """
        return f"{indent}[{', '.join(map(str, iter(self)))}]"

    def __iter__(self) -> Iterator[_T]:
        yield from super().__iter__()

    def raw_iterator(self) -> Iterator[_T]:
        """Gives the samples as they came: of data frames the frames, not the rows."""
        yield from self.items


class _Pipe:
    """What the two kinds share. Each has `functions` and hooks of its own."""

    functions: ClassVar[dict[str, Callable]]
    reduce_ex_hook: Callable | None
    getstate_hook: Callable | None
    str_hook: Callable | None = None
    repr_hook: Callable | None = None

    @classmethod
    def register_function(cls, function_name, function) -> None:
        """Let all pipes of this kind have a method.

        Args:
            function_name: its name.
            function: what is called with the pipe and the other arguments.
        """
        cls.functions[function_name] = function

    @classmethod
    def _kind(cls) -> type:
        """IterDataPipe or MapDataPipe, whose hooks all of its pipes have."""
        return next(kind for kind in cls.__mro__ if _Pipe in kind.__bases__)

    def __getstate__(self):
        hook = self._kind().getstate_hook
        return self.__dict__ if hook is None else hook(self.__dict__)

    def __reduce_ex__(self, *args, **kwargs):
        hook = self._kind().reduce_ex_hook
        if hook is not None:
            try:
                return hook(self)
            except NotImplementedError:
                pass
        return super().__reduce_ex__(*args, **kwargs)

    @classmethod
    def set_getstate_hook(cls, hook_fn) -> None:
        """Have another function say what pickles of pipes have in them.

        Args:
            hook_fn: from a state to another one; None for none.

        Raises:
            RuntimeError: there is one.
        """
        _set_hook(cls._kind(), "getstate_hook", hook_fn)

    @classmethod
    def set_reduce_ex_hook(cls, hook_fn) -> None:
        """Have another function say how pipes are pickled.

        Args:
            hook_fn: from a pipe to what ``__reduce_ex__`` returns; NotImplementedError leaves it to the pipe. None for none.

        Raises:
            RuntimeError: there is one.
        """
        _set_hook(cls._kind(), "reduce_ex_hook", hook_fn)

    def __repr__(self):
        return str(self.__class__.__qualname__) if self.repr_hook is None else self.repr_hook(self)

    def __str__(self):
        return str(self.__class__.__qualname__) if self.str_hook is None else self.str_hook(self)

    def __dir__(self):
        return [*super().__dir__(), *self.functions]


def _method(pipe, function):
    """A registered function as a method of a pipe."""
    return functools.update_wrapper(functools.partial(function, pipe), function, assigned=("__doc__",))


def _register(functions, name, function, kind) -> None:
    if name in functions:
        raise Exception(f"Unable to add DataPipe function name {name} as it is already taken")
    functions[name] = functools.update_wrapper(function, kind, assigned=("__doc__",))


def _set_hook(kind, name, hook) -> None:
    if getattr(kind, name) is not None and hook is not None:
        raise RuntimeError(f"Attempt to override existing {name}")
    setattr(kind, name, hook)


class IterDataPipe(_Pipe, IterableDataset[_T_co], metaclass=_IterDataPipeMeta):
    """A pipe of samples in its own order. Subclasses define ``__iter__``.
    https://pytorch.org/docs/stable/data.html

    The iterator that was made last is the only valid one, and making it resets the pipe. Pipes with a functional name are
    methods: ``dp.map(f)`` is ``Mapper(dp, f)``.
    """

    functions: ClassVar[dict[str, Callable]] = {}
    reduce_ex_hook: Callable | None = None
    getstate_hook: Callable | None = None
    _valid_iterator_id: int | None = None
    _number_of_samples_yielded: int = 0
    _snapshot_state: _SnapshotState = _SnapshotState.NotStarted
    _fast_forward_iterator: Iterator | None = None

    def __iter__(self) -> Any:
        return self

    def __getattr__(self, attribute_name):
        if attribute_name not in IterDataPipe.functions:
            raise AttributeError(f"'{self.__class__.__name__}' object has no attribute '{attribute_name}")
        if attribute_name in _iter_deprecated_functional_names:
            _deprecation_warning(**_iter_deprecated_functional_names[attribute_name])
        return _method(self, IterDataPipe.functions[attribute_name])

    @classmethod
    def register_datapipe_as_function(cls, function_name, cls_to_register, enable_df_api_tracing=False) -> None:
        """Let all iterable pipes have a method that makes another pipe of them.

        Args:
            function_name: its name.
            cls_to_register: the other pipe's class.
            enable_df_api_tracing: whether what is called on the other pipe is recorded for its data frames.

        Raises:
            Exception: the name is taken.
        """
        function = functools.partial(_made_of, function_name, cls_to_register, enable_df_api_tracing)
        _register(cls.functions, function_name, function, cls_to_register)

    def reset(self) -> None:
        """Go back to the beginning. Called when an iterator is made; a class with buffers empties them here."""


def _made_of(name, kind, traced, source, *args, **kwargs):
    """The pipe that a method of another one returns."""
    made = kind(source, *args, **kwargs)
    if isinstance(made, IterDataPipe) and (traced or isinstance(source, DFIterDataPipe)) and \
            name not in UNTRACABLE_DATAFRAME_PIPES:
        made = made.trace_as_dataframe()
    return made


def hooked_state(state):
    """The state of an IterDataPipe as its pickle has it."""
    hook = IterDataPipe.getstate_hook
    return state if hook is None else hook(state)


class DFIterDataPipe(IterDataPipe):
    """A pipe of data frames.
    https://pytorch.org/docs/stable/data.html
    """

    def _is_dfpipe(self) -> bool:
        return True


class MapDataPipe(_Pipe, Dataset[_T_co], metaclass=_DataPipeMeta):
    """A pipe of samples by key. Subclasses define ``__getitem__``, and mostly ``__len__``.
    https://pytorch.org/docs/stable/data.html
    """

    functions: ClassVar[dict[str, Callable]] = {}
    reduce_ex_hook: Callable | None = None
    getstate_hook: Callable | None = None

    def __getattr__(self, attribute_name):
        if attribute_name not in MapDataPipe.functions:
            raise AttributeError(f"'{self.__class__.__name__}' object has no attribute '{attribute_name}")
        if attribute_name in _map_deprecated_functional_names:
            _deprecation_warning(**_map_deprecated_functional_names[attribute_name])
        return _method(self, MapDataPipe.functions[attribute_name])

    @classmethod
    def register_datapipe_as_function(cls, function_name, cls_to_register) -> None:
        """Let all pipes by key have a method that makes another pipe of them.

        Args:
            function_name: its name.
            cls_to_register: the other pipe's class.

        Raises:
            Exception: the name is taken.
        """
        _register(cls.functions, function_name, functools.partial(_called, cls_to_register), cls_to_register)


def _called(kind, source, *args, **kwargs):
    return kind(source, *args, **kwargs)


class _DataPipeSerializationWrapper:
    """A pipe as a DataLoader hands it to its workers: pickled by dill where pickle cannot."""

    def __init__(self, datapipe):
        self._datapipe = datapipe

    def __getstate__(self):
        dill: Any = import_dill()
        try:
            return pickle.dumps(self._datapipe), False
        except Exception:
            if dill is None:
                raise
            return dill.dumps(self._datapipe), True

    def __setstate__(self, state):
        value, by_dill = state
        reader: Any = import_dill() if by_dill else pickle
        self._datapipe = reader.loads(value)

    def __len__(self):
        try:
            return len(self._datapipe)
        except Exception as error:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length") from error


class _IterDataPipeSerializationWrapper(_DataPipeSerializationWrapper, IterDataPipe):
    def __init__(self, datapipe):
        super().__init__(datapipe)
        self._datapipe_iter: Iterator | None = None

    def __iter__(self):
        self._datapipe_iter = iter(self._datapipe)
        return self

    def __next__(self):
        if self._datapipe_iter is None:
            raise AssertionError("Iterator has not been initialized; call __iter__() before __next__()")
        return next(self._datapipe_iter)


class _MapDataPipeSerializationWrapper(_DataPipeSerializationWrapper, MapDataPipe):
    def __getitem__(self, idx):
        return self._datapipe[idx]
