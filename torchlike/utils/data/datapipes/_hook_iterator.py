"""What an IterDataPipe's ``__iter__`` does besides: only the iterator made last is valid, samples are counted, each step is
a span of the profiler, and errors say which pipe they are of."""

import enum
import functools
import inspect

from torchlike.autograd.profiler import _profiler_enabled, record_function

_FEEDBACK = ("\nFor feedback regarding this single iterator per IterDataPipe constraint, feel free to comment on this "
             "issue: https://github.com/pytorch/data/issues/45.")
_INVALID = (
    "This iterator has been invalidated because another iterator has been created from the same IterDataPipe: {}\n"
    "This may be caused by multiple references to the same IterDataPipe. We recommend using `.fork()` if that is necessary.")
_CHILD_INVALID = (
    "This iterator has been invalidated, because a new iterator has been created from one of the ChildDataPipes of {}.")
_CONSTRAINT = "single iterator per IterDataPipe constraint"


class _SnapshotState(enum.Enum):
    """How far a pipe is: a restored one is not reset by its next iterator, which goes on where the snapshot was."""

    NotStarted = 0
    Restored = 1
    Iterating = 2


def _generate_input_args_string(obj) -> str:
    """The attributes that have the names of the constructor's parameters, as ``name=value``."""
    names = set(inspect.signature(obj.__class__).parameters)
    return ", ".join(f"{name}={value.__name__ if inspect.isfunction(value) else repr(value)}"
                     for name, value in inspect.getmembers(obj) if name in names)


def _generate_iterdatapipe_msg(datapipe, simplify_dp_name: bool = False) -> str:
    """A pipe as a call of its class, for error texts and the profiler."""
    text = f"{datapipe.__class__.__name__}({_generate_input_args_string(datapipe)})"
    return text.replace("IterDataPipe", "").replace("MapDataPipe", "") if simplify_dp_name else text


def _is_child(datapipe) -> bool:
    return getattr(datapipe, "_is_child_datapipe", None) is True


def _check_iterator_valid(datapipe, iterator_id) -> None:
    """RuntimeError if another iterator of the pipe is younger than this one."""
    if _is_child(datapipe):
        if not hasattr(datapipe, "_check_valid_iterator_id"):
            raise RuntimeError("ChildDataPipe must have method `_check_valid_iterator_id`.")
        if not datapipe._check_valid_iterator_id(iterator_id):
            raise RuntimeError(_CHILD_INVALID.format(_generate_iterdatapipe_msg(datapipe.main_datapipe)) + _FEEDBACK)
    elif datapipe._valid_iterator_id != iterator_id:
        raise RuntimeError(_INVALID.format(_generate_iterdatapipe_msg(datapipe)) + _FEEDBACK)


def _set_datapipe_valid_iterator_id(datapipe):
    """Give a new iterator its number, which makes the others invalid, and reset the pipe."""
    if _is_child(datapipe):
        if not hasattr(datapipe, "_set_main_datapipe_valid_iterator_id"):
            raise RuntimeError("ChildDataPipe must have method `_set_main_datapipe_valid_iterator_id`.")
        datapipe._set_main_datapipe_valid_iterator_id()
    else:
        last = datapipe._valid_iterator_id
        datapipe._valid_iterator_id = 0 if last is None else last + 1
        datapipe.reset()
    return datapipe._valid_iterator_id


def _profiled(datapipe, step, *args):
    """`step` as a span that is named after the pipe."""
    if not hasattr(datapipe, "_profile_name"):
        datapipe._profile_name = _generate_iterdatapipe_msg(datapipe, simplify_dp_name=True)
    with record_function(datapipe._profile_name):
        return step(*args)


