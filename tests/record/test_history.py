"""The history that writing in place leaves."""

from tests.programs import same_as_torch

test_programs = same_as_torch("history")
