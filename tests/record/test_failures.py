"""Runs of traces that fail: what has nothing to do with the failure is not lost."""

import gc
import weakref

import numpy as np
import pytest

import torchlike as torch
from torchlike._compile.executors.stack import stack
from torchlike._compile.program import Call, placed


class Failing:
    """Runs nothing, and raises where `sinc` is needed for what is wanted: as often as ``errors`` has one."""

    def __init__(self, *errors):
        self.errors = list(errors)

    def run(self, program, inputs, numbers):
        wanted = set(program.live)
        for item, outs in reversed([*placed(program.items)]):
            if item.__class__ is Call and wanted.intersection(outs):
                wanted.update(item.slots)
                if item.kernel.name == "sinc" and self.errors:
                    raise self.errors.pop(0)
        return None


def test_what_fails_twice_is_lost_alone():
    x, p = torch.ones(3), torch.zeros(3)
    with stack.executing(Failing(*(ValueError("broken") for _ in range(9)))):
        fine, broken = x * 3, torch.sinc(x)
        p.add_(broken)
        for _ in range(2):
            with pytest.raises(ValueError, match="broken"):
                fine.tolist()
        assert fine.tolist() == [3, 3, 3]
        assert (x + 1).tolist() == [2, 2, 2]
    for lost in (broken, p):
        with pytest.raises(RuntimeError, match="could not be computed"):
            lost.tolist()
    assert p.shape == (3,)
    assert torch.sinc(torch.zeros(1)).tolist() == [1]


@pytest.mark.parametrize("errors", [[TimeoutError()], [MemoryError()] * 3])
def test_what_may_work_later_is_kept(errors):
    x = torch.ones(3)
    with stack.executing(Failing(*errors)):
        fine, late = x * 3, torch.sinc(x * 0)
        for error in errors[:]:
            with pytest.raises(type(error)):
                fine.tolist()
        assert (fine.tolist(), late.tolist()) == ([3, 3, 3], [1, 1, 1])




class _OfNumpy(MemoryError):
    shape, dtype = (1 << 10,), np.dtype(np.float32)  # as numpy's own has them

_XLAS = RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 4096 bytes.")


@pytest.mark.parametrize("error", [_OfNumpy(), _XLAS])
def test_lack_of_memory_is_told_as_pytorch_tells_it(error):
    x = torch.ones(3)
    with stack.executing(Failing(error, error, error)):
        late = torch.sinc(x * 0)
        for _ in range(3):
            with pytest.raises(RuntimeError, match="can't allocate memory: you tried to allocate 4096 bytes"):
                late.tolist()
        assert late.tolist() == [1, 1, 1]


def test_lack_of_memory_holds_nothing():
    """No ring of the error, its traceback and a frame keeps the values until the collector comes: the retry is smaller."""
    x = torch.ones(3)
    gc.disable()
    try:
        with stack.executing(Failing(RuntimeError(*_XLAS.args))):
            late = torch.sinc(x * 0)
            with pytest.raises(RuntimeError, match="can't allocate memory") as told:
                late.tolist()
            cell = weakref.ref(late)
            del late, told
            assert cell() is None
            assert (x + 1).tolist() == [2, 2, 2]
    finally:
        gc.enable()
