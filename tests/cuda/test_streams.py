"""Streams, events and memory: what they are without a GPU, as PyTorch's CPU build has them, and with one."""

import jax
import pytest
import torch

import torchlike
from torchlike._api import streams
from torchlike._compile.backends import xla_cuda

BOTH = (torch, torchlike)
HAS_GPU = torchlike.cuda.is_available()
without_gpu = pytest.mark.skipif(HAS_GPU, reason="what PyTorch's CPU build says without a GPU")

# -- without a GPU

CALLS = {
    "Stream": lambda lib: repr(lib.Stream()), "Event": lambda lib: repr(lib.Event()),
    "Event timed": lambda lib: repr(lib.Event(enable_timing=True)), "Stream of cuda": lambda lib: lib.Stream("cuda"),
    "Stream of a number": lambda lib: lib.Stream(0), "Event of cuda": lambda lib: lib.Event("cuda"),
    "Event.record": lambda lib: lib.Event().record(), "Stream.record_event": lambda lib: lib.Stream().record_event(),
    "Stream.wait_stream": lambda lib: lib.Stream().wait_stream(lib.Stream()),
    "Event.elapsed_time": lambda lib: lib.Event(enable_timing=True).elapsed_time(lib.Event(enable_timing=True)),
    "Event.elapsed_time untimed": lambda lib: lib.Event(enable_timing=True).elapsed_time(lib.Event()),
    "Event.query": lambda lib: (lib.Event().query(), lib.Event().synchronize(), lib.Event().wait(), lib.Stream().query()),
    "Event.ipc_handle": lambda lib: lib.Event().ipc_handle(), "equal": lambda lib: lib.Stream() == lib.Stream("cpu"),
    "cuda.Event": lambda lib: lib.cuda.Event(), "cuda.set_stream": lambda lib: lib.cuda.set_stream(None),
    "cuda.Stream": lambda lib: lib.cuda.Stream(),
    "accelerator.current_accelerator": lambda lib: lib.accelerator.current_accelerator(),
    "accelerator.is_available": lambda lib: lib.accelerator.is_available(),
    "accelerator.device_count": lambda lib: lib.accelerator.device_count(),
    "accelerator.synchronize": lambda lib: lib.accelerator.synchronize(),
    "accelerator.synchronize cuda": lambda lib: lib.accelerator.synchronize("cuda"),
    "accelerator.synchronize 0": lambda lib: lib.accelerator.synchronize(0),
    "accelerator.current_device_index": lambda lib: lib.accelerator.current_device_index(),
    "accelerator.set_device_index": lambda lib: lib.accelerator.set_device_index(0),
    "accelerator.current_stream": lambda lib: lib.accelerator.current_stream(),
    "accelerator.empty_cache": lambda lib: lib.accelerator.empty_cache(),
    "accelerator.memory_stats": lambda lib: dict(lib.accelerator.memory_stats()),
    "accelerator.memory_allocated": lambda lib: lib.accelerator.memory_allocated(),
    "accelerator.max_memory_allocated": lambda lib: lib.accelerator.max_memory_allocated(),
    "accelerator.reset_peak_memory_stats": lambda lib: lib.accelerator.reset_peak_memory_stats(),
    "cuda.default_generators": lambda lib: [*lib.cuda.default_generators],
    "cuda.device_of": lambda lib: lib.cuda.device_of(lib.ones(1)).idx,
    "cuda.memory_allocated": lambda lib: lib.cuda.memory_allocated(),
    "cuda.StreamContext": lambda lib: lib.cuda.stream(None).__enter__(),
    "accelerator.get_memory_info": lambda lib: lib.accelerator.get_memory_info(),
    "accelerator.device_index": lambda lib: lib.accelerator.device_index(0).__enter__(),
    "accelerator.device_index None": lambda lib: lib.accelerator.device_index(None).__enter__(),
    "accelerator.set_device_index -1": lambda lib: lib.accelerator.set_device_index(-1),
}
# PyTorch's CPU build fails here by "Torch not compiled with CUDA enabled", or by its own missing parts.
NEED_A_GPU = {
    "cuda.current_stream": lambda lib: lib.cuda.current_stream(),
    "cuda.default_stream": lambda lib: lib.cuda.default_stream(),
    "cuda.can_device_access_peer": lambda lib: lib.cuda.can_device_access_peer(0, 0),
    "cuda.memory_summary": lambda lib: lib.cuda.memory_summary(),
    "cuda.reset_peak_memory_stats": lambda lib: lib.cuda.reset_peak_memory_stats(),
}


def outcome(call, lib):
    try:
        return call(lib)
    except Exception as error:  # noqa: BLE001 - compared
        return type(error).__name__, str(error)


@without_gpu
@pytest.mark.parametrize("name", CALLS)
def test_without_a_gpu(name):
    theirs, mine = (outcome(CALLS[name], lib) for lib in BOTH)
    assert mine == theirs


@without_gpu
@pytest.mark.parametrize("name", NEED_A_GPU)
def test_they_need_a_gpu(name):
    theirs, mine = (outcome(NEED_A_GPU[name], lib) for lib in BOTH)
    assert theirs[0] in ("AssertionError", "AttributeError", "KeyError")
    assert mine == ("AssertionError", "Torch not compiled with CUDA enabled")


