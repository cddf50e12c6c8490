"""`torch.types`: names for annotations. https://pytorch.org/docs/stable/type_info.html"""

import os
from builtins import bool as _bool  # noqa: F401
from builtins import bytes as _bytes  # noqa: F401
from builtins import complex as _complex  # noqa: F401
from builtins import float as _float  # noqa: F401
from builtins import int as _int  # noqa: F401
from builtins import str as _str  # noqa: F401
from collections.abc import Sequence
from typing import IO, TypeAlias

from torchlike._api.untyped_storage import UntypedStorage as Storage
from torchlike._base.device import device as _device
from torchlike._base.dtypes import dtype as _dtype  # noqa: F401
from torchlike._base.settings import layout as _layout  # noqa: F401
from torchlike._base.size import Size as Size
from torchlike._base.symbolic import SymBool as SymBool
from torchlike._base.symbolic import SymFloat as SymFloat
from torchlike._base.symbolic import SymInt as SymInt
from torchlike._record.tensor import Tensor as Tensor
from torchlike.autograd.graph import GradientEdge as GradientEdge

__all__ = ["Device", "FileLike", "Number", "Storage"]

Number: TypeAlias = int | float | bool
Device: TypeAlias = _device | str | int | None
FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]

IntLikeType: TypeAlias = int | SymInt
FloatLikeType: TypeAlias = float | SymFloat
BoolLikeType: TypeAlias = bool | SymBool
PySymType: TypeAlias = SymInt | SymFloat | SymBool
py_sym_types = (SymInt, SymFloat, SymBool)

_Number = (int, float, bool)  # for isinstance
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors: TypeAlias = Tensor | Sequence[Tensor | None]
_TensorOrTensorsOrGradEdge: TypeAlias = Tensor | Sequence[Tensor] | GradientEdge | Sequence[GradientEdge]
_size: TypeAlias = Size | list[int] | tuple[int, ...]
_symsize: TypeAlias = Size | Sequence[int | SymInt]
_dispatchkey: TypeAlias = str
