"""PyTorch's names for what is pickled, and what they stand for here."""

import functools
import importlib

from torchlike._base import dtypes as dt
from torchlike._base import settings

OWN, THEIRS = "torchlike", "torch"
# The storage classes, which name a dtype.
STORAGES = {"FloatStorage": dt.float32, "DoubleStorage": dt.float64, "HalfStorage": dt.float16,
            "BFloat16Storage": dt.bfloat16, "LongStorage": dt.int64, "IntStorage": dt.int32, "ShortStorage": dt.int16,
            "CharStorage": dt.int8, "ByteStorage": dt.uint8, "BoolStorage": dt.bool_, "ComplexFloatStorage": dt.complex64,
            "ComplexDoubleStorage": dt.complex128}
_LAYOUTS = {str(value): value for value in vars(settings).values() if isinstance(value, settings.layout)}
STORAGE_OF = {dtype: name for name, dtype in STORAGES.items()}


class Named:
    """Stands in a pickle for the global ``module.name`` of PyTorch."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self, *args):
        raise TypeError(f"{self.module}.{self.name} is a name")


def path_of(value, name=None) -> tuple:
    """(module, qualified name) under which PyTorch's pickles refer to a class or function: those of its home in PyTorch
    (`torchlike._api.homes`).
    """
    name = name or getattr(value, "__qualname__", None) or value.__name__
    module = getattr(value, "__module__", None)
    if module is None:
        return None, name
    root, dot, rest = module.partition(".")
    if isinstance(value, dt.dtype):
        return THEIRS, value.name
    return (THEIRS if root == OWN else root) + dot + rest, name


def layout(name):
    """``torch.serialization._get_layout``: the layout that is called so. KeyError for what is none."""
    return _LAYOUTS[name]


def resolve(module, name):
    """The object for the global ``module.name`` of a pickle; AttributeError or ImportError if torchlike has none."""
    if module == THEIRS or module.startswith(THEIRS + "."):
        module = OWN + module[len(THEIRS):]
    return functools.reduce(getattr, name.split("."), importlib.import_module(module))


def as_text(x):
    """The text that ASCII bytes are, as which Python 2's pickles may have words; anything else as it is."""
    return x.decode("ascii") if isinstance(x, bytes) else x


def told(x) -> str:
    """An object of a pickle in the text of an error: not its `repr`, which a small pickle can make endless."""
    name = x if isinstance(x, str) else getattr(x, "__qualname__", None)
    return repr(name[:60]) if isinstance(name, str) else f"a {type(x).__name__}"
