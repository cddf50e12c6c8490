"""Every program of compat/semantics does the same under torch and torchlike; see `python -m compat.semantics`."""

import pytest
import torch

import torchlike
from compat import gaps
from compat.semantics import cells, compare

ALL = cells.cells()
LISTED = gaps.programs()


HEAVY = {"batched", "checkpoint_more", "checkpoint_regions", "checkpoint_selective", "forward", "func", "func_errors",
         "func_function", "func_random", "function_more", "function_use", "functional", "gradcheck"}


def marks(i, cell):
    """Every twentieth program is among the fast tests; so are all whose difference is listed. Programs that
    compile much, such as transforms of functions, are in CI to a sixth."""
    if i % 20 == 0 or cell.name in LISTED:
        return []
    return [pytest.mark.slow] + [pytest.mark.exhaustive] * (cell.topic in HEAVY and i % 6 != 1)


@pytest.mark.parametrize("cell", [pytest.param(cell, id=cell.name, marks=marks(i, cell)) for i, cell in enumerate(ALL)])
def test_same_as_torch(cell):
    found = compare.difference(compare.run(torch, cell), compare.run(torchlike, cell))
    if cell.name in LISTED:
        assert found, "equal, but listed in compat/gaps.toml"
    else:
        assert not found, f"compat/semantics/programs/{cell.topic}.py:{cell.line} {found}"


def test_every_listed_program_exists():
    assert set(LISTED) <= {cell.name for cell in ALL}


@pytest.mark.parametrize("source", [
    "show(x * 2)", "show((x * 2).sum().item())", "show((x + 1).grad_fn)", "raise ValueError('a')", "show([1, {'a': x}])",
    "show(x > 0)", "warnings.warn('a', UserWarning)", "show(1)", "show((x * 2).requires_grad)"])
@pytest.mark.parametrize("planted", [
    "show(x * 2 + 1e-3)", "show((x * 2).sum().item() + 1e-3)", "show((x * 2).grad_fn)", "raise ValueError('b')",
    "raise TypeError('a')", "show([1, {'b': x}])", "show((x > 0).int())", "warnings.warn('b', UserWarning)", "show(False)",
    "show(None)", ""])
def test_what_differs_is_seen(source, planted):
    made = [cells.Cell("planted", "it", "x = torch.tensor([0.5, -1.0], requires_grad=True)\n", text + "\n", 1)
            for text in (source, planted)]
    assert compare.difference(compare.run(torch, made[0]), compare.run(torchlike, made[1]))
    assert not compare.difference(compare.run(torch, made[0]), compare.run(torchlike, made[0]))
