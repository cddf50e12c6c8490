"""The campaign of a long night: a short one, and that it sees planted errors."""

import json
import math
import time

import pytest

import torchlike
from tests.campaigns import night, night_steps
from torchlike._compile import avals

LATE = ("resident", "mappings", "time of")  # what is flat only once all caches are full


def spent(steps=400, seconds=60) -> list:
    samples: list = []
    given = night.given(1, seconds, steps) | {"samples": 12}
    night_steps.spend(given, lambda found: samples.append(json.loads(json.dumps(found))))
    return samples


def found(samples) -> list:
    return [name for name in night.complaints(samples) if not name.startswith(LATE)]


@pytest.mark.slow
@pytest.mark.exhaustive
def test_short_night():
    report = night.run(1, time.monotonic() + 59, steps=1000)
    assert [failure for failure in report.failures if not failure.where.startswith(LATE)] == []
    assert report.cases >= 100 and len(report.notes) == 1 and " models, " in report.notes[0]


@pytest.mark.slow
@pytest.mark.exhaustive
def test_tensors_that_stay_are_seen(monkeypatch):
    kept: list = []
    monkeypatch.setattr(night_steps.Night, "again", lambda self: kept.extend(torchlike.ones(9, 3) * 2))
    assert {"objects Tensor", "objects Cell"} <= {*found(spent())}


@pytest.mark.slow
@pytest.mark.exhaustive
def test_files_and_containers_that_grow_are_seen(monkeypatch):
    files: list = []
    monkeypatch.setattr(night_steps.Night, "write", lambda self: files.append(open(__file__)))  # noqa: SIM115 - left open
    monkeypatch.setattr(night, "BOUNDED", ())
    monkeypatch.setattr(avals, "_LIMIT", -2)  # so that the cache of forms is over its bound
    try:
        complaints = found(spent())
    finally:
        for file in files:
            file.close()
    assert {"files", "cache avals"} <= {*complaints}


def test_what_rises_is_seen():
    def sample(step, resident, mappings, seconds):
        return {"step": step, "resident": resident, "mappings": mappings, "files": 4, "bounded": {"a": (step, 900)},
                "unbounded": {"b": step // 100, "c": 5}, "objects": {"Tensor": 7}, "times": {"again": seconds}}

    flat = [sample(step, 1 << 20, 700, 1e-4) for step in range(0, 800, 40)]
    assert [*night.complaints(flat)] == []
    steep = [sample(step, 2000 * step, 700 + step, 1e-4 * (1 + step / 1000)) for step in range(0, 4000, 100)]
    assert [*night.complaints(steep)] == ["resident", "mappings", "cache a", "container b", "time of again"]
    assert math.isclose(night.slope(steep, "resident"), 2000)
