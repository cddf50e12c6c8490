"""All rules: importing their modules registers them."""

from torchlike._compile.plans import pointwise, products, reductions, shapes
from torchlike._compile.plans.table import RULES

__all__ = ["RULES", "pointwise", "products", "reductions", "shapes"]
