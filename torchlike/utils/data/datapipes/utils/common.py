"""Checks of functions and names, files, and streams that are closed when nobody has them any more."""

import contextlib
import fnmatch
import functools
import inspect
import os
import warnings
from collections.abc import Callable, Iterable, Sized
from io import IOBase
from typing import Any, ClassVar

from torchlike.utils._import_utils import dill_available

__all__ = ["StreamWrapper", "get_file_binaries_from_pathnames", "get_file_pathnames_from_root", "match_masks",
           "validate_input_col", "validate_pathname_binary_tuple"]

DILL_AVAILABLE = dill_available()
_NOT_PICKLED = (" function is not supported by pickle, please use regular python function or functools.partial instead.")
_DEEPEST = 10  # levels of containers in which streams are looked for
# What a package that renames a functional form says of the old one: name -> arguments of `_deprecation_warning`.
_iter_deprecated_functional_names: dict[str, dict] = {}
_map_deprecated_functional_names: dict[str, dict] = {}


def _no_length(pipe) -> TypeError:
    """What ``len`` raises for a pipe that has none."""
    return TypeError(f"{type(pipe).__name__} instance doesn't have valid length")


def _length(pipe, source: Any) -> int:
    """That of the source of a pipe; `_no_length` where it has none."""
    if not isinstance(source, Sized):
        raise _no_length(pipe)
    return len(source)


# -- functions

