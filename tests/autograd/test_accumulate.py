"""Gradients that accumulate in ``.grad``: leaves, retain_grad, backward inside backward."""

from tests.programs import same_as_torch

test_programs = same_as_torch("accumulation")
