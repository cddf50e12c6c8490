"""NVIDIA's libraries as PyTorch's switches know them: which one is preferred, their workspaces, cuFFT's plans.

XLA chooses among them and has their handles, so a preference is kept and reported, and workspaces and plans are refused.
Without a GPU the errors are those of PyTorch's build for the CPU.
"""

import enum

from torchlike._base import device as _dev
from torchlike._base.errors import UnsupportedError
from torchlike._compile.backends.registry import accelerators, backend_of
from torchlike._compile.backends.xla_cuda import PRODUCTS, tf32_allowed
from torchlike.backends._tf32 import allow

_NO_CUDA = "Torch not compiled with CUDA enabled"


def _refused(name: str) -> Exception:
    if not accelerators():
        return AssertionError(_NO_CUDA)
    return UnsupportedError(f"torch.backends.cuda.{name} is not supported: XLA has NVIDIA's libraries to itself")


# -- products

class cuBLASModule:  # noqa: N801 - PyTorch's name
    """``torch.backends.cuda.matmul``: `allow_tf32` has an effect, the rest is kept and reported. A reduction's setting is a
    bool, or a pair that says of split k, too.
    """

    _reductions: dict[str, tuple]
    _accumulation: bool

    def __init__(self):
        vars(self).update(_reductions={"fp16": (True, True), "bf16": (True, True)}, _accumulation=False)

    def __getattr__(self, name):
        kind, split = _reduction(name)
        if kind:
            return self._reductions[kind][split]
        if name == "allow_tf32":
            return tf32_allowed[PRODUCTS]
        if name == "allow_fp16_accumulation":
            return self._accumulation
        raise AttributeError(f"Unknown attribute {name}")

    def __setattr__(self, name, value):
        kind, split = _reduction(name)
        if kind and not split:
            self._reductions[kind] = _parsed(value, name)
        elif name == "allow_tf32":
            allow(PRODUCTS, value)
        elif name == "allow_fp16_accumulation":
            if not isinstance(value, bool):
                raise RuntimeError(f"set_allow_fp16_accumulation_cublas expects a bool, but got {type(value).__name__}")
            vars(self)["_accumulation"] = value
        else:
            raise AttributeError(f"Unknown attribute {name}")


def _reduction(name: str) -> tuple:
    """("fp16", whether it is about split k) of the name of such a setting; (None, False) of another."""
    kind, found, rest = name.removeprefix("allow_").partition("_reduced_precision_reduction")
    is_one = name.startswith("allow_") and found and kind in ("fp16", "bf16") and rest in ("", "_split_k")
    return (kind, bool(rest)) if is_one else (None, False)


def _parsed(value, name: str) -> tuple:
    """(reduced precision, split k) of a setting, as PyTorch takes and refuses it."""
    if isinstance(value, bool):
        return value, True
    if not isinstance(value, list | tuple):
        raise TypeError(f"{name} expects a bool or a tuple/list of bools, but got {type(value)!r}")
    if not value:
        raise TypeError(f"{name} expects at least one boolean argument")
    if len(value) > 2:
        raise TypeError(f"{name} expects at most two boolean arguments")
    for which, each in zip(("allow_reduced_precision", "allow_splitk"), value, strict=False):
        if not isinstance(each, bool):
            raise TypeError(f"{name} expects a bool for {which}, but got {type(each)!r}")
    if value == type(value)((True, False)):
        raise RuntimeError("allow_splitk=False is not supported when reduced precision reductions are enabled")
    return (*value, True)[:2]


# -- which library is preferred

_BlasBackend = enum.Enum("_BlasBackend", [("Default", 0), ("Cublas", 1), ("Cublaslt", 2), ("Ck", 3)])
_LinalgBackend = enum.Enum("_LinalgBackend", [("Default", 0), ("Cusolver", 1), ("Magma", 2)])
_ROCmFABackend = enum.Enum("_ROCmFABackend", [("Default", 0), ("AOTriton", 1), ("Ck", 2)])
_BLAS = {"default": _BlasBackend.Default, "cublas": _BlasBackend.Cublas, "hipblas": _BlasBackend.Cublas,
         "cublaslt": _BlasBackend.Cublaslt, "hipblaslt": _BlasBackend.Cublaslt, "ck": _BlasBackend.Ck}
