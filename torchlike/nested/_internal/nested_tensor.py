"""The classes of nested tensors, and pointwise operators on them."""

import copy

from torchlike._base import dtypes as dt
from torchlike._base.errors import UnsupportedError
from torchlike._base.settings import jagged, strided
from torchlike._base.size import Size
from torchlike._compile import avals
from torchlike._record.cell import Cell
from torchlike._record.dispatch import Handler, Operation
from torchlike._record.tensor import Tensor
from torchlike._record.torch_function import met, name_of, without_classes
from torchlike._record.views import Detach
from torchlike._record.warning import warn_once
from torchlike.nested._internal.ragged import Ragged

_OF_COPIES = ("preserve", "format", "broadcast")


class NestedHandler(Handler):
    """Does pointwise operators piece by piece."""

    sees_all = True

    def handle(self, operation: Operation):
        """A nested tensor of the results. NotImplementedError for an operator that is not pointwise."""
        first = _first(operation.operands)
        if isinstance(operation, Detach):
            return first._like([piece.detach() for piece in first._pieces])
        row = operation.row
        if row is None or not _goes_by_element(row):
            raise NotImplementedError(f"aten.{operation.name}")
        made = [piece.run() for piece in self._apart(operation, first)]
        if isinstance(made[0], tuple):
            return tuple(first._like(list(each)) for each in zip(*made, strict=True))
        return first._like(made)

    def in_place(self, operation: Operation):
        """The first operand, whose pieces were written to."""
        first = operation.operands[0]
        for piece in self._apart(operation, first):
            piece.run()
        return first

    def _apart(self, operation, first) -> list:
        operands = [x._matching(first, operation.name) if isinstance(x, Nested) else
                    first._dense(x) if isinstance(x, Tensor) and x.dim() else [x] * len(first._pieces)
                    for x in operation.operands]
        return [operation.with_operands(pieces) for pieces in zip(*operands, strict=True)]


class NestedCell(Cell):
    """Of a nested tensor: no value, and a form whose ragged dimension is that of all parts."""

    __slots__ = ("inference", "version")
    handler = NestedHandler()

    def __init__(self, aval):
        self.trace, self.slot, self.array, self.aval = None, -1, None, aval
        self.version, self.inference = 0, False


def _goes_by_element(row) -> bool:
    """Whether an element of the result depends on the elements at its place alone."""
    return row.layout == "pointwise" or (row.layout in _OF_COPIES and row.view is None and not any(
        arg.name.startswith(("dim", "stable")) or arg.type.endswith("[]") for arg in row.schema.args))


def _first(operands):
    return next(x for x in operands if isinstance(x, Nested))


def _forwarded(name):
    """An attribute that is that of the first piece with history."""
    def get(self):
        found = [getattr(piece, name) for piece in self._pieces]
        return next((x for x in found if x is not None), None)

    def put(self, value):
        for piece in self._pieces:
            setattr(piece, name, value)

    return property(get, put)


