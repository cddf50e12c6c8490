"""`torch.cuda` with a GPU: memory, waiting, streams, events, random numbers, the profiler."""

import time

import pytest

import torchlike as torch
from tests.gpu import ON_A_GPU

pytestmark = ON_A_GPU
MEGABYTE = 1 << 20


# -- memory

def test_memory_is_counted():
    before = torch.cuda.memory_allocated()
    x = torch.ones(4 * MEGABYTE, device="cuda")  # 16 MB
    during = torch.cuda.memory_allocated()
    assert during - before >= x.nbytes and torch.cuda.max_memory_allocated() >= during
    del x
    assert torch.cuda.memory_allocated() < during
    torch.cuda.empty_cache()
    torch.cuda.ipc_collect()


def test_other_figures():
    torch.cuda.reset_peak_memory_stats()
    stats, (free, total) = torch.cuda.memory_stats(), torch.cuda.mem_get_info()
    assert 0 < free <= total and stats["bytes_in_use"] <= stats["peak_bytes_in_use"]
    assert torch.cuda.memory_reserved() >= 0 and torch.cuda.max_memory_reserved() >= 0
    assert "Allocated memory" in torch.cuda.memory_summary()
    assert torch.accelerator.memory_allocated() == torch.cuda.memory_allocated()


# -- waiting

def test_synchronize_runs_what_is_recorded():
    x = torch.ones(3, device="cuda") + 1
    runs = torch.counters()["runs"]
    torch.cuda.synchronize()
    assert torch.counters()["runs"] == runs + 1 and x.tolist() == [2.0, 2.0, 2.0]
    torch.accelerator.synchronize()


def test_events_take_the_time_of_what_is_between_them():
    x = torch.ones(2000, 2000, device="cuda")
    (x @ x).sum().item()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    before = time.perf_counter()
    start.record()
    for _ in range(50):
        x = x @ x * 1e-4
    end.record()
    wall = (time.perf_counter() - before) * 1e3
    assert end.query() and 0 < start.elapsed_time(end) <= wall
    assert end.elapsed_time(start) < 0


def test_errors_of_elapsed_time():
    timed, other = torch.cuda.Event(enable_timing=True), torch.cuda.Event()
    with pytest.raises(ValueError, match="Both events must be created with argument 'enable_timing=True'"):
        timed.elapsed_time(other)
    with pytest.raises(ValueError, match="Both events must be recorded before calculating elapsed time"):
        timed.elapsed_time(torch.cuda.Event(enable_timing=True))


def test_streams():
    default, own = torch.cuda.default_stream(), torch.cuda.Stream()
    assert torch.cuda.current_stream() == default != own
    with torch.cuda.stream(own):
        assert torch.cuda.current_stream() == own
        own.wait_stream(default)
        event = own.record_event()
    assert torch.cuda.current_stream() == default and event.query() and own.query()
    with own:
        assert torch.accelerator.current_stream().stream_id == own.stream_id
    torch.ones(1, device="cuda").record_stream(own)
    assert isinstance(own, torch.Stream) and isinstance(event, torch.Event)


def test_accelerator():
    assert torch.accelerator.current_accelerator() == torch.device("cuda")
    assert torch.accelerator.current_device_index() == 0 and torch.accelerator.device_count() >= 1


# -- random numbers

def test_seeds_and_states():
    torch.manual_seed(0)
    first = torch.rand(1000, device="cuda")
    state = torch.cuda.get_rng_state()
    second = torch.randn(5, device="cuda")
    torch.cuda.set_rng_state(state)
    assert torch.randn(5, device="cuda").equal(second)
    torch.cuda.manual_seed(0)
    assert torch.rand(1000, device="cuda").equal(first) and 0 <= first.min().item() < first.max().item() < 1
    assert torch.cuda.initial_seed() == 0 and len(torch.cuda.get_rng_state_all()) == torch.cuda.device_count()


def test_the_cpu_draws_as_without_a_gpu():
    torch.manual_seed(0)
    alone = torch.rand(5)
    torch.manual_seed(0)
    torch.rand(3, device="cuda")
    assert torch.rand(5).equal(alone)


def test_generators():
    def draw():
        return torch.randn(4, device="cuda", generator=torch.Generator("cuda").manual_seed(7))

    assert draw().equal(draw())
    with pytest.raises(RuntimeError, match="Expected a 'cuda' device type for generator but found 'cpu'"):
        torch.rand(3, device="cuda", generator=torch.Generator())
    with torch.random.fork_rng():
        inside = torch.rand(4, device="cuda")
    assert torch.rand(4, device="cuda").equal(inside)


@pytest.mark.parametrize(("draw", "mean", "spread"), [
    (lambda n: torch.rand(n, device="cuda"), 0.5, 12 ** -0.5), (lambda n: torch.randn(n, device="cuda"), 0.0, 1.0),
    (lambda n: torch.empty(n, device="cuda").exponential_(), 1.0, 1.0),
    (lambda n: torch.nn.functional.dropout(torch.ones(n, device="cuda"), 0.5), 1.0, 1.0),
    (lambda n: torch.full((n,), 0.25, device="cuda").bernoulli(), 0.25, 0.4330127),
    (lambda n: torch.randint(0, 3, (n,), device="cuda").float(), 1.0, 0.8164966),
    (lambda n: torch.poisson(torch.full((n,), 4.0, device="cuda")), 4.0, 2.0),
], ids=["rand", "randn", "exponential_", "dropout", "bernoulli", "randint", "poisson"])
def test_distributions(draw, mean, spread):
    torch.manual_seed(0)
    found = draw(100_000)
    assert found.device.type == "cuda"
    assert found.mean().item() == pytest.approx(mean, abs=0.03) and found.std().item() == pytest.approx(spread, rel=0.03)


def test_permutations():
    found = torch.randperm(100, device="cuda")
    assert found.device.type == "cuda" and found.sort().values.tolist() == list(range(100))
    assert torch.multinomial(torch.ones(5, device="cuda"), 5).sort().values.tolist() == list(range(5))


# -- the profiler

def test_profile_has_device_times():
    x = torch.ones(500, 500, device="cuda")
    with torch.profiler.profile() as found:
        (x @ x).sum().item()
    row = next(row for row in found.key_averages() if row.key == "aten::mm")
    assert row.device_time_total > 0
    assert "CUDA total" in found.key_averages().table(sort_by="cuda_time_total")
