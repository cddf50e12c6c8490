"""How tensors print: exactly as PyTorch's ``repr``. Pure numpy.

https://pytorch.org/docs/stable/generated/torch.set_printoptions.html
"""

import dataclasses
import math

import numpy as np

_PROFILES = {"default": (4, 1000, 3, 80), "short": (2, 1000, 2, 80), "full": (4, math.inf, 3, 80)}


@dataclasses.dataclass(slots=True)
class PrintOptions:
    """Digits, the size from which a tensor is summarised, its edges, the line's width, sci_mode."""

    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


options = PrintOptions()


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None,
                     sci_mode=None) -> None:
    """Change how tensors are printed: the options given, and `sci_mode` always.

    https://pytorch.org/docs/stable/generated/torch.set_printoptions.html

    Args:
        precision: digits after the decimal point.
        threshold: with more elements than this a summary is printed.
        edgeitems: elements at each end of a dimension in a summary.
        linewidth: characters in a line.
        profile: "default", "short" or "full": values of the four above, which are set first.
        sci_mode: whether powers of ten are printed; None leaves it to the numbers.
    """
    if profile in _PROFILES:  # PyTorch takes any other name in silence
        options.precision, options.threshold, options.edgeitems, options.linewidth = _PROFILES[profile]
    for name, value in (("precision", precision), ("threshold", threshold), ("edgeitems", edgeitems),
                        ("linewidth", linewidth)):
        if value is not None:
            setattr(options, name, value)
    options.sci_mode = sci_mode


def get_printoptions() -> dict:
    """The present options."""
    return dataclasses.asdict(options)


class _Formatter:
    """One width and one notation for all the numbers of a tensor."""

    def __init__(self, values: np.ndarray):
        self.floating = values.dtype.kind == "f"
        self.int_mode, self.sci, self.width = True, False, 1
        if self.floating:
            self._choose(values)
        else:
            self.width = max([1, *(len(str(v)) for v in values.ravel().tolist())])

    def _choose(self, values):
        with np.errstate(invalid="ignore"):
            finite = values[np.isfinite(values) & (values != 0)].astype(np.float64)
        if finite.size == 0:
            return
        size = np.abs(finite)
        low, high = size.min(), size.max()
        self.int_mode = bool((finite == np.ceil(finite)).all())
        with np.errstate(over="ignore"):
            wide = high / low > 1000.0
        self.sci = bool(wide or high > 1.0e8 or (not self.int_mode and low < 1.0e-4))
        if options.sci_mode is not None:
            self.sci = options.sci_mode
        self.width = max(self.width, *(len(self._number(v)) for v in finite.tolist()))

    def _number(self, value) -> str:
        if self.sci:
            return f"{value:.{options.precision}e}"
        if self.int_mode:
            return f"{value:.0f}" + ("" if math.isinf(value) or math.isnan(value) else ".")
        return f"{value:.{options.precision}f}"

    def __call__(self, value) -> str:
        text = self._number(value) if self.floating else str(value)
        return text.rjust(self.width)


class _ComplexFormatter:
    """Real and imaginary parts with a formatter each."""

    def __init__(self, values):
        self.real, self.imag = _Formatter(values.real), _Formatter(values.imag)
        self.width = self.real.width + self.imag.width + 1

    def __call__(self, value) -> str:
        imag = (self.imag(value.imag) + "j").lstrip()
        return self.real(value.real) + ("" if imag[0] in "+-" else "+") + imag


def tensor_str(array, *, dtype_name, default_dtype_name, suffixes, prefix="tensor(", indent=0,
               shape=()) -> str:
    """``repr`` of a tensor.

    `array` is a numpy array, of any shape and of a dtype that torchlike._base.dtypes lists; None, with `shape`, for
    a tensor without values (meta). `suffixes` are the caller's texts for ``device=``, ``requires_grad=`` and
    ``grad_fn=``; ``size=`` and ``dtype=`` are added here, where PyTorch has them: after the device.
    """
    if array is not None:
        array = np.asarray(array)
    indent += len(prefix)
    own = [s for s in suffixes if s.startswith("device=")]
    rest = [s for s in suffixes if not s.startswith("device=")]
    inside = "..." if array is None else body(array, indent)
    if _shows_size(array):
        own.append(f"size={tuple(shape if array is None else array.shape)}")
    if dtype_name not in _unnamed_dtypes(array, default_dtype_name):
        own.append(f"dtype=torch.{dtype_name}")
    return with_suffixes(prefix + inside, [*own, *rest], indent)


def _shows_size(array) -> bool:
    """Where the brackets do not tell the shape."""
    if array is None:
        return True
    return array.ndim != 1 if array.size == 0 else options.edgeitems == 0


def _unnamed_dtypes(array, default) -> tuple:
    """The dtypes that the values themselves tell; without values it is the default dtype alone."""
    if array is None or array.size == 0:
        return (default,)
    return (default, "complex128" if default == "float64" else "complex64", "int64", "bool")


def with_suffixes(text, suffixes, indent, force_newline=False) -> str:
    """A text and what follows its numbers, on further lines where it would become too long."""
    pieces, used = [text], len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if force_newline or used + len(suffix) + 2 > options.linewidth:
            force_newline = False
            pieces.append(",\n" + " " * indent + suffix)
            used = indent + len(suffix)
        else:
            pieces.append(", " + suffix)
            used += len(suffix) + 2
    return "".join([*pieces, ")"])


def body(array, indent) -> str:
    """The numbers of an array and their brackets, from a column on."""
    if array.size == 0:
        return "[]"
    has_no_zero = array.dtype.name == "float8_e8m0fnu"
    if array.dtype.name in ("float16", "bfloat16") or array.dtype.name.startswith("float8"):
        array = array.astype(np.float32)
    summarize = array.size > options.threshold
    seen = _edges(array) if summarize else array
    if has_no_zero:  # PyTorch takes the smallest number for one
        seen = np.where(seen > 2.0**-127, seen, np.float32(0))
    formatter = _ComplexFormatter(seen) if array.dtype.kind == "c" else _Formatter(seen)
    return _nested(array, indent, summarize, formatter)


def _edges(array):
    """The part of the array that a summary shows."""
    for axis in range(array.ndim):
        if array.shape[axis] > 2 * options.edgeitems:
            index = [*range(options.edgeitems), *range(-options.edgeitems, 0)]
            array = array[(*[slice(None)] * axis, index)]  # np.take would copy what is repeated
    return array


def _nested(array, indent, summarize, formatter) -> str:
    if array.ndim == 0:
        return formatter(array.item())
    if array.ndim == 1:
        return _vector(array, indent, summarize, formatter)
    edge = options.edgeitems
    if summarize and array.shape[0] > 2 * edge:
        rows = [*(_nested(array[i], indent + 1, summarize, formatter) for i in range(edge)), "...",
                *(_nested(array[i], indent + 1, summarize, formatter) for i in range(-edge, 0))]
    else:
        rows = [_nested(part, indent + 1, summarize, formatter) for part in array]
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(rows) + "]"


def _vector(array, indent, summarize, formatter) -> str:
    per_line = max(1, math.floor((options.linewidth - indent) / (formatter.width + 2)))
    edge = options.edgeitems
    if summarize and not edge:
        return "[...]"
    if summarize and array.shape[0] > 2 * edge:
        items = [*map(formatter, array[:edge].tolist()), " ...", *map(formatter, array[-edge:].tolist())]
    else:
        items = [formatter(v) for v in array.tolist()]
    lines = [", ".join(items[i:i + per_line]) for i in range(0, len(items), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
