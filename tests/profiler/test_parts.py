"""Parts of PyTorch's profiler that programs name: counts of steps, unique keys, records by time, what nvprof has written."""

import sqlite3
import types

import pytest
import torch

import torchlike
from compat.compare import check
from compat.compare.tolerances import EXACT


def test_steps():
    def outcomes(lib):
        tracker = lib.autograd.profiler.KinetoStepTracker
        start = tracker.current_step()
        found = [tracker.increment_step(name) for name in ("a", "a", "b", "b", "b")]
        found += [tracker.erase_step_count("a"), tracker.erase_step_count("a"), tracker.erase_step_count("b")]
        tracker.init_step_count("c")
        found += [tracker.increment_step("c"), tracker.current_step()]
        tracker.erase_step_count("c")
        return [each if isinstance(each, bool) else each - start for each in found]

    check(outcomes, tolerance=EXACT)


def test_a_jump_warns():
    for lib in (torch, torchlike):
        tracker = lib.autograd.profiler.KinetoStepTracker
        tracker._step_dict["jump"] = tracker.current_step() + 4
        with pytest.warns(UserWarning, match="Profiler step count has increased more than 1"):
            tracker.increment_step("jump")
        tracker.erase_step_count("jump")


def test_a_profile_counts_its_steps():
    tracker = torchlike.autograd.profiler.KinetoStepTracker
    before = tracker.current_step()
    with torchlike.profiler.profile() as profile:
        assert "ProfilerStep" in tracker._step_dict
        profile.step()
        profile.step()
    assert tracker.current_step() == before + 2 and "ProfilerStep" not in tracker._step_dict


def test_unique_keys():
    def outcomes(lib):
        unique = lib.autograd.profiler.EnforceUnique()
        unique.see(1)
        unique.see(1, 2)
        return unique.see(1, 2)

    check(outcomes, tolerance=EXACT)


@pytest.mark.parametrize("times", [(), (3,), (5, 1, 3, 1)], ids=str)
def test_records_by_time(times):
    def outcomes(lib):
        records = [(types.SimpleNamespace(start_ns=lambda time=time: time), i) for i, time in enumerate(times)]
        found = lib.autograd.profiler.MemRecordsAcc(records)
        assert lib.autograd.profiler_util.MemRecordsAcc is lib.autograd.profiler.MemRecordsAcc
        return [[i for _, i in found.in_interval(*ends)] for ends in ((0, 9), (1, 3), (2, 2), (3, 3), (6, 9))]

    check(outcomes, tolerance=EXACT)


TABLES = """
CREATE TABLE StringTable (_id_ INTEGER, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER (id INTEGER, name INTEGER, timestamp INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (_id_ INTEGER, cbid INTEGER, start INTEGER, end INTEGER, correlationId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (name TEXT, start INTEGER, end INTEGER, correlationId INTEGER);
INSERT INTO StringTable VALUES (1, 'second'), (2, '_ZN2at6native3addERKNS_6TensorE'), (3, 'kernel');
INSERT INTO CUPTI_ACTIVITY_KIND_MARKER VALUES (7, 1, 50), (7, 0, 90), (8, 2, 10), (8, 0, 40);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, {launch}, 12, 14, 100), (2, {launch}, 20, 22, 101), (3, 211, 60, 61, 102);
INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES ('k1', 100, 107, 100), ('k2', 110, 111, 101), ('k3', 120, 130, 102);
"""


def written(path, launch=211, more=""):
    database = sqlite3.connect(path)
    database.executescript(TABLES.format(launch=launch) + more)
    database.close()
    return str(path)


def test_what_nvprof_has_written(tmp_path):
    path = written(tmp_path / "trace.nvvp")

    def outcomes(lib):
        events = lib.autograd.profiler.load_nvprof(path)
        assert type(events) is lib.autograd.profiler_util.EventList
        return [(e.id, e.name, e.node_id, e.thread, e.time_range.start, e.time_range.end,
                 sorted((k.name, k.device, k.duration) for k in e.kernels)) for e in events]

    check(outcomes, tolerance=EXACT)


@pytest.mark.parametrize("wrong", [(200, ""), (211, "INSERT INTO CUPTI_ACTIVITY_KIND_MARKER VALUES (7, 1, 51)")], ids=str)
def test_wrong_files(wrong, tmp_path):
    path = written(tmp_path / "trace.nvvp", *wrong)
    check(lambda lib: lib.autograd.profiler.parse_nvprof_trace(path), tolerance=EXACT)
