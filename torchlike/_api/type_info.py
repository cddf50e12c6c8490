"""`torch.finfo`, `torch.iinfo`, the default dtype."""

import ml_dtypes
import numpy as np

from torchlike._base import dtypes as dt
from torchlike._ops import promotion


class finfo:  # noqa: N801 - PyTorch's name
    """Limits of a floating or complex dtype. https://pytorch.org/docs/stable/type_info.html

    Args:
        type: the dtype; None is the default one.

    Raises:
        TypeError: the dtype holds integers or bools.
        NotImplementedError: it is float4_e2m1fn_x2, which is a name.
    """

    def __init__(self, type=None):
        dtype = promotion.default.dtype if type is None else type
        if dtype.category < dt.FLOAT:
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                            f"'{dtype!r}'")
        if dtype is dt.float4_e2m1fn_x2:
            raise NotImplementedError(f"\"min\" not implemented for '{dtype.scalar_name}'")
        found = ml_dtypes.finfo(dtype.to_real().np)
        self.dtype, self.bits = dtype.to_real().name, found.bits
        self.eps, self.max, self.min = float(found.eps), float(found.max), float(found.min)
        self.tiny = self.smallest_normal = float(found.tiny)
        if dtype is dt.float8_e5m2fnuz:
            self.eps = 0.125  # PyTorch's word: next to 1 is 1.25
        self.resolution = 1.0 if dtype in dt.FLOAT8 else 10.0 ** -int(found.precision)

    def __repr__(self):
        return (f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
                f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})")


class iinfo:  # noqa: N801
    """Limits of an integer dtype. https://pytorch.org/docs/stable/type_info.html

    Args:
        type: the dtype.

    Raises:
        TypeError: the dtype holds no integers.
    """

    def __init__(self, type):
        if type.category != dt.INT or type in dt.SMALL:
            raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{type!r}'")
        found = np.iinfo(type.np)
        self.dtype, self.bits, self.max, self.min = type.name, found.bits, int(found.max), int(found.min)

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def set_default_dtype(d, /) -> None:
    """Set the dtype of Python floats. https://pytorch.org/docs/stable/generated/torch.set_default_dtype.html

    Args:
        d: a floating dtype.

    Raises:
        TypeError: `d` is something else.
    """
    if not isinstance(d, dt.dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    if d in (*dt.FLOAT8, dt.float4_e2m1fn_x2):
        raise TypeError(f"couldn't find storage object {d.scalar_name}Storage")
    promotion.default.dtype = d


def get_default_dtype():
    """The dtype of Python floats."""
    return promotion.default.dtype
