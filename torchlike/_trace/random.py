"""Random generators. On the CPU the stream is PyTorch's own (MT19937), so seeds give PyTorch's numbers.

The numbers enter a trace as inputs, never as constants.
"""

import threading
from typing import Any

import numpy as np

from torchlike import device as dev
from torchlike._mt19937 import MT19937
from torchlike._tensor import Tensor
from torchlike._trace.leaf import leaf, to_numpy
from torchlike._trace.trace import state


class Generator:
    """https://pytorch.org/docs/stable/generated/torch.Generator.html

    A CPU generator is PyTorch's MT19937. A 'cuda' one has the same stream here (PyTorch's is Philox).
    """

    def __init__(self, device="cpu"):
        self.device = dev.device(device)
        self.engine = MT19937()
        self.lock = threading.Lock()

    def manual_seed(self, seed: int) -> "Generator":
        """Start the stream of `seed`."""
        self.engine.manual_seed(_checked(seed))
        return self

    def seed(self) -> int:
        """Start a stream that nobody can foresee; returns its seed."""
        return self.engine.seed()

    def initial_seed(self) -> int:
        """The seed the present stream started from."""
        return self.engine.initial_seed()

    def get_state(self) -> Tensor:
        """The state as a ByteTensor in PyTorch's layout."""
        return leaf(np.asarray(self.engine.get_state(), np.uint8))

    def set_state(self, state) -> "Generator":
        """Continue from a state that `get_state` gave."""
        self.engine.set_state(to_numpy(state))
        return self

    def clone_state(self) -> "Generator":
        """A generator of its own in the same state."""
        made = Generator(self.device)
        made.engine.set_state(self.engine.get_state())
        return made


def _checked(seed) -> int:
    seed = int(seed)
    if not -(1 << 63) <= seed < 1 << 64:
        raise RuntimeError(f"Overflow when unpacking long long {seed}")
    return seed % (1 << 64)


default_generator = Generator()


def get_state():
    """The default generator's state, as plain data (checkpoint)."""
    return default_generator.engine.get_state()


def set_state(state) -> None:
    """Put the default generator back."""
    default_generator.engine.set_state(state)


def note() -> None:
    """Tell the transforms that are running that numbers will be drawn; RuntimeError where `vmap` allows none."""
    for frame in state.frames:
        frame.note_draw()


def draw(name, generator, *args) -> Any:
    """A flat array from the sampler `name` of the generator (None: the default).

    It is a numpy array, or a jax array where a frame has a source of its own.
    """
    note()
    for frame in reversed(state.frames):
        if frame.source is not None:
            return frame.source(name, generator, *args)
    source = default_generator if generator is None else generator
    with source.lock:
        return getattr(source.engine, name)(*args)
