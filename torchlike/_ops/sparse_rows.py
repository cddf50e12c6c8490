"""Which rows mean, of a sparse tensor, the same of its values: functions with f(0) = 0 that PyTorch has for sparse layouts.

https://pytorch.org/docs/stable/sparse.html#supported-operations. The rules of other rows are in `torchlike/_api/sparse/`.
"""

from torchlike._ops.all import ROWS

ON_VALUES = frozenset(ROWS[name] for name in (
    "abs", "asin", "asinh", "atan", "atanh", "ceil", "conj_physical", "deg2rad", "erf", "erfinv", "expm1", "floor", "frac",
    "isinf", "isnan", "isneginf", "isposinf", "log1p", "neg", "rad2deg", "relu", "round", "sgn", "sign", "signbit", "sin",
    "sinh", "sqrt", "tan", "tanh", "trunc"))
