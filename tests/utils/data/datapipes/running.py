"""Expressions about pipes, evaluated with both libraries."""

import copy
import functools
import io
import json
import os
import pickle
import random
import tempfile
import types
import warnings

import numpy as np

from tests.utils.data.checks import check

SAMPLES = 10


def double(x):
    return 2 * x


def is_even(x):
    return x % 2 == 0


def parity(x):
    return x % 2


def parity_or_none(x):
    return None if x == 0 else x % 2


def add(x, y=1, *, z=0):
    return x + y + z


def fail_at_two(x):
    if x == 2:
        raise ValueError("two")
    return x


def fail_without_text(x):
    raise KeyError(x)


def raised(function, *args):
    """The class and text of what the call raises, None without an error."""
    try:
        function(*args)
    except Exception as error:  # noqa: BLE001 - it is the result
        return type(error).__name__, str(error)
    return None


def drained(pipe, count=None):
    """The next samples of an iterator, all by default, and the error that ends it."""
    found = []
    try:
        for sample in pipe:
            found.append(sample)
            if len(found) == count:
                break
    except Exception as error:  # noqa: BLE001 - it is part of the result
        found.append((type(error).__name__, str(error)))
    return found


def files(function):
    """What a function makes of a folder with some files, paths relative to it."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "b"))
        for name, text in (("2.txt", b"two"), ("1.txt", b"one"), ("x.json", b'{"a": [1]}'), ("b/3.txt", b"three")):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(text)
        return json.loads(json.dumps(function(folder), default=repr).replace(folder, "FOLDER"))


def names(t):
    """What expressions refer to."""
    data = t.utils.data
    pipes = data.datapipes
    wrap = pipes.iter.IterableWrapper
    return {**globals(), "t": t, "D": data, "I": pipes.iter, "M": pipes.map, "U": pipes.utils, "wrap": wrap,
            "ten": lambda: wrap(range(SAMPLES)), "keys": lambda: pipes.map.SequenceWrapper(range(SAMPLES)),
            "common": pipes.utils.common, "decoder": pipes.utils.decoder, "combining": pipes.iter.combining}


def run(expression):
    """A function of the library that evaluates the expression."""
    return lambda t: eval(expression, names(t))


def checked(expression):
    """The expression gives the same with both libraries."""
    return check(run(expression))


_ = copy, functools, io, pickle, random, types, warnings, np  # expressions use them
