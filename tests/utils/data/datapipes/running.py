"""Expressions about pipes, evaluated with both libraries."""

import copy
import functools
import importlib
import io
import json
import os
import pickle
import random
import tempfile
import types
import typing

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


class Frame:
    """A small data frame."""

    def __init__(self, data, columns=None):
        self.data = [list(row) for row in data]
        self.names = list(range(len(self.data[0]))) if columns is None else list(columns)

    index = property(lambda self: range(len(self.data)))

    def __len__(self):
        return len(self.data)

    def __getitem__(self, key):
        if isinstance(key, slice):
            return Frame(self.data[key], self.names)
        return np.array([row[self.names.index(key)] for row in self.data])

    def __getattr__(self, name):
        if name in self.__dict__.get("names", ()):
            return self[name]
        raise AttributeError(name)

    def __setitem__(self, key, values):
        self.names.append(key)
        for row, value in zip(self.data, values, strict=True):
            row.append(int(value))


class FrameWrapper:
    """What pipes ask about frames."""

    create_dataframe = Frame

    @staticmethod
    def is_dataframe(data):
        return isinstance(data, Frame)

    @staticmethod
    def is_column(data):
        return isinstance(data, np.ndarray)

    @staticmethod
    def iterate(data):
        return map(tuple, data.data)

    @staticmethod
    def concat(buffer):
        return Frame([row for frame in buffer for row in frame.data], buffer[0].names)

    @staticmethod
    def get_item(data, i):
        return data[i:i + 1]

    @staticmethod
    def get_len(frame):
        return len(frame)


def framed(wrapper, function):
    """What the function returns while frames are `Frame`s."""
    before = wrapper.get_df_wrapper()
    wrapper.set_df_wrapper(FrameWrapper)
    try:
        return function()
    finally:
        wrapper.set_df_wrapper(before)


def rows(frames):
    return [(frame.names, frame.data) for frame in frames]


def annotated(data):
    def function(pipe: data.IterDataPipe, other: int = 3):
        return list(pipe)
    return function


def annotated_by(kind):
    def function(pipe: kind):
        return pipe
    return function


def typed(data, kind):
    return type("Typed", (data.IterDataPipe,), {"type": data.datapipes._typing._DataPipeType(kind)})


def validated(data, kind, samples):
    """A class of pipes whose samples are checked."""
    def __iter__(self):  # noqa: N807
        yield from samples
    members = {"__iter__": data.runtime_validation(__iter__)}
    if kind is not None:
        members["type"] = data.datapipes._typing._DataPipeType(kind)
    return type("Validated", (data.IterDataPipe,), members)


def holder(data, held):
    pipe = type("Holder", (data.IterDataPipe,), {})()
    pipe.held = held
    return pipe


def names_of(graph):
    """A graph with the names of the classes."""
    return [(type(pipe).__name__, names_of(below)) for pipe, below in graph.values()]


def names(t):
    """What expressions refer to."""
    importlib.import_module(f"{t.__name__}.utils.data.datapipes.utils.snapshot")  # neither library imports it by itself
    data = t.utils.data
    pipes = data.datapipes
    wrap = pipes.iter.IterableWrapper
    return {**globals(), "t": t, "D": data, "I": pipes.iter, "M": pipes.map, "U": pipes.utils, "wrap": wrap,
            "ten": lambda: wrap(range(SAMPLES)), "keys": lambda: pipes.map.SequenceWrapper(range(SAMPLES)),
            "common": pipes.utils.common, "decoder": pipes.utils.decoder, "combining": pipes.iter.combining,
            "T": pipes._typing, "G": data.graph, "S": data.graph_settings, "W": pipes.dataframe.dataframe_wrapper,
            "F": pipes.dataframe.dataframes}


def run(expression):
    """A function of the library that evaluates the expression."""
    return lambda t: eval(expression, names(t))


def checked(expression):
    """The expression gives the same with both libraries."""
    return check(run(expression))


_ = copy, functools, io, pickle, random, types, typing, np  # expressions use them
