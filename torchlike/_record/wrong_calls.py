"""What to raise when a call of a public function has failed: where its arguments are of no form that PyTorch takes, that is
what PyTorch's parser says, whatever went wrong inside.

Nothing of this is on any path of a call that succeeds. Where an error passes, the frames tell which public function was
called with what.
"""

import dis
import functools
import inspect
import itertools
import os
import sys
import traceback
import types
from collections.abc import Iterable
from typing import Any, cast

from torchlike._base.dtypes import dtype
from torchlike._base.errors import NotANumberError, lack_of_memory, outward, type_name
from torchlike._base.typed import F
from torchlike._record import torch_function
from torchlike._record.signatures import FUNCTIONAL, NUMPY_NAMES, complaint, is_known, named_alike
from torchlike._record.site import is_ours
from torchlike._record.tensor import Tensor
from torchlike._record.tracebacks import mark

_VARARGS, _VARKEYWORDS = inspect.CO_VARARGS, inspect.CO_VARKEYWORDS
_OF_CLASSES = (AttributeError, KeyError, NotANumberError)  # what comes of a class that something inside does not expect
_GENERATED = os.path.join("_api", "generated")
_METHODS = "torch.Tensor."
_DECORATED = "function"  # the name that decorators of public functions have for these: `checked`, `composite` and their kin


_TELLING = {tuple, list}  # what is inside of these counts, too
_MOST = 256  # combinations of classes that are kept of a function


class _BothNamesError(TypeError):
    """An argument is given by PyTorch's name and by numpy's; the function has set neither."""


def instead_of(error: Exception) -> Exception:
    """The TypeError that PyTorch's parser raises for the user's call that is failing, or its error for a lack of memory that
    numpy tells of; else `error`."""
    mark(error)
    return _instead_of(error)


def _instead_of(error, is_first=False):
    if isinstance(error, MemoryError):
        return lack_of_memory(error, on_host=True) or error
    is_inner = False  # called by another public function, perhaps in a form of our own
    by_both = isinstance(error, _BothNamesError)
    for frame in _frames(error):
        function, given = _called(frame)
        if function is not None:
            has_answer, found = _judge(frame, function, by_both) if given is None else _judge_given(function, *given)
            if has_answer:
                is_sure = by_both or (not is_inner and (is_first or given is not None or not _is_set_anew(frame.f_code)))
                return found if found is not None and (is_sure or isinstance(error, _OF_CLASSES)) else _of_no_tensor(error)
            is_inner = True
    return _of_no_tensor(error)


def _called(frame) -> tuple:
    """((path, function), (args, kwargs)) of the public function that the frame is of. None for the arguments where the
    frame has them by name, as the function may have set them; for both where it is of no public function."""
    code = frame.f_code
    if _DECORATED not in code.co_freevars or code.co_varnames[:2] != ("args", "kwargs"):
        return _functions().get(id(code)), None
    values = frame.f_locals
    code = getattr(inspect.unwrap(values[_DECORATED]), "__code__", None)
    return _functions().get(id(code)), (values["args"], values["kwargs"])


def _of_no_tensor(error):
    """TypeError where torchlike asked something else than a tensor or dtype for what these have; else `error`."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if not isinstance(error, AttributeError) or not frames or not is_ours(frames[-1].f_code):
        return outward(error)
    if isinstance(error.obj, Tensor | dtype) or not any(hasattr(kind, error.name or "") for kind in (Tensor, dtype)):
        return error
    wanted = "Tensor" if hasattr(Tensor, error.name or "") else "dtype"
    return TypeError(f"expected {wanted}, but got {type_name(type(error.obj))}")


@functools.cache  # at most as many as there are public functions
def _is_set_anew(code) -> bool:
    """Whether the function gives one of its arguments another value, so that they may not be those of the call. Functions
    that are written from rows only do so where an argument has two names, others also where `dim` is numpy's `axis` or is
    not given, which does not matter here."""
    own = {*code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]}
    own -= {"dim"} if own & {"axis", "_stacklevel"} else set()
    return _GENERATED not in code.co_filename and any(
        step.opname.startswith("STORE_FAST") and step.argval in own for step in dis.get_instructions(code))


class Missing:
    """What stands for an argument that is not given: whatever is asked of it raises what PyTorch's parser says of the call,
    but for its class where another's `isinstance` asks for it."""

    def __getattribute__(self, name: str):
        if name == "__class__" and not is_ours(sys._getframe(1).f_code):
            return Missing
        error = _instead_of(AttributeError())
        raise error if isinstance(error, TypeError) else TypeError("an argument is missing")


