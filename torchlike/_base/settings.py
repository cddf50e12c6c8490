"""Switches of the torch namespace that programs set at their start."""

from torchlike._base.errors import UnsupportedError


class _Named:
    """One of a few objects that are known by their names, which pickles keep."""

    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return f"torch.{self._name}"

    def __reduce__(self):
        return self._name


class memory_format(_Named):  # noqa: N801 - PyTorch's name
    """How elements lie in memory: the strides of copies. https://pytorch.org/docs/stable/tensor_attributes.html

    Convolutions and pools give contiguous results, whatever their input is.
    """


contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")
_DETERMINISTIC = {"enabled": False, "warn_only": False}
_DEBUG_MODES = ("default", "warn", "error")


class layout(_Named):  # noqa: N801 - PyTorch's name
    """How a tensor keeps its elements. All of torchlike's are strided: the others are there to be compared with."""


strided = layout("strided")
sparse_coo, sparse_csr, sparse_csc = layout("sparse_coo"), layout("sparse_csr"), layout("sparse_csc")
sparse_bsr, sparse_bsc, jagged = layout("sparse_bsr"), layout("sparse_bsc"), layout("jagged")


def set_num_threads(number) -> None:
    """Accepted: XLA chooses its own number of threads."""


def get_num_threads() -> int:
    """1: XLA chooses its own number of threads and does not tell."""
    return 1


def set_num_interop_threads(number) -> None:
    """Accepted, as `set_num_threads`."""


def get_num_interop_threads() -> int:
    """1, as `get_num_threads`."""
    return 1


def init_num_threads() -> None:
    """Accepted, as `set_num_threads`."""


def set_flush_denormal(mode) -> bool:
    """True for True: XLA's CPU code always flushes. UnsupportedError for False.
    https://pytorch.org/docs/stable/generated/torch.set_flush_denormal.html"""
    if not mode:
        raise UnsupportedError("torch.set_flush_denormal(False): XLA's CPU code flushes subnormal numbers to zero")
    return True


def use_deterministic_algorithms(mode, *, warn_only=False) -> None:
    """Kept and reported: XLA's results on one machine do not vary.
    https://pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html"""
    _DETERMINISTIC.update(enabled=bool(mode), warn_only=bool(warn_only))


def are_deterministic_algorithms_enabled() -> bool:
    """What `use_deterministic_algorithms` has set."""
    return _DETERMINISTIC["enabled"]


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether `use_deterministic_algorithms` was asked to warn only."""
    return _DETERMINISTIC["warn_only"]


def set_deterministic_debug_mode(debug_mode) -> None:
    """`use_deterministic_algorithms` by a word or number: "default" or 0, "warn" or 1, "error" or 2.
    https://pytorch.org/docs/stable/generated/torch.set_deterministic_debug_mode.html"""
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
    """0, 1 or 2, as `set_deterministic_debug_mode` takes it."""
    return (1 if _DETERMINISTIC["warn_only"] else 2) if _DETERMINISTIC["enabled"] else 0
