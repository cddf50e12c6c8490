"""What each engine says of the GPU: its name, the largest use of memory, and when it was busy."""

import contextlib
import importlib
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

Spans = list[tuple[float, float]]  # seconds, (begin, end)


def union(spans: Iterable[tuple[float, float]]) -> float:
    """The seconds that at least one of the spans covers: what runs side by side counts once."""
    covered, until = 0.0, float("-inf")
    for begin, end in sorted(spans):
        covered += max(0.0, end - max(begin, until))
        until = max(until, end)
    return covered


class Torch:
    """PyTorch's CUDA."""

    def __init__(self):
        self.torch = importlib.import_module("torch")
        self.version = self.torch.__version__

    def placed(self, device: str) -> contextlib.AbstractContextManager:
        """A block in which what is made is made on the device."""
        return self.torch.device(device)

    def name(self) -> str:
        """The GPU's name."""
        return self.torch.cuda.get_device_name()

    def peak_bytes(self) -> int:
        """The most that arrays have taken since the process began."""
        return self.torch.cuda.max_memory_allocated()

    def busy(self, run: Callable[[], object]) -> Spans:
        """When the GPU computed or copied while this ran, by CUPTI through PyTorch's profiler."""
        profiler = self.torch.profiler
        with profiler.profile(activities=[profiler.ProfilerActivity.CUDA]) as profile:
            run()
        return [(event.time_range.start * 1e-6, event.time_range.end * 1e-6) for event in profile.events()
                if event.device_type.name == "CUDA" and not event.is_user_annotation]


class Jax:
    """JAX's GPU."""

    def __init__(self):
        self.jax = importlib.import_module("jax")
        self.version = self.jax.__version__

    def _gpu(self):
        return self.jax.local_devices(backend="gpu")[0]

    def placed(self, device: str) -> contextlib.AbstractContextManager:
        """Nothing to say: arrays are made on JAX's first device."""
        return contextlib.nullcontext()

    def name(self) -> str:
        """The GPU's name."""
        return self._gpu().device_kind

    def peak_bytes(self) -> int:
        """The most that arrays and the temporaries of programs have taken since the process began."""
        return self._gpu().memory_stats()["peak_bytes_in_use"]

    def busy(self, run: Callable[[], object]) -> Spans:
        """When the GPU computed or copied while this ran, by CUPTI through JAX's profiler."""
        with tempfile.TemporaryDirectory() as folder:
            with self.jax.profiler.trace(folder):
                run()
            found = [self.jax.profiler.ProfileData.from_file(str(file)) for file in Path(folder).rglob("*.xplane.pb")]
            return [span for data in found for plane in data.planes for span in spans_of(plane)]


class Torchlike(Jax):
    """JAX's GPU under torchlike's names."""

    def __init__(self):
        super().__init__()
        self.torchlike = importlib.import_module("torchlike")
        self.version = f"{self.torchlike.__version__}, jax {self.version}"

    def placed(self, device: str) -> contextlib.AbstractContextManager:
        """A block in which what is made is made on the device."""
        return self.torchlike.device(device)

    def name(self) -> str:
        """The GPU's name."""
        return self.torchlike.cuda.get_device_name()

    def peak_bytes(self) -> int:
        """As `Jax.peak_bytes`."""
        return self.torchlike.cuda.max_memory_allocated()


LIBRARIES = {"torch": Torch, "compile": Torch, "torchlike": Torchlike, "jax": Jax}


def spans_of(plane) -> Spans:
    """The work of a GPU in a plane of a profile of JAX's: its streams, without the lines that sum them up."""
    if not plane.name.startswith("/device:GPU"):
        return []
    return [(event.start_ns * 1e-9, (event.start_ns + event.duration_ns) * 1e-9)
            for line in plane.lines if line.name.startswith("Stream") for event in line.events]