def validate_input_col(fn: Callable, input_col: int | tuple | list | None) -> None:
    """Check that a function takes as many arguments as columns are chosen.

    Args:
        fn: the function; one of C that does not tell its parameters is taken as it is.
        input_col: the column or columns; None means the whole sample.

    Raises:
        ValueError: it takes more or fewer, or has keyword-only parameters without a default.
    """
    try:
        parameters = inspect.signature(fn).parameters.values()
    except ValueError:
        return
    wanted = len(input_col) if isinstance(input_col, list | tuple) else 1
    kinds = inspect.Parameter
    positional = [p for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
    variable = any(p.kind is kinds.VAR_POSITIONAL for p in parameters)
    named = sum(p.kind is kinds.KEYWORD_ONLY and p.default is p.empty for p in parameters)
    function = fn.func if isinstance(fn, functools.partial) else fn
    start = f"The function {getattr(function, '__name__', repr(function))} takes"
    if named:
        raise ValueError(f"{start} {named} non-default keyword-only parameters, which is not allowed.")
    if len(parameters) < wanted:
        if not variable:
            raise ValueError(f"{start} {len(parameters)} parameters, but {wanted} are required.")
    elif any(p.default is p.empty for p in positional[wanted:]) or (len(positional) < wanted and not variable):
        raise ValueError(f"{start} {len(positional)} positional parameters, but {wanted} are required.")


def _is_local_fn(fn) -> bool:
    """Whether a function, or the class of a callable object, is defined in a function."""
    if hasattr(fn, "__code__"):
        return bool(fn.__code__.co_flags & inspect.CO_NESTED)
    return "<locals>" in getattr(fn, "__qualname__", type(fn).__qualname__)


def _check_unpickable_fn(fn: Callable) -> None:
    """Warn of functions that pickle cannot write; TypeError for what is no function."""
    if not callable(fn):
        raise TypeError(f"A callable function is expected, but {type(fn)} is provided.")
    if isinstance(fn, functools.partial):
        fn = fn.func
    if dill_available():
        return
    if _is_local_fn(fn):
        warnings.warn("Local" + _NOT_PICKLED, stacklevel=2)
    elif getattr(fn, "__name__", None) == "<lambda>":
        warnings.warn("Lambda" + _NOT_PICKLED, stacklevel=2)


# -- files

def match_masks(name: str, masks: str | list[str]) -> bool:
    """Whether a file's name matches one of some patterns.

    Args:
        name: the name.
        masks: a pattern as in a shell, or several; none matches everything.

    Returns: a bool.
    """
    if not masks:
        return True
    return any(fnmatch.fnmatch(name, mask) for mask in ([masks] if isinstance(masks, str) else masks))


def _refused_folder(error: OSError):
    warnings.warn(f"{error.filename} : {error.strerror}", stacklevel=2)
    raise error


def get_file_pathnames_from_root(root: str, masks: str | list[str], recursive: bool = False, abspath: bool = False,
                                 non_deterministic: bool = False) -> Iterable[str]:
    """Gives the paths of files.

    Args:
        root: a folder, or one file.
        masks: as for `match_masks`.
        recursive: whether folders in it are searched.
        abspath: whether paths are absolute.
        non_deterministic: whether they come as the system gives them, and not sorted.

    Yields: paths.

    Raises:
        OSError: a folder cannot be read.
    """
    if os.path.isfile(root):
        path = os.path.abspath(root) if abspath else root
        if match_masks(os.path.basename(path), masks):
            yield path
        return
    for path, folders, files in os.walk(root, onerror=_refused_folder):
        if abspath:
            path = os.path.abspath(path)
        if not non_deterministic:
            files.sort()
        yield from (os.path.join(path, file) for file in files if match_masks(file, masks))
        if not recursive:
            break
        if not non_deterministic:
            folders.sort()  # in place: os.walk goes by this list


def get_file_binaries_from_pathnames(pathnames: Iterable, mode: str, encoding: str | None = None):
    """Opens files.

    Args:
        pathnames: paths, or what is no iterable, for one.
        mode: as `open` takes it, or "b" or "t" for reading.
        encoding: that of a text; None means the system's.

    Yields: pairs of a path and a `StreamWrapper`.

    Raises:
        TypeError: a path is no str.
    """
    if not isinstance(pathnames, Iterable):
        pathnames = [pathnames]
    mode = f"r{mode}" if mode in ("b", "t") else mode
    for pathname in pathnames:
        if not isinstance(pathname, str):
            raise TypeError(f"Expected string type for pathname, but got {type(pathname)}")
        yield pathname, StreamWrapper(open(pathname, mode, encoding=encoding))  # noqa: SIM115 - the wrapper closes it


def validate_pathname_binary_tuple(data: tuple[str, IOBase]) -> None:
    """Check that a sample is a path with a stream.

    Args:
        data: the sample.

    Raises:
        TypeError: it is not.
    """
    if not isinstance(data, tuple):
        raise TypeError(f"pathname binary data should be tuple type, but it is type {type(data)}")
    if len(data) != 2:
        raise TypeError(f"pathname binary stream tuple length should be 2, but got {len(data)}")
    if not isinstance(data[0], str):
        raise TypeError(f"pathname within the tuple should have string type pathname, but it is type {type(data[0])}")
    if not isinstance(data[1], IOBase | StreamWrapper):
        raise TypeError("binary stream within the tuple should have IOBase orits subclasses as type, but it is type "
                        f"{type(data[1])}")


def _deprecation_warning(old_class_name: str, *, deprecation_version: str, removal_version: str,
                         old_functional_name: str = "", old_argument_name: str = "", new_class_name: str = "",
                         new_functional_name: str = "", new_argument_name: str = "",
                         deprecate_functional_name_only: bool = False) -> None:
    """Warn of a class, its functional form or one of its arguments, and say what replaces it."""
    if new_functional_name and not old_functional_name:
        raise ValueError("Old functional API needs to be specified for the deprecation warning.")
    if new_argument_name and not old_argument_name:
        raise ValueError("Old argument name needs to be specified for the deprecation warning.")
    if old_functional_name and old_argument_name:
        raise ValueError("Deprecating warning for functional API and argument should be separated.")
    what, verb = f"`{old_class_name}()`", "is"
    if old_functional_name and deprecate_functional_name_only:
        what += f"'s functional API `.{old_functional_name}()`"
    elif old_functional_name:
        what, verb = f"{what} and its functional API `.{old_functional_name}()`", "are"
    elif old_argument_name:
        what = f"The argument `{old_argument_name}` of {what}"
    text = (f"{what} {verb} deprecated since {deprecation_version} and will be removed in {removal_version}."
            "\nSee https://github.com/pytorch/data/issues/163 for details.")
    instead = [f"`{new_class_name}()`"] * bool(new_class_name) + [f"`.{new_functional_name}()`"] * bool(new_functional_name)
    if instead:
        text += f"\nPlease use {' or '.join(instead)} instead."
    if new_argument_name:
        text += f"\nPlease use `{old_class_name}({new_argument_name}=)` instead."
    warnings.warn(text, FutureWarning, stacklevel=2)


class StreamWrapper:
    """A stream that is closed when nobody has the wrapper any more. What it has not is the stream's.

    Args:
        file_obj: the stream.
        parent_stream: the wrapper of the stream that this one reads from, which counts its children.
        name: for `repr`.

    Raises:
        RuntimeError: `parent_stream` is no wrapper.
    """

    session_streams: ClassVar[dict[Any, int]] = {}
    debug_unclosed_streams: bool = False

    def __init__(self, file_obj, parent_stream=None, name=None):
        self.file_obj = file_obj
        self.child_counter = 0
        self.parent_stream = None
        self.close_on_last_child = False
        self.name = name
        self.closed = False
        if parent_stream is not None:
            if not isinstance(parent_stream, StreamWrapper):
                raise RuntimeError(f"Parent stream should be StreamWrapper, {type(parent_stream)} was given")
            parent_stream.child_counter += 1
            self.parent_stream = parent_stream
        if StreamWrapper.debug_unclosed_streams:
            StreamWrapper.session_streams[self] = 1

    @classmethod
    def close_streams(cls, v, depth=0) -> None:
        """Close the wrappers in a sample: in dicts, lists and tuples, ten levels deep.

        Args:
            v: the sample.
            depth: the level of `v`.
        """
        if depth > _DEEPEST:
            return
        if isinstance(v, StreamWrapper):
            v.close()
        elif isinstance(v, dict | list | tuple):
            for each in v.values() if isinstance(v, dict) else v:
                cls.close_streams(each, depth=depth + 1)

    def __getattr__(self, name):
        return getattr(self.__dict__["file_obj"], name)

    def close(self, *args, **kwargs) -> None:
        """Close the stream, and its parent's if that waits for its last child.

        Args:
            *args, **kwargs: those of the stream's own `close`.
        """
        if self.closed:
            return
        if StreamWrapper.debug_unclosed_streams:
            del StreamWrapper.session_streams[self]
        parent = getattr(self, "parent_stream", None)  # what has been unpickled has none
        if parent is not None:
            parent.child_counter -= 1
            if not parent.child_counter and parent.close_on_last_child:
                parent.close()
        with contextlib.suppress(AttributeError):
            self.file_obj.close(*args, **kwargs)
        self.closed = True

    def autoclose(self) -> None:
        """Close the stream as soon as it has no children, which may be now."""
        self.close_on_last_child = True
        if self.child_counter == 0:
            self.close()

    def __dir__(self):
        return list({*self.__dict__, *StreamWrapper.__dict__, *dir(self.file_obj)})

    def __del__(self):
        if not self.closed:
            self.close()

    def __iter__(self):
        yield from self.file_obj

    def __next__(self):
        return next(self.file_obj)

    def __repr__(self):
        return f"StreamWrapper<{'' if self.name is None else f'{self.name},'}{self.file_obj!r}>"

    def __getstate__(self):
        return self.file_obj

    def __setstate__(self, obj):
        self.file_obj = obj
