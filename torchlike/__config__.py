"""`torch.__config__`: what torchlike is built on. https://pytorch.org/docs/stable/config_mod.html"""

import os
import platform

import jax
import jaxlib
import numpy as np

from torchlike import version
from torchlike._base.settings import get_num_interop_threads, get_num_threads


def show() -> str:
    """A text for people: torchlike, and the versions of what computes.
    https://pytorch.org/docs/stable/config_mod.html#torch.__config__.show
    """
    parts = {"torchlike, for programs of PyTorch": version.full, "Python": platform.python_version(),
             "JAX": jax.__version__, "jaxlib (XLA)": jaxlib.__version__, "numpy": np.__version__}
    return "PyTorch built with:\n" + "".join(f"  - {name} {number}\n" for name, number in parts.items())


def parallel_info() -> str:
    """A text for people: numbers of threads.
    https://pytorch.org/docs/stable/config_mod.html#torch.__config__.parallel_info
    """
    variables = "".join(f"\t{name} : {os.environ.get(name, '[not set]')}\n" for name in ("OMP_NUM_THREADS", "XLA_FLAGS"))
    return (f"ATen/Parallel:\n\tat::get_num_threads() : {get_num_threads()}\n"
            f"\tat::get_num_interop_threads() : {get_num_interop_threads()}\n"
            f"std::thread::hardware_concurrency() : {os.cpu_count()}\nEnvironment variables:\n{variables}"
            "ATen parallel backend: XLA, which chooses its own number of threads\n")


def _cxx_flags() -> str:
    """None: there is no C++ of torchlike's own."""
    return ""
