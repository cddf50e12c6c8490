"""Views of far more elements than their memory has, and windows on meta far apart: nothing of their size is allocated."""

import copy
import io

import pytest
import torch

import torchlike

FAR = 2**32 - 1
VERY_MANY = 2**44  # no machine has as much memory


def _facts(x):
    return str(x.device), tuple(x.shape), x.stride(), x.storage_offset(), x.untyped_storage().nbytes()


def _loaded(t, x):
    file = io.BytesIO()
    t.save(x, file)
    assert file.tell() < 5000
    file.seek(0)
    return t.load(file)


def _far(t):
    return t.empty_strided((2, 3), (FAR * 2**10, 1), device="meta")


def _wide(t):
    return t.arange(3.0).view(3, 1).expand(3, VERY_MANY)


def _written(t):
    wide = _wide(t)
    wide[:, 5].mul_(2)
    wide[1:, 7:8].add_(1)
    return wide[:, VERY_MANY - 1].tolist()


PROGRAMS = {
    "made on meta": lambda t: _facts(_far(t)), "a window of it": lambda t: _facts(_far(t)[1]),
    "computed with": lambda t: _facts(_far(t) + 1), "written": lambda t: _facts(_far(t).zero_()),
    "loaded": lambda t: _facts(_loaded(t, _far(t))),
    "very many on meta": lambda t: _facts(t.empty_strided((2**20, 2**20), (2**21, 1), device="meta")),
    "expanded and loaded": lambda t: _facts(_loaded(t, _wide(t))), "copied": lambda t: _facts(copy.deepcopy(_wide(t))),
    "read": lambda t: _wide(t)[1:, 2**40].tolist(), "written through": _written, "shown": lambda t: str(_wide(t)),
    "turned": lambda t: _facts(_wide(t).t()[5:, 1]), "a parameter": lambda t: str(t.nn.Parameter(_wide(t))[0, 0]),
    "strided": lambda t: t.arange(6.0).as_strided((VERY_MANY, 3), (0, 2))[7].tolist(),
    "array": lambda t: _wide(t).numpy().strides,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_pytorch(name):
    assert PROGRAMS[name](torchlike) == PROGRAMS[name](torch)


WINDOWS = ((0, (2, 2), (3, 1)), (1, (3, 2, 2), (0, 2, 1)), (2, (2, 3), (1, 1)), (0, (5, 1, 2), (0, 4, 0)),
           (1, (0, 3), (7, 1)))


@pytest.mark.parametrize("source", ["x", "x.view(3, 4).t()"])
def test_windows(source):
    def values(t, offset, size, stride):
        x = t.arange(12.0, requires_grad=True)
        window = eval(source, {"x": x * 1}).as_strided(size, stride, offset)
        (window * t.arange(float(window.numel())).view(size).sin()).sum().backward()
        return window.tolist(), x.grad.tolist()

    for window in WINDOWS:
        want, got = (values(t, *window) for t in (torch, torchlike))
        assert got[0] == want[0] and got[1] == pytest.approx(want[1], abs=1e-6)


def test_scattered_onto_itself():
    for t in (torch, torchlike):
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            t.as_strided_scatter(t.zeros(8), t.ones(2, 2), (2, 2), (0, 1), 1)
