"""``out=``, for all functions."""

import functools
import inspect
from typing import cast

from torchlike._base.typed import F
from torchlike._modes import autocast
from torchlike._record.inplace import write_out
from torchlike._record.overlap import check_out


def written(out, name, read, function, *args, **kwargs):
    """What ``function(*args, **kwargs)`` gives, written to `out`. PyTorch casts for no operator that writes to a tensor,
    so autocast is off.

    Args:
        out: a Tensor, or as many as there are results.
        name: PyTorch's name of the operator, for error texts.
        read: operands that `out` may be, but not overlap with.
    """
    with autocast.off():
        return write_out(out, function(*args, **kwargs), name, read)


def written_apart(out, name, read, function, *args, **kwargs):
    """The same where `out` (the first of several) may be none of the operands `read`."""
    with autocast.off():
        made = function(*args, **kwargs)
        check_out(out[0] if isinstance(out, tuple | list) else out, read)
        return write_out(out, made, name)


def with_out(function: F, name="") -> F:
    """`function` with a keyword ``out``: a tensor, or a tuple of them, that the result is written to."""
    called = name or function.__name__
    signature = inspect.signature(function)

    @functools.wraps(function)
    def face(*args, out=None, **kwargs):
        if out is None:
            return function(*args, **kwargs)
        return written(out, called, (), function, *args, **kwargs)

    keyword = inspect.Parameter("out", inspect.Parameter.KEYWORD_ONLY, default=None)
    parameters = list(signature.parameters.values())
    at = len(parameters) - (bool(parameters) and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD)
    face.__signature__ = signature.replace(parameters=[*parameters[:at], keyword, *parameters[at:]])
    return cast("F", face)
