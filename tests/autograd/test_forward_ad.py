"""Forward mode: dual tensors and their tangents."""

from tests.programs import same_as_torch

test_programs = same_as_torch("forward")
