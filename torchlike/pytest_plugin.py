"""The plugin of pytest: its fixture ``torchlike_diff``.

Every pytest of an environment imports its plugins, so this is a module of its own in what is installed, `torchlike_pytest`
(pyproject.toml copies it there): torchlike, and JAX, which reads its environment when it is imported, are imported by the
first test that uses the fixture. ``-p torchlike.pytest_plugin`` is the same plugin where there are no entry points;
``-p no:torchlike`` is without it.
"""

import importlib

import pytest


@pytest.fixture
def torchlike_diff():
    """`torchlike.diff.assert_same`: ``torchlike_diff(program)`` fails where engines part, or two programs.

    Returns:
        the function.
    """
    return importlib.import_module("torchlike").diff.assert_same