MISSING = Missing()
_ABSENT = (MISSING, inspect.Parameter.empty)


def check_given(args: tuple) -> None:
    """For what is not asked for anything on the way.

    Args:
        args: the arguments.

    Raises:
        TypeError: one is not given; with what PyTorch's parser says of the call.
    """
    if any(argument is absent for argument in args for absent in _ABSENT):
        MISSING.shape  # noqa: B018 - raises


def name_missing(functions: Iterable[tuple[str, Any]], space: str) -> None:
    """Lets calls with too few arguments of these functions fail inside of them, at no cost to others, where PyTorch's parser
    has something to say. Of functions that are written from rows, `inspect` shows no default.

    Args:
        functions: (name, public function) each; what is none, or decorated and so told what it is given, stays as it is.
        space: where they are: "torch."; methods always have the tensor.
    """
    for name, function in functions:
        code = getattr(function, "__code__", None)
        if code is None or hasattr(function, "__wrapped__") or not is_known(space + name):
            continue
        defaults = function.__defaults__ or ()
        count = max(0, code.co_argcount - (space == _METHODS) - len(defaults))
        missing = inspect.Parameter.empty if _GENERATED in code.co_filename else MISSING
        function.__defaults__ = (missing,) * count + defaults


def check_call(is_first: bool = False) -> None:
    """TypeError if PyTorch's parser refuses the user's call that is being recorded.

    Args:
        is_first: whether the function has changed none of its arguments yet.
    """
    accepted = TypeError()
    error = _instead_of(accepted, is_first)
    if error is not accepted:
        raise error


def by_both_names(theirs: str) -> TypeError:
    """What PyTorch's parser raises for the user's call, in which an argument is given by its name and by numpy's."""
    text = f"{sys._getframe(2).f_code.co_name}() got an unexpected keyword argument '{theirs}'"
    found = _instead_of(_BothNamesError(text))
    return TypeError(text) if isinstance(found, _BothNamesError) else found


