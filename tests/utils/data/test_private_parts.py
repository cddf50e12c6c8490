"""What loaders of other packages (torchdata's) use of PyTorch's private parts."""

import os
import signal
import sys
import threading
import time

import pytest
import torch

import torchlike
from compat.compare import check
from compat.compare.tolerances import EXACT
from torchlike.utils.data._utils import signal_handling

PACKAGES = pytest.mark.parametrize("t", [torch, torchlike], ids=["torch", "torchlike"])


def child(action) -> int:
    """A process that does nothing but this."""
    pid = os.fork()
    if not pid:
        try:
            action()
        finally:
            os._exit(0)
    return pid


@pytest.fixture
def _handler(monkeypatch):
    """The handler of before afterwards."""
    monkeypatch.setattr(signal_handling, "_SIGCHLD_handler_set", False)
    before = signal.getsignal(signal.SIGCHLD)
    yield
    signal.signal(signal.SIGCHLD, before)


@pytest.mark.usefixtures("_handler")
@pytest.mark.parametrize(("action", "text"), [
    (lambda: os.kill(os.getpid(), signal.SIGKILL), r"DataLoader worker \(pid \d+\) is killed by signal: Killed\. "),
    (lambda: os._exit(3), r"DataLoader worker \(pid \d+\) exited unexpectedly with exit code 3\. Details are lost"),
])
def test_a_worker_that_fails_is_an_error(action, text):
    heard = []
    signal.signal(signal.SIGCHLD, lambda *args: heard.append(args))
    signal_handling._set_SIGCHLD_handler()
    wanted = threading.Event()
    pid = child(lambda: (time.sleep(0.2), action()))
    signal_handling._set_worker_pids(7, (pid,))
    try:
        with pytest.raises(RuntimeError, match=text):
            wanted.wait(5)
    finally:
        signal_handling._remove_worker_pids(7)
        os.waitpid(pid, 0)
    assert heard == []  # the error came first


@pytest.mark.usefixtures("_handler")
def test_workers_that_end_well_are_none():
    heard = []
    signal.signal(signal.SIGCHLD, lambda *args: heard.append(args))
    signal_handling._set_SIGCHLD_handler()
    ready, told = os.pipe()
    waits = child(lambda: (signal_handling._set_worker_signal_handlers(), os.write(told, b"!"), time.sleep(30)))
    assert os.read(ready, 1) == b"!"
    ended = child(lambda: None)
    os.waitid(os.P_PID, ended, os.WEXITED | os.WNOWAIT)  # it is a zombie
    for pid in (waits, ended):
        signal_handling._set_worker_pids(7, (pid,))
        try:
            os.kill(pid, signal.SIGTERM)  # a zombie does not mind
        finally:
            signal_handling._remove_worker_pids(7)
            assert os.waitpid(pid, 0)[1] == 0
    os.close(ready)
    os.close(told)
    assert len(heard) == 2


@PACKAGES
def test_pids_are_told_once(t):
    handling = t.utils.data._utils.signal_handling
    with pytest.raises(ValueError, match="Cannot find worker information for _BaseDataLoaderIter with id 5"):
        handling._remove_worker_pids(5)
    handling._set_worker_pids(5, (os.getpid(),))
    with pytest.raises(ValueError, match="_set_worker_pids should be called only once for each _BaseDataLoaderIter"):
        handling._set_worker_pids(5, ())
    handling._remove_worker_pids(5)


@pytest.mark.parametrize("error", [ValueError("wrong"), KeyError("key"), UnicodeDecodeError("a", b"", 0, 1, "b")], ids=repr)
def test_exceptions_are_passed_on(error):
    def passed(t):
        try:
            raise error
        except Exception:  # noqa: BLE001 - any
            wrapped = [t._utils.ExceptionWrapper(where="in a worker"), t._utils.ExceptionWrapper(sys.exc_info())]
        found = []
        for each in wrapped:
            try:
                each.reraise()
            except Exception as raised:  # noqa: BLE001 - any
                found.append((type(raised).__name__, str(raised).partition("\n")[0]))
        return found

    check(passed, tolerance=EXACT)


@PACKAGES
def test_workers_of_others(t):
    """They say themselves what they are; the parts of a loader's iterator have PyTorch's names."""
    worker, loader = t.utils.data._utils.worker, t.utils.data.DataLoader(range(5), 2)
    assert worker.ManagerWatchdog().is_alive()
    assert (worker._IterableDatasetStopIteration(3).worker_id, worker._ResumeIteration(4).seed) == (3, 4)
    pipe = t.utils.data.datapipes.iter.IterableWrapper(range(6)).sharding_filter()
    worker._worker_info = worker.WorkerInfo(id=1, num_workers=2, seed=3, dataset=pipe)
    try:
        assert t.utils.data.get_worker_info().num_workers == 2
        called = []
        t.utils.data.dataloader._sharding_worker_init_fn(called.append, 1, 0, 1)
    finally:
        worker._worker_info = None
    assert called == [1]
    assert list(pipe) == [1, 3, 5]
    assert t.utils.data.get_worker_info() is None
    iterator = iter(loader)
    assert [iterator._next_index(), *iterator][0] == [0, 1]
    assert (iterator._world_size, iterator._rank, iterator._pin_memory) == (1, 0, False)
    assert t.utils.data._utils.MP_STATUS_CHECK_INTERVAL == 5.0
    assert t.utils.data._utils.python_exit_status is False
    fetcher = t.utils.data._DatasetKind.create_fetcher(1, range(3), True, list, False)
    assert (fetcher.fetch([None] * 2), fetcher.ended, next(fetcher.dataset_iter), fetcher.dataset) == ([0, 1], False, 2, range(3))


@PACKAGES
def test_set_vital(t):
    with pytest.warns(UserWarning, match="'set_vital' is deprecated, please do not call") as told:
        assert t.set_vital("Dataloader", "enabled", "True") is None
    assert [warning.filename for warning in told] == [__file__]
    assert "set_vital" not in dir(t)
