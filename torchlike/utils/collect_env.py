"""`torch.utils.collect_env`: what a report of an error should say: ``python -m torchlike.utils.collect_env``"""

import importlib.metadata
import os
import platform
import sys
from typing import NamedTuple

from torchlike import cuda, version

_PACKAGES = ("torchlike", "torch", "jax", "jaxlib", "flax", "optax", "numpy", "ml_dtypes")


class SystemEnv(NamedTuple):
    """What `get_env_info` finds.

    Args:
        torch_version: torchlike's, with PyTorch's before it.
        os, libc_version, python_version, python_platform, cpu_info: of the machine.
        is_cuda_available, nvidia_gpu_models: of its GPUs.
        pip_packages: (name, version) of the packages that matter.
    """

    torch_version: str
    os: str
    libc_version: str
    python_version: str
    python_platform: str
    is_cuda_available: str
    nvidia_gpu_models: str
    cpu_info: str
    pip_packages: list


def get_env_info() -> SystemEnv:
    """What there is, as a `SystemEnv`."""
    gpus = [cuda.get_device_name(i) for i in range(cuda.device_count())]
    return SystemEnv(
        version.full, f"{platform.system()} {platform.release()}", "-".join(platform.libc_ver()),
        sys.version.replace("\n", " "), platform.platform(), str(bool(gpus)), "\n".join(gpus) or "No CUDA",
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores", _packages())


def _packages() -> list:
    found = []
    for name in _PACKAGES:
        try:
            found.append((name, importlib.metadata.version(name)))
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def pretty_str(envinfo: SystemEnv) -> str:
    """The same as a text.

    Args:
        envinfo: what `get_env_info` found.

    Returns:
        a text of several lines.
    """
    lines = [f"{name.replace('_', ' ')}: {value}" for name, value in envinfo._asdict().items() if name != "pip_packages"]
    return "\n".join([*lines, "", "Versions of relevant libraries:", *(f"[pip3] {n}=={v}" for n, v in envinfo.pip_packages)])


def get_pretty_env_info() -> str:
    """What there is, as a text."""
    return pretty_str(get_env_info())


def main() -> None:
    """Prints it."""
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
