"""`__torch_function__`: calls of PyTorch's functions that classes of users take over.

https://pytorch.org/docs/stable/notes/extending.html#extending-torch-python-api

Nothing of this is on any path until an instance of such a class, or a mode, exists for the first time. Then `activate`
gives each public function, method and property code that looks at the arguments first. The function objects stay what
they are, so that ``from torch import add`` of before looks, too, and so that ``func is torch.add`` holds.
"""

import dataclasses
import functools
import sys
import threading
import types
from collections.abc import Callable, Iterable

from torchlike._base.block import Block
from torchlike._base.forkable import forkable
from torchlike._record.tensor import Tensor

_DISPATCH = "__torch_dispatch__"
MOST_CLASSES = 4096  # whose answer is kept


class Local(threading.local):
    """What holds in this thread."""

    def __init__(self):
        self.classes_off = 0  # how often classes are switched off
        self.all_off = 0  # and classes and modes
        self.modes: tuple = ()  # the innermost last
        self.skip = False  # the next call is not taken over
        self.usual = True  # none of these

    def changed(self) -> None:
        """Say so after a change."""
        self.usual = not (self.classes_off or self.all_off or self.modes or self.skip)

    def skipped(self) -> bool:
        """Whether this is the call that `skip` means."""
        found, self.skip = self.skip, False
        self.changed()
        return found


local = Local()
_answers: dict = {}
_plain: set = set()  # classes whose instances do not take over, and have nothing inside
_lock = forkable(threading.RLock())
_sources: list[Callable[[], Iterable]] = []  # each gives (function, its public form, whether arguments count)


@dataclasses.dataclass(slots=True)
class _Process:
    """Whether public functions look at their arguments, in all threads; the modules that `look_for_classes` has seen, and
    how many there were."""

    active: bool = False
    seen: set[str] = dataclasses.field(default_factory=lambda: set(sys.modules))
    count: int = 0


_process = _Process()


def disabled_torch_function_impl(func, types, args=(), kwargs=None):
    """The ``__torch_function__`` of a class that takes nothing over; the call goes on as with Tensors."""
    return without_classes(func, args, kwargs or {})


def without_classes(function, args: tuple, kwargs: dict):
    """What the function returns, with classes switched off in this thread. An interruption, which comes where a function
    begins or behind a call, cannot leave them off: no call stands outside the block, and its last step is no call."""
    local.classes_off += 1
    try:
        local.usual = False
        found = function(*args, **kwargs)
    finally:
        local.classes_off -= 1
        local.usual = not (local.classes_off or local.all_off or local.modes or local.skip)
    return found


class Switch(Block):
    """``with``: one of the two off, in this thread."""

    def __init__(self, name: str):
        self.name, self.before = name, None

    def _begin(self) -> None:
        self.before = getattr(local, self.name)
        setattr(local, self.name, self.before + 1)
        local.changed()

    def _end(self) -> None:
        if self.before is not None:
            setattr(local, self.name, self.before)
        local.changed()


# -- who takes over

def takes_over(kind: type) -> bool:
    """Whether instances of this class take calls over."""
    found = _answers.get(kind)
    if found is None:
        if len(_answers) >= MOST_CLASSES:
            _answers.clear()
            _plain.clear()
        own = getattr(kind, "__torch_function__", None)
        found = _answers[kind] = kind is not Tensor and own is not None and own is not disabled_torch_function_impl and not (
            _is_default(own) and getattr(kind, _DISPATCH, None) is not getattr(Tensor, _DISPATCH, None))
        if not found and kind is not tuple and kind is not list:
            _plain.add(kind)
    return found


def _is_default(own) -> bool:
    """Whether a ``__torch_function__`` is that of Tensor, which a class with a ``__torch_dispatch__`` does without."""
    return getattr(own, "__func__", None) is torch_function


def takers(arguments: Iterable) -> list:
    """The arguments that take over, lists looked into: one of each class, a subclass before its bases, else in order."""
    found: list = []
    for argument in arguments:
        kind = argument.__class__
        if kind in _plain:
            continue
        if kind is tuple or kind is list:
            for each in takers(argument):
                _insert(found, each)
        elif takes_over(kind):
            _insert(found, argument)
    return found


def _insert(found: list, argument) -> None:
    kind = type(argument)
    if any(type(other) is kind for other in found):
        return
    place = next((i for i, other in enumerate(found) if issubclass(kind, type(other))), len(found))
    found.insert(place, argument)


# -- a call

