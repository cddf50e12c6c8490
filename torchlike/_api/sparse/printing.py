"""How sparse tensors print: as PyTorch's ``repr``."""

from torchlike._api import printing
from torchlike._api.sparse.cell import indices_of, nnz_of, values_of
from torchlike._api.sparse.compressed import FORMS
from torchlike._base.device import CPU
from torchlike._compile.backends.registry import backend_of
from torchlike._ops import promotion
from torchlike._record.leaf import host
from torchlike._record.tensor import Tensor


def sparse_str(x: Tensor, tail: list, prefix: str) -> str:
    """The text of a sparse tensor.

    Args:
        x: the tensor.
        tail: what is to be said of its gradient.
        prefix: "tensor(" or the like.
    """
    cell = x._cell
    form = FORMS.get(cell.layout)
    indent = len(prefix)
    suffixes = [] if cell.aval.device == CPU else [f"device='{cell.aval.device}'"]
    suffixes += [f"size={tuple(x.shape)}", *([f"nnz={nnz_of(x)}"] if backend_of(cell.aval.device).has_values else [])]
    if cell.aval.dtype.name not in _unnamed(promotion.default.dtype.name):
        suffixes.append(f"dtype=torch.{cell.aval.dtype.name}")
    suffixes.append(f"layout={cell.layout!r}")
    names = ("indices",) if form is None else (form.compressed, form.plain)
    parts = list(zip(names, (indices_of(x),) if form is None else cell.indices, strict=True))
    texts = [_part(name, part, indent) for name, part in [*parts, ("values", values_of(x))]]
    start = prefix + (",\n" + " " * indent).join(texts)
    return printing.with_suffixes(start, [*suffixes, *tail], indent, force_newline=form is None)


def _unnamed(default) -> tuple:
    """The dtypes that values tell themselves."""
    return (default, "complex128" if default == "float64" else "complex64", "int64", "bool")


def _part(name, part, indent) -> str:
    """``name=tensor(...)``, without its dtype."""
    if not backend_of(part._cell.aval.device).has_values:
        return f"{name}=tensor(..., size={tuple(part.shape)})"
    prefix, array = f"{name}=tensor(", host(part._cell)
    size = f", size={tuple(array.shape)}" if array.size == 0 else ""
    return f"{prefix}{printing.body(array, indent + len(prefix))}{size})"
