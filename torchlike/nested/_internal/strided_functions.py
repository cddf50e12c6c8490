"""Functions of strided nested tensors that are no pointwise operators: each part for itself."""

from torchlike import _api
from torchlike._base.errors import UnsupportedError
from torchlike.nested._internal.nested_tensor import StridedNested, strided_functions
from torchlike.nn import functional


def _function(own):
    """Takes the function of that name over, trailing underscore dropped."""
    strided_functions[own.__name__.removesuffix("_")] = own
    return own


def _of_parts(function, name):
    """A function that does not look at dimensions by number."""
    def of_nested(x, *args, **options):
        return StridedNested([function(part, *args, **options) for part in x._pieces])

    of_nested.__name__ = name
    return of_nested


for _each in (functional.linear, functional.layer_norm, functional.dropout, functional.rms_norm):
    _function(_of_parts(_each, _each.__name__))


def _inner(x, dim) -> int:
    dim %= x.dim()
    if dim == 0:
        raise RuntimeError("a nested tensor of the strided layout cannot do this along dimension 0")
    return dim - 1


def _along(function, name):
    """A function along one dimension, which is not that of the parts."""
    def of_nested(x, dim=None, *args, **options):
        return StridedNested([function(part, _inner(x, dim), **options) for part in x._pieces])

    of_nested.__name__ = name
    return of_nested


_function(_along(functional.softmax, "softmax"))
_function(_along(functional.log_softmax, "log_softmax"))


@_function
def to_padded_tensor(x, padding, output_size=None, out=None):
    """The parts in one tensor, `padding` behind them."""
    sizes = [max(found) for found in zip(*(part.shape for part in x._pieces), strict=True)]
    if output_size is not None:
        sizes = list(output_size[1:])
    return _api.stack([functional.pad(part, [n for size, own in zip(reversed(sizes), reversed(part.shape), strict=True)
                                             for n in (0, size - own)], value=padding) for part in x._pieces])


@_function
def sum_(x, dim=None, keepdim=False, *, dtype=None):
    """The sum over the last dimension, or over all."""
    if dim is None:
        return _api.stack([part.sum(dtype=dtype) for part in x._pieces]).sum()
    if not keepdim:
        raise RuntimeError("NestedTensor always requires keepdim=True for now.")
    dims = dim if isinstance(dim, tuple | list) else (dim,)
    return StridedNested([part.sum([_inner(x, d) for d in dims], True, dtype=dtype) for part in x._pieces])


@_function
def transpose(x, dim0, dim1):
    """Two dimensions exchanged, neither that of the parts."""
    return StridedNested([part.transpose(_inner(x, dim0), _inner(x, dim1)) for part in x._pieces])


@_function
def chunk(x, chunks, dim=0):
    """Pieces along a dimension, which is not that of the parts."""
    found = [part.chunk(chunks, _inner(x, dim)) for part in x._pieces]
    return tuple(StridedNested(list(each)) for each in zip(*found, strict=True))


@_function
def select(x, dim, index):
    """A part, or one place of another dimension."""
    if dim % x.dim() == 0:
        return x._pieces[index]
    return StridedNested([part.select(_inner(x, dim), index) for part in x._pieces])


def getitem(x, index):
    """``x[i]``."""
    if isinstance(index, int):
        return x._pieces[index]
    raise UnsupportedError("an index of a nested tensor of the strided layout other than an integer")


strided_functions["__getitem__"] = getitem


@_function
def matmul(x, other):
    """Products part by part."""
    if not (isinstance(x, StridedNested) and isinstance(other, StridedNested)):
        raise RuntimeError("Expected both self and other to be nested, but got a nested self and non-nested other")
    return StridedNested([a.matmul(b) for a, b in zip(x._pieces, other._pieces, strict=True)])


strided_functions["__matmul__"] = strided_functions["bmm"] = matmul

