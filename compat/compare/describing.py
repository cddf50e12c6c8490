"""Values of either package as plain data that can be compared, printed and pickled."""

import collections
import dataclasses
import re

import numpy as np
import torch

import torchlike

_TRIGGERED = re.compile(r" \(Triggered internally at .*?\)\.?")
_FRAME = re.compile(r'^  File "([^"]*)", line \d+, in .*\n(?:    .*\n)*', re.MULTILINE)
_ADDRESS = re.compile(r"0x[0-9a-f]+")

# What can be told of a tensor besides dtype, shape and values.
FACTS = {
    "requires_grad": lambda x: x.requires_grad,
    "grad_fn": lambda x: clean(repr(x.grad_fn)),
    "node": lambda x: None if x.grad_fn is None else x.grad_fn.name(),
    "inference": lambda x: x.is_inference(),
    "contiguous": lambda x: x.is_contiguous(),
}


@dataclasses.dataclass(frozen=True, eq=False)
class Array:
    """A tensor or an array. Its facts are strides, Nodes and the like, as far as they were asked for."""

    dtype: str
    values: np.ndarray
    facts: dict = dataclasses.field(default_factory=dict)

    def __repr__(self):
        facts = "".join(f", {name}={fact}" for name, fact in self.facts.items())
        return f"{self.dtype}{list(self.values.shape)}{facts}: {self.values.tolist()}"


def clean(text: str) -> str:
    """A text without package names, addresses, places in PyTorch's sources and frames outside the program."""
    text = _TRIGGERED.sub("", text.replace("torchlike", "torch"))
    text = _FRAME.sub(lambda frame: "" if "/" in frame[1] else frame[0], text)
    return _ADDRESS.sub("0x", text).rstrip()


def array(x) -> np.ndarray:
    """The values of a tensor of either package; halves as float32."""
    x = x.detach().resolve_conj().resolve_neg()
    if str(x.dtype) in ("torch.bfloat16", "torch.float16"):
        x = x.float()
    return np.array(x.numpy(force=True))


def is_tensor(value) -> bool:
    """Whether it is a tensor of either package."""
    return isinstance(value, torch.Tensor | torchlike.Tensor)


def _key(key):
    """A key of a dictionary, which must stay one."""
    return key if isinstance(key, int) else clean(key if isinstance(key, str) else repr(key))


def describe(value, *facts, types=False):
    """A value without anything that belongs to one package.

    Args:
        value: any; tensors, modules, numbers, texts, and containers of them.
        facts: names of FACTS, which each tensor is to have.
        types: whether the classes of containers and of other values count; else every sequence is a list.

    Returns:
        Arrays, numbers, None and cleaned texts, in lists and dictionaries.
    """
    def parts(values):
        return [describe(v, *facts, types=types) for v in values]

    if is_tensor(value):
        dtype = str(value.dtype).removeprefix("torch.")
        return Array(dtype, array(value), {name: FACTS[name](value) for name in facts})
    if isinstance(value, np.ndarray):
        return Array(f"array of {value.dtype}" if types else str(value.dtype), value)
    if isinstance(value, collections.abc.Mapping):
        pairs = zip(map(_key, value), parts(value.values()), strict=True)
        made = list(pairs) if types else dict(pairs)
    elif isinstance(value, list | tuple | collections.UserList):
        made = parts(value)
    elif types and dataclasses.is_dataclass(value):
        made = [(field.name, *parts([getattr(value, field.name)])) for field in dataclasses.fields(value)]
    elif value is None or isinstance(value, bool | int | float | complex | bytes):
        return value
    else:
        return clean(value if isinstance(value, str) else repr(value))
    return (type(value).__name__, made) if types else made
