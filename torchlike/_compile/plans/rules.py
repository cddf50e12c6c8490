"""All rules: importing their modules registers them."""

from torchlike._compile.plans import (
    control,
    convolution,
    fourier,
    indexing,
    pointwise,
    products,
    reductions,
    scatters,
    shapes,
    sorting,
    special,
    windows,
)
from torchlike._compile.plans.table import RULES

__all__ = ["RULES", "control", "convolution", "fourier", "indexing", "pointwise", "products", "reductions", "scatters",
           "shapes", "sorting", "special", "windows"]