def checked(function: F) -> F:
    """Decorates a public function that uses its arguments before an operation gets them and is so slow that 0.2 us more do
    not matter."""
    @functools.wraps(function)
    def face(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - any may come of wrong arguments
            raise instead_of(error) from None

    return cast("F", face)


def judged(function: F) -> F:
    """Decorates a public function that takes arguments which PyTorch's parser refuses, and is so slow that 1 us more does
    not matter: the parser is asked first, once for arguments of the same classes."""
    accepted: set = set()

    @functools.wraps(function)
    def face(*args, **kwargs):
        try:
            classes = (function, *map(type, args), *kwargs, *map(type, kwargs.values()))
            if classes not in accepted:
                check_call()
                if _TELLING.isdisjoint(classes) and len(accepted) < _MOST:
                    accepted.add(classes)
            return function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - any may come of wrong arguments
            raise instead_of(error) from None

    return cast("F", face)


def _frames(error) -> list:
    """The frames of torchlike below the user's innermost one, down to where the error was raised."""
    stack = []
    frame = sys._getframe(2)
    while frame is not None and is_ours(frame.f_code):
        stack.append(frame)
        frame = frame.f_back
    raised = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    return stack[::-1] + list(itertools.takewhile(lambda frame: is_ours(frame.f_code), raised))


@functools.cache
def _functions() -> dict:
    """{id of the code: (path, function)} of the public functions and methods: the code of a copy is equal to that of the
    original. What decorates several functions is none of them."""
    found: dict = {}
    for public, path in torch_function.names().items():
        while hasattr(public, "__wrapped__"):
            public = public.__wrapped__
        if isinstance(public, types.FunctionType):
            own = f"{path.rpartition('.')[0]}.{public.__name__}"  # of a function with several names
            found.setdefault(id(public.__code__), []).append((own if is_known(own) else path, public))
    return {code: own[0] for code, each in found.items() if (own := _namesakes(each))}


def _namesakes(each) -> list:
    """All of them where they have one name; those that have the code's own name where there are aliases."""
    by_name = [(path.rpartition(".")[2], (path, public)) for path, public in each]
    alike = len({name for name, _ in by_name}) == 1
    return [found for name, found in by_name if alike or name == found[1].__code__.co_name]


def _judge(frame, named, by_both) -> tuple:
    """(whether PyTorch's parser knows the function, what it says of the call in this frame). ``by_both``: an argument that
    has numpy's name, too, is the caller's. ``named``: (path, function)."""
    path, function = named
    args, kwargs = _arguments(frame, function, by_both)
    if path.startswith(_METHODS):
        args = args[1:]
    elif path.startswith(FUNCTIONAL) and not is_known(path):
        return named_alike(path, frame.f_locals)
    has_answer, found = complaint(path, args, kwargs)
    if found is not None:  # what follows an argument that was not given was given by its name
        known, by_name = _without_defaults(frame.f_code, function, args, path.startswith(_METHODS))
        found = complaint(path, known, kwargs | by_name)[1] and found
    return has_answer, found


def _judge_given(named, args, kwargs) -> tuple:
    """The same of a call whose arguments are known as they were given."""
    path, function = named
    if path.startswith(FUNCTIONAL) and not is_known(path):
        try:
            bound = inspect.signature(function).bind(*args, **kwargs)
        except TypeError:  # Python's own answer
            return False, None
        bound.apply_defaults()
        return named_alike(path, bound.arguments)
    return complaint(path, args[1:] if path.startswith(_METHODS) else args, kwargs)


def _without_defaults(code, function, args, is_method) -> tuple:
    """(args, kwargs) of these positional arguments, those from the first default on by their names."""
    names = code.co_varnames[is_method:code.co_argcount]
    given = dict(zip(names, args, strict=False))
    defaults = dict(zip(reversed(names), reversed(function.__defaults__ or ()), strict=False))
    first = next((i for i, name in enumerate(given) if name in defaults and given[name] is defaults[name]), len(args))
    return args[:first], {name: given[name] for name in names[first:len(given)] if given[name] is not defaults.get(name)}


def _by_keyword(frame) -> tuple:
    """The names that the code has which calls the function of this frame; none where it has a dictionary of them, or where
    CPython's code does not show it."""
    if frame.f_back is None:  # what a thread begins with
        return ()
    code, last = frame.f_back.f_code, frame.f_back.f_lasti
    if code.co_filename == torch_function.__file__ or "_original" in code.co_varnames:  # that hands on what it is given
        return tuple(frame.f_back.f_locals.get("kwargs") or ())
    steps = list(itertools.takewhile(lambda step: step.offset <= last, dis.get_instructions(code)))[-3:]
    if steps[-1].opname == "CALL_KW":  # since Python 3.13: the names are a constant that is loaded before
        return steps[-2].argval if isinstance(steps[-2].argval, tuple) else ()
    found = [code.co_consts[step.arg] for step in steps if step.opname == "KW_NAMES"]
    return found[0] if found and steps[-1].opname == "CALL" else ()


def _arguments(frame, function, by_both) -> tuple:
    """(args, kwargs) of the call; arguments that have their defaults count as not given, where they can."""
    code, values = frame.f_code, frame.f_locals
    names = code.co_varnames
    places, last = names[:code.co_argcount], code.co_argcount + code.co_kwonlyargcount
    defaults = dict(zip(reversed(places), reversed(function.__defaults__ or ()), strict=False))
    args = [values.get(name) for name in places]
    while args and places[len(args) - 1] in defaults and args[-1] is defaults[places[len(args) - 1]]:
        args.pop()
    first = next((i for i, value in enumerate(args) if any(value is each for each in _ABSENT)), len(args))
    kwargs = {name: values[name] for name in names[code.co_argcount:last]
              if name in values and values[name] is not (function.__kwdefaults__ or {}).get(name)}
    kwargs |= {places[i]: args[i] for i in range(first + 1, len(args)) if args[i] is not defaults.get(places[i])}
    del args[first:]
    if code.co_flags & _VARARGS:
        given = values.get(names[last], ())
        args += given
        last += 1
        if given:
            kwargs.pop(names[code.co_argcount], None)  # the same list by its name, which the function may have set
    if code.co_flags & _VARKEYWORDS:
        kwargs |= values.get(names[last], {})
    if by_both:
        return args, kwargs
    named = _by_keyword(frame)
    if named and {*named} <= {*names[:last]}:
        del args[min((places.index(name) for name in named if name in places), default=len(args)):]
        return args, {name: values[name] for name in named}
    for name in NUMPY_NAMES.keys() & set(places[:len(args)]):
        if NUMPY_NAMES[name] in kwargs:  # given by numpy's name, and so set by the function
            at = places.index(name)
            kwargs |= {places[i]: args[i] for i in range(at + 1, len(args)) if args[i] is not defaults.get(places[i])}
            del args[at:]
    return args, {name: value for name, value in kwargs.items() if NUMPY_NAMES.get(name) not in kwargs}
