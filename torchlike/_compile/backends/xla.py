"""What XLA's backends share."""

import contextlib
import os
import pickle
import re
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jaxlib
import numpy as np
from jax.experimental import serialize_executable
from jax.extend.core import jaxpr_as_fun
from jax.sharding import SingleDeviceSharding

from torchlike._compile import disk_cache
from torchlike._compile.backends.backend import Backend
from torchlike._compile.digest import Unknown, of_sources, of_texts
from torchlike._compile.fork_locks import QUIET
from torchlike._compile.jax_private import load_lapack, own_work
from torchlike._ops.promotion import default

ROUNDED = {"xla_allow_excess_precision": False}  # bfloat16 -> float32 -> bfloat16 rounds, as in PyTorch
_NO_SUCH_OPTION = re.compile(r"No such compile option: '(\w+)'")
_missing: set = set()  # options that this jaxlib does not know


class XlaBackend(Backend):
    """One device of JAX's. A class below says which one, and with which options XLA compiles for it."""

    in_host_memory = False
    has_values = True
    is_accelerator = False
    draws_as_pytorch = False
    runs_jax = True
    runs_chains = False
    legacy_module = "torch"

    def __init__(self, device):
        self.device = device
        self._sharding = None

    def describe(self, shape, dtype):
        if self._sharding is None:
            self._sharding = SingleDeviceSharding(self.hardware())
        with own_work():
            return jax.ShapeDtypeStruct(shape, dtype, sharding=self._sharding)

    def place(self, array):
        with own_work():
            return jax.device_put(array, self.hardware())

    def to_jax(self, array):
        return array

    def read(self, array):
        with own_work():  # from an accelerator it is a transfer
            return np.asarray(array)

    def is_ready(self, array):
        return array.is_ready()

    def tracing(self, precision: str) -> contextlib.AbstractContextManager:
        return contextlib.nullcontext()

    def interpret(self, jaxpr, sizes=()) -> Callable | None:
        return None

    def rewritten(self, jaxpr) -> Callable | None:
        return None

    def compile_kernel(self, kernel):
        evaluate = self.rewritten(kernel.jaxpr) or jaxpr_as_fun(kernel.jaxpr)

        def function(*arrays):
            return evaluate(*arrays)

        function.__name__ = function.__qualname__ = kernel.name
        with own_work():
            return self._compiled(kernel.traced_digest, self.kernel_options(kernel.elements, kernel.precision),
                                  lambda: jax.jit(function).lower(*kernel.arguments()))

    def operand(self, array):
        return array

    def number(self, kind):
        return kind

    def result(self, array):
        return array

    def compile_program(self, function, arguments, donated, digest):
        def lowered():
            with QUIET:
                return jax.jit(function, donate_argnums=donated, keep_unused=True).lower(*arguments)

        with own_work():
            return self._compiled(digest, self.program_options(arguments), lowered)

    def has_compiled(self, digest, arguments):
        folder, name = self._kept(digest, self.program_options(arguments))
        return folder is not None and folder.holds(name)

    def _compiled(self, digest, options, lower):
        """The jax.stages.Compiled of what `lower` returns: from disk, or else put there."""
        folder, name = self._kept(digest, options)
        if folder is None:
            return compiled(lower(), options)
        found = _unpacked(folder.read(name), self.hardware())
        if found is None:
            found = compiled(lower(), options)
            folder.write(name, _packed(found))
        else:
            disk_cache.counters["cache_hits"] += 1
        return found

    def _kept(self, digest, options) -> tuple:
        """(the folder of what has been compiled or None, the file's name there)."""
        folder = disk_cache.folder() if digest else None
        if folder is None:
            return None, ""
        try:
            return folder, of_texts(digest, of_sources(), repr(sorted(options.items())), repr(self.circumstances()))
        except Unknown:
            return None, ""

    def circumstances(self) -> tuple:
        """What compiled code depends on besides the program and XLA's options."""
        device: Any = self.hardware()
        settings = [(name, value) for name, value in jax.config.values.items() if "cache" not in name]
        return (jax.__version__, jaxlib.__version__, device.device_kind, device.client.platform_version,
                os.environ.get("XLA_FLAGS"), default.dtype, settings)

    def kernel_options(self, elements: int, precision: str) -> dict:
        """XLA's options for a kernel whose largest array has so many elements; ``precision``: see `Backend.tracing`."""
        return ROUNDED

    def program_options(self, arguments: Sequence) -> dict:
        """XLA's options for a whole program of such arguments."""
        return ROUNDED

    @abstractmethod
    def hardware(self): ...

    def check_reachable(self):
        return None

    def synchronize(self):
        # Work is done in order: a computation that is asked for now ends after all others.
        with own_work():
            jax.block_until_ready(_touch(self.place(np.zeros((), np.int32))))


def _packed(made) -> bytes | None:
    """A jax.stages.Compiled as bytes; None where that cannot be: it calls Python, say."""
    try:
        return pickle.dumps(serialize_executable.serialize(made))
    except Exception:  # noqa: BLE001 - JAX's, XLA's and pickle's
        return None


def _unpacked(data: bytes | None, device):
    """The jax.stages.Compiled that became `data`, on that device; None where it did not, or no longer can be had."""
    if data is None:
        return None
    try:
        if b"lapack_" in data:
            load_lapack()
        return serialize_executable.deserialize_and_load(*pickle.loads(data), backend=device.client,
                                                         execution_devices=[device])
    except Exception:  # noqa: BLE001 - the file is as if it were not there
        return None


@jax.jit
def _touch(x):
    return x + 1


def compiled(lowered, options: dict):
    """The jax.stages.Compiled of a jax.stages.Lowered, without the options that this jaxlib does not know.

    Raises:
        What XLA raises.
    """
    options = {name: value for name, value in options.items() if name not in _missing}
    try:
        return lowered.compile(compiler_options=options or None)
    except jax.errors.JaxRuntimeError as error:
        unknown = _NO_SUCH_OPTION.search(str(error))
        if unknown is None or unknown[1] not in options:
            raise
    _missing.add(unknown[1])
    return compiled(lowered, options)
