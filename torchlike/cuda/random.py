"""`torch.cuda.random`: a generator for each GPU, JAX's. https://pytorch.org/docs/stable/cuda.html#random-number-generator"""

import secrets as _secrets
from collections.abc import Sequence as _Sequence

from torchlike._api.streams import index_of as _index_of
from torchlike._base import device as _dev
from torchlike._compile.backends.registry import accelerators as _accelerators
from torchlike._random.generator import default_of as _default_of
from torchlike._random.generator import seed_gpus as _seed_gpus


def _generator(device="cuda"):
    return _default_of(_dev.device("cuda", _index_of(device)))


class _Generators(_Sequence):
    """`torch.cuda.default_generators`: one for each GPU."""

    def __len__(self):
        return len(_accelerators())

    def __getitem__(self, index):
        return [_generator(i) for i in range(len(_accelerators()))][index]

    def __repr__(self):
        return repr(tuple(self))


default_generators = _Generators()


def manual_seed(seed) -> None:
    """Seeds the generators of all GPUs; kept for them if there are none.
    https://pytorch.org/docs/stable/generated/torch.cuda.manual_seed.html

    Args:
        seed: an integer.
    """
    manual_seed_all(seed)


def manual_seed_all(seed) -> None:
    """Seeds the generators of all GPUs.

    Args:
        seed: an integer.
    """
    _seed_gpus(seed)


def seed() -> None:
    """Seeds the generators of all GPUs with a random number."""
    seed_all()


def seed_all() -> None:
    """Another name of `seed`."""
    _seed_gpus(_secrets.randbits(64))


def initial_seed() -> int:
    """The seed of the first GPU's generator. RuntimeError without a GPU."""
    return _generator().initial_seed()


def get_rng_state(device="cuda"):
    """The state of a GPU's generator: its seed and offset.

    Args:
        device: as for `get_device_name`.

    Returns:
        (16), uint8. RuntimeError without a GPU.
    """
    return _generator(device).get_state()


def get_rng_state_all() -> list:
    """The states of all GPUs' generators."""
    return [_generator(i).get_state() for i in range(len(_accelerators()))]


def set_rng_state(new_state, device="cuda") -> None:
    """Puts a GPU's generator into a state.

    Args:
        new_state: what `get_rng_state` gave.
        device: as for `get_device_name`.
    """
    _generator(device).set_state(new_state)


def set_rng_state_all(new_states) -> None:
    """Puts the generators of all GPUs into states.

    Args:
        new_states: what `get_rng_state_all` gave.
    """
    for i, state in enumerate(new_states):
        _generator(i).set_state(state)
