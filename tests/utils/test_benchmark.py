"""`torch.utils.benchmark`: the times are those of the computation, the texts PyTorch's."""

import re

import numpy as np
import pytest
import torch
import torch.utils.benchmark

import torchlike
import torchlike.utils.benchmark

WORDS = {"label": "L", "sub_label": "S", "description": "D"}


def told(lib, times, number=3):
    made = lib.utils.benchmark.Timer("x + 1", setup="y = 1", **WORDS).timeit(1) if times is None else \
        lib.utils.benchmark.Measurement(number, times, spec(lib))
    return re.sub(r"<.*>", "", repr(made))


def spec(lib):
    module = getattr(lib.utils.benchmark.utils, "common", None) if lib is torch else None
    return (module or lib.utils.benchmark).TaskSpec("x", "pass", **({} if module is None else {"global_setup": ""}))


@pytest.mark.parametrize("times", [[1e-3], [1e-6, 3e-6, 2e-6, 1e-6, 5e-6], [2.0, 2.0, 2.1, 2.3, 2.2], [3e-9] * 5])
def test_measurements(times):
    want, got = (lib.utils.benchmark.Measurement(3, times, spec(lib)) for lib in (torch, torchlike))
    for name in ("median", "mean", "iqr", "has_warnings", "as_row_name", "title", "times"):
        assert getattr(got, name) == pytest.approx(getattr(want, name)) or getattr(got, name) == getattr(want, name)
    assert told(torchlike, times).split() == told(torch, times).split()
    assert len(torchlike.utils.benchmark.Measurement.merge([got, got])) == 1


def test_timer_waits_for_the_value():
    x = torchlike.rand(500, 500)
    fast = torchlike.utils.benchmark.Timer("x[0, 0] + 1", globals={"x": x}).timeit(20).median
    slow = torchlike.utils.benchmark.Timer("x @ x @ x @ x", globals={"x": x}).timeit(20).median
    assert slow > fast
    found = torchlike.utils.benchmark.Timer("y = x + 1", globals={"x": x}).blocked_autorange(min_run_time=0.01)
    assert np.isfinite(found.median)
    assert torchlike.utils.benchmark.Timer("1", **WORDS).adaptive_autorange(max_run_time=0.1).title == "L: S"


def test_refusals():
    with pytest.raises(torchlike.UnsupportedError, match="Compare"):
        torchlike.utils.benchmark.Compare([])
    with pytest.raises(torchlike.UnsupportedError, match=r"no C\+\+"):
        torchlike.utils.benchmark.Timer("x", language="cpp")
