"""Gradients that are conventions: complex numbers, ties, kinks, broadcasting."""

from tests.programs import same_as_torch

test_programs = same_as_torch("values")
