"""PyTorch's names for what is pickled, and what they stand for here."""

import functools
import importlib
import sys

from torchlike._base import dtypes as dt

OWN, THEIRS = "torchlike", "torch"
# The storage classes, which name a dtype.
STORAGES = {"FloatStorage": dt.float32, "DoubleStorage": dt.float64, "HalfStorage": dt.float16,
            "BFloat16Storage": dt.bfloat16, "LongStorage": dt.int64, "IntStorage": dt.int32, "ShortStorage": dt.int16,
            "CharStorage": dt.int8, "ByteStorage": dt.uint8, "BoolStorage": dt.bool_, "ComplexFloatStorage": dt.complex64,
            "ComplexDoubleStorage": dt.complex128}
STORAGE_OF = {dtype: name for name, dtype in STORAGES.items()}
# Public modules that show functions of private modules.
_SPACES = ("nn.functional", "", "special", "linalg", "fft", "nn.init", "Tensor")


class Named:
    """Stands in a pickle for the global ``module.name`` of PyTorch."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self, *args):
        raise TypeError(f"{self.module}.{self.name} is a name")


def path_of(value, name=None) -> tuple:
    """(module, qualified name) under which PyTorch's pickles refer to a class or function."""
    name = name or getattr(value, "__qualname__", None) or value.__name__
    module = getattr(value, "__module__", None)
    if module is None or not (module == OWN or module.startswith(OWN + ".")):
        return module, name
    if isinstance(value, dt.dtype):
        return THEIRS, value.name
    if not isinstance(value, type):
        for space in _SPACES:
            if getattr(_space(space), name, None) is value:
                return f"{THEIRS}.{space}".rstrip("."), name
    if any(part.startswith("_") for part in module.split(".")):
        module = _public(module, value, name)
    if module in ("torchlike._base.size", "torchlike._base.device", "torchlike._record.tensor", "torchlike._base.settings"):
        return ("torch.nn.parameter" if name == "Parameter" else THEIRS), name
    return THEIRS + module[len(OWN):], name


def _public(module, value, name) -> str:
    """The innermost public module that shows a class of a private one, where PyTorch's module of that name does so too."""
    parent = module.rpartition(".")[0]
    having = [path for path, found in sys.modules.copy().items()
              if path.startswith(parent + ".") and "._" not in path and getattr(found, name, None) is value]
    return max(having, key=lambda path: path.count("."), default=module)


def _space(path):
    return functools.reduce(getattr, filter(None, path.split(".")), importlib.import_module(OWN))


def layout(name):
    """``torch.serialization._get_layout``."""
    return resolve(THEIRS, name.removeprefix("torch."))


def resolve(module, name):
    """The object for the global ``module.name`` of a pickle; AttributeError or ImportError if torchlike has none."""
    if module == THEIRS or module.startswith(THEIRS + "."):
        module = OWN + module[len(THEIRS):]
    return functools.reduce(getattr, name.split("."), importlib.import_module(module))