@without_gpu
def test_stream_contexts_do_nothing_without_a_gpu():
    for lib in BOTH:
        with lib.cuda.stream(None), lib.cuda.StreamContext(None):
            assert (lib.ones(1) + 1).item() == 2


# -- torch.cpu

def test_cpu_streams():
    def outcomes(lib):
        default, own = lib.cpu.current_stream(), lib.cpu.Stream(priority=0)
        with lib.cpu.stream(own):
            inside = lib.cpu.current_stream() is own
            with lib.cpu.stream(None), lib.cpu.StreamContext(default):
                back = lib.cpu.current_stream() is default
            again = lib.cpu.current_stream() is own
        event = lib.cpu.Event()
        return (inside, back, again, lib.cpu.current_stream("cpu") is default, own.wait_stream(default),
                own.wait_event(event), own.record_event(), event.query(), event.record(), event.record(own), event.wait(),
                event.synchronize())

    assert outcomes(torchlike) == outcomes(torch)


def test_a_cpu_event_that_is_waited_for_runs_what_is_recorded():
    runs = torchlike.counters()["runs"]
    x = torchlike.ones(3) + 1
    event = torchlike.cpu.Event()
    event.record()
    assert torchlike.counters()["runs"] == runs
    event.synchronize()
    assert torchlike.counters()["runs"] == runs + 1 and x.tolist() == [2.0, 2.0, 2.0]


# -- with JAX's CPU in the place of a GPU

@pytest.fixture
def stand_in(monkeypatch):
    cpu = jax.local_devices(backend="cpu")[0]
    monkeypatch.setattr(xla_cuda, "gpu_devices", lambda: (cpu,))
    yield
    streams._current.streams.clear()


@pytest.mark.usefixtures("stand_in")
def test_streams_and_events():
    default, own = torchlike.cuda.default_stream(), torchlike.cuda.Stream()
    assert torchlike.cuda.current_stream() == default != own
    with torchlike.cuda.stream(own):
        assert torchlike.cuda.current_stream() == own
    with own:
        assert torchlike.accelerator.current_stream() == own
    assert torchlike.cuda.current_stream() == default
    start, end = (torchlike.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    x = torchlike.ones(3) + 1
    runs = torchlike.counters()["runs"]
    end.record(own)
    assert torchlike.counters()["runs"] == runs + 1 and x._cell.array is not None
    assert start.elapsed_time(end) > 0 > end.elapsed_time(start)
    assert own.record_event().query() and end.query() and own.query()
    assert torchlike.cuda.can_device_access_peer(0, 0) is False
    with pytest.raises(AssertionError, match="Invalid peer device id"):
        torchlike.cuda.can_device_access_peer(0, 1)
    with pytest.raises(torchlike.UnsupportedError, match="interprocess"):
        torchlike.cuda.Event(interprocess=True)


# -- the peak of memory, with figures as JAX gives them

class Figures:
    """Stands for JAX's device."""

    def __init__(self):
        self.now = self.peak = 0

    def use(self, nbytes):
        self.now, self.peak = nbytes, max(self.peak, nbytes)

    def memory_stats(self):
        return {"bytes_in_use": self.now, "peak_bytes_in_use": self.peak, "pool_bytes": 0, "peak_pool_bytes": 0,
                "bytes_limit": 100}


@pytest.fixture
def figures(monkeypatch):
    gpu = Figures()
    monkeypatch.setattr(xla_cuda, "gpu_devices", lambda: (gpu,))
    monkeypatch.setattr(torchlike.cuda.memory, "_reset", {})
    return gpu


def test_the_peak_since_a_reset(figures):
    peak = torchlike.cuda.max_memory_allocated
    figures.use(50)
    figures.use(10)
    assert peak() == 50
    torchlike.cuda.reset_peak_memory_stats()
    assert peak() == 10  # in use at the reset
    figures.use(30)
    figures.use(5)
    assert peak() == 10  # between two looks and below JAX's peak: not known
    figures.use(20)
    assert peak() == 20
    figures.use(60)
    figures.use(5)
    assert peak() == 60  # above JAX's peak: exact
    torchlike.cuda.reset_max_memory_allocated()
    assert peak() == torchlike.cuda.memory_stats()["peak_bytes_in_use"] == 5
    assert "60" not in torchlike.cuda.memory_summary() and "5 B" in torchlike.cuda.memory_summary()


def test_memory_summary_is_a_frame(figures):
    figures.use(50 * 1024)
    rows = torchlike.cuda.memory_summary().splitlines()
    assert len({len(row) for row in rows}) == 1 and all(row[0] == row[-1] == "|" for row in rows)
    assert any("Allocated memory" in row and "50 KiB" in row for row in rows)


@without_gpu
def test_record_stream_is_for_a_gpu():
    errors = [outcome(lambda lib: lib.ones(1).record_stream(lib.Stream()), lib) for lib in BOTH]
    assert errors[1][0] == errors[0][0] == "NotImplementedError"
    assert errors[0][1].startswith(errors[1][1])


def test_settle_without_devices_runs_what_is_recorded():
    runs = torchlike.counters()["runs"]
    x = torchlike.ones(2) * 2
    streams.settle(())
    assert torchlike.counters()["runs"] == runs + 1 and x.tolist() == [2.0, 2.0]
