"""`torch.random`: seeds and states. https://pytorch.org/docs/stable/random.html"""

import contextlib

from torchlike._random.generator import Generator as Generator
from torchlike._random.generator import default_generator as default_generator
from torchlike._random.generator import get_state, seed_gpus, set_state


def thread_safe_generator() -> Generator | None:
    """None: threads of a `torch.utils.data.DataLoader` have generators of their own in PyTorch; its workers here are
    processes, or the loader itself.
    https://pytorch.org/docs/stable/random.html
    """
    return None


def manual_seed(seed) -> Generator:
    """Seeds the default generators of all devices. https://pytorch.org/docs/stable/generated/torch.manual_seed.html

    Args:
        seed: an integer.

    Returns:
        The CPU's generator.
    """
    seed_gpus(seed)
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Seeds the default generators of all devices with a random number, and returns it."""
    made = default_generator.seed()
    seed_gpus(made)
    return made


def initial_seed() -> int:
    """The seed of the CPU's default generator."""
    return default_generator.initial_seed()


def get_rng_state():
    """The state of the CPU's default generator, uint8."""
    return default_generator.get_state()


def set_rng_state(new_state) -> None:
    """Puts the CPU's default generator into a state. https://pytorch.org/docs/stable/generated/torch.set_rng_state.html

    Args:
        new_state: what `get_rng_state` gave.
    """
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type=None):
    """A block after which all default generators are where they were before.
    https://pytorch.org/docs/stable/random.html#torch.random.fork_rng

    Args:
        devices: not looked at: the generators of all GPUs are put back.
        enabled: whether to put them back.
        device_type: "meta", where there are none to put back; others are not looked at.

    Yields:
        nothing.
    """
    before = get_state()
    try:
        yield
    finally:
        if enabled and device_type != "meta":
            set_state(before)
