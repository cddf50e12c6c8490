"""`torch.cuda`'s allocators, runtime and driver: as in PyTorch's build for the CPU without a GPU, and refused with one."""

import sys
import types

import pytest
import torch

import torchlike
from compat.compare import check
from compat.compare.tolerances import EXACT
from tests.cuda.standin import printed
from torchlike.cuda import memory

HAS_GPU = torchlike.cuda.is_available()
without_gpu = pytest.mark.skipif(HAS_GPU, reason="what PyTorch's CPU build says without a GPU")

SAME = {
    "arch_list": lambda lib: (lib.cuda.get_arch_list(), lib.cuda.get_gencode_flags()),
    "cudart": lambda lib: lib.cuda.cudart(), "blas": lambda lib: lib.cuda.current_blas_handle(),
    "solver": lambda lib: lib.cuda.current_solver_handle(), "sync mode": lambda lib: lib.cuda.get_sync_debug_mode(),
    "set sync mode": lambda lib: lib.cuda.set_sync_debug_mode("warn"),
    "unknown sync mode": lambda lib: lib.cuda.set_sync_debug_mode("nosuch"),
    "external": lambda lib: lib.cuda.get_stream_from_external(5),
    "ExternalStream": lambda lib: lib.cuda.ExternalStream(5, 0),
    "GreenContext": lambda lib: lib.cuda.GreenContext.create(num_sms=1),
    "cudaStatus": lambda lib: (lib.cuda.cudaStatus.SUCCESS, lib.cuda.cudaStatus.ERROR_NOT_READY),
    "errors": lambda lib: (issubclass(lib.cuda.CudaError, RuntimeError), lib.cuda.DeferredCudaCallError.__bases__,
                           lib.cuda.AcceleratorError is lib.AcceleratorError, str(lib.AcceleratorError("a"))),
    "alloc": lambda lib: lib.cuda.caching_allocator_alloc(8),
    "enable": lambda lib: (lib.cuda.caching_allocator_enable(True), lib.cuda.caching_allocator_enable(False)),
    "no library": lambda lib: lib.cuda.CUDAPluggableAllocator("nosuch.so", "a", "b"),
    "no function": lambda lib: lib.cuda.CUDAPluggableAllocator("libm.so.6", "nosuch", "sin"),
    "fraction": lambda lib: lib.cuda.get_per_process_memory_fraction(),
    "set fraction": lambda lib: lib.cuda.set_per_process_memory_fraction(0.5),
    "pool": lambda lib: lib.cuda.use_mem_pool(None).__enter__(),
    "cached": lambda lib: (lib.cuda.memory_cached(), lib.cuda.max_memory_cached()),
    "host": lambda lib: dict(lib.cuda.host_memory_stats()),
    "accelerator.current_device_idx": lambda lib: lib.accelerator.current_device_idx(),
    "accelerator.set_device_idx": lambda lib: lib.accelerator.set_device_idx(0),
    "accelerator.set_device_idx None": lambda lib: lib.accelerator.set_device_idx(None),
    "accelerator.set_device_index None": lambda lib: lib.accelerator.set_device_index(None),
    "accelerator.empty_host_cache": lambda lib: lib.accelerator.empty_host_cache(),
    "accelerator.get_device_capability": lambda lib: lib.accelerator.get_device_capability(),
    "accelerator.get_device_capability cpu": lambda lib: lib.accelerator.get_device_capability("cpu"),
    "accelerator.reset": lambda lib: lib.accelerator.reset_accumulated_memory_stats(),
    "accelerator.Graph": lambda lib: lib.accelerator.Graph(pool=(1, 2)),
}
# PyTorch's build for the CPU stumbles over its own missing parts here.
STUMBLES = {
    "caching_allocator_delete": (1,), "change_current_allocator": (None,), "get_allocator_backend": (),
    "memory_snapshot": (),
    "reset_accumulated_host_memory_stats": (), "reset_accumulated_memory_stats": (), "reset_peak_host_memory_stats": (),
}
NVML = ("clock_rate", "device_memory_used", "memory_usage", "power_draw", "temperature", "utilization")


@without_gpu
@pytest.mark.parametrize("name", SAME)
def test_as_pytorch_without_a_gpu(name):
    check(SAME[name], tolerance=EXACT)


@without_gpu
@pytest.mark.parametrize("name", STUMBLES)
def test_where_pytorch_stumbles(name):
    with pytest.raises(AttributeError, match=r"module 'torch\._C' has no attribute"):
        getattr(torch.cuda, name)(*STUMBLES[name])
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        getattr(torchlike.cuda, name)(*STUMBLES[name])


@without_gpu
def test_allocators_where_pytorch_stumbles():
    with pytest.raises(AttributeError):
        torch.cuda.CUDAPluggableAllocator("libm.so.6", "sin", "cos")
    with pytest.raises(torchlike.UnsupportedError):
        torchlike.cuda.CUDAPluggableAllocator("libm.so.6", "sin", "cos")
    with pytest.raises(AssertionError), torchlike.cuda.caching_allocator_disabled():
        pass
    with pytest.warns(FutureWarning, match="reset_max_memory_cached now calls"), pytest.raises(AssertionError):
        torchlike.cuda.reset_max_memory_cached()


def test_errors_need_no_gpu():
    torchlike.cuda.check_error(0)
    with pytest.raises(torchlike.cuda.CudaError, match=r"\(2\)"):
        torchlike.cuda.check_error(2)


# -- with a GPU

