"""Calling XLA's compiler: with which options, and for many small programs at once."""

import concurrent.futures
import os
import threading

import jax

# jaxlib 0.10 hands matrix products on the CPU to its YNN library, which runs each on one thread:
# (512, 512) x (512, 128) in float32 takes 0.7 ms on two cores, 0.25 ms with Eigen. Sums along the first
# dimension are faster with it (0.02 ms against 0.1), so these stay.
_CPU_OPTIONS = {"xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_REDUCE"}
_UNKNOWN = "No such compile option"
_options: list = [_CPU_OPTIONS]
_pool: list = []
_LOCK = threading.Lock()


def compiled(lowered, platform: str):
    """The jax.stages.Compiled of a jax.stages.Lowered for "cpu" or "cuda". Raises what XLA raises."""
    options = _options[0] if platform == "cpu" else None
    if options is None:
        return lowered.compile()
    try:
        return lowered.compile(compiler_options=options)
    except jax.errors.JaxRuntimeError as error:
        if _UNKNOWN not in str(error):
            raise
    _options[0] = None  # a jaxlib without that library
    return lowered.compile()


def together(kernels) -> None:
    """Compile these kernels, a thread for each core: XLA lets go of Python while it compiles.

    A kernel that cannot be compiled stays as it is; who needs it meets the error.
    """
    if len(kernels) > 1:
        list(_executor().map(_try, kernels))


def _try(kernel) -> None:
    try:
        _ = kernel.compiled
    except Exception:  # noqa: BLE001 - raised again, at the user's line, when the kernel is called
        return


def _executor():
    with _LOCK:
        if not _pool:
            _pool.append(concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1, "torchlike-kernels"))
    return _pool[0]
