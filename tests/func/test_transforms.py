"""torch.func: transforms, nested with each other and with the tape, their errors and random numbers."""

from tests.programs import same_as_torch

test_programs = same_as_torch("func", "func_errors", "func_levels", "func_once", "func_random")
