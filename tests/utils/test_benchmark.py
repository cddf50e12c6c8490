"""`torch.utils.benchmark`: the times are those of the computation, the texts PyTorch's."""

import random
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
    return lib.utils.benchmark.utils.common.TaskSpec("x", "pass")


@pytest.mark.parametrize("times", [[1e-3], [1e-6, 3e-6, 2e-6, 1e-6, 5e-6], [2.0, 2.0, 2.1, 2.3, 2.2], [3e-9] * 5])
def test_measurements(times):
    want, got = (lib.utils.benchmark.Measurement(3, times, spec(lib)) for lib in (torch, torchlike))
    for name in ("median", "mean", "iqr", "has_warnings", "significant_figures", "as_row_name", "title", "times"):
        assert getattr(got, name) == pytest.approx(getattr(want, name)) or getattr(got, name) == getattr(want, name)
    assert told(torchlike, times).split() == told(torch, times).split()
    assert len(torchlike.utils.benchmark.Measurement.merge([got, got])) == 1


@pytest.mark.slow
def test_timer_waits_for_the_value():
    x = torchlike.rand(500, 500)
    fast = torchlike.utils.benchmark.Timer("x[0, 0] + 1", globals={"x": x}).timeit(20).median
    slow = torchlike.utils.benchmark.Timer("x @ x @ x @ x", globals={"x": x}).timeit(20).median
    assert slow > fast
    found = torchlike.utils.benchmark.Timer("y = x + 1", globals={"x": x}).blocked_autorange(min_run_time=0.01)
    assert np.isfinite(found.median)
    assert torchlike.utils.benchmark.Timer("1", **WORDS).adaptive_autorange(max_run_time=0.1).title == "L: S"


def measured(lib, times, number=1, **words):
    common = torch.utils.benchmark.utils.common if lib is torch else torchlike.utils.benchmark
    return lib.utils.benchmark.Measurement(number, times, common.TaskSpec("stmt", "pass", **words))


def scattered(seed):
    """Rows of measurements by chance: labels, environments, threads, missing cells, times of all sizes that scatter."""
    draw = random.Random(seed)
    words = {"label": ("L", "another label"), "sub_label": ("a", "a long sub label", "b", None), "num_threads": (1, 4),
             "description": ("c", "column", "a very long description"), "env": ("", "e", "other") if seed % 2 else (None,)}
    for _ in range(draw.randint(1, 12)):
        time, spread = 10 ** draw.uniform(-9, 2), draw.choice((0, 0.01, 1))
        times = [time * (1 + spread * draw.random()) for _ in range(draw.randint(1, 7))]
        yield times, draw.choice((1, 100)), {name: draw.choice(values) for name, values in words.items()}


@pytest.mark.parametrize("seed", range(40))
def test_tables(seed):
    draw, rows, shown = random.Random(seed), [*scattered(seed)], []
    trims, warns, colors = (draw.random() < 0.5 for _ in range(3))
    for lib in (torch, torchlike):
        made = [measured(lib, times, number, **words) for times, number, words in rows]
        table = lib.utils.benchmark.Compare(made[:1])
        table.extend_results(made[1:])
        if trims:
            table.trim_significant_figures()
        if warns:
            table.highlight_warnings()
        if colors:
            table.colorize(rowwise=seed % 3 == 0)
        shown.append(str(table))
    assert shown[1] == shown[0]


def test_a_table_is_of_measurements(capsys):
    texts = []
    for lib in (torch, torchlike):
        with pytest.raises(ValueError, match="Expected an instance of `Measurement`") as error:
            lib.utils.benchmark.Compare([3])
        lib.utils.benchmark.Compare([measured(lib, [0.5], description="d")]).print()
        texts.append((str(error.value), capsys.readouterr().out))
    assert texts[0] == texts[1]


@pytest.mark.parametrize("words", [
    {}, {"sub_label": "S"}, {"label": "L"}, {"label": "L", "sub_label": "S", "description": "D"}])
@pytest.mark.parametrize("code", [("x", "pass"), ("x\ny", "a = 1"), ("x", "a\nb"), ("x\ny", "a\nb")])
def test_specs(code, words):
    want, got = (lib.utils.benchmark.TaskSpec(*code, **words) for lib in (torch, torchlike))
    assert (got.title, got.setup_str(), got.summarize()) == (want.title, want.setup_str(), want.summarize())


def test_common_functions():
    found = []
    for lib in (torch, torchlike):
        with lib.utils.benchmark.set_torch_threads(3):
            threads = lib.get_num_threads()
        numbers = [lib.utils.benchmark.trim_sigfig(x, n) for x in (1234.5, 0.00123, -77.7, 1e10) for n in (1, 2, 4)]
        units = [lib.utils.benchmark.unit_to_english(u) for u in ("ns", "us", "ms", "s")]
        names = [str(each) for kind in ("Language", "Colorize") for each in getattr(lib.utils.benchmark, kind)]
        found.append((threads, numbers, units, names, lib.utils.benchmark.ordered_unique([3, 1, 3, 2])))
    assert found[0] == found[1]


def test_refusals():
    with pytest.raises(torchlike.UnsupportedError, match=r"CallgrindStats.*Valgrind"):
        torchlike.utils.benchmark.CallgrindStats()
    for name in ("autorange", "repeat"):
        with pytest.raises(NotImplementedError, match="blocked_autorange"):
            getattr(torchlike.utils.benchmark.Timer("x"), name)()
    with pytest.raises(torchlike.UnsupportedError, match=r"no C\+\+"):
        torchlike.utils.benchmark.Timer("x", language="cpp")
