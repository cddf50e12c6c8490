"""`torch.multiprocessing` in forked processes, whose arguments need not be pickled."""

import multiprocessing
import os
import signal
import warnings

import pytest
import torch

import torchlike
from torchlike import multiprocessing as ours

pytestmark = pytest.mark.filterwarnings("ignore")


def started(fn, *args, **kwargs):
    return ours.start_processes(fn, args, nprocs=2, start_method="fork", **kwargs)


def test_names():
    assert set(torch.multiprocessing.__all__) - {"reducer"} <= set(dir(ours))
    assert set(ours.__all__) == {*multiprocessing.__all__, "get_all_sharing_strategies", "get_sharing_strategy",
                                 "set_sharing_strategy"}


def test_tensors_go_through_a_queue():
    queue = ours.get_context("fork").SimpleQueue()
    x = torchlike.arange(3.0) * 2
    started(lambda i, x: queue.put((i, (x + i).sum())), x)
    assert sorted((i, total.item()) for i, total in (queue.get(), queue.get())) == [(0, 6.0), (1, 9.0)]


def test_an_exception_of_a_process():
    def run(i):
        if i == 1:
            raise ValueError("of the second")

    with pytest.raises(ours.ProcessRaisedException, match=r"(?s)Process 1 terminated .*Error: of the second") as caught:
        started(run)
    assert caught.value.error_index == 1
    assert type(caught.value.__reduce__()[0](*caught.value.__reduce__()[1])) is ours.ProcessRaisedException


def test_an_exit_and_a_signal():
    with pytest.raises(ours.ProcessExitedException, match="terminated with exit code 3") as caught:
        started(lambda i: os._exit(3))
    assert (caught.value.exit_code, caught.value.signal_name) == (3, None)
    with pytest.raises(ours.ProcessExitedException, match="terminated with signal SIGKILL") as caught:
        started(lambda i: os.kill(os.getpid(), signal.SIGKILL))
    assert caught.value.signal_name == "SIGKILL"
    assert caught.value.__reduce__()[1][-1] == "SIGKILL"


def test_a_context_is_joined_by_the_caller():
    running = started(lambda i: None, join=False)
    assert len(running.pids()) == 2
    while not running.join():
        pass
    assert running.join()


def test_others_are_ended_when_one_fails():
    def run(i):
        signal.pause() if i else os._exit(1)

    with pytest.raises(ours.ProcessExitedException):
        started(run)


def test_strategies_and_warnings():
    assert ours.get_all_sharing_strategies() == torch.multiprocessing.get_all_sharing_strategies()
    before = ours.get_sharing_strategy()
    ours.set_sharing_strategy("file_system")
    assert ours.get_sharing_strategy() == "file_system"
    ours.set_sharing_strategy(before)
    with pytest.raises(AssertionError, match="Strategy none not in supported strategies"):
        ours.set_sharing_strategy("none")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ours.SpawnContext([], [])
    assert "SpawnContext is renamed" in str(caught[0].message)


def test_reductions():
    make, args = ours.reductions.reduce_tensor(torchlike.ones(2))[:2]
    assert make(*args).tolist() == [1.0, 1.0]
    ours.reductions.init_reductions()
