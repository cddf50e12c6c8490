"""`torch.random`: seeds and states. https://pytorch.org/docs/stable/random.html"""

import contextlib

from torchlike._random.generator import Generator as Generator
from torchlike._random.generator import default_generator as default_generator
from torchlike._random.generator import get_state, seed_gpus, set_state


def manual_seed(seed) -> Generator:
    """Seed the default generators of all devices."""
    seed_gpus(seed)
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Seed the default generators with a number nobody knows; returns it."""
    made = default_generator.seed()
    seed_gpus(made)
    return made


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
    """Inside, random numbers leave the outer streams untouched, those of all GPUs, too."""
    before = get_state()
    try:
        yield
    finally:
        if enabled:
            set_state(before)
