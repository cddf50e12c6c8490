"""The plugin of pytest: its fixture ``torchlike_diff``, and ``--torchlike-html FOLDER``, which writes the page of each
comparison of engines that fails there: the run under torchlike, operation by operation, with the first parting marked.

Every pytest of an environment imports its plugins, so what is installed is a module of its own, `torchlike_pytest`
(pyproject.toml puts it there): torchlike, and JAX, which reads its environment when it is imported, are imported by the
first test that uses the fixture. ``-p no:torchlike`` leaves it out; where pytest loads no plugins by itself ``-p torchlike``
loads it, and from a checkout that is not installed ``-p torchlike.pytest_plugin``.
"""

import importlib
import pathlib
import re

import pytest


def pytest_addoption(parser):
    """The option ``--torchlike-html``.

    Args:
        parser: pytest's.
    """
    parser.getgroup("torchlike").addoption(
        "--torchlike-html", metavar="FOLDER", help="write a page of HTML for each test in which engines part")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Writes the page of a failure of torchlike's, and says where.

    Args:
        item: the test.
        call: how it went.

    Returns:
        pytest's report.
    """
    report = yield
    folder = item.config.getoption("torchlike_html")
    error = None if call.excinfo is None else call.excinfo.value
    found = getattr(error, "_torchlike_compared", None)
    if folder and found is not None:
        target = pathlib.Path(folder) / (re.sub(r"[^\w.-]+", "_", item.nodeid) + ".html")
        importlib.import_module("torchlike.show.page").write_failure(*found, target)
        report.sections.append(("torchlike", f"the page of this failure: {target}"))
    return report


@pytest.fixture
def torchlike_diff():
    """`torchlike.diff.assert_same`: ``torchlike_diff(program)`` fails where engines part, or two programs.

    Returns:
        the function.
    """
    return importlib.import_module("torchlike").diff.assert_same
