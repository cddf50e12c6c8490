"""`torch.accelerator.random`, of PyTorch 2.14: what the generators of accelerators are at."""

from torchlike.accelerator._indices import index_of as _index
from torchlike.cuda import random as _random

__all__ = ["get_rng_state", "get_rng_state_all", "initial_seed"]


def initial_seed(device=None, /) -> int:
    """The seed of a GPU's generator.
    https://pytorch.org/docs/2.14/accelerator.html

    Args:
        device: a device, its name or number; the current one where it is None.

    Returns:
        the seed.

    Raises:
        RuntimeError: there is no GPU.
    """
    return _random.default_generators[_index(device)].initial_seed()


def get_rng_state(device=None, /):
    """The state of a GPU's generator: its seed and offset.
    https://pytorch.org/docs/2.14/accelerator.html

    Args:
        device: as for `initial_seed`.

    Returns:
        (16), uint8.

    Raises:
        RuntimeError: there is no GPU.
    """
    return _random.get_rng_state(_index(device))


def get_rng_state_all() -> list:
    """The states of all GPUs' generators, [] where there is none.
    https://pytorch.org/docs/2.14/accelerator.html
    """
    return _random.get_rng_state_all()
