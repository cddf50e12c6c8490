"""`resize_`: the memory keeps what it held; and sizes that no memory has, against PyTorch."""

import pathlib

import pytest
import torch as theirs

import torchlike as ours
from compat.compare import check
from compat.compare.tolerances import EXACT

RESIZED = {
    "smaller, then larger": lambda m, x: x.resize_(2).resize_(6),
    "another form": lambda m, x: x.resize_(2).resize_(3, 2),
    "emptied": lambda m, x: x.resize_(0).resize_(4),
    "written between": lambda m, x: x.resize_(4).mul_(2).resize_(6),
    "of a view": lambda m, x: (x[2:].resize_(3).zero_(), x)[1],
    "transposed": lambda m, x: x.resize_(2, 3).t_().resize_(2, 2).resize_(3, 2),
    "as another": lambda m, x: x.resize_as_(m.ones(2)).resize_as_(m.ones(5)),
    "of a computed one": lambda m, x: (x * 2).resize_(2).resize_(6),
    "all of the memory": lambda m, x: x.resize_(2).as_strided((6,), (1,)),
    "larger than the memory": lambda m, x: x.resize_(2).resize_(8)[:6],
    "as out=": lambda m, x: m.add(m.ones(3), 1, out=x.resize_(0)),
    "as a larger out=": lambda m, x: (x.resize_(2), m.mul(m.ones(8), 3, out=x.resize_(0)))[1] + x,
    "channels last": lambda m, x: x.resize_(1, 2, 3, 1, memory_format=m.channels_last),
}


def both(operation, *made):
    return [operation(m, *(make(m) for make in made)) for m in (theirs, ours)]


@pytest.mark.parametrize("name", RESIZED)
def test_resize(name):
    want, got = both(RESIZED[name], lambda m: m.arange(6.0))
    assert (got.tolist(), got.stride()) == (want.tolist(), want.stride())


def test_what_resizing_leaves():
    def facts(m, x):
        x.resize_(2)
        return x._version, x._base, x.is_leaf, x.untyped_storage().nbytes(), x.add_(1).tolist(), x.storage_offset()

    want, got = both(facts, lambda m: m.arange(6.0))
    assert got == want


def test_memory_with_views():
    x = ours.arange(6.0)
    y = x[1:3]
    x.resize_(3).fill_(7)
    assert y.tolist() == [7, 7]
    with pytest.raises(ours.UnsupportedError, match="views"):
        x.resize_(8)


def _memory() -> int:
    """The bytes of this machine's memory and swap."""
    rows = dict(line.split(":") for line in pathlib.Path("/proc/meminfo").read_text().splitlines())
    return 1024 * sum(int(rows[name].split()[0]) for name in ("MemTotal", "SwapTotal"))


HUGE = {
    "resize_": lambda m: m.empty((), dtype=m.float64).resize_([2, 4, 2**29, 2**29]),
    "resize_ of many bytes": lambda m: m.ones(3).resize_(2**60),
    "resize_ of a negative size": lambda m: m.ones(3).resize_(-1),
    "empty": lambda m: m.empty(2**62, 4),
    "empty of many bytes": lambda m: m.empty(2**60),
    "no elements": lambda m: m.empty(0, 2**62, 4),
    "expand": lambda m: m.ones(2).expand(2**62, 2),
    "broadcast": lambda m: m.ones(2**6, 1).expand(2**6, 2**59).clone(),
    "cat": lambda m: m.cat([m.ones(1).expand(2**59)] * 2),
    "eye": lambda m: m.eye(2**31),
    "rand": lambda m: m.rand(2**60),
    "more than the memory of this machine": lambda m: m.ones(_memory() // 4, 5),
    "a product": lambda m: m.ones(2**20, 1) @ m.ones(1, _memory() // 2**20),
    "distances": lambda m: m.cdist(m.zeros(2**20, 1), m.zeros(2**21, 1)),
    "tril_indices": lambda m: m.tril_indices(2**25, 2**25),
    "bmm": lambda m: m.bmm(m.ones(1, 1).expand(2**30, 1)[None], m.ones(1, 1).expand(1, 2**30)[None]),
}


@pytest.mark.parametrize("name", HUGE)
def test_sizes_that_no_memory_has(name):
    texts = []
    for m in (theirs, ours):
        with pytest.raises(RuntimeError) as error:
            HUGE[name](m)
        texts.append(str(error.value).partition("\n")[0])
    assert texts[0] == texts[1] or texts[0].startswith(texts[1])
    assert (ours.ones(2) + 1).tolist() == [2, 2]


def test_meta_has_any_size():
    assert ours.empty(2**60, device="meta").numel() == 2**60


FORMATS = {
    "empty": lambda t: t.empty((2, 3, 5, 7), memory_format=t.channels_last).stride(),
    "empty of 5-D": lambda t: t.empty(2, 3, 4, 5, 6, memory_format=t.channels_last_3d).stride(),
    "empty of 2-D": lambda t: t.empty(2, 3, memory_format=t.channels_last),
    "empty, preserved": lambda t: t.empty(2, 3, memory_format=t.preserve_format),
    "zeros": lambda t: t.zeros(2, 3, 4, 5, memory_format=t.channels_last),
    "ones": lambda t: t.ones(2, 3, 4, 5, memory_format=t.channels_last),
    "cpu": lambda t: t.ones(2, 3, 4, 5).cpu(memory_format=t.channels_last).stride(),
    "resize_as_": lambda t: t.ones(0).resize_as_(t.ones(2, 3, 4, 5), memory_format=t.channels_last).stride(),
}


@pytest.mark.parametrize("name", FORMATS)
def test_memory_formats(name):
    check(FORMATS[name], tolerance=EXACT)
