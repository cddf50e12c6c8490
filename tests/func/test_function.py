"""Custom Functions under torch.func's transforms."""

from tests.programs import same_as_torch

test_programs = same_as_torch("func_function")
