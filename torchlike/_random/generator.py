"""Random generators. On the CPU the stream is PyTorch's own (MT19937), so seeds give PyTorch's numbers; on a GPU JAX's.

The numbers enter a trace as inputs, never as constants.
"""

import dataclasses
import threading
from typing import Any

import numpy as np

from torchlike._base import device as dev
from torchlike._base.errors import UnsupportedError
from torchlike._base.forkable import forkable
from torchlike._compile.backends.registry import backend_of
from torchlike._random.jax_random import JaxRandom
from torchlike._random.mt19937 import DEFAULT_SEED, MT19937
from torchlike._record.leaf import leaf, to_numpy
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state


class Generator:
    """A stream of random numbers. On the CPU it is PyTorch's own (MT19937); on a GPU it is JAX's, with other numbers than
    PyTorch's Philox. https://pytorch.org/docs/stable/generated/torch.Generator.html

    Args:
        device: the device; RuntimeError for 'cuda' without a GPU.
    """

    def __init__(self, device="cpu"):
        self.device = dev.canonical(dev.device(device))
        self.engine = MT19937() if backend_of(self.device).draws_as_pytorch else JaxRandom(self.device)
        self.lock = forkable(threading.Lock())

    def manual_seed(self, seed: int) -> "Generator":
        """Starts the stream of a seed.

        Args:
            seed: an integer from -2**63 to 2**64 - 1.

        Returns:
            self.
        """
        seed = _checked(seed)
        with self.lock:
            self.engine.manual_seed(seed)
        return self

    def seed(self) -> int:
        """Starts a stream with a random seed, and returns the seed."""
        with self.lock:
            return self.engine.seed()

    def initial_seed(self) -> int:
        """The seed with which the stream started."""
        return self.engine.initial_seed()

    def get_state(self) -> Tensor:
        """The state as a uint8 tensor, in PyTorch's layout on the CPU."""
        return leaf(np.asarray(self._state_bytes(), np.uint8))

    def _state_bytes(self) -> np.ndarray:
        """The state as bytes."""
        with self.lock:
            return self.engine.get_state()

    def set_state(self, state) -> "Generator":
        """Continues from a state.

        Args:
            state: what `get_state` gave.

        Returns:
            self.
        """
        self._continue_from(to_numpy(state))
        return self

    def _continue_from(self, state) -> None:
        """Continues from bytes."""
        with self.lock:
            self.engine.set_state(state)

    def get_offset(self) -> int:
        """Refused: neither MT19937 nor JAX's generator counts what it has drawn.

        Raises:
            RuntimeError: on the CPU, as in PyTorch.
            UnsupportedError: on a GPU.
        """
        raise self._no_offset()

    def set_offset(self, offset: int) -> "Generator":
        """Refused, as `get_offset`.

        Args:
            offset: not looked at.

        Raises:
            RuntimeError, UnsupportedError: those of `get_offset`.
        """
        raise self._no_offset()

    def _no_offset(self) -> Exception:
        if backend_of(self.device).draws_as_pytorch:
            return RuntimeError("CPU Generator does not use offset")
        return UnsupportedError(f"the offset of a generator on {self.device}: JAX's generator has none")

    def graphsafe_get_state(self) -> "Generator":
        """Refused: it is for CUDA graphs.

        Raises:
            NotImplementedError: always, as PyTorch on the CPU.
        """
        raise NotImplementedError("graphsafe_get_state is not supported in this Generator")

    def graphsafe_set_state(self, state: "Generator") -> "Generator":
        """Refused, as `graphsafe_get_state`.

        Args:
            state: not looked at.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("graphsafe_set_state is not supported in this Generator")

    def philox_state(self, increment: int):
        """Refused: no generator here is PyTorch's Philox. PyTorch has it since 2.14, on GPUs.

        Args:
            increment: not looked at.

        Raises:
            NotImplementedError: always, as PyTorch on the CPU.
        """
        raise NotImplementedError("philox_state is not supported in this Generator")

    def clone_state(self) -> "Generator":
        """A new generator in the same state."""
        made = Generator(self.device)
        made.engine.set_state(self._state_bytes())
        return made


def _checked(seed) -> int:
    seed = int(seed)
    if not -(1 << 63) <= seed < 1 << 64:
        raise RuntimeError(f"Overflow when unpacking long long {seed}")
    return seed % (1 << 64)


default_generator = Generator()


@dataclasses.dataclass(slots=True)
class _Gpus:
    """The default generators of GPUs, made when first needed, and the seed for those that are made later."""

    made: dict[int, Generator] = dataclasses.field(default_factory=dict)
    seed: int = DEFAULT_SEED


_gpus = _Gpus()
_LOCK = forkable(threading.Lock())


def default_of(device) -> Generator:
    """The default generator of a device."""
    if device is None or not backend_of(device).is_accelerator:
        return default_generator
    index = device.index or 0
    with _LOCK:
        if index not in _gpus.made:
            _gpus.made[index] = Generator(dev.device("cuda", index)).manual_seed(_gpus.seed)
        return _gpus.made[index]


def seed_gpus(seed) -> None:
    """Seed the default generators of all GPUs."""
    _gpus.seed = _checked(seed)
    for generator in list(_gpus.made.values()):
        generator.manual_seed(seed)


def get_state():
    """The states of all default generators, for `set_state`."""
    return default_generator._state_bytes(), {i: g._state_bytes() for i, g in list(_gpus.made.items())}


def set_state(state) -> None:
    """Puts all default generators into the states that `get_state` gave."""
    of_cpu, of_gpus = state
    default_generator._continue_from(of_cpu)
    for index, kept in of_gpus.items():
        _gpus.made[index]._continue_from(kept)


def note() -> None:
    """Tells the transforms that are running that numbers are drawn; RuntimeError where `vmap` does not allow it."""
    for frame in state.thread.frames:
        frame.note_draw()


def draw(name, generator, *args, device=None) -> Any:
    """A flat array of random numbers, from the sampler `name` of a generator (None: the default one of `device`, or of
    the CPU). It is a numpy array; on a GPU, and inside a transform with its own source, a jax array. RuntimeError for
    a generator of another kind of device. For a device without values: that many zeros.
    """
    note()
    for frame in reversed(state.thread.frames):
        if frame.source is not None:
            return frame.source(name, generator, *args)
    if device is not None and not backend_of(device).has_values and isinstance(args[0], int):
        return np.broadcast_to(np.zeros((), np.float32), args[:1])  # on 'meta' nothing is drawn
    source = default_of(device) if generator is None else generator
    if device is not None and source.device.type != device.type and backend_of(device).has_values:
        raise RuntimeError(f"Expected a '{device.type}' device type for generator but found '{source.device.type}'")
    with source.lock:
        return getattr(source.engine, name)(*args)
