"""`torch.random`: seeds and states. https://pytorch.org/docs/stable/random.html"""

import contextlib

from torchlike._trace.random import Generator as Generator
from torchlike._trace.random import default_generator as default_generator


def manual_seed(seed) -> Generator:
    """Seed the default generator (and every device's)."""
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Seed the default generator with a number nobody knows; returns it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


def get_rng_state():
    """The state of the default generator, a ByteTensor."""
    return default_generator.get_state()


def set_rng_state(new_state) -> None:
    """Put the default generator into a state."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True):
    """Inside, random numbers leave the outer stream untouched."""
    before = default_generator.get_state()
    try:
        yield
    finally:
        if enabled:
            default_generator.set_state(before)
