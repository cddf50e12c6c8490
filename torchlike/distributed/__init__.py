"""`torch.distributed` as a program sees it that starts no process group: https://pytorch.org/docs/stable/distributed.html

There is none to start: `is_available` is False, where PyTorch's builds for Linux say True. What needs a group raises
PyTorch's ValueError; `init_process_group` is refused by name. JAX's own arrays are distributed by `jax.sharding`.
"""

from torchlike.errors import UnsupportedError

_NO_GROUP = "Default process group has not been initialized, please make sure to call init_process_group."


class ProcessGroup:
    """A type for annotations and ``isinstance``."""


class group:  # noqa: N801 - PyTorch's name
    """``group.WORLD``: None, as before a group is initialized."""

    WORLD = None


def is_available() -> bool:
    """False."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


def is_torchelastic_launched() -> bool:
    """False."""
    return False


def init_process_group(*args, **kwargs):
    """Refused: UnsupportedError."""
    raise UnsupportedError("torch.distributed.init_process_group is not supported: torchlike is one process; for many "
                           "devices see jax.sharding")


def _without_group(name):
    def collective(*args, **kwargs):
        raise ValueError(_NO_GROUP)

    collective.__name__ = collective.__qualname__ = name
    collective.__doc__ = f"https://pytorch.org/docs/stable/distributed.html#torch.distributed.{name}. ValueError: no group."
    return collective


for _name in ("get_rank", "get_world_size", "get_backend", "barrier", "all_reduce", "all_gather", "all_gather_object",
              "all_gather_into_tensor", "all_to_all", "broadcast", "broadcast_object_list", "gather", "reduce",
              "reduce_scatter", "scatter", "send", "recv", "isend", "irecv", "new_group", "destroy_process_group"):
    globals()[_name] = _without_group(_name)
