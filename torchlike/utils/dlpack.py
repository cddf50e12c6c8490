"""`torch.utils.dlpack`: arrays of other libraries. https://pytorch.org/docs/stable/dlpack.html"""

import enum

import jax
import jax.numpy as jnp
import numpy as np

from torchlike._base.device import CPU
from torchlike._base.device import device as _device
from torchlike._record.facade import backend_of, own_work
from torchlike._record.leaf import leaf, leaf_in
from torchlike._record.tensor import Tensor

_INVALID = ("from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed only once, so you might "
            "have already constructed a tensor from it once.")


class DLDeviceType(enum.IntEnum):
    """The kinds of devices that DLPack numbers."""

    kDLCPU = 1  # noqa: N815 - DLPack's names
    kDLCUDA = 2  # noqa: N815
    kDLCUDAHost = 3  # noqa: N815
    kDLOpenCL = 4  # noqa: N815
    kDLVulkan = 7  # noqa: N815
    kDLMetal = 8  # noqa: N815
    kDLVPI = 9  # noqa: N815
    kDLROCM = 10  # noqa: N815
    kDLROCMHost = 11  # noqa: N815
    kDLExtDev = 12  # noqa: N815
    kDLCUDAManaged = 13  # noqa: N815
    kDLOneAPI = 14  # noqa: N815
    kDLWebGPU = 15  # noqa: N815
    kDLHexagon = 16  # noqa: N815
    kDLMAIA = 17  # noqa: N815


class _Capsule:
    """A bare capsule as the object that it came from: one on the CPU."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack__(self, **options):
        return self.capsule

    def __dlpack_device__(self):
        return DLDeviceType.kDLCPU, 0


def from_dlpack(ext_tensor, *, device=None, copy=None) -> Tensor:
    """A tensor on the memory of another array or tensor: what is written to one is seen in the other. Differs from PyTorch:
    arrays that may not be written to (JAX's are such), of dtypes that numpy lacks (bfloat16) and on GPUs are copied.
    https://pytorch.org/docs/stable/generated/torch.from_dlpack.html

    Args:
        ext_tensor: an object with ``__dlpack__``, or a capsule of memory on the CPU.
        device: where the tensor is to be; None means where the array is.
        copy: True means a copy in each case; False one on the device alone where no memory can be shared.

    Returns:
        The tensor.

    Raises:
        RuntimeError: `ext_tensor` is neither.
    """
    if type(ext_tensor).__name__ == "PyCapsule":
        ext_tensor = _Capsule(ext_tensor)
    elif not hasattr(ext_tensor, "__dlpack__"):
        raise RuntimeError(_INVALID)
    kind = "cuda" if ext_tensor.__dlpack_device__()[0] == DLDeviceType.kDLCUDA else "cpu"
    array = _on_host(ext_tensor) if kind == "cpu" else None
    if array is None:
        with own_work():
            array = jax.dlpack.from_dlpack(ext_tensor)
            if copy is not False:  # JAX's own copy=True shares memory on the CPU
                array = np.asarray(array) if kind == "cpu" else jnp.copy(array)
    place = _device(kind if device is None else device)
    if copy is not True and place == CPU and isinstance(array, np.ndarray) and array.flags.writeable:
        return leaf_in(array)
    return leaf(array if copy is not False else backend_of(CPU).place(array) if kind == "cpu" else array, place)


class _Writable:
    """The memory of an array, to be written to. A bare capsule does not say whether it may be; numpy takes it that not."""

    def __init__(self, array):
        self.array = array  # holds the memory
        found = array.__array_interface__
        self.__array_interface__ = {**found, "data": (found["data"][0], False)}


def _on_host(ext_tensor):
    """As numpy reads it, with any strides and alignment; None for what numpy has no dtype for."""
    try:
        array = np.from_dlpack(ext_tensor)
    except (RuntimeError, BufferError):  # before numpy 2.5 and since
        return None
    except ValueError:
        if isinstance(ext_tensor, _Capsule):
            raise RuntimeError(_INVALID) from None
        raise
    return np.asarray(_Writable(array)) if isinstance(ext_tensor, _Capsule) else array


def to_dlpack(tensor):
    """A capsule of a tensor's memory. ``tensor.__dlpack__`` is the newer form.

    Args:
        tensor: a tensor.

    Returns:
        a capsule, which can be consumed once.
    """
    return tensor.__dlpack__()
