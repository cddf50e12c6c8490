"""Error classes and the texts that several places raise. A text is PyTorch's where PyTorch has one."""

import ctypes
import math
import re
import traceback


class _Warnings:
    """The warnings that PyTorch gives once: those that were ``given``, and whether they are ``always`` given."""

    def __init__(self):
        self.given: set[str] = set()
        self.always = False


_warnings = _Warnings()


def warning_is_due(key: str) -> bool:
    """Whether to give a warning that PyTorch gives once a process: it has not been asked for by this key before, or
    `set_warn_always` has said so."""
    due = _warnings.always or key not in _warnings.given
    _warnings.given.add(key)
    return due


def set_warn_always(b: bool, /) -> None:
    """Sets whether warnings that PyTorch gives once are given each time.
    https://pytorch.org/docs/stable/generated/torch.set_warn_always.html

    Args:
        b: a bool.
    """
    _warnings.always = b


def is_warn_always_enabled() -> bool:
    """Whether warnings that PyTorch gives once are given each time.
    https://pytorch.org/docs/stable/generated/torch.is_warn_always_enabled.html
    """
    return _warnings.always


INTERNAL_OVERLAP = ("unsupported operation: more than one element of the written-to tensor refers to a single memory "
                    "location. Please clone() the tensor before performing the operation.")
NO_PROCESS_GROUP = "Default process group has not been initialized, please make sure to call init_process_group."


def different_devices(devices) -> RuntimeError:
    """The error for operands on several devices."""
    first, second = map(str, list(devices)[:2])
    if "meta" in (first, second):
        return RuntimeError(f"Tensor on device {second} is not on the expected device {first}!")
    return RuntimeError("Expected all tensors to be on the same device, but found at least two devices, "
                        f"{first} and {second}!")


_TP_NAME = object.__basicsize__ + ctypes.sizeof(ctypes.c_ssize_t)
_STRUCTS = dict.fromkeys(("dtype", "device", "layout", "memory_format", "Size", "finfo", "iinfo"), "torch") | {
    "Generator": "torch._C", "UntypedStorage": "torch.storage"}  # those of PyTorch, whose counterparts are classes here


def type_name(kind: type) -> str:
    """The name of a class in PyTorch's texts: CPython's ``tp_name``, which has the module of classes that are written in C.

    Python itself shows it in errors alone. It is the first field of a class behind the header of objects of any length.
    """
    if kind.__name__ in _STRUCTS and kind.__module__.startswith("torch"):
        return f"{_STRUCTS[kind.__name__]}.{kind.__name__}"
    found = ctypes.c_char_p.from_address(id(kind) + _TP_NAME).value
    return kind.__name__ if found is None else found.decode()


class UnsupportedError(NotImplementedError):
    """Raised for a feature of PyTorch that torchlike does not have; the text names the feature."""

    __module__ = "torchlike"  # where users import it from


class UnsupportedNameError(UnsupportedError, AttributeError):
    """Raised for a public name of PyTorch that torchlike does not have. `hasattr` answers False, as for any unknown name."""

    __module__ = "torchlike"  # where users import it from


class NotANumberError(TypeError):
    """Something is neither a tensor nor a number."""


class AcceleratorError(RuntimeError):
    """Raised for an error of a device's runtime: a number of a GPU that is not there."""

    __module__ = "torchlike"  # where users import it from


class OutOfMemoryError(RuntimeError):
    """Raised when a device has no memory left."""

    __module__ = "torchlike"  # where users import it from


def no_memory(nbytes: int) -> RuntimeError:
    """PyTorch's error where the CPU has no room for so many bytes."""
    return RuntimeError("[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory: you "
                        f"tried to allocate {nbytes} bytes. Error code 12 (Cannot allocate memory)")


def lack_of_memory(error: BaseException, on_host: bool) -> Exception | None:
    """PyTorch's error for one of numpy's or XLA's that says that memory is lacking; None for any other.

    Args:
        error: what a computation raised.
        on_host: whether it was to compute in the host's memory, not in a device's own.
    """
    if isinstance(error, MemoryError):
        shape, dtype = getattr(error, "shape", None), getattr(error, "dtype", None)  # numpy's has them
        return error if shape is None or dtype is None else no_memory(math.prod(shape) * dtype.itemsize)
    if "RESOURCE_EXHAUSTED" not in str(error):
        return None
    found = re.search(r"(\d+) bytes", str(error))
    nbytes = int(found[1]) if found else 0
    return no_memory(nbytes) if on_host else OutOfMemoryError(
        f"CUDA out of memory. Tried to allocate {nbytes / (1 << 20):.2f} MiB.")


_TOO_MANY_DIMENSIONS = re.compile("maximum supported dimension for an ndarray|number of dimensions must be within")


def outward(error: Exception) -> Exception:
    """A RuntimeError with its text in the place of one of JAX's insides, by its class or by where it was raised; else
    `error`. Rows check what PyTorch checks, so this is what nobody has foreseen.
    """
    if isinstance(error, RecursionError | MemoryError):  # of the machine's, wherever it happens
        return error
    if isinstance(error, ValueError | RuntimeError) and _TOO_MANY_DIMENSIONS.match(str(error)):
        return UnsupportedError("tensors of more than 64 dimensions")
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    inside = bool(frames) and _of_jax(frames[-1].f_globals.get("__name__", ""))
    if not inside and not any(_of_jax(kind.__module__) for kind in type(error).__mro__):
        return error
    return RuntimeError(str(error))


def _of_jax(module) -> bool:
    return module.partition(".")[0] in ("jax", "jaxlib")


INFERENCE_SAVED = ("Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
    "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and "
    "use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.")
FREED = (
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed). Saved intermediate values of the graph are freed when you call "
    ".backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
    "graph a second time or if you need to access saved tensors after calling backward."
)


def check_int64(value: int) -> None:
    """ValueError with PyTorch's text for an int of more than 64 bits."""
    if not -(1 << 63) <= value < 1 << 63:
        raise ValueError("Overflow when unpacking long long")


def wrap_dim(dim: int, ndim: int) -> int:
    """`dim` as a number from 0 to ndim - 1; IndexError with PyTorch's text if it is out of range. No dimensions count as
    one.
    """
    span = ndim or 1
    if not -span <= dim < span:
        if not isinstance(dim, int):
            raise TypeError(f"'{type(dim).__name__}' object cannot be interpreted as an integer")
        check_int64(dim)
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-span}, {span - 1}], "
            f"but got {dim})"
        )
    return dim + span if dim < 0 else dim


def sized_dim(dim: int, ndim: int) -> int:
    """`dim` of a tensor whose size there is asked for: IndexError, too, where it has no dimensions."""
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, ndim)


def wrap_dims(dims, ndim: int) -> tuple:
    """Each of `dims` by `wrap_dim`; None and () mean all. RuntimeError if one comes twice."""
    if ndim > 64:
        raise RuntimeError("only tensors with up to 64 dims are supported")
    if dims is None or dims == ():
        return tuple(range(ndim))
    if isinstance(dims, int):
        dims = (dims,)
    out = tuple(wrap_dim(d, ndim) for d in dims)
    if len(set(out)) != len(out):
        twice = next(d for d in out if out.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return out if ndim else ()
