"""Switches of the torch namespace that programs set at their start."""

import os

from torchlike._base.errors import UnsupportedError


class _Named:
    """One of a few objects that pickles refer to by name."""

    __slots__ = ("__weakref__", "_name")

    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return f"torch.{self._name}"

    def __reduce__(self):
        return self._name


class memory_format(_Named):  # noqa: N801 - PyTorch's name
    """A layout of elements in memory, for the strides of copies. Differs from PyTorch: convolutions and poolings give
    contiguous results, whatever their input is.
    https://pytorch.org/docs/stable/tensor_attributes.html#torch.memory_format

    Args:
        name: its name in the torch namespace.
    """

    __slots__ = ()


contiguous_format = legacy_contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


class _Conversions:
    """What `torch.__future__` sets: whether a module that is converted gets new parameters."""

    overwrite = False


class _Threads:
    """What a program has asked for; None until it does."""

    within_operations: int | None = None
    between_operations: int | None = None


conversions = _Conversions()
_threads = _Threads()
_DETERMINISTIC = {"enabled": False, "warn_only": False}
_DEBUG_MODES = ("default", "warn", "error")


class layout(_Named):  # noqa: N801 - PyTorch's name
    """How a tensor keeps its elements. https://pytorch.org/docs/stable/tensor_attributes.html#torch.layout

    Args:
        name: its name in the torch namespace.
    """

    __slots__ = ()

    @property
    def cpp_name(self) -> str:
        """What PyTorch's errors call it."""
        return "Sparse" if self is sparse_coo else str(self).removeprefix("torch.").title().replace("_", "")


strided = layout("strided")
sparse_coo, sparse_csr, sparse_csc = layout("sparse_coo"), layout("sparse_csr"), layout("sparse_csc")
sparse_bsr, sparse_bsc, jagged = layout("sparse_bsr"), layout("sparse_bsc"), layout("jagged")


def _positive(name, number) -> int:
    """`number` if it can be a number of threads; else PyTorch's RuntimeError."""
    if not isinstance(number, int) or isinstance(number, bool):
        raise RuntimeError(f"{name} expects an int, but got {type(number).__name__}")
    if number <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    return number


def set_num_threads(number) -> None:
    """How many threads share the work of an operation: before the first tensor is computed. Later the number is reported
    only, for XLA keeps its threads; the library of numpy's products looks at OMP_NUM_THREADS alone.
    https://pytorch.org/docs/stable/generated/torch.set_num_threads.html

    Args:
        number: how many.

    Raises:
        RuntimeError: `number` is no positive integer.
    """
    _threads.within_operations = _positive("set_num_threads", number)


def get_num_threads() -> int:
    """What `set_num_threads` was given; at first OMP_NUM_THREADS, or the number of processors that this process may use."""
    return _threads.within_operations or min(_asked_of_openmp() or _processors(), _processors())


def _asked_of_openmp() -> int | None:
    """OMP_NUM_THREADS, as far as it is a number."""
    text = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(text) if text.isdigit() and int(text) else None


def set_num_interop_threads(number) -> None:
    """Keeps the number and reports it: XLA chooses its own number of threads.
    https://pytorch.org/docs/stable/generated/torch.set_num_interop_threads.html

    Args:
        number: how many.

    Raises:
        RuntimeError: `number` is no positive integer, or one was given before.
    """
    number = _positive("set_num_interop_threads", number)
    if _threads.between_operations is not None:
        raise RuntimeError("Error: cannot set number of interop threads after parallel work has started or "
                           "set_num_interop_threads called")
    _threads.between_operations = number


def get_num_interop_threads() -> int:
    """What `set_num_interop_threads` was given; at first the number of processors that this process may use."""
    return _threads.between_operations or _processors()


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compiled_with_cxx11_abi() -> bool:
    """True, as PyTorch says of all its builds: there is no C++ here that could have another ABI."""
    return True


def init_num_threads() -> None:
    """Does nothing: XLA chooses its own number of threads."""


def set_flush_denormal(mode) -> bool:
    """Whether subnormal numbers are flushed to zero: XLA's CPU code always does that.
    https://pytorch.org/docs/stable/generated/torch.set_flush_denormal.html

    Args:
        mode: only True.

    Returns:
        True.

    Raises:
        RuntimeError: `mode` is no bool.
        UnsupportedError: `mode` is False.
    """
    if not isinstance(mode, bool):
        raise RuntimeError(f"flush_denormal expects a bool, but got {type(mode).__name__}")
    if not mode:
        raise UnsupportedError("torch.set_flush_denormal(False): XLA's CPU code flushes subnormal numbers to zero")
    return True


def use_deterministic_algorithms(mode, *, warn_only=False) -> None:
    """Keeps the setting and reports it. XLA's results do not vary from run to run on one machine.
    https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html

    Args:
        mode: whether to use them.
        warn_only: whether others only warn.

    Raises:
        TypeError: one of them is no bool.
    """
    for name, value in (("'mode' (position 1)", mode), ("'warn_only'", warn_only)):
        if not isinstance(value, bool):
            raise TypeError(f"_set_deterministic_algorithms(): argument {name} must be bool, not {type(value).__name__}")
    _DETERMINISTIC.update(enabled=bool(mode), warn_only=bool(warn_only))


def are_deterministic_algorithms_enabled() -> bool:
    """What `use_deterministic_algorithms` has set."""
    return _DETERMINISTIC["enabled"]


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """What `use_deterministic_algorithms` has set as `warn_only`."""
    return _DETERMINISTIC["warn_only"]


def set_deterministic_debug_mode(debug_mode) -> None:
    """Another form of `use_deterministic_algorithms`.
    https://pytorch.org/docs/stable/generated/torch.set_deterministic_debug_mode.html

    Args:
        debug_mode: "default" or 0 for off, "warn" or 1 for warnings, "error" or 2 for on.

    Raises:
        TypeError: `debug_mode` is neither text nor integer.
        RuntimeError: another value.
    """
    if not isinstance(debug_mode, int | str):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _DEBUG_MODES:
            raise RuntimeError("invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got "
                               f"{debug_mode}")
        debug_mode = _DEBUG_MODES.index(debug_mode)
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode() -> int:
    """The mode as a number, 0 to 2, see `set_deterministic_debug_mode`."""
    return (1 if _DETERMINISTIC["warn_only"] else 2) if _DETERMINISTIC["enabled"] else 0
