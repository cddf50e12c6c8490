"""`torch.device`: a word and a number. What stands behind it is told in `torchlike/_compile/backends/`."""

import functools
import operator
import re
from collections.abc import Sequence

from torchlike._base.errors import type_name

_WORDS = ("cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, "
          "mtia, privateuseone")  # PyTorch's own list, as its error text has it
_INDEX, _MOST_DIGITS = re.compile("0|[1-9][0-9]*"), 9


class device:  # noqa: N801 - PyTorch's name
    """A device by type and index. As a context manager it is the default device of the block.
    https://pytorch.org/docs/stable/tensor_attributes.html#torch.device

    Args:
        type: "cpu", "cuda", "meta" or another of PyTorch's words, which stands for an absent device, possibly with an index
            ("cuda:1"); an index of a GPU; or a device.
        index, named: the number of a GPU; by name ``index=``.

    Raises:
        RuntimeError: another word, two indices, or a negative one.
        TypeError: neither a name, a number nor a device, or an index that is no number.
        ValueError: an index of more than 64 bits.
    """

    __slots__ = ("index", "type")
    type: str
    index: int | None

    def __getattr__(self, name):
        raise AttributeError(f"'torch.device' object has no attribute '{name}'")

    def __new__(cls, type, *index, **named):
        if not index and not named:
            if isinstance(type, device):
                return type
            if hasattr(type, "__index__") and not isinstance(type, bool):
                return _make("cuda", _number(type))
        return _with_index(type, *index, **named)

    def __repr__(self) -> str:
        tail = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{tail})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __reduce__(self):
        return device, (self.type, self.index)

    def __enter__(self) -> "device":
        inside = canonical(self)
        _default.outer, _default.device = (*_default.outer, _default.device), inside  # no call: an interruption finds both
        return self

    def __exit__(self, *exception) -> None:
        *_default.outer, _default.device = _default.outer

    def __deepcopy__(self, memo):
        return self


def known_type(text: str) -> str:
    """The device type in a device's name, which may be any that PyTorch knows.

    Args:
        text: such as "cuda:1".

    Returns:
        such as "cuda".

    Raises:
        RuntimeError: an unknown word.
    """
    name = text.partition(":")[0]
    if name not in _WORDS.split(", "):
        raise RuntimeError(f"Expected one of {_WORDS} device type at start of device string: {text}")
    return name


def _number(x) -> int:
    """The index of a device: an `int`, since of those that are equal the first one is remembered."""
    if isinstance(x, bool):
        raise TypeError("a bool is no index")
    found = operator.index(x)
    if found >= 1 << 63 or found < -1 << 63:
        raise ValueError("Overflow when unpacking long long")
    if found < 0:
        raise RuntimeError("Device index must not be negative")
    return found


def _with_index(type, index=None) -> device:
    if isinstance(type, bytes):
        type = type.decode()
    if not isinstance(type, str):
        raise TypeError(f"device(): argument 'type' (position 1) must be str, not {type_name(type.__class__)}")
    try:
        number = None if index is None else _number(index)
    except TypeError:
        raise TypeError(f"device(): argument 'index' (position 2) must be int, not {type_name(index.__class__)}") from None
    return _make(type, number)


@functools.lru_cache(maxsize=256)
def _make(kind: str, index) -> device:
    if not kind:
        raise RuntimeError("Device string must not be empty")
    name, colon, tail = known_type(kind), *kind.partition(":")[1:]
    if colon and not _INDEX.fullmatch(tail):
        raise RuntimeError(f"Invalid device string: '{kind}'")
    if len(tail) > _MOST_DIGITS:
        raise RuntimeError(f"Could not parse device index '{tail}' in device string '{kind}'")
    if tail and index is not None:
        raise RuntimeError(f"type (string) must not include an index because index was passed "
                           f"explicitly: {kind}")
    made = object.__new__(device)
    made.type = name
    made.index = int(tail) if tail else index
    return _INTERNED.setdefault((made.type, made.index), made)


_INTERNED: dict = {}  # equal devices are the same object, so they are compared and hashed by identity
CPU = _make("cpu", None)


class _Default:
    """Where new tensors are made: on ``device``; ``outer`` was that outside of each open ``with device:`` block."""

    def __init__(self):
        self.device = CPU
        self.outer: Sequence[device] = ()


_default = _Default()
_class = device  # for where an argument is called so


def get_default_device() -> device:
    """The device on which new tensors are made.
    https://pytorch.org/docs/stable/generated/torch.get_default_device.html
    """
    return _default.device


def set_default_device(device) -> None:
    """Sets the device on which new tensors are made. For a block use ``with torch.device("cuda"):``.
    https://pytorch.org/docs/stable/generated/torch.set_default_device.html

    Args:
        device: a device or its name; None means the CPU.
    """
    _default.device = CPU if device is None else canonical(_class(device))


def canonical(d: device) -> device:
    """The form of a device that tensors have: 'cuda' with an index, 'cpu' without.

    Args:
        d: a device.

    Returns:
        a device.
    """
    if d.type == "cuda":
        return d if d.index is not None else _make("cuda", 0)
    return _make(d.type, None)
