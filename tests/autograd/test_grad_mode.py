"""Grad mode and inference mode: contexts, decorators, threads, inside of backward."""

from tests.programs import same_as_torch

test_programs = same_as_torch("inference", "modes", "modes_inside")