@pytest.mark.slow
def test_refused_with_a_gpu():
    calls = ("cudart()", "current_blas_handle()", "get_stream_from_external(1)", "ExternalStream(1)", "memory_snapshot()",
             "caching_allocator_alloc(8)", "caching_allocator_enable(False)", "set_sync_debug_mode('warn')",
             "set_per_process_memory_fraction(0.5)", "use_mem_pool(None).__enter__()", "change_current_allocator(None)")
    lines = printed("".join(f"print(error(lambda: torch.cuda.{call}))\n" for call in calls))
    for call, line in zip(calls, lines, strict=True):
        assert line.startswith(f"UnsupportedError: torch.cuda.{call.partition('(')[0]}")


@pytest.mark.slow
def test_answers_with_a_gpu():
    assert printed("""
c = torch.cuda
print(c.get_sync_debug_mode(), c.set_sync_debug_mode("default"), c.get_allocator_backend(), c.caching_allocator_enable())
print(c.get_per_process_memory_fraction(), c.reset_accumulated_host_memory_stats(), c.reset_accumulated_memory_stats())
print(error(lambda: c.set_per_process_memory_fraction(2)), error(lambda: c.set_per_process_memory_fraction(2.0)))
print(error(lambda: torch.accelerator.Graph()), torch.accelerator.empty_host_cache())
print(torch.float32 in torch.accelerator.get_device_capability()["supported_dtypes"])
""") == ["0 None native None", "0.75 None None",
         "TypeError: Invalid type for fraction argument, must be `float` "
         "ValueError: Invalid fraction value: 2.0. Allowed range: 0~1",
         "UnsupportedError: torch.accelerator.Graph is not supported: JAX orders the work itself None", "True"]


# -- the driver

def without_library(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)


@pytest.mark.parametrize("name", NVML)
def test_without_nvml(name, monkeypatch):
    check(lambda lib: getattr(lib.cuda, name)(), tolerance=EXACT)
    without_library(monkeypatch)
    with pytest.raises(ModuleNotFoundError, match="nvidia-ml-py does not seem to be installed"):
        getattr(torchlike.cuda, name)()


def test_processes_without_nvml(monkeypatch):
    without_library(monkeypatch)
    check(lambda lib: lib.cuda.list_gpu_processes(), tolerance=EXACT)


FAKE = """
import types
class NotLoaded(Exception): pass
made = types.SimpleNamespace
def handle(i): return ("GPU-a", "GPU-b", "GPU-c")[i]
sys.modules["pynvml"] = made(
    NVMLError_DriverNotLoaded=NotLoaded, nvmlInit=lambda: None, nvmlDeviceGetHandleByIndex=handle,
    nvmlDeviceGetCount=lambda: 3, nvmlDeviceGetUUID=lambda h: h, nvmlDeviceGetIndex=lambda h: "abc".index(h[-1]),
    NVML_TEMPERATURE_GPU=0, NVML_CLOCK_SM=1,
    nvmlDeviceGetMemoryInfo=lambda h: made(used=(h, "used")),
    nvmlDeviceGetUtilizationRates=lambda h: made(gpu=h, memory=h * 2),
    nvmlDeviceGetTemperature=lambda h, what: (h, what), nvmlDeviceGetPowerUsage=lambda h: h,
    nvmlDeviceGetClockInfo=lambda h, what: (h, what),
    nvmlDeviceGetComputeRunningProcesses=lambda h: [] if h == "GPU-a" else [made(pid=7, usedGpuMemory=3 << 20)])
c = torch.cuda
"""


@pytest.mark.slow
def test_what_nvml_tells():
    assert printed(FAKE + """
print(c.device_memory_used(), c.memory_usage(), c.utilization(), c.temperature(), c.power_draw(), c.clock_rate())
""") == ["('GPU-b', 'used') GPU-bGPU-b GPU-b ('GPU-b', 0) GPU-b ('GPU-b', 1)"]  # JAX's device of that number is the second
    assert printed(FAKE + """
os.environ["CUDA_VISIBLE_DEVICES"] = "2, 0"
print(c.list_gpu_processes())
os.environ["CUDA_VISIBLE_DEVICES"] = "1,GPU-c"
print(c.list_gpu_processes())
os.environ["CUDA_VISIBLE_DEVICES"] = "1,GPU-x"
print(error(lambda: c.power_draw()))
""") == ["GPU:0", "no processes are running", "GPU:2", f"process {7:>10d} uses {3:>12.3f} MB GPU memory",
         "RuntimeError: device 1 is not visible (CUDA_VISIBLE_DEVICES=['1', 'GPU-x'])"]


def test_without_a_driver(monkeypatch):
    class NotLoadedError(Exception):
        pass

    def start():
        raise NotLoadedError

    library = types.SimpleNamespace(NVMLError_DriverNotLoaded=NotLoadedError, nvmlInit=start)
    monkeypatch.setitem(sys.modules, "pynvml", library)
    assert torchlike.cuda.list_gpu_processes() == "cuda driver can't be loaded, is cuda enabled?"
    with pytest.raises(RuntimeError, match="cuda driver can't be loaded"):
        torchlike.cuda.utilization()


def test_allocations_are_counted_anew(monkeypatch):
    figures = {"num_allocs": 5, "bytes_in_use": 8, "pool_bytes": 9}
    monkeypatch.setattr(memory, "_stats", lambda device: dict(figures))
    monkeypatch.setattr(memory, "_need_gpu", lambda: None)
    monkeypatch.setattr(memory.streams, "index_of", lambda device: 0)
    monkeypatch.setattr(memory, "_counted", {})
    assert torchlike.cuda.memory_stats()["num_allocs"] == 5
    torchlike.cuda.reset_accumulated_memory_stats()
    figures["num_allocs"] = 7
    assert torchlike.cuda.memory_stats() == {**figures, "num_allocs": 2}
