"""``out=`` for functions that are made of several operators."""

import functools
import inspect

from torchlike._modes import autocast
from torchlike._record.inplace import write_out


def with_out(function, name=""):
    """`function` with a keyword ``out``: a tensor, or a tuple of them, that the result is written to."""
    called = name or function.__name__
    signature = inspect.signature(function)

    @functools.wraps(function)
    def face(*args, out=None, **kwargs):
        if out is None:
            return function(*args, **kwargs)
        with autocast.off():  # PyTorch casts for no operator that writes to a tensor
            return write_out(out, function(*args, **kwargs), called)

    keyword = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None)
    parameters = list(signature.parameters.values())
    at = len(parameters) - (bool(parameters) and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD)
    face.__signature__ = signature.replace(parameters=[*parameters[:at], keyword, *parameters[at:]])
    return face
