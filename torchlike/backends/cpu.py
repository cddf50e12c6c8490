"""`torch.backends.cpu`: https://pytorch.org/docs/stable/backends.html#module-torch.backends.cpu"""

import functools
import pathlib

__all__ = ["get_cpu_capability"]
_FLAGS = {"avx512f": "AVX512", "avx2": "AVX2"}


@functools.cache
def get_cpu_capability() -> str:
    """The widest vectors that the processor has: "AVX512", "AVX2", or "DEFAULT" for others and where it does not tell.
    https://pytorch.org/docs/stable/backends.html#torch.backends.cpu.get_cpu_capability
    """
    told = pathlib.Path("/proc/cpuinfo")
    flags = set(told.read_text().split()) if told.exists() else set()
    return next((name for flag, name in _FLAGS.items() if flag in flags), "DEFAULT")