_LINALG = {"default": _LinalgBackend.Default, "cusolver": _LinalgBackend.Cusolver, "magma": _LinalgBackend.Magma}
_ROCM = {"default": _ROCmFABackend.Default, "aotriton": _ROCmFABackend.AOTriton, "ck": _ROCmFABackend.Ck}
_NOT_THERE = {_BlasBackend.Cublaslt: "cuBLASLt", _LinalgBackend.Cusolver: "cuSOLVER", _LinalgBackend.Magma: "MAGMA"}
_preferred: dict = {_BlasBackend: _BlasBackend.Cublas, _LinalgBackend: _LinalgBackend.Default,
                    _ROCmFABackend: _ROCmFABackend.Default}


def _known(backend, kind, names: dict, unknown: Exception, texts: str = "value"):
    """The library of a name, or itself."""
    if isinstance(backend, str):
        if backend not in names:
            raise RuntimeError(f"Unknown {texts}. Choose from: {', '.join(names)}.")
        return names[backend]
    if not isinstance(backend, kind):
        raise unknown
    return backend


def _prefer(backend, kind, names: dict, unknown: Exception):
    if backend is not None:
        chosen = _known(backend, kind, names, unknown, "input value")
        if chosen in _NOT_THERE:
            library = _NOT_THERE[chosen]
            raise RuntimeError(f"Cannot set preferred backend to {library} if PyTorch has not been compiled with {library}.")
        _preferred[kind] = _BlasBackend.Cublas if chosen is _BlasBackend.Default else chosen
    return _preferred[kind]


def preferred_blas_library(backend=None):
    """Which library multiplies matrices on a GPU. Kept and reported: XLA chooses.
    https://pytorch.org/docs/stable/backends.html#torch.backends.cuda.preferred_blas_library

    Args:
        backend: "default", "cublas", "ck", ... or what this function returns; None changes nothing.

    Returns:
        the library, one of an enumeration.

    Raises:
        RuntimeError: there is no such library, or PyTorch's build for the CPU does not take it.
    """
    return _prefer(backend, _BlasBackend, _BLAS, RuntimeError("Unknown input value type."))


def preferred_linalg_library(backend=None):
    """Which library decomposes matrices on a GPU. Kept and reported: XLA chooses.
    https://pytorch.org/docs/stable/backends.html#torch.backends.cuda.preferred_linalg_library

    Args:
        backend: "default" or what this function returns; None changes nothing.

    Returns:
        the library, one of an enumeration.

    Raises:
        RuntimeError: there is no such library, or PyTorch's build for the CPU does not take it.
    """
    return _prefer(backend, _LinalgBackend, _LINALG, RuntimeError("Unknown input value type."))


def preferred_rocm_fa_library(backend=None):
    """Which library has attention on AMD's GPUs. Kept and reported: there are none.
    https://pytorch.org/docs/stable/backends.html#torch.backends.cuda.preferred_rocm_fa_library

    Args:
        backend: "default", "aotriton", "ck" or what this function returns; None changes nothing.

    Returns:
        the library, one of an enumeration.

    Raises:
        RuntimeError: there is no such library.
        ValueError: `backend` is neither a text nor a library.
    """
    unknown = ValueError(f"Unknown input value. Choose from: {', '.join(_ROCM)}.")
    return _prefer(backend, _ROCmFABackend, _ROCM, unknown)


# -- workspaces

def cublas_workspace_size(size=None) -> int:
    """Refused: XLA has cuBLAS to itself.

    Args:
        size: not looked at.

    Raises:
        UnsupportedError: always; without a GPU AssertionError.
    """
    raise _refused("cublas_workspace_size")


