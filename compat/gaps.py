"""Reads compat/gaps.toml."""

import functools
import pathlib
import tomllib

_PATH = pathlib.Path(__file__).with_name("gaps.toml")


@functools.cache
def _rows() -> dict:
    return tomllib.loads(_PATH.read_text())


def tests() -> dict:
    """Id of a test that is known to fail -> reason."""
    return {row["id"]: row["reason"] for row in _rows().get("test", [])}


def programs() -> dict:
    """'topic: title' of a program of compat/semantics that differs from torch -> reason."""
    return {row["name"]: row["reason"] for row in _rows().get("program", [])}


def operators() -> dict:
    """(operator of `op_db`, check) -> reason: what `python -m compat.opinfo` finds and is known."""
    return {(name, check): row["reason"] for row in _rows().get("operator", [])
            for name in row.get("names") or [row["name"]] for check in row["checks"]}


def optimizers() -> dict:
    """(optimizer of `optim_db`, check) -> reason: what `python -m compat.optimizers` finds and is known."""
    return {(row["name"], check): row["reason"] for row in _rows().get("optimizer", []) for check in row["checks"]}


def modules() -> dict:
    """(module of `module_db`, check) -> reason: what `python -m compat.modules` finds and is known."""
    return {(row["name"], check): row["reason"] for row in _rows().get("module", []) for check in row["checks"]}


def names() -> dict:
    """(space, name) -> reason: public names of PyTorch that `python -m compat.surface` finds absent."""
    return {(row["space"], name): row["reason"] for row in _rows().get("surface", []) for name in row["names"]}


def forms() -> dict:
    """(path of a function, "calls") -> reason: what `python -m compat.forms` finds and is known."""
    return {(name, "calls"): row["reason"] for row in _rows().get("form", []) for name in row["names"]}


def edges() -> list:
    """Rows of what `tests/campaigns/edges.py` does not compare with PyTorch's numbers: names in an expression; what differs;
    where not always, dtypes and kinds of numbers; within what it must be nevertheless ("exact" unless given); the reason."""
    return _rows().get("edge", [])


def spoilt() -> dict:
    """Regular expression of an error -> reason: `python -m compat.semantics.randomly --spoilt` compares no statement further
    where either library has such an error."""
    return {row["text"]: row["reason"] for row in _rows().get("spoilt", [])}


def slow() -> dict:
    """Row -> reason why it takes more than three times as long as torch: what `python -m benchmarks.operators` finds."""
    return {name: row["reason"] for row in _rows().get("slow", []) for name in row["rows"]}


def packages() -> dict:
    """Package of `python -m compat.packages` that fails or differs -> reason."""
    return {row["name"]: row["reason"] for row in _rows().get("package", [])}
