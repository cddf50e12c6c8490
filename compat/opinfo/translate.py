"""From torch's objects to torchlike's: tensors with their strides, dtypes, and functions by what they are called.

The database holds functions: most are found by their name; its lambdas and wrappers are rebuilt with torchlike in
the place of torch among their globals.
"""

import contextlib
import dataclasses
import functools
import types

import torch

import torchlike
from compat.compare import array

_SPACES = ("", "nn.functional", "linalg", "fft", "special", "signal.windows", "Tensor", "nn.init", "random", "autograd",
           "nn.utils.rnn", "masked", "overrides", "testing")
_INTERNAL = ("torch.testing._internal", "torch.testing._utils")
_memories: list = []
_OBJECTS = (torch.dtype, torch.device, torch.memory_format, torch.layout)


class Missing(Exception):
    """torchlike has nothing of this name, or no form of this value."""


def attribute(root, path: str):
    """``attribute(torch, "linalg.norm")``; AttributeError if there is none."""
    for part in path.split(".") if path else ():
        root = getattr(root, part)
    return root


@functools.cache
def _paths() -> dict:
    """{id of a torch function: its path}, the shortest there is."""
    found: dict = {}
    for space in _SPACES:
        try:
            owner = attribute(torch, space)
        except AttributeError:
            continue
        for name in dir(owner):
            value = getattr(owner, name, None)
            if callable(value):
                found.setdefault(id(value), f"{space}.{name}".lstrip("."))
    return found


def ours(value):
    """`value` with every torch object replaced. Missing if there is no such thing."""
    if isinstance(value, torch.nn.Parameter):
        return torchlike.nn.Parameter(tensor(value.detach()), value.requires_grad)
    if isinstance(value, torch.Tensor):
        return tensor(value)
    if isinstance(value, _OBJECTS):
        return _object(value)
    if isinstance(value, torch.Size):
        return torchlike.Size(value)
    if isinstance(value, list | tuple | set):
        made = [ours(v) for v in value]
        return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
    if isinstance(value, dict):
        return {ours(k): ours(v) for k, v in value.items()}
    if isinstance(value, slice):
        return slice(ours(value.start), ours(value.stop), ours(value.step))
    if isinstance(value, types.ModuleType):
        return _module(value)
    if isinstance(value, torch.nn.Module):
        return _nn_module(value)
    if isinstance(value, torch._ops.OpOverload):
        return _overload(value)
    if dataclasses.is_dataclass(value) and hasattr(torchlike.nn, type(value).__name__):  # options of a module
        return getattr(torchlike.nn, type(value).__name__)(**{
            f.name: ours(getattr(value, f.name)) for f in dataclasses.fields(value)})
    if isinstance(value, torch.Generator | torch.UntypedStorage | torch.TypedStorage):
        raise Missing(type(value).__name__)
    return function(value) if callable(value) else value


def _object(value):
    if isinstance(value, torch.device):
        return torchlike.device(str(value))
    found = getattr(torchlike, str(value).removeprefix("torch."), None)
    if found is None:
        raise Missing(str(value))
    return found


def _overload(value):
    try:
        return attribute(torchlike.ops, value.name().replace("::", "."))
    except (AttributeError, NotImplementedError):
        raise Missing(f"torch.ops.{value}") from None


def _module(value):
    if value.__name__.startswith("torch") and not value.__name__.startswith(_INTERNAL):
        try:
            return attribute(torchlike, value.__name__.removeprefix("torch").lstrip("."))
        except (AttributeError, ImportError):
            raise Missing(value.__name__) from None
    return value


def class_of(kind):
    """Our class of the same name. Missing if there is none."""
    path = f"{kind.__module__}.{kind.__qualname__}".removeprefix("torch.")
    for name in (path, f"nn.{kind.__name__}"):
        try:
            return attribute(torchlike, name)
        except (AttributeError, ImportError, NotImplementedError):
            continue
    raise Missing(path)


def _nn_module(value):
    """A module with the same attributes: PyTorch's own names are ours."""
    kind = class_of(type(value))
    made = kind.__new__(kind)
    made.__dict__.update(ours(value.__dict__))
    return made


@contextlib.contextmanager
def shared_memory():
    """Tensors that are translated inside share memory where torch's do."""
    _memories.append({})
    try:
        yield
    finally:
        _memories.pop()


