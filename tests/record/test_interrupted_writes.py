"""Ctrl-C while a tensor is written to: it is as before or as afterwards, and no new value has an old version."""

import os

import pytest

import torchlike
from tests.campaigns.signals import Interruption, traced
from tests.speed import sampled
from torchlike._record import inplace

WRITERS = ("inplace.py", "in_place.py", "writing.py", "normalization.py", "module_conversion.py", "attributes.py", "site.py",
           "cell.py")


def of_writers(code) -> bool:
    """Whether code is of those that write."""
    return os.path.basename(code.co_filename) in WRITERS


def row():
    x = torchlike.ones(2, 2)
    return x, lambda: x[0].add_(1)


def transposed():
    x = torchlike.arange(6.0).reshape(2, 3)
    return x, x.t_


def with_history():
    x = torchlike.arange(6.0, requires_grad=True).reshape(2, 3) * 1
    return x, x.t_


def resized():
    out, a = torchlike.zeros(0), torchlike.arange(6.0).reshape(2, 3)
    return out, lambda: torchlike.add(a, a, out=out)


def grown():
    out = torchlike.ones(2)
    return out, lambda: out.resize_(6)


def grown_to_two():
    out = torchlike.ones(2)
    return out, lambda: out.resize_(2, 3)


def grown_to_four():
    out = torchlike.arange(3.0)
    return out, lambda: out.resize_(2, 2, 3, 2, memory_format=torchlike.channels_last)


def renewed_to_two():
    out = torchlike.ones(6).resize_(2)
    return out, lambda: out.resize_(3, 3)


def renewed():
    out = torchlike.ones(6).resize_(2)
    return out, lambda: out.resize_(7)


def running():
    mean, x = torchlike.zeros(3), torchlike.arange(6.0).reshape(2, 3)
    return mean, lambda: torchlike.nn.functional.batch_norm(x, mean, torchlike.ones(3), training=True)


def converted():
    layer = torchlike.nn.Linear(1, 1, bias=False)
    with torchlike.no_grad():
        layer.weight.fill_(2.0)
    return layer.weight, layer.double


def look(x) -> tuple:
    """What must change together, and the version."""
    edge = x.grad_fn and x.grad_fn.name()
    return (x.dtype, [*x.shape], x.stride(), x.tolist(), edge), x._version


def torn(make) -> list:
    """(where, how) of the interruptions that leave the tensor neither as it was nor as it will be."""
    x, write = make()
    before = look(x)
    write()
    after, found, tracer = look(x), [], None
    while tracer is None or tracer.frame is not None:
        x, write = make()
        tracer = Interruption(1 if tracer is None else tracer.number + 1, of_writers)
        traced(write, tracer)
        value, version = look(x)  # a version that is too high is refused by backward passes: some count twice
        lowest = min(before[1] + 1, after[1]) if value == after[0] else before[1]
        if value not in (before[0], after[0]) or not lowest <= version <= after[1]:
            found.append((tracer.frame, value, version))
    assert tracer.number > 6
    return found


@pytest.mark.parametrize("make", sampled(
    [row, transposed, with_history, resized, grown, grown_to_two, grown_to_four, renewed, renewed_to_two, running,
     converted], fast={transposed, grown_to_two}))
def test_writes_are_whole(make):
    assert torn(make) == []


@pytest.mark.slow
def test_a_version_that_is_counted_late_is_seen(monkeypatch):
    count, replace, counted = inplace.count_write, inplace._replace, []

    def late(*arguments):
        replace(*arguments)
        len(counted)
        count(*counted.pop())

    monkeypatch.setattr(inplace, "count_write", lambda *arguments: counted.append(arguments))
    monkeypatch.setattr(inplace, "_replace", late)
    assert torn(row)