def cublaslt_workspace_size(size=None) -> int:
    """Refused: XLA has cuBLASLt to itself.

    Args:
        size: not looked at.

    Raises:
        UnsupportedError: always; without a GPU AssertionError.
    """
    raise _refused("cublaslt_workspace_size")


def blas_workspace_size(size=None, backend=None) -> int:
    """Refused: XLA has NVIDIA's libraries to itself.

    Args:
        size: not looked at.
        backend: a library, as for `preferred_blas_library`.

    Raises:
        RuntimeError: there is no such library, or it has no workspace.
        UnsupportedError: it has one; without a GPU AssertionError.
    """
    chosen = preferred_blas_library() if backend is None else _known(
        backend, _BlasBackend, _BLAS, RuntimeError("Unknown backend type."), "backend string")
    if chosen is _BlasBackend.Ck:
        raise RuntimeError("CK backend does not use a workspace.")
    raise _refused("blas_workspace_size")


# -- cuFFT's plans

class cuFFTPlanCacheAttrContextProp:  # noqa: N801 - PyTorch's name
    """An attribute of `cuFFTPlanCache`, by functions of the GPU's number.

    Args:
        getter: what reads it.
        setter: what sets it, or the text of the RuntimeError for who tries to.
    """

    def __init__(self, getter, setter):
        self.getter = getter
        self.setter = setter

    def __get__(self, obj, objtype):
        return self.getter(obj.device_index)

    def __set__(self, obj, val):
        if isinstance(self.setter, str):
            raise RuntimeError(self.setter)
        self.setter(obj.device_index, val)


def _no_plans(*args):
    raise UnsupportedError("torch.backends.cuda.cuFFTPlanCache is not supported: XLA has cuFFT to itself")


class cuFFTPlanCache:  # noqa: N801 - PyTorch's name
    """cuFFT's plans for one GPU. XLA has them, so asking for them refuses; in PyTorch's build for the CPU it fails, too.
    https://pytorch.org/docs/stable/backends.html#torch.backends.cuda.cufft_plan_cache

    Args:
        device_index: the GPU's number.
    """

    def __init__(self, device_index):
        self.device_index = device_index

    size = cuFFTPlanCacheAttrContextProp(
        _no_plans, ".size is a read-only property showing the number of plans currently in the cache. To change the cache "
                   "capacity, set cufft_plan_cache.max_size.")
    max_size = cuFFTPlanCacheAttrContextProp(_no_plans, _no_plans)

    def clear(self):
        """Refused, as the rest."""
        _no_plans()


_OF_PLANS = ("device_index", "size", "max_size", "clear")


class cuFFTPlanCacheManager:  # noqa: N801 - PyTorch's name
    """``torch.backends.cuda.cufft_plan_cache``: a `cuFFTPlanCache` for each GPU, by index. Its attributes are the first
    one's.
    """

    def __init__(self):
        vars(self)["caches"] = []

    def __getitem__(self, device):
        index, count = _index(device), len(accelerators())
        if not 0 <= index < count:
            raise RuntimeError(f"cufft_plan_cache: expected 0 <= device index < {count}, but got device with index {index}")
        if not self.caches:
            self.caches.extend(cuFFTPlanCache(number) for number in range(count))
        return self.caches[index]

    def __getattr__(self, name):
        if name not in _OF_PLANS:  # PyTorch asks for a GPU first
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        return getattr(self[_first()], name)

    def __setattr__(self, name, value):
        setattr(self[_first()], name, value)


def _first() -> int:
    if not accelerators():
        raise AssertionError(_NO_CUDA)
    return 0


def _index(device) -> int:
    if isinstance(device, int):
        return device
    if device is None:
        raise ValueError(f"Expected a torch.device with a specified index or an integer, but got:{device}")
    found = _dev.device(device)
    if not backend_of(found).is_accelerator:
        raise ValueError(f"Expected a cuda device, but got: {found}")
    return found.index or 0
