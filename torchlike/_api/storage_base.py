"""What typed and untyped storages have in common: conversions to other dtypes, and where they are."""

from __future__ import annotations

from torchlike._api.streams import NONE
from torchlike._base import device as dev
from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError
from torchlike._compile.backends.registry import accelerators, backend_of


def _conversion(name: str, dtype):
    def convert(self):
        return self._to(dtype)

    convert.__name__, convert.__qualname__ = name, f"StorageBase.{name}"
    convert.__doc__ = f"The elements as {dtype}: a TypedStorage with memory of its own."
    return convert


class StorageBase:
    """The methods of storages that look at no byte.

    ``_to(dtype)``: a TypedStorage of the elements in another dtype. ``device``: where the memory is.
    """

    device: dev.device
    is_sparse = is_sparse_csr = is_hpu = False
    filename = None

    double = _conversion("double", dt.float64)
    float = _conversion("float", dt.float32)
    half = _conversion("half", dt.float16)
    bfloat16 = _conversion("bfloat16", dt.bfloat16)
    long = _conversion("long", dt.int64)
    int = _conversion("int", dt.int32)
    short = _conversion("short", dt.int16)
    char = _conversion("char", dt.int8)
    byte = _conversion("byte", dt.uint8)
    bool = _conversion("bool", dt.bool_)
    complex_double = _conversion("complex_double", dt.complex128)
    complex_float = _conversion("complex_float", dt.complex64)
    float8_e5m2 = _conversion("float8_e5m2", dt.float8_e5m2)
    float8_e4m3fn = _conversion("float8_e4m3fn", dt.float8_e4m3fn)
    float8_e5m2fnuz = _conversion("float8_e5m2fnuz", dt.float8_e5m2fnuz)
    float8_e4m3fnuz = _conversion("float8_e4m3fnuz", dt.float8_e4m3fnuz)

    def _to(self, dtype):
        raise NotImplementedError

    def to(self, *, device, non_blocking=False):
        """Itself where it is there, else a copy."""
        raise NotImplementedError

    @property
    def is_cuda(self):
        """Whether it is on a GPU."""
        return backend_of(self.device).is_accelerator

    def get_device(self):
        """The number of its GPU; None on the CPU, as in PyTorch."""
        return self.device.index if self.is_cuda else None

    def cpu(self):
        """Itself on the CPU."""
        return self.to(device=dev.CPU)

    def cuda(self, device=None, non_blocking=False):
        """Itself on a GPU, see `to`.

        Args:
            device: a GPU, or its number; None means the first one.
            non_blocking: for PyTorch's signature.

        Returns:
            A storage.
        """
        return self.to(device=dev.device("cuda", device or 0) if not isinstance(device, dev.device) else device)

    def is_pinned(self, device="cuda"):
        """False: no memory is pinned.

        Args:
            device: for PyTorch's signature.

        Returns:
            False.
        """
        return False

    def pin_memory(self, device="cuda"):
        """Itself: JAX copies to a GPU in its own way.

        Args:
            device: for PyTorch's signature.

        Returns:
            The storage.

        Raises:
            RuntimeError: there is no GPU.
        """
        if not accelerators():
            raise RuntimeError(NONE)
        return self

    def is_shared(self):
        """False: no memory is shared between processes."""
        return False

    def share_memory_(self):
        """Refused.

        Raises:
            UnsupportedError: always, as for `Tensor.share_memory_`.
        """
        raise UnsupportedError("share_memory_ of a storage: memory is not shared between processes")
