"""The plugin of pytest: its fixture ``torchlike_diff``.

Every pytest of an environment imports its plugins, so what is installed is a module of its own, `torchlike_pytest`
(pyproject.toml puts it there): torchlike, and JAX, which reads its environment when it is imported, are imported by the
first test that uses the fixture. ``-p no:torchlike`` leaves it out; where pytest loads no plugins by itself ``-p torchlike``
loads it, and from a checkout that is not installed ``-p torchlike.pytest_plugin``.
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
