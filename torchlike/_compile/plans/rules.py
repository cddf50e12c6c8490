"""All rules: importing their modules registers them."""

from torchlike._compile.plans import indexing, pointwise, products, reductions, scatters, shapes, sorting
from torchlike._compile.plans.table import RULES

__all__ = ["RULES", "indexing", "pointwise", "products", "reductions", "scatters", "shapes", "sorting"]
