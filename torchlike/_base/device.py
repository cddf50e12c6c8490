"""`torch.device`: a word and a number. What stands behind it is told in `torchlike/_compile/backends/`."""

import functools

_TYPES = ("cpu", "cuda", "meta")
_WORDS = ("cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, "
          "mtia, privateuseone")  # PyTorch's own list, for its error text


class device:  # noqa: N801 - PyTorch's name
    """``device('cuda:1')``, ``device('cuda', 1)`` or ``device(1)``; RuntimeError on another word.

    https://pytorch.org/docs/stable/tensor_attributes.html#torch.device
    """

    __slots__ = ("index", "type")

    def __new__(cls, type="cpu", index=None):
        if isinstance(type, device):
            return type
        if isinstance(type, int) and not isinstance(type, bool):
            type, index = "cuda", type
        return _make(type, index)

    def __repr__(self) -> str:
        tail = "" if self.index is None else f", index={self.index}"
        return f"device(type='{self.type}'{tail})"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self):
        return device, (self.type, self.index)

    def __enter__(self) -> "device":
        _outer.append(_default[0])
        set_default_device(self)
        return self

    def __exit__(self, *exception) -> None:
        _default[0] = _outer.pop()

    def __deepcopy__(self, memo):
        return self


def known_type(text: str) -> str:
    """The type in a device's name, of all that PyTorch knows; RuntimeError for another word."""
    name = text.partition(":")[0]
    if name not in _WORDS.split(", "):
        raise RuntimeError(f"Expected one of {_WORDS} device type at start of device string: {text}")
    return name


@functools.lru_cache(maxsize=256)
def _make(kind: str, index) -> device:
    name, _, tail = kind.partition(":")
    if name not in _TYPES or (tail and not tail.isdigit()):
        raise RuntimeError(f"Expected one of {_WORDS} device type at start of device "
                           f"string: {kind}" if name not in _TYPES
                           else f"Invalid device string: '{kind}'")
    if tail and index is not None:
        raise RuntimeError(f"type (string) must not include an index because index was passed "
                           f"explicitly: {kind}")
    made = object.__new__(device)
    made.type = name
    made.index = int(tail) if tail else index
    return made


CPU = _make("cpu", None)
_default = [CPU]
_outer: list = []  # the defaults outside of the present ``with device:`` blocks


def get_default_device() -> device:
    """Where new tensors are made.
    https://pytorch.org/docs/stable/generated/torch.get_default_device.html"""
    return _default[0]


def set_default_device(where) -> None:
    """Where new tensors are made from now on; None means the CPU. For a block: ``with torch.device("cuda"):``.
    https://pytorch.org/docs/stable/generated/torch.set_default_device.html"""
    _default[0] = CPU if where is None else canonical(device(where))


def canonical(d: device) -> device:
    """The device a tensor carries: 'cuda' has its index filled in, 'cpu' has none."""
    if d.type == "cuda":
        return d if d.index is not None else _make("cuda", 0)
    return _make(d.type, None)
