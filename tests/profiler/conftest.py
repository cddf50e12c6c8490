"""For all tests of the profiler."""

import pytest

from tests.profiler.steps import settled


@pytest.fixture(autouse=True)
def nothing_left():
    """No test leaves a profiler behind."""
    yield
    assert settled()
