"""The settings of `torch.save` and `torch.load`: those of the process in ``load`` and ``save``, those of a block in `local`.
"""

import contextlib
import enum
import mmap as mmap_flags
import threading


class LoadEndianness(enum.Enum):
    """Byte orders.
    https://pytorch.org/docs/stable/notes/serialization.html#torch.serialization.set_default_load_endianness"""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class _Known(type):
    """The class of a group of settings: others than it has cannot be set."""

    def __setattr__(cls, name, value):
        if not hasattr(cls, name):
            raise AttributeError(f"torch.utils.serialization.config.{cls.__name__}.{name} does not exist")
        super().__setattr__(name, value)


class load(metaclass=_Known):  # noqa: N801 - PyTorch's name
    """How files are read. `calculate_storage_offsets` has no effect: the places of all records are read at once."""

    mmap: bool = False
    endianness: LoadEndianness | None = None
    mmap_flags: int | None = mmap_flags.MAP_PRIVATE
    calculate_storage_offsets: bool = False


class save(metaclass=_Known):  # noqa: N801 - PyTorch's name
    """How files are written. `use_pinned_memory_for_d2h` has no effect: no memory is pinned."""

    compute_crc32: bool = True
    use_pinned_memory_for_d2h: bool = False
    storage_alignment: int = 64


class _Local(threading.local):
    """What holds for a thread: whether storages are left out, the `map_location` of the load that is going on, and whether
    the values come behind the tensors in its file."""

    skip_data = values_follow = False
    map_location = None


local = _Local()


@contextlib.contextmanager
def locally(name, value):
    """A setting of `local` for a block.

    Args:
        name: of the setting.
        value: what it is in the block.

    Yields:
        nothing.
    """
    before = getattr(local, name)
    setattr(local, name, value)
    try:
        yield
    finally:
        setattr(local, name, before)
