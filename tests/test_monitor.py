"""`torch.monitor`, against PyTorch."""

import datetime
import importlib

import pytest

PROGRAM = """
got = []
handle = m.register_event_handler(lambda e: got.append((e.name, sorted(e.data.items()))))
kinds = (m.Aggregation.SUM, m.COUNT, m.MAX, m.MEAN, m.MIN, m.VALUE)
stat = m.Stat("s", kinds, datetime.timedelta(seconds=100), 3)
told = [stat.name, stat.count]
for x in (1, 5.5, 2, 7):
    stat.add(x)
    told += [stat.count, sorted((kind.name, value) for kind, value in stat.get().items())]
m.log_event(m.Event("e", datetime.datetime.now(), {"a": 1}))
del stat
m.unregister_event_handler(handle)
m.log_event(m.Event("unseen", datetime.datetime.now(), {}))
told += got
"""


def run(library):
    names = {"m": importlib.import_module(f"{library}.monitor"), "datetime": datetime}
    exec(PROGRAM, names)
    return names["told"]


@pytest.mark.oracle
def test_events_and_statistics():
    want, got = run("torch"), run("torchlike")
    assert str(got).replace("1.0", "1") == str(want).replace("1.0", "1")


@pytest.mark.parametrize("name", ["torch.monitor.Stat", "other"])
def test_events_become_scalars(name):
    found = []

    class Writer:
        def add_scalar(self, *args, walltime):
            found.append(args)

    monitor = importlib.import_module("torchlike.monitor")
    monitor.TensorboardEventHandler(Writer())(monitor.Event(name, datetime.datetime.now(), {"a": 1.0}))
    assert found == ([("a", 1.0)] if name == "torch.monitor.Stat" else [])
