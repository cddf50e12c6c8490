"""`torch.quasirandom`: the points are PyTorch's."""

import numpy as np
import pytest
import torch

import torchlike


def points(lib, dimension, scramble, seed):
    lib.manual_seed(3)
    engine = lib.quasirandom.SobolEngine(dimension, scramble=scramble, seed=seed)
    drawn = [engine.draw(1), engine.draw(6, dtype=lib.float64), engine.draw(), engine.fast_forward(9).draw(3)]
    drawn += [engine.reset().draw(4), engine.draw_base2(2), engine.reset().fast_forward(5).draw(2, out=lib.empty(0))]
    return [x.numpy() for x in drawn], repr(engine), engine.num_generated


@pytest.mark.parametrize(("dimension", "scramble", "seed"), [
    (1, False, None), (7, False, None), (5, True, 42), (3, True, None), (1200, True, 0), (21201, False, None)])
def test_points(dimension, scramble, seed):
    theirs, ours = points(torch, dimension, scramble, seed), points(torchlike, dimension, scramble, seed)
    assert theirs[1:] == ours[1:]
    for a, b in zip(theirs[0], ours[0], strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


def test_errors():
    for lib in (torch, torchlike):
        with pytest.raises(ValueError, match="Supported range of dimensionality"):
            lib.quasirandom.SobolEngine(0)
        engine = lib.quasirandom.SobolEngine(2)
        engine.draw(3)
        with pytest.raises(ValueError, match=r"previously generated, then: n=3\+2\*\*2=7"):
            engine.draw_base2(2)
