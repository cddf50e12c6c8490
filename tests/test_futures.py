"""`torch.futures`, against PyTorch."""

import importlib
import threading

import pytest

pytestmark = pytest.mark.oracle

PROGRAMS = {
    "result": "f = t.Future(); g = f.then(lambda f: f.wait() + 1); f.set_result(1); told = g.wait(), f.value(), f.done()",
    "error": "f = t.Future(); f.set_exception(ValueError('x')); f.wait()",
    "twice": "f = t.Future(); f.set_result(1); f.set_result(2)",
    "no exception": "t.Future().set_exception(1)",
    "callback fails": "f = t.Future(); f.set_result(1); f.then(lambda f: 1 / 0).wait()",
    "callbacks": "told = []; f = t.Future(); f.add_done_callback(lambda f: told.append(f.value())); f.set_result(1)\n"
                 "f.add_done_callback(lambda f: told.append(2))",
    "all": "a, b = t.Future(), t.Future(); told = [t.collect_all([a, b]).done()]; a.set_result(1); b.set_result(2)\n"
           "told += t.wait_all([a, b])",
    "one fails": "a = t.Future(); a.set_exception(KeyError('k')); t.wait_all([a])",
    "none": "told = t.wait_all([])",
}


def outcome(library, program):
    names = {"t": importlib.import_module(f"{library}.futures")}
    try:
        exec(program, names)
    except Exception as error:  # noqa: BLE001 - compared
        return type(error), str(error).split("\n")[0]
    return names["told"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    assert outcome("torchlike", PROGRAMS[name]) == outcome("torch", PROGRAMS[name])


def test_waits_for_another_thread():
    future = importlib.import_module("torchlike.futures").Future()
    threading.Timer(0.05, future.set_result, [3]).start()
    assert future.wait() == 3
    with pytest.raises(RuntimeError, match="completed"):
        importlib.import_module("torchlike.futures").Future().value()
