"""What is written of a profile: tables, traces."""

import gzip
import json
import re

import pytest
import torch

import torchlike
from tests.profiler.steps import profiled, step

BOTH = (torch, torchlike)


# -- tables

def headers(table):
    rows = table.splitlines()
    at = next(i for i, row in enumerate(rows) if row.lstrip().startswith("Name "))
    return re.split(r"\s{2,}", rows[at].strip())


@pytest.mark.parametrize("options", [{}, {"record_shapes": True}, {"profile_memory": True}, {"with_stack": True},
                                     {"record_shapes": True, "profile_memory": True, "with_stack": True}], ids=str)
def test_columns_are_those_of_pytorch(options):
    asked = {"group_by_input_shape": "record_shapes" in options, "group_by_stack_n": int("with_stack" in options)}
    if "with_stack" in options:  # PyTorch needs a private setting for it
        options_of_torch = {**options, "experimental_config": torch._C._profiler._ExperimentalConfig(verbose=True)}
    else:
        options_of_torch = options
    tables = [profiled(lib, step(lib), **given).key_averages(**asked).table(row_limit=3)
              for lib, given in ((torch, options_of_torch), (torchlike, options))]
    assert headers(tables[1]) == headers(tables[0])


def test_table_options():
    averages = profiled(torchlike, step(torchlike), times=2).key_averages()
    table = averages.table(sort_by="self_cpu_time_total", row_limit=2, header="the head", top_level_events_only=True,
                           time_unit="ms", max_name_column_width=12)
    rows = table.splitlines()
    assert rows[0] == rows[2] == "=" * len(rows[0]) and rows[1] == "the head"
    assert rows[3] == "This report only display top-level ops statistics"
    body = rows[7:-2]
    assert len(body) == 2 and all("ms" in row and len(row.split("  ")[0]) <= 12 for row in body)
    assert re.fullmatch(r"Self CPU time total: \d+\.\d{3}ms", rows[-1])
    with pytest.raises(AttributeError, match="nosuch"):
        averages.table(sort_by="nosuch")
    sorted_times = [float(x) for x in re.findall(r"% +(\d+\.\d+)us", averages.table("self_cpu_time_total", time_unit="us"))]
    own = sorted_times[::2]
    assert own == sorted(own, reverse=True)


def test_columns_of_a_gpu():
    util = torchlike.autograd.profiler_util
    events = [util.FunctionEvent(i, "aten::mm", 1, 0.0, 10.0, use_device="cuda") for i in range(2)]
    for event in events:
        event.append_kernel("aten::mm", 0, 50.0)
    rows = util.EventList(events, use_device="cuda").key_averages()
    assert rows[0].device_time_total == rows[0].self_device_time_total == 100 and rows[0].device_time == 50
    table = rows.table(sort_by="cuda_time_total")
    assert {"Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg"} <= {*headers(table)}
    assert table.splitlines()[-1] == "Self CUDA time total: 100.000us"


def test_an_empty_profile_has_an_empty_table():
    assert torchlike.autograd.profiler_util.EventList().table() == ""


# -- the trace

def load(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as file:
        return json.load(file)


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz"])
def test_chrome_trace(tmp_path, name):
    with torchlike.profiler.profile(record_shapes=True, with_stack=True) as found:
        train = step(torchlike)
        with torchlike.profiler.record_function("the step"):
            train()
        found.add_metadata("who", 'a "name"')
        found.add_metadata_json("list", "[1, 2]")
    path = tmp_path / name
    found.export_chrome_trace(str(path))
    trace = load(path)
    assert trace["who"] == 'a "name"' and trace["list"] == [1, 2] and trace["record_shapes"] == trace["with_stack"] == 1
    spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert len(spans) == len(found.events())
    assert {"cpu_op", "user_annotation", "python_function"} <= {event["cat"] for event in spans}
    assert {event["name"] for event in trace["traceEvents"] if event["ph"] == "M"} == \
        {"process_name", "process_labels", "process_sort_index", "thread_name"}
    assert_nested(spans)
    product = next(event for event in spans if event["name"] == "aten::addmm")
    assert product["args"]["Input Dims"] == [[5], [8, 6], [6, 5], [], []]
    assert product["args"]["Input type"] == ["float32"] * 3
    assert "steps.py" in product["args"]["Call stack"]


def assert_nested(spans):
    """Of two spans of a thread one lies in the other, or they lie apart; none ends before it starts."""
    assert {(event["pid"], event["tid"]) for event in spans} == {(spans[0]["pid"], spans[0]["tid"])}
    outer = []
    for event in sorted(spans, key=lambda e: (e["ts"], -e["dur"])):
        assert event["dur"] >= 0 and event["ts"] >= 0
        while outer and event["ts"] >= outer[-1] - 1e-6:
            outer.pop()
        end = event["ts"] + event["dur"]
        assert not outer or end <= outer[-1] + 1e-6
        outer.append(end)


def test_nesting_is_checked():
    span = {"pid": 1, "tid": 1}
    with pytest.raises(AssertionError):
        assert_nested([{**span, "ts": 0, "dur": 5}, {**span, "ts": 3, "dur": 5}])


def test_the_keys_are_those_of_pytorchs_traces(tmp_path):
    keys = []
    for lib in BOTH:
        found = profiled(lib, step(lib), record_shapes=True)
        path = tmp_path / f"{lib.__name__}.json"
        found.export_chrome_trace(str(path))
        trace = load(path)
        event = next(e for e in trace["traceEvents"] if e["name"] == "aten::tanh")
        keys.append(({*trace}, {*event}, {*event["args"]}))
    assert keys[1][0] >= {"schemaVersion", "deviceProperties", "baseTimeNanoseconds", "displayTimeUnit", "traceName",
                          "traceEvents"} <= keys[0][0]
    assert keys[1][1] == keys[0][1]
    assert {"External id", "Input Dims"} <= keys[0][2] & keys[1][2]


def test_tensorboard_trace_handler(tmp_path):
    folder = tmp_path / "log"
    for gz in (False, True):
        handler = torchlike.profiler.tensorboard_trace_handler(str(folder), worker_name="me", use_gzip=gz)
        with torchlike.profiler.profile(on_trace_ready=handler):
            torchlike.ones(2).exp().tolist()
    names = sorted(path.name for path in folder.iterdir())
    assert sum(bool(re.fullmatch(r"me\.\d+\.pt\.trace\.json", n)) for n in names) == 1
    assert sum(bool(re.fullmatch(r"me\.\d+\.pt\.trace\.json\.gz", n)) for n in names) == 1
    assert all("traceEvents" in load(path) for path in folder.iterdir())