def tensor(x):
    """A leaf with the values, dtype, strides and requires_grad of a torch tensor; one for each in `shared_memory`."""
    if not _memories:
        return _tensor(x)
    _, made = _memories[-1].get(id(x), (None, None))
    if made is None:
        made = _tensor(x)
        _memories[-1][id(x)] = x, made  # it must live as long as its identity is known
    return made


def _tensor(x):
    if x.layout is not torch.strided or x.is_quantized or x.is_nested or not isinstance(x, torch.Tensor):
        raise Missing(f"a tensor of layout {x.layout}")
    if x.device.type == "meta":
        raise Missing("device meta")
    if x.numel() and not x.untyped_storage().nbytes():
        raise Missing("a tensor without memory")
    dtype = ours(x.dtype)
    plain = x.detach().resolve_conj().resolve_neg()
    place = plain.untyped_storage().data_ptr()
    memories = _memories[-1] if _memories and x.numel() and not x.is_conj() and not x.is_neg() else {}
    known = memories.get((place, x.dtype))
    is_plain = plain.stride() == torch.empty(plain.shape, device="meta").stride()
    if known is None and is_plain and plain.untyped_storage().nbytes() == plain.numel() * plain.itemsize:
        made = torchlike.tensor(_array(plain), dtype=dtype) if plain.ndim <= 64 else \
            torchlike.tensor(_array(plain.view(-1)), dtype=dtype).reshape(tuple(plain.shape))  # numpy has no more
    else:
        known = _memory(plain, dtype) if known is None else known
        made = torchlike.as_strided(known, tuple(x.shape), x.stride(), int(x.storage_offset())).detach()
    memories.setdefault((place, x.dtype), made.detach() if known is None else known)
    return made.requires_grad_(x.requires_grad)


def _memory(x, dtype):
    count = x.untyped_storage().nbytes() // x.itemsize
    return torchlike.tensor(_array(torch.as_strided(x, (count,), (1,), 0)), dtype=dtype)


def _array(x):
    return array(x) if x.dtype is not torch.bfloat16 else x.view(torch.int16).numpy(force=True).view(torchlike.bfloat16.np)


@contextlib.contextmanager
def _freeze_rng_state():
    """What the database's `freeze_rng_state` does."""
    before = torchlike.get_rng_state()
    try:
        yield
    finally:
        torchlike.set_rng_state(before)


def function(value):
    """The function of torchlike that does what this one does."""
    if getattr(value, "__name__", "") == "freeze_rng_state":
        return _freeze_rng_state
    if isinstance(value, functools.partial):
        return functools.partial(function(value.func), *map(ours, value.args), **ours(value.keywords))
    if isinstance(value, torch._ops.OpOverload):
        return _overload(value)
    path = _paths().get(id(value))
    if path is not None:
        try:
            return attribute(torchlike, path.replace("functional._threshold", "functional.threshold"))
        except (AttributeError, ImportError, NotImplementedError) as error:
            raise Missing(f"torch.{path}") from error
    if isinstance(value, types.FunctionType) and value.__module__.startswith(_INTERNAL):
        return _rebuilt(value)
    module = str(getattr(value, "__module__", ""))
    if module.startswith("torch") and not module.startswith(_INTERNAL):
        raise Missing(f"{value.__module__}.{getattr(value, '__qualname__', value)}")
    if type(value).__module__.startswith("torch") and not type(value).__module__.startswith(_INTERNAL):
        raise Missing(str(value))
    return value


_REBUILT: dict = {}


def _rebuilt(value):
    """A function of the database with torchlike among its globals, closure and defaults."""
    made = _REBUILT.get(value)
    if made is None:
        names = {name for code in _codes(value.__code__) for name in code.co_names}
        scope = {"__builtins__": value.__globals__["__builtins__"]}
        made = _REBUILT[value] = types.FunctionType(value.__code__, scope, value.__name__, None,
                                                    _cells(value.__closure__))
        made.__defaults__, made.__kwdefaults__ = ours(value.__defaults__), ours(value.__kwdefaults__)
        for name in names & value.__globals__.keys():
            try:
                scope[name] = ours(value.__globals__[name])
            except Missing:
                continue  # a NameError where it is used
    return made


def _codes(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _cells(closure):
    return None if closure is None else tuple(types.CellType(ours(cell.cell_contents)) for cell in closure)
