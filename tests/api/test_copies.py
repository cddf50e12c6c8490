"""Copies of tensors: deepcopy, copy, pickle."""

from tests.programs import same_as_torch

test_programs = same_as_torch("copies")
