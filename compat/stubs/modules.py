"""The text of each stub, from what the module holds once it is imported."""

import inspect
import re
import types

import torchlike
from compat.stubs.types import ALIASES, RESULT, known, signature
from torchlike import _api, fft, linalg, special
from torchlike._api.attach import METHODS, PROPERTIES
from torchlike._ops.all import ROWS
from torchlike._record.tensor import Tensor

_HEAD = '"""{} Written by ``python -m compat.stubs`` from the operator table: do not edit."""\n\n'
# Under a name with an underscore: Tensor has properties of the plain ones.
_NAMES = {"dtype": "torchlike._base.dtypes", "device": "torchlike._base.device", "Generator": "torchlike._random.generator",
          "Size": "torchlike._base.size", "Tensor": "torchlike._record.tensor", "memory_format": "torchlike._base.settings",
          "layout": "torchlike._base.settings", "Node": "torchlike.autograd.node"}
_BUILTIN = re.compile(r"(?<=[:|>\[]) ?\b(int|float|bool|complex)\b(?=[] ,|)=:\n])")
_USUAL = "from collections.abc import Sequence\nfrom typing import Any, NamedTuple\n\n"


def stubs() -> dict:
    """{path below the root: text}."""
    found = {"torchlike/_record/tensor.pyi": _tensor(), "torchlike/__init__.pyi": _package(),
             "torchlike/_api/__init__.pyi": _functions(_api, _api.__all__, "The functions of torch.")}
    for module, path in ((linalg, "linalg.pyi"), (special, "special.pyi"), (fft, "fft.pyi")):
        title = f"torch.{module.__name__.rpartition('.')[2]}."
        found[f"torchlike/{path}"] = _functions(module, module.__all__, title)
    return found


def _imports(but=()) -> str:
    lines = [f"from {module} import {name} as {_named(name)}" for name, module in _NAMES.items() if name not in but]
    aliases = [f"{name} = {what}" for name, what in ALIASES.items()]
    return _USUAL + "\n".join(sorted(lines)) + "\n\n" + "\n".join(aliases) + "\n"


def _named(name) -> str:
    return name if name == "Tensor" else f"_{name}"


def _functions(module, names, title) -> str:
    lines = []
    for name in names:
        value = getattr(module, name)
        faces = (f"{module.__name__.rpartition('.')[2]}_{name}", getattr(value, "__name__", name))
        face = next(filter(known, faces), name)
        lines.append(f"def {name}{signature(face, value)}: ..." if inspect.isfunction(value) else f"{name}: Any")
    body = "\n".join(lines)
    return f"{_HEAD.format(title)}{_imports()}\n{_results(body)}{body}\n\n__all__ = {_wrapped(names)}\n"


def _results(body) -> str:
    """The named tuples that the functions return."""
    text = ""
    for name in sorted(set(re.findall(rf"\b{RESULT}\w+", body))):
        fields = "".join(f"    {field}: Tensor\n" for field in _fields(name))
        text += f"class {name}(NamedTuple):\n{fields}\n"
    return text


def _fields(name) -> tuple:
    """The names of a row's results, of which the stub's class name is made."""
    return next(row.schema.returns for row in ROWS.values() if RESULT + "_".join(row.schema.returns) == name)


def _wrapped(names) -> str:
    return "[\n" + "".join(f"    {name!r},\n" for name in names).replace("'", '"') + "]"


