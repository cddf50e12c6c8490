"""How a reduction over ranks combines. https://pytorch.org/docs/stable/distributed.html#torch.distributed.ReduceOp"""

import dataclasses
import enum
from collections.abc import Callable

import numpy as np


class RedOpType(enum.Enum):
    """How a reduction over processes combines: https://pytorch.org/docs/stable/distributed.html#torch.distributed.ReduceOp"""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8

    def __str__(self) -> str:
        return f"RedOpType.{self.name}"

    def __repr__(self) -> str:
        return f"<RedOpType.{self.name}: {self.value}>"


# PyTorch's class has the members of its enumeration, under both names.
ReduceOp = RedOpType
setattr(ReduceOp, "RedOpType", RedOpType)  # noqa: B010 - no annotation of the class

_KINDS = {RedOpType.SUM: "sum", RedOpType.AVG: "sum", RedOpType.PRODUCT: "product", RedOpType.MIN: "min",
          RedOpType.MAX: "max", RedOpType.BAND: "band", RedOpType.BOR: "bor", RedOpType.BXOR: "bxor"}
_OF_BITS = (RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR)
_OF_BOOLS = {RedOpType.SUM: "max", RedOpType.PRODUCT: "min"}  # on 0 and 1


@dataclasses.dataclass(frozen=True)
class Reduction:
    """``kind``: see `programs.all_reduce`. ``sent``: from the values to (what is sent, the way back)."""

    kind: str
    sent: Callable


def applied(op, dtype, size: int) -> Reduction:
    """The reduction of a dtype over so many ranks.

    Raises:
        RuntimeError: PyTorch's, where the dtype has no such reduction. TypeError: no member of ReduceOp.
    """
    if not isinstance(op, RedOpType):
        raise TypeError(f"Invalid ReduceOp: {op!r}")
    if op is RedOpType.PREMUL_SUM:
        raise RuntimeError("Cannot use ReduceOp.PREMUL_SUM with Gloo")
    if op in _OF_BITS and (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")
    if dtype.is_complex:
        if op not in (RedOpType.SUM, RedOpType.AVG):
            raise RuntimeError(f"all_reduce does not support {op} on complex tensors")
        real = np.dtype(f"f{dtype.np.itemsize // 2}")
        return Reduction("sum", lambda x: (x.view(real), lambda y: _divided(op, y, size).view(x.dtype)))
    if dtype.np == np.bool_:
        return Reduction(_OF_BOOLS.get(op, _KINDS[op]), lambda x: (x.view(np.uint8), lambda y: y.view(np.bool_)))
    return Reduction(_KINDS[op], lambda x: (x, lambda y: _divided(op, y, size)))


def _divided(op, values, size):
    if op is not RedOpType.AVG:
        return values
    divided = values // size if values.dtype.kind in "iu" else values / values.dtype.type(size)
    return divided.astype(values.dtype)
