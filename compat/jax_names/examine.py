"""Asks the JAX that is installed for names. Run by its path, beside any JAX: it imports nothing of torchlike.

Standard input is JSON, [[name, keywords, how]] as in `uses.Use`; standard output a list of answers: "" where JAX has the
name and takes the keywords, or why not.
"""

import importlib
import inspect
import json
import re
import sys
import warnings

ABSENT = "absent"


def found(name: str):
    """The object of a name; AttributeError if there is none. Modules on the way are imported."""
    first, *rest = name.split(".")
    value, path = importlib.import_module(first), first
    for part in rest:
        path = f"{path}.{part}"
        try:
            value = getattr(value, part)
        except AttributeError:
            if not inspect.ismodule(value):
                raise
            try:
                value = importlib.import_module(path)
            except ModuleNotFoundError as error:
                raise AttributeError(path) from error
    return value


def parameters(function) -> tuple[set[str], set[str], bool]:
    """(names of all parameters, those that are keywords only, whether it takes any keyword)."""
    text = getattr(function, "__doc__", None) or ""
    if text.startswith(f"{getattr(function, '__name__', '')}("):  # of C++: its text begins with the signature
        return set(re.findall(r"(\w+):", text.partition("\n")[0])), set(), False
    kinds = inspect.signature(function).parameters.values()
    return ({p.name for p in kinds}, {p.name for p in kinds if p.kind is p.KEYWORD_ONLY},
            any(p.kind is p.VAR_KEYWORD for p in kinds))


def answer(name: str, keywords, how: str) -> str:
    """Why JAX lacks a name or keywords, "" if it has all."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = found(name)
        except AttributeError:
            return "" if how else ABSENT  # a method that JAX does not have is never called
    if any(issubclass(warning.category, DeprecationWarning) for warning in caught):
        return "deprecated"
    if not keywords and not how:
        return ""
    names, only, takes_any = parameters(value)
    lacking = set() if takes_any else set(keywords) - names
    added = only - set(keywords) if how else set()  # which callers pass, and the method that overrides does not take
    return "; ".join(f"{word} {', '.join(sorted(found))}" for word, found in (("lacks", lacking), ("adds", added)) if found)


if __name__ == "__main__":
    json.dump([answer(*each) for each in json.load(sys.stdin)], sys.stdout)
