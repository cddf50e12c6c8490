"""What NVIDIA's driver tells of a GPU, by the package nvidia-ml-py: load, temperature, power, memory of all processes.

The package is optional, as in PyTorch, and is looked for when something is asked.
"""

import importlib
import os

from torchlike._api import streams
from torchlike._base import device as _dev
from torchlike._compile.backends.registry import backend_of as _backend_of

__all__ = ["clock_rate", "device_memory_used", "list_gpu_processes", "memory_usage", "power_draw", "temperature",
           "utilization"]

_NOT_LOADED = "cuda driver can't be loaded, is cuda enabled?"
_MEGABYTE = 1024 * 1024


def _library():
    """The package, started; ModuleNotFoundError without it, RuntimeError without a driver."""
    try:
        nvml = importlib.import_module("pynvml")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("nvidia-ml-py does not seem to be installed or it can't be imported.") from error
    try:
        nvml.nvmlInit()
    except nvml.NVMLError_DriverNotLoaded as error:
        raise RuntimeError(_NOT_LOADED) from error
    return nvml


def _asked(device):
    """(the package, its handle of a GPU)."""
    nvml = _library()
    return nvml, _handle(nvml, device)


def _handle(nvml, device):
    """The driver knows all GPUs, JAX those that CUDA_VISIBLE_DEVICES names: by number, or by the beginning of a UUID."""
    gpu = _backend_of(_dev.device("cuda", streams.index_of(device))).hardware()
    number = gpu.id if gpu.local_hardware_id is None else gpu.local_hardware_id
    visible = [name.strip() for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name.strip()]
    name = visible[number] if visible else str(number)
    if name.isdecimal():
        return nvml.nvmlDeviceGetHandleByIndex(int(name))
    for index in range(nvml.nvmlDeviceGetCount()):
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
        uuid = nvml.nvmlDeviceGetUUID(handle)
        if (uuid.decode() if isinstance(uuid, bytes) else uuid).startswith(name):
            return handle
    raise RuntimeError(f"device {number} is not visible (CUDA_VISIBLE_DEVICES={visible})")


def device_memory_used(device=None) -> int:
    """How many bytes of a GPU's memory all processes have.
    https://pytorch.org/docs/stable/generated/torch.cuda.device_memory_used.html

    Args:
        device: a GPU, by index, device or name; None means the first.

    Returns:
        a number of bytes.
    """
    nvml, handle = _asked(device)
    return nvml.nvmlDeviceGetMemoryInfo(handle).used


def memory_usage(device=None) -> int:
    """How much of the last period some process read or wrote a GPU's memory.
    https://pytorch.org/docs/stable/generated/torch.cuda.memory_usage.html

    Args:
        device: as for `device_memory_used`.

    Returns:
        a percentage.
    """
    nvml, handle = _asked(device)
    return nvml.nvmlDeviceGetUtilizationRates(handle).memory


def utilization(device=None) -> int:
    """How much of the last period some process had a GPU compute.
    https://pytorch.org/docs/stable/generated/torch.cuda.utilization.html

    Args:
        device: as for `device_memory_used`.

    Returns:
        a percentage.
    """
    nvml, handle = _asked(device)
    return nvml.nvmlDeviceGetUtilizationRates(handle).gpu


def temperature(device=None) -> int:
    """How warm a GPU is.
    https://pytorch.org/docs/stable/generated/torch.cuda.temperature.html

    Args:
        device: as for `device_memory_used`.

    Returns:
        degrees Celsius.
    """
    nvml, handle = _asked(device)
    return nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU)


def power_draw(device=None) -> int:
    """How much power a GPU takes.
    https://pytorch.org/docs/stable/generated/torch.cuda.power_draw.html

    Args:
        device: as for `device_memory_used`.

    Returns:
        milliwatts.
    """
    nvml, handle = _asked(device)
    return nvml.nvmlDeviceGetPowerUsage(handle)


def clock_rate(device=None) -> int:
    """How fast the clock of a GPU's multiprocessors is.
    https://pytorch.org/docs/stable/generated/torch.cuda.clock_rate.html

    Args:
        device: as for `device_memory_used`.

    Returns:
        megahertz.
    """
    nvml, handle = _asked(device)
    return nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM)


def list_gpu_processes(device=None) -> str:
    """Which processes compute on a GPU, and how much of its memory they have.
    https://pytorch.org/docs/stable/generated/torch.cuda.list_gpu_processes.html

    Args:
        device: as for `device_memory_used`.

    Returns:
        a text of a line a process; without nvidia-ml-py or a driver it says so.
    """
    try:
        nvml = _library()
    except ModuleNotFoundError:
        return "pynvml module not found, please install nvidia-ml-py"
    except RuntimeError:
        return _NOT_LOADED
    handle = _handle(nvml, device)
    lines = [f"process {each.pid:>10d} uses {(each.usedGpuMemory or 0) / _MEGABYTE:>12.3f} MB GPU memory"
             for each in nvml.nvmlDeviceGetComputeRunningProcesses(handle)]
    return "\n".join([f"GPU:{nvml.nvmlDeviceGetIndex(handle)}", *(lines or ["no processes are running"])])
