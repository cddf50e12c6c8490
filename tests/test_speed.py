"""Which cases are fast, in CI, or exhaustive is said by tests/speed.py alone, and it does as it is told."""

import pathlib
import re

from tests.speed import NONE, case, every, sampled

TESTS = pathlib.Path(__file__).parent
PRIVATE = re.compile(r"marks=.*mark[.](slow|exhaustive)|\[pytest[.]mark[.](slow|exhaustive)\]")  # an argument or a list


def private_rules(texts) -> list:
    """Files of these texts by name that mark a case themselves."""
    return [name for name, text in texts.items() if PRIVATE.search(text)]


def test_nobody_marks_cases_otherwise():
    texts = {path.name: path.read_text() for path in TESTS.rglob("*.py") if path.name not in ("speed.py", "test_speed.py")}
    assert private_rules(texts) == []
    planted = {"a": "pytest.param(x, marks=pytest.mark.slow if i % 3 else ())", "b": "marks = [pytest.mark.slow] * (i % 2)",
               "c": "@pytest.mark.slow\ndef test(): pass"}
    assert private_rules(planted) == ["a", "b"]


def speeds(cases) -> str:
    """f, s or e for each case."""
    return "".join("fse"[len(found.marks)] for found in cases)


def test_rules():
    assert speeds(sampled("abcdef", fast=3)) == "fssfss"
    assert speeds(sampled("abcdef", fast=3, ci=2)) == "fesfse"
    assert speeds(sampled("abcdef", ci=every(3, 1))) == "eseese"
    assert speeds(sampled("abc", fast={"b"}, ci=NONE)) == "efe"
    assert speeds(sampled("ab", "cd", fast=lambda i, k: not i and not k, ci=2)) == "fees"
    assert speeds([case(1, fast=True), case(1), case(1, ci=False)]) == "fse"


def test_values():
    found = sampled([("a", 1), ("b", 2)], ["x", "y"])
    assert [found.values for found in found] == [("a", 1, "x"), ("a", 1, "y"), ("b", 2, "x"), ("b", 2, "y")]
    assert [found.values for found in sampled({"a": 1, "b": 2})] == [("a",), ("b",)]