class IteratorDecorator:
    """What ``__iter__`` returned that is no generator, with the check of each step.

    Args:
        iterator: what it returned.
        datapipe: the pipe.
        iterator_id: the iterator's number.
        has_next_method: whether the pipe's class defines ``__next__``, which then counts the samples itself.
    """

    def __init__(self, iterator, datapipe, iterator_id, has_next_method):
        self.iterator, self.datapipe, self.iterator_id = iterator, datapipe, iterator_id
        self._profiler_enabled = _profiler_enabled()
        self.self_and_has_next_method = iterator is datapipe and has_next_method

    def __iter__(self):
        return self

    def _get_next(self):
        _check_iterator_valid(self.datapipe, self.iterator_id)
        result = next(self.iterator)
        if not self.self_and_has_next_method:
            self.datapipe._number_of_samples_yielded += 1
        return result

    def __next__(self):
        return _profiled(self.datapipe, self._get_next) if self._profiler_enabled else self._get_next()

    def __getattr__(self, name):
        return getattr(self.iterator, name)


def _name_pipe(error, datapipe) -> None:
    """Write into the text of an error which pipe it came from, unless a pipe further up the line is named there."""
    said = f"thrown by __iter__ of {datapipe.__class__.__name__}({_generate_input_args_string(datapipe)})"
    text, *rest = error.args or (None,)
    if not isinstance(text, str):
        error.args = (f"\nThis exception is {said}",)
    elif "thrown by __iter__ of" not in text and _CONSTRAINT not in text:
        error.args = (f"{text}\nThis exception is {said}", *rest)


def _steps(datapipe, generator):
    """The samples of a generator, each behind the check that this is the pipe's youngest iterator."""
    iterator_id = _set_datapipe_valid_iterator_id(datapipe)
    profiled = _profiler_enabled()

    def send(request):
        return _profiled(datapipe, generator.send, request) if profiled else generator.send(request)

    try:
        response = send(None)
        while True:
            datapipe._number_of_samples_yielded += 1
            request = yield response
            _check_iterator_valid(datapipe, iterator_id)
            response = send(request)
    except StopIteration:
        return
    except Exception as error:
        _name_pipe(error, datapipe)
        raise


def _hooked_generator(function):
    @functools.wraps(function)
    def __iter__(*args, **kwargs):  # noqa: N807 - a generator, so that nothing happens before its first step
        generator = function(*args, **kwargs)
        datapipe = args[0]
        ahead = datapipe._fast_forward_iterator
        if ahead:
            datapipe._fast_forward_iterator = None
            datapipe._snapshot_state = _SnapshotState.Iterating
            yield from ahead
        else:
            yield from _steps(datapipe, generator)

    return __iter__


def _hooked_iter(function, has_next_method):
    @functools.wraps(function)
    def __iter__(*args, **kwargs):  # noqa: N807
        iterator = function(*args, **kwargs)
        datapipe = args[0]
        datapipe._snapshot_state = _SnapshotState.Iterating
        if datapipe._fast_forward_iterator:
            iterator = datapipe._fast_forward_iterator
            datapipe._fast_forward_iterator = None
            return iterator
        return IteratorDecorator(iterator, datapipe, _set_datapipe_valid_iterator_id(datapipe), has_next_method)

    return __iter__


def _hooked_next(function):
    @functools.wraps(function)
    def __next__(*args, **kwargs):  # noqa: N807
        datapipe = args[0]
        result = _profiled(datapipe, lambda: function(*args, **kwargs)) if _profiler_enabled() else function(*args, **kwargs)
        datapipe._number_of_samples_yielded += 1
        return result

    return __next__


def hook_iterator(namespace) -> None:
    """Wrap ``__iter__``, and ``__next__`` where there is one, in the namespace of a class of pipes that is being made.

    Args:
        namespace: its dictionary.
    """
    function = namespace["__iter__"]
    if inspect.isgeneratorfunction(function):
        namespace["__iter__"] = _hooked_generator(function)
        return
    if "__next__" in namespace:
        namespace["__next__"] = _hooked_next(namespace["__next__"])
    namespace["__iter__"] = _hooked_iter(function, "__next__" in namespace)
