"""For all tests: both libraries start each test from the same seed."""

import gc
import os
from typing import Any

import pytest

import torchlike
from compat import gaps
from tests.oracle import needs_oracle
from torchlike import version
from torchlike._base.config import settings

try:
    import torch as oracle
except ImportError:
    oracle: Any = None  # then the tests run that compare with nothing

SEED = 1234
FOUND = "none" if oracle is None else oracle.__version__.partition("+")[0]
HAS_ORACLE = version.torch == FOUND
WHY = f"compares with PyTorch {version.torch}; here is {FOUND}"


def pytest_configure():
    """Two processes of tests can have one GPU between them: JAX takes no memory in advance. Nothing is written to the user's
    cache folder, by processes that tests start either. Tracebacks are whole, for whoever looks for what failed."""
    settings.tracebacks = "whole"
    settings.cache = os.environ.setdefault("TORCHLIKE_CACHE", "off")
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")


class Skipped(pytest.Module):
    """A file of tests that compare with a PyTorch which is not here. It is not imported: it may need more of that."""

    def collect(self):
        """Skips the file."""
        pytest.skip(WHY, allow_module_level=True)


def pytest_pycollect_makemodule(module_path, parent):
    """Without the PyTorch that torchlike follows, each file that compares with it is skipped."""
    return Skipped.from_parent(parent, path=module_path) if not HAS_ORACLE and needs_oracle(module_path) else None


def pytest_collection_finish():
    """What is there before the first test stays till the end, a million objects: the garbage collector need not go through
    them again, neither by itself nor where a test calls it.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def seeded():
    """The same random numbers in PyTorch and torchlike, whichever tests ran before."""
    if oracle is not None:
        oracle.default_generator.manual_seed(SEED)  # `manual_seed` keeps the stack for other devices, too: 0.7 ms
    torchlike.manual_seed(SEED)


def pytest_collection_modifyitems(items):
    """A test that is known to fail is expected to: its row says why."""
    reasons = gaps.tests()
    for item in items:
        if not HAS_ORACLE and item.get_closest_marker("oracle"):
            item.add_marker(pytest.mark.skip(WHY))
        reason = reasons.get(item.nodeid)
        if reason is not None:
            item.add_marker(pytest.mark.xfail(reason=reason, strict=True))
