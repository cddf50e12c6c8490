"""The programs of compat/semantics as tests of the folder that they are about.

A test file names the topics that it has: ``test_programs = same_as_torch("hooks")`` runs the cells of
compat/semantics/programs/hooks.py. tests/compat/test_semantics.py holds that each topic stands in one test file.
"""

import pytest
import torch

import torchlike
from compat import gaps
from compat.semantics import cells, running
from tests import speed

ALL = cells.cells()
LISTED = gaps.programs()
# Programs that compile much, such as transforms of functions.
HEAVY = {"batched", "checkpoint_more", "checkpoint_regions", "checkpoint_selective", "forward", "func", "func_errors",
         "func_escapes", "func_function", "func_levels", "func_once", "func_random", "function_more", "function_use",
         "functional", "gradcheck"}


def case(i, cell):
    """Every twentieth program is fast, and all whose difference is listed; CI has a sixth of the heavy ones."""
    return speed.case(cell, id=cell.name, fast=i % 20 == 0 or cell.name in LISTED, ci=cell.topic not in HEAVY or i % 6 == 1)


def same_as_torch(*topics):
    """A test that the cells of these files do the same under torch and torchlike; see `python -m compat.semantics`."""
    @pytest.mark.parametrize("cell", [case(i, cell) for i, cell in enumerate(ALL) if cell.topic in topics])
    def test_programs(cell):
        found = running.difference(running.run(torch, cell), running.run(torchlike, cell))
        if cell.name in LISTED:
            assert found, "equal, but listed in compat/gaps.toml"
        else:
            assert not found, f"compat/semantics/programs/{cell.topic}.py:{cell.line} {found}"

    return test_programs
