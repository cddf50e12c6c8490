"""``torch._foreach_*``: an operation on each tensor of a list, as optimizers written for PyTorch call it.

A loop over the methods of the tensors: all that is recorded runs as one program anyway, so there is no fused form to
choose. The Nodes of the results have the names of the single operations (PyTorch's begin with ``Foreach``).
"""

from __future__ import annotations

from collections.abc import Sequence

from torchlike._api.arguments import tensor_list
from torchlike._api.types import Number
from torchlike._base.dtypes import dtype
from torchlike._base.settings import memory_format
from torchlike._ops.all import ROWS
from torchlike._record.inplace import inplace
from torchlike._record.tensor import Tensor

_OF_NUMBER = {ROWS["maximum"]: "clamp_min", ROWS["minimum"]: "clamp_max"}  # the method that does the same with a number
_POWER = ROWS["pow.Tensor_Tensor"]


def _is_number(value) -> bool:
    return isinstance(value, int | float | complex) or (isinstance(value, Tensor) and value.ndim == 0)


def _check(name, self, **lists) -> None:
    """PyTorch's rules: lists of tensors, at least one, all of one length."""
    _check_types(name, self, **lists)
    if not self:
        raise RuntimeError("Tensor list must have at least one tensor.")
    for each in lists.values():
        if len(each) != len(self):
            raise RuntimeError(f"Tensor lists must have the same number of tensors, got {len(self)} and {len(each)}")


def _check_types(name, self, **lists) -> None:
    for n, (argument, each) in enumerate({"self": self, **lists}.items()):
        tensor_list(name, each, argument, n)


def _check_scalars(self, scalars) -> None:
    if len(scalars) != len(self):
        raise RuntimeError("Tensor list must have same number of elements as scalar list.")


def _others(name, row, self, other) -> tuple:
    """(name of the method, what it is given for each tensor)."""
    base = row.face
    if isinstance(other, list | tuple):
        if all(isinstance(x, Tensor) for x in other):
            _check(name, self, other=other)
            return base, other
        _check(name, self)
        _check_scalars(self, other)
        return _OF_NUMBER.get(row, base), other
    _check(name, self)
    if isinstance(other, Tensor) and "tensor" in row.foreach:
        if other.ndim:
            raise RuntimeError(f"scalar tensor expected to be 0 dim but it has {other.ndim} dimensions and "
                               f"{other.numel()} elements.")
        return base, [other] * len(self)
    if not _is_number(other):
        raise TypeError(f"{name}() received an invalid combination of arguments - got "
                        f"({type(self).__name__}, {type(other).__name__})")
    number = other.item() if isinstance(other, Tensor) else other
    return _OF_NUMBER.get(row, base), [number] * len(self)


def pair(row, suffix, self, other, alpha=1):
    """``_foreach_add(self, other, *, alpha=1)`` and its like: `other` a number, a tensor, or a list of either."""
    name = f"_foreach_{row.face}{suffix}"
    if row is _POWER and not suffix and _is_number(self):
        _check(name, other)
        return tuple([self ** x for x in other])
    method, others = _others(name, row, self, other)
    more = {} if alpha == 1 else {"alpha": alpha}
    if not hasattr(Tensor, method + suffix):  # `maximum_` is none
        return _returned(self, suffix, [inplace(row, (x, y)) for x, y in zip(self, others, strict=True)])
    return _returned(self, suffix, [getattr(x, method + suffix)(y, **more) for x, y in zip(self, others, strict=True)])


def _returned(self, suffix, results):
    return self if suffix else tuple(results)


def each(base, suffix, self):
    """``_foreach_abs(self)`` and its like: the method `base` of each."""
    _check(f"_foreach_{base}{suffix}", self)
    return _returned(self, suffix, [getattr(x, base + suffix)() for x in self])


def ternary(base, suffix, self, tensor1, tensor2, value=1, scalars=None):
    """``_foreach_addcmul(self, tensor1, tensor2, value=1, *, scalars=None)`` and its like."""
    _check(f"_foreach_{base}{suffix}", self, tensor1=tensor1, tensor2=tensor2)
    values = _scalars(self, value if scalars is None else scalars)
    return _returned(self, suffix, [getattr(x, base + suffix)(a, b, value=v)
                                    for x, a, b, v in zip(self, tensor1, tensor2, values, strict=True)])


