"""Importing this module fills the operator table: each family registers its rows."""

from torchlike._ops import (  # noqa: F401 - imported for their rows
    activation,
    arith,
    binary,
    compare,
    conv,
    core,
    index,
    joining,
    matmul,
    moments,
    order,
    reduce,
    scan,
    scatter,
    search,
    sort,
    special,
    triangular,
    unary,
    views,
)
from torchlike._ops.table import ROWS as ROWS
