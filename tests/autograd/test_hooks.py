"""Hooks of tensors, of accumulators and of Nodes."""

from tests.programs import same_as_torch

test_programs = same_as_torch("hooks")
