"""Custom Functions: contexts, what they save and mark, further orders, uses in the wild."""

from tests.programs import same_as_torch

test_programs = same_as_torch("function", "function_more", "function_use", "function_values")
