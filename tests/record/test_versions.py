"""Version counters, and saved tensors that were written to."""

from tests.programs import same_as_torch

test_programs = same_as_torch("versions")
