"""All rules: importing their modules registers them."""

from torchlike._compile.plans import (
    convolution,
    indexing,
    pointwise,
    products,
    reductions,
    scatters,
    shapes,
    sorting,
    special,
)
from torchlike._compile.plans.table import RULES

__all__ = ["RULES", "convolution", "indexing", "pointwise", "products", "reductions", "scatters", "shapes", "sorting",
           "special"]