def call(original, public, by_arguments: bool, args: tuple, kwargs: dict):
    """What the public function `public` does once `activate` was called; `original` is what it did before."""
    if local.all_off or local.skipped() or (local.classes_off and not local.modes):
        return original(*args, **kwargs)
    found = takers((*args, *kwargs.values())) if by_arguments and not local.classes_off else ()
    if found and hasattr(original, "asks_self"):
        found = takers(args[:1])
    if found or local.modes:
        refuses = getattr(original, "refuses", None)
        return handle(public, found, args, kwargs) if refuses is None else _operated(public, refuses, found, args)
    if by_arguments:
        return original(*args, **kwargs)
    return without_classes(original, args, kwargs)


def _operated(public, refuses, found, args):
    """The answer to one of Python's operators. As in PyTorch a TypeError of a handler means that it has none, so that the
    other operand's operator has its turn."""
    try:
        return NotImplemented if refuses(*args) else handle(public, found, args, {})
    except TypeError:
        return NotImplemented


def handle(public, found, args: tuple, kwargs: dict):
    """The innermost mode's answer, or that of the first of `found` that has one. TypeError if none has.

    A public function can say by `handed_on` in which form it gives its arguments."""
    result = answer(public, found, getattr(public, "handed_on", tuple)(args), kwargs)
    if result is not NotImplemented:
        return result
    tried = "".join(f"\n  - tensor subclass {type(x)}" for x in found)
    raise TypeError(f"Multiple dispatch failed for '{name_of(public)}'; all __torch_function__ handlers returned "
                    f"NotImplemented:\n{tried}\n\nFor more information, try re-running with TORCH_LOGS=not_implemented")


def answer(public, found, args: tuple, kwargs: dict):
    """The same, or NotImplemented."""
    kinds = tuple(type(x) for x in found)
    result = NotImplemented
    if local.modes and not local.all_off:
        with without_innermost() as mode:
            result = mode.__torch_function__(public, kinds, args, kwargs)
    for x in found:
        if result is not NotImplemented:
            break
        result = x.__torch_function__(public, kinds, args, kwargs)
    return result


def push_mode(mode) -> None:
    """From now on `mode` is the innermost, in this thread."""
    set_modes((*local.modes, mode))


def set_modes(modes: tuple) -> None:
    """From now on there are these, the innermost last, in this thread."""
    local.modes = modes
    local.changed()


class without_innermost(Block):  # noqa: N801 - used as a function
    """``with without_innermost() as mode``: the innermost mode, which does not see the calls in the block."""

    def __init__(self):
        self.before = local.modes

    def _begin(self):
        set_modes(self.before[:-1])
        return self.before[-1]

    def _end(self) -> None:
        set_modes(self.before)


def torch_function(cls, func, types, args=(), kwargs=None):
    """``Tensor.__torch_function__``: the call as with Tensors, its results as instances of the subclass.
    https://pytorch.org/docs/stable/notes/extending.html#subclassing-torch-tensor"""
    if not all(issubclass(cls, kind) for kind in types):
        return NotImplemented
    def call_and_convert():
        result = func(*args, **(kwargs or {}))
        return result if func in plain_results() else converted(result, cls)

    return without_classes(call_and_convert, (), {})


def converted(result, cls):
    """Tensors, in tuples and lists, too, as instances of `cls`."""
    if cls is Tensor:
        return result
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, tuple | list):
        made = (converted(each, cls) for each in result)
        return type(result)(*made) if hasattr(result, "_fields") else type(result)(made)
    return result


@functools.cache
def plain_results() -> frozenset:
    """The functions whose results stay Tensors."""
    return frozenset(vars(Tensor)[name].__get__ for name in ("_base", "grad"))


# -- for functions of users that can be taken over themselves

def has_torch_function(relevant_args: Iterable) -> bool:
    """Whether one of these takes calls over by its ``__torch_function__``, or a mode does.

    Args:
        relevant_args: arguments of a call, of any type.

    Returns:
        Whether `handle_torch_function` has to be called.
    """
    if local.all_off or local.skipped():
        return False
    return bool(local.modes or (not local.classes_off and takers(tuple(relevant_args))))


def has_torch_function_unary(tensor) -> bool:
    """`has_torch_function` of one argument.

    Args:
        tensor: the argument.

    Returns: as for `has_torch_function`.
    """
    return has_torch_function((tensor,))


def has_torch_function_variadic(*args) -> bool:
    """`has_torch_function` of the arguments that are given.

    Args:
        *args: arguments of a call.

    Returns: as for `has_torch_function`.
    """
    return has_torch_function(args)


