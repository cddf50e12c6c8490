"""Calling XLA's compiler: with which options, and for many small programs at once."""

import concurrent.futures
import os
import re
import threading

import jax

# jaxlib 0.10 hands matrix products on the CPU to its YNN library, which runs each on one thread:
# (512, 512) x (512, 128) in float32 takes 0.7 ms on two cores, 0.25 ms with Eigen. Sums along the first
# dimension are faster with it (0.02 ms against 0.1), so these stay.
_ANY = {"xla_allow_excess_precision": False}  # bfloat16 -> float32 -> bfloat16 rounds, as in PyTorch
_PROGRAM = {**_ANY, "xla_cpu_experimental_ynn_fusion_type": "LIBRARY_FUSION_TYPE_REDUCE"}
# A kernel of the cold tier runs a few times and then its program takes over, so compiling it is what it
# costs: 29 ms with everything, 18 without the fusion emitters at level 1, 14 at level 0 (means of ten
# kernels). What that loses grows with the arrays: nothing up to 4096 elements, at 131072 a factor of 1.5
# at level 1 and of 2 to 5 at level 0.
_QUICK = {**_PROGRAM, "xla_cpu_use_fusion_emitters": False}
_KERNEL = ((4096, {**_QUICK, "xla_backend_optimization_level": 0}),
           (131072, {**_QUICK, "xla_backend_optimization_level": 1}))
_NO_SUCH_OPTION = re.compile(r"No such compile option: '(\w+)'")
_missing: set = set()  # options that this jaxlib does not know
_pool: list = []
_LOCK = threading.Lock()


def program(lowered, platform: str):
    """The jax.stages.Compiled of a whole program's jax.stages.Lowered for "cpu" or "cuda"; raises what XLA raises."""
    return _compile(lowered, _PROGRAM if platform == "cpu" else _ANY)


def kernel(lowered, platform: str, elements: int):
    """The same of one kernel, whose largest array has so many elements."""
    if platform != "cpu":
        return _compile(lowered, _ANY)
    return _compile(lowered, next((options for bound, options in _KERNEL if elements <= bound), _PROGRAM))


def _compile(lowered, options):
    options = {name: value for name, value in options.items() if name not in _missing}
    try:
        return lowered.compile(compiler_options=options or None)
    except jax.errors.JaxRuntimeError as error:
        unknown = _NO_SUCH_OPTION.search(str(error))
        if unknown is None or unknown[1] not in options:
            raise
    _missing.add(unknown[1])
    return _compile(lowered, options)


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