def _scalars(self, value) -> list:
    """A number for each tensor, from one number, a list of them or a tensor of them."""
    if isinstance(value, Tensor):
        if value.ndim != 1:
            raise RuntimeError(f"Expected packed scalar Tensor to be of dimension 1. Got {value.ndim} instead.")
        if len(value) != len(self):
            raise RuntimeError(f"Expected length of scalars to match input of length {len(self)} but got {len(value)} "
                               "instead.")
        return value.tolist()
    if isinstance(value, list | tuple):
        _check_scalars(self, value)
        return list(value)
    return [value] * len(self)


def _lerped(suffix, self, tensors1, weight):
    lists = isinstance(weight, list | tuple) and all(isinstance(w, Tensor) for w in weight)
    _check(f"_foreach_lerp{suffix}", self, tensors1=tensors1, **({"weights": weight} if lists else {}))
    weights = weight if lists else _scalars(self, weight)
    return _returned(self, suffix, [getattr(x, "lerp" + suffix)(end, w)
                                    for x, end, w in zip(self, tensors1, weights, strict=True)])


def _foreach_lerp(self: Sequence[Tensor], tensors1: Sequence[Tensor], weight):
    """`lerp` of each."""
    return _lerped("", self, tensors1, weight)


def _foreach_lerp_(self: Sequence[Tensor], tensors1: Sequence[Tensor], weight) -> Sequence[Tensor]:
    """`lerp` of each, in place."""
    return _lerped("_", self, tensors1, weight)


def _foreach_zero_(self: Sequence[Tensor]) -> Sequence[Tensor]:
    """Zeros in each."""
    return each("zero", "_", self)


def _foreach_max(self: Sequence[Tensor]):
    """The largest element of each."""
    return each("max", "", self)


def _foreach_copy_(self: Sequence[Tensor], src: Sequence[Tensor], non_blocking: bool = False) -> Sequence[Tensor]:
    """Each tensor of `src` into the one of `self`."""
    _check("_foreach_copy_", self, src=src)
    if not isinstance(non_blocking, bool):
        raise TypeError(f"_foreach_copy_(): argument 'non_blocking' (position 3) must be bool, not "
                        f"{type(non_blocking).__name__}")
    for mine, theirs in zip(self, src, strict=True):
        mine.copy_(theirs)
    return self


def _foreach_clone(self: Sequence[Tensor], *, memory_format: memory_format | None = None):
    """A copy of each."""
    _check("_foreach_clone", self)
    return tuple([x.clone(memory_format=memory_format) for x in self])


def _check_order(name, self, ord) -> None:
    if not _is_number(ord):
        raise TypeError(f"{name}(): argument 'ord' (position 2) must be Number, not {type(ord).__name__}")
    _check(name, self)


def _foreach_norm(self: Sequence[Tensor], ord: Number = 2, dtype: dtype | None = None):
    """The vector norm of each."""
    _check_order("_foreach_norm", self, ord)
    return tuple([x.flatten().norm(ord, 0, dtype=dtype) for x in self])


def _foreach_powsum(self: Sequence[Tensor], ord: Number = 2, dtype: dtype | None = None):
    """The sum of the powers of the magnitudes of each."""
    _check_order("_foreach_powsum", self, ord)
    if dtype is None and not (self[0].is_floating_point() or self[0].is_complex()):
        raise NotImplementedError(f"\"powsum_cpu\" not implemented for '{self[0].dtype.scalar_name}'")
    return tuple([x.abs().pow(ord).sum(dtype=dtype) for x in self])


def _foreach_mm(self: Sequence[Tensor], mat2: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The product of each pair."""
    _check_types("_foreach_mm", self, mat2=mat2)
    if len(mat2) != len(self):
        raise RuntimeError("_foreach_mm: self and mat2 must have the same number of tensors")
    _check("_foreach_mm", self, mat2=mat2)
    return tuple([x.mm(y) for x, y in zip(self, mat2, strict=True)])


FUNCTIONS: dict = {
    "_foreach_lerp": _foreach_lerp, "_foreach_lerp_": _foreach_lerp_, "_foreach_zero_": _foreach_zero_,
    "_foreach_max": _foreach_max, "_foreach_copy_": _foreach_copy_, "_foreach_clone": _foreach_clone,
    "_foreach_norm": _foreach_norm, "_foreach_powsum": _foreach_powsum, "_foreach_mm": _foreach_mm,
}