class Nested(Tensor):
    """What both layouts have. ``_pieces``: Tensors that hold the values and the history."""

    _pieces: list
    _functions: dict
    _edge = _forwarded("_edge")
    is_nested = True

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = name_of(func).rpartition(".")[2]
        own = cls._functions.get(name) or _OF_CLASS.get(name)
        if own is not None:
            return own(*args, **(kwargs or {}))
        return without_classes(func, args, kwargs or {})

    def _like(self, pieces: list) -> "Nested":
        """A nested tensor of the same form with other pieces."""
        raise NotImplementedError

    def _matching(self, other: "Nested", name: str) -> list:
        """The pieces for a pointwise operator with `other`. RuntimeError where the forms differ."""
        raise NotImplementedError

    def _dense(self, x: Tensor) -> list:
        """The pieces of a plain tensor that is broadcast against this one."""
        raise NotImplementedError

    def __len__(self):
        return self.size(0)

    def __iter__(self):
        return iter(self.unbind())

    def to_padded_tensor(self, padding, output_size=None, out=None) -> Tensor:
        """The parts in one dense tensor.

        Args:
            padding: what stands behind the parts.
            output_size: of the result; None means the largest sizes.
            out: not supported.
        """
        return self._functions["to_padded_tensor"](self, padding, output_size, out)

    def requires_grad_(self, requires_grad: bool = True):
        """Sets whether the pieces, and so this tensor, require grad.

        Args:
            requires_grad: a bool.
        """
        for piece in self._pieces:
            piece.requires_grad_(requires_grad)
        return self

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow to a piece."""
        return any(piece.requires_grad for piece in self._pieces)

    @requires_grad.setter
    def requires_grad(self, flag: bool):
        self.requires_grad_(flag)

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return self.numel() * self.itemsize

    def numel(self) -> int:
        """How many elements there are."""
        return sum(part.numel() for part in self.unbind())

    nelement = numel

    def unbind(self, dim: int = 0) -> tuple:
        """The parts.

        Args:
            dim: 0.
        """
        raise NotImplementedError

    def size(self, dim=None):
        """The size of a dimension, or all sizes.

        Args:
            dim: a dimension, or None.
        """
        raise NotImplementedError

    def tolist(self):
        """RuntimeError, as in PyTorch."""
        raise RuntimeError(f".tolist() is not supported for tensor subclasses, got {type(self).__name__}")

    def numpy(self, *, force=False):
        """RuntimeError, as in PyTorch."""
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")

    def __deepcopy__(self, memo):
        made = self._like([copy.deepcopy(piece, memo) for piece in self._pieces])
        memo[id(self)] = made
        return made


functions: dict = {}  # name -> what it does to jagged tensors, see functions.py
strided_functions: dict = {}  # the same of strided ones, see strided_functions.py


_OF_CLASS = {"numel": lambda x: x.numel(), "unbind": lambda x, dim=0: x.unbind(dim)}  # torch.numel(x)


class NestedTensor(Nested):
    """A jagged tensor: parts that differ in one dimension, side by side in one tensor of values.
    https://pytorch.org/docs/stable/nested.html

    Args:
        values: the parts, one after the other along dimension ``ragged - 1``.
        form: where they begin.
        ragged: the dimension whose size differs between parts, 1 or more.
    """

    def __new__(cls, values: Tensor, form: Ragged, ragged: int = 1):
        made = object.__new__(cls)
        made._pieces, made._form, made._ragged_idx = [values], form, ragged
        aval = values._cell.aval
        made._cell = NestedCell(avals.aval((form.count, *aval.shape), aval.dtype, aval.device))
        met(cls)
        return made

    def __init__(self, values, form, ragged=1):
        pass

    def _like(self, pieces):
        return NestedTensor(pieces[0], self._form, self._ragged_idx)

    def _matching(self, other, name):
        if self._form is not other._form or self._ragged_idx != other._ragged_idx:
            raise RuntimeError(f"cannot call binary pointwise function {name} with inputs of shapes {tuple(other.shape)} "
                               f"and {tuple(self.shape)}")
        return self._pieces

    def _dense(self, x):
        ndim, at = self.dim(), self._ragged_idx
        if x.dim() < ndim and (x.dim() < ndim - at or x.shape[x.dim() - (ndim - at)] == 1):
            return [x]
        if x.dim() == ndim and x.shape[at] == 1:
            return [x.squeeze(0) if x.shape[0] == 1 else x.squeeze(at).repeat_interleave(
                self._form.offsets.diff(), 0).movedim(0, at - 1)]
        if x.dim() == ndim and at == 1:
            return [rows_of(x, self._form)]
        raise UnsupportedError(f"broadcasting a tensor of shape {tuple(x.shape)} against one of {tuple(self.shape)}")

    # -- its form

    layout, _functions = jagged, functions

    @property
    def shape(self) -> Size:
        """The sizes; that of the ragged dimension is a symbol."""
        sizes = list(self._pieces[0].shape)
        sizes[self._ragged_idx - 1] = self._form.size
        return Size((self._form.count, *sizes))

    def size(self, dim=None):
        """See `Nested.size`."""
        return self.shape if dim is None else self.shape[dim]

    def stride(self, dim=None):
        """The strides of the values, and before them that of the parts.

        Args:
            dim: a dimension, or None for all.
        """
        own = self._pieces[0].stride()
        found = (own[self._ragged_idx - 1] * self._form.size, *own)
        return found if dim is None else found[dim]

    def is_contiguous(self, memory_format=None) -> bool:
        """Whether the parts lie one after the other, each contiguous.

        Args:
            memory_format: not looked at.
        """
        return self._form.lengths is None and self._pieces[0].is_contiguous()

    def numel(self) -> int:
        """See `Nested.numel`."""
        return self._pieces[0].numel() if self._form.lengths is None else super().numel()

    @property
    def grad(self):
        """The gradient, as a nested tensor."""
        found = self._pieces[0].grad
        return None if found is None else self._like([found])

    @grad.setter
    def grad(self, value):
        self._pieces[0].grad = None if value is None else value._pieces[0]

    # -- what it is made of

    def values(self) -> Tensor:
        """The parts in one tensor, with history."""
        return self._pieces[0]

    def offsets(self) -> Tensor:
        """Where the parts begin in the values, and where the last one ends: (parts + 1)."""
        return self._form.offsets

    def lengths(self):
        """The lengths of parts that have gaps between them, else None."""
        return self._form.lengths

    def unbind(self, dim: int = 0) -> tuple:
        """See `Nested.unbind`."""
        if dim != 0:
            raise RuntimeError("unbind(): only supported for NestedTensor on dim=0")
        along = self._ragged_idx - 1
        return tuple(self._pieces[0].narrow(along, start, length) for start, length in zip(*self._form.on_host, strict=True))

    def __repr__(self, *, tensor_contents=None):
        edge = f", grad_fn={self.grad_fn!r}" if self.grad_fn is not None else \
            ", requires_grad=True" if self.requires_grad else ""
        return (f"NestedTensor(size={tuple(self.shape)}, offsets={self._form.offsets}{edge}, "
                f"contiguous={self.is_contiguous()})")

    def __reduce_ex__(self, protocol):
        return NestedTensor, (self._pieces[0], self._form, self._ragged_idx)


_PROTOTYPE = (
    "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We recommend specifying "
    "layout=torch.jagged when constructing a nested tensor, as this layout receives active development, has better operator "
    "coverage, and works with torch.compile.")


class StridedNested(Nested):
    """A nested tensor of the strided layout: any parts of one number of dimensions.

    Args:
        parts: the parts.
        dtype, device: of a tensor without parts.
    """

    def __new__(cls, parts: list):
        warn_once(_PROTOTYPE)
        made = object.__new__(cls)
        made._pieces = parts
        aval = parts[0]._cell.aval
        largest = [max(sizes) for sizes in zip(*(part.shape for part in parts), strict=True)]
        made._cell = NestedCell(avals.aval((len(parts), *largest), aval.dtype, aval.device))
        met(cls)
        return made

    def __init__(self, parts):
        pass

    def _like(self, pieces):
        return StridedNested(pieces)

    def _matching(self, other, name):
        if [x.shape for x in self._pieces] != [x.shape for x in other._pieces]:
            raise RuntimeError(f"{name.partition('.')[0]} does not support broadcasting when given a NestedTensor")
        return self._pieces

    def _dense(self, x):
        raise RuntimeError("Expected both self and other to be nested, but got a nested self and non-nested other")

    layout, _functions = strided, strided_functions

    @property
    def shape(self):
        """RuntimeError: the sizes are not numbers."""
        raise RuntimeError("Internal error: NestedTensorImpl doesn't support sizes. Please file an issue.")

    def size(self, dim=None):
        """See `Nested.size`. RuntimeError for one in which parts differ."""
        if dim is None:
            return self.shape
        if dim % self.dim() == 0:
            return len(self._pieces)
        found = {part.shape[dim % self.dim() - 1] for part in self._pieces}
        if len(found) > 1:
            raise RuntimeError(f"Given dimension {dim % self.dim()} is irregular and does not have a size.")
        return found.pop()

    def unbind(self, dim: int = 0) -> tuple:
        """See `Nested.unbind`."""
        if dim != 0:
            raise RuntimeError(f"NestedTensor can only be unbound along dimension 0 got dimension {dim} instead.")
        return tuple(self._pieces)

    def _nested_tensor_size(self) -> Tensor:
        """(parts, dimensions): the sizes of the parts."""
        return self._pieces[0].new_tensor([list(part.shape) for part in self._pieces], dtype=dt.int64)

    def __repr__(self, *, tensor_contents=None):
        parts = [part.detach().requires_grad_(part.requires_grad) for part in self._pieces]
        inner = ",\n".join("  " + repr(part).replace("\n", "\n  ") for part in parts)
        edge = f", grad_fn=<{self.grad_fn.name()}>" if self.grad_fn is not None else ""
        return f"nested_tensor([\n{inner}\n]{edge})"

    def __reduce_ex__(self, protocol):
        return StridedNested, (self._pieces,)


def rows_of(padded: Tensor, form: Ragged) -> Tensor:
    """The parts of a padded tensor, (parts, longest, *), one after the other."""
    _, lengths = form.on_host
    longest = padded.shape[1]
    index = [part * longest + k for part, length in enumerate(lengths) for k in range(length)]
    return padded.flatten(0, 1).index_select(0, padded.new_tensor(index, dtype=dt.int64))