def handle_torch_function(public_api: Callable, relevant_args: Iterable, *args, **kwargs):
    """What the mode, or the first of the arguments that has an answer, makes of ``public_api(*args, **kwargs)``.

    Args:
        public_api: the function that was called.
        relevant_args: the arguments whose classes are asked.
        *args: those of the call.
        **kwargs: those of the call.

    Returns:
        The answer.

    Raises:
        TypeError: none has one.
    """
    found = [] if local.classes_off else takers(tuple(relevant_args))
    result = answer(public_api, found, args, kwargs)
    if result is NotImplemented:
        name = f"{public_api.__module__}.{public_api.__name__}"
        raise TypeError(f"no implementation found for '{name}' on types that implement __torch_function__: "
                        f"{[type(x) for x in found]}")
    return result


# -- the code of public functions

def register(source: Callable[[], Iterable]) -> None:
    """`source` gives what `activate` shall change."""
    _sources.append(source)


def met(kind: type) -> None:
    """An instance of this class is being made."""
    if not _process.active and takes_over(kind):
        activate()


def look_for_classes() -> None:
    """`activate` where a module has been imported with a class that takes over and is no subclass of Tensor: nothing tells
    when an instance of such a class is made, and functions that are made of several operators would fail on it."""
    if _process.active or len(sys.modules) == _process.count:
        return
    _process.count = len(sys.modules)
    own = __name__.partition(".")[0]
    for name in set(sys.modules) - _process.seen:
        module = sys.modules.get(name)
        spec = getattr(module, "__spec__", None)
        if getattr(spec, "_initializing", False):
            _process.count = 0  # its classes are yet to come
            continue
        _process.seen.add(name)
        is_own = str(getattr(spec, "name", name)).startswith(own)  # under torch's name, too
        if not is_own and any(_is_foreign(x, name) for x in list(getattr(module, "__dict__", {}).values())):
            activate()


def _is_foreign(x, module: str) -> bool:
    # `isinstance` would read ``x.__class__``, which some objects answer with a warning
    return issubclass(type(x), type) and x.__module__ == module and not issubclass(x, Tensor) and takes_over(x)


def activate() -> None:
    """From now on public functions look at their arguments. Once for the process; each call takes 0.5 us more."""
    with _lock:
        if not _process.active:
            for source in _sources:
                for function, public, by_arguments in source():
                    _give_code(function, public, by_arguments)
            _process.active = True  # last: `met` goes on without the lock


_names: dict = {}


def name_of(public) -> str:
    """``torch.add``, ``torch.Tensor.add``, ``torch.Tensor.shape.__get__``; the function's own name if it has none."""
    return _names.get(public) or getattr(public, "__qualname__", repr(public))


def known_name(public) -> str | None:
    """The same, or None."""
    return _names.get(public)


def names() -> dict:
    """{public function: its path} of all of them."""
    for source in _sources:
        source()
    return _names


def public_of(face: str):
    """The public function of a row's face ("add", "linalg_inv_ex"), or None."""
    by_name = {text: public for public, text in _names.items()}
    places = (f"torch.{face}", f"torch.nn.functional.{face}", "torch." + face.replace("_", ".", 1))
    return next((by_name[place] for place in places if place in by_name), None)


def name(public, text: str) -> None:
    """Say what `name_of` gives."""
    _names.setdefault(public, text)


def copied(function, closure=None):
    """The same function as another object, perhaps with other cells for its free variables."""
    made = types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__,
                              closure or function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    made.__qualname__, made.__doc__, made.__module__ = function.__qualname__, function.__doc__, function.__module__
    return made


def _give_code(function, public, by_arguments) -> None:
    code = function.__code__
    original = copied(function)
    function.__wrapped__ = original  # for inspect.signature
    function.__kwdefaults__ = {**(function.__kwdefaults__ or {}),  # another thread may be calling it
                               "_original": original, "_plain": _plain if by_arguments else frozenset(), "_local": local,
                               "_call": functools.partial(call, original, public, by_arguments)}
    function.__code__ = _looking_code(len(code.co_freevars)).replace(
        co_name=code.co_name, co_qualname=code.co_qualname, co_filename=code.co_filename, co_firstlineno=code.co_firstlineno)


_LOOKING = """
def outer():
{made}
    def face(*args, _original, _plain, _local, _call, **kwargs):
{kept}
        if _local.usual:
            for each in args:
                if each.__class__ not in _plain:
                    break
            else:
                for each in kwargs.values():
                    if each.__class__ not in _plain:
                        break
                else:
                    return _original(*args, **kwargs)
        return _call(args, kwargs)
    return face
"""


@functools.cache
def _looking_code(free: int):
    """Code with as many free variables as the function has, for its closure stays."""
    names = [f"free{i}" for i in range(free)]
    made = "".join(f"    {each} = None\n" for each in names)
    kept = f"        nonlocal {', '.join(names)}\n" if names else ""
    scope: dict = {}
    exec(_LOOKING.format(made=made, kept=kept), scope)  # noqa: S102 - text from above
    return scope["outer"]().__code__
