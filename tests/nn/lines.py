"""Lines about layers and Modules, compared: a text, whose last line is the value, or a function of the package."""

import inspect

from compat import compare
from compat.compare.texts import expression
from compat.compare.tolerances import LAYERS

HOW = {"seed": 7, "kinds": (UserWarning, FutureWarning)}


def same(program):
    """AssertionError unless both packages do the same; returns what torch gave."""
    return compare.check(expression(program) if isinstance(program, str) else program, tolerance=LAYERS, **HOW)


def works(program) -> None:
    """Both packages give the same, which is no error."""
    assert not isinstance(same(program), compare.Raised)


def fails(program) -> None:
    """Both packages raise the same error."""
    assert isinstance(same(program), compare.Raised)


def caller_names(count):
    """The names of the `count` functions above this one, innermost first."""
    frame = inspect.currentframe().f_back
    names_found = []
    while frame is not None and len(names_found) < count:
        names_found.append(frame.f_code.co_name)
        frame = frame.f_back
    return names_found
