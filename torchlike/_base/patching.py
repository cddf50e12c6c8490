"""Settings of a module that hold for a block."""

import contextlib
import functools


@contextlib.contextmanager
def patched(owner, arg1, arg2, changes):
    """A block, or a function that it decorates, in which attributes of `owner` are others.

    Args:
        owner: a module.
        arg1, arg2: a name and its value; or `arg1` is a dict of them. A name may have dots.
        changes: names and values.

    Yields:
        nothing.
    """
    wanted = {**(arg1 if isinstance(arg1, dict) else {} if arg1 is None else {arg1: arg2}), **changes}
    places = [(functools.reduce(getattr, path.split(".")[:-1], owner), path.rpartition(".")[2]) for path in wanted]
    before = [getattr(*place) for place in places]
    for place, value in zip(places, wanted.values(), strict=True):
        setattr(*place, value)
    try:
        yield
    finally:
        for place, value in zip(places, before, strict=True):
            setattr(*place, value)