def _tensor() -> str:
    builtins = "\n".join(f"from builtins import {name} as _{name}" for name in ("bool", "complex", "float", "int"))
    head = [_HEAD.format("Tensor.") + builtins, _imports(but=("Tensor",)), ""]
    lines = ["LEAF: tuple[str]\nSTALE: tuple[str]\n\ndef wrap(cell: Any) -> Tensor: ...\n\nclass Tensor:"]
    own = [name for name in vars(Tensor) if name.startswith("_") and not name.startswith("__")
           and name not in METHODS and name not in PROPERTIES]
    lines += [f"    {name}: Any" for name in own]
    sample = torchlike.ones(2, 2, requires_grad=True)
    for name, value in PROPERTIES.items():
        lines += _property(name, value, sample)
    for name, value in sorted(METHODS.items()):
        if inspect.isfunction(value):
            kind = signature(name if not name.startswith("__") else name.strip("_"), value, method=True)
            lines.append(f"    def {name}{_operator(name, kind)}: ...")
        elif name != "__hash__":
            lines.append(f"    {name}: Any")
    body = "\n".join(lines) + "\n"
    own = _BUILTIN.sub(lambda m: m[0].replace(m[1], f"_{m[1]}"), body)  # Tensor.int is a method
    return "\n".join(head) + _results(body) + own


_COMPARE = ("__eq__", "__ne__")


def _operator(name, kind) -> str:
    """Python's operators: their results are Tensors, whatever PyTorch's schema of the same word says."""
    head = kind.rpartition(" -> ")[0]
    if name in _COMPARE:
        return "(self, other: Any) -> Tensor"  # object's own says bool
    special = {"__bool__": "bool", "__contains__": "bool", "__len__": "int", "__int__": "int", "__float__": "float",
               "__complex__": "complex", "__index__": "int", "__repr__": "str", "__format__": "str", "__setitem__": "None",
               "__delitem__": "None", "__hash__": "int", "__iter__": "Any", "__array__": "Any", "__dir__": "list[str]",
               "__reduce_ex__": "Any", "tolist": "Any", "item": "Any", "size": "Any", "stride": "Any", "numpy": "Any",
               "backward": "None", "dim": "int", "numel": "int", "data_ptr": "int"}
    if name in special:
        return f"{head} -> {special[name]}"
    return f"{head} -> Tensor" if name.startswith("__") else kind


def _property(name, value, sample) -> list:
    try:
        found = getattr(sample, name)
    except (RuntimeError, AttributeError, NotImplementedError):
        found = None
    kind = {"grad": "Tensor | None", "grad_fn": "_Node | None"}.get(name)
    if kind is None:
        kind = type(found).__name__ if found is not None else "Any"
        kind = _named(kind) if kind in _NAMES else kind if kind in ("int", "bool", "str", "float") else "Any"
    lines = ["    @property", f"    def {name}(self) -> {kind}: ..."]
    if value.fset is not None:
        lines += [f"    @{name}.setter", f"    def {name}(self, value: Any) -> None: ..."]
    return lines


def _package() -> str:
    lines = [_HEAD.format("torchlike: PyTorch's eager API on JAX."), "import builtins\nfrom typing import Any\n",
             "from torchlike._api import *"]
    given = set(_api.__all__)
    own = set(re.findall(r"^from torchlike import (\w+) as", inspect.getsource(torchlike), re.M))
    for name, value in sorted(vars(torchlike).items()):
        if name.startswith("_") or name in given or (isinstance(value, types.ModuleType) and name not in own):
            continue  # any submodule is an attribute once somebody imports it
        lines.append(_member(name, value))
    lines.append("__version__: builtins.str")
    return "\n".join(lines) + "\n"


def _member(name, value) -> str:
    if isinstance(value, types.ModuleType):
        return f"from torchlike import {name} as {name}"
    if isinstance(value, torchlike.dtype):
        return f"{name}: dtype"
    if isinstance(value, torchlike.layout | torchlike.memory_format):
        return f"{name}: {type(value).__name__}"
    source, own = getattr(value, "__module__", None), getattr(value, "__name__", None)
    if source is not None and source.startswith("torchlike.") and own == name and source != "torchlike._api":
        return f"from {source} import {name} as {name}"
    return f"{name}: builtins.{type(value).__name__}" if isinstance(value, bool | int | float | str) else f"{name}: Any"
