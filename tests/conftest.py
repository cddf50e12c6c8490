"""For all tests: both libraries start each test from the same seed."""

import pathlib
import tomllib

import pytest
import torch

import torchlike

SEED = 1234


@pytest.fixture(autouse=True)
def seeded():
    """The same random numbers in PyTorch and torchlike, whichever tests ran before."""
    torch.manual_seed(SEED)
    torchlike.manual_seed(SEED)


def known_failures() -> dict:
    """Test id -> reason, from the [[test]] rows of compat/gaps.toml."""
    path = pathlib.Path(__file__).parents[1] / "compat" / "gaps.toml"
    rows = tomllib.loads(path.read_text()).get("test", [])
    return {row["id"]: row["reason"] for row in rows}


def pytest_collection_modifyitems(items):
    """A test that is known to fail is expected to: its row says why."""
    reasons = known_failures()
    for item in items:
        reason = reasons.get(item.nodeid)
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
