"""What PyTorch's packages use of kernels, devices and executors.

`optim`, `interop`, `profiler`, `func` and `utils` import this and the recorder, and nothing of `torchlike/_compile/`.

A pure function of jax arrays becomes one instruction of the trace in two steps: `function_kernel` makes its kernel, once for
each key, and `record` calls it on Tensors. Gradients come from `jax.vjp` of the function. An optimizer joins such kernels
(`step_kernel`) and overwrites what they read (`update` in update.py).
"""

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from torchlike._base.device import CPU
from torchlike._base.device import device as Device
from torchlike._base.dtypes import dtype as DType
from torchlike._compile import avals
from torchlike._compile.avals import Aval as Aval
from torchlike._compile.backends.registry import accelerators as accelerators
from torchlike._compile.backends.registry import backend_of as backend_of
from torchlike._compile.backends.registry import device_of as device_of
from torchlike._compile.executors.forked import Server as ForkServer
from torchlike._compile.executors.forked import helped as helped
from torchlike._compile.jax_private import own_work as own_work
from torchlike._compile.jax_private import trace_of as trace_of
from torchlike._compile.jax_private import users_work as users_work
from torchlike._compile.kernels import AuxKernel, Kernel, TracedKernel, cache
from torchlike._compile.steps import StepKernel
from torchlike._record.bind import bind_kernel
from torchlike._record.cell import Storage
from torchlike._record.tensor import Tensor, wrap
from torchlike._record.trace import state

__all__ = [
    "Aval",
    "ForkServer",
    "accelerators",
    "aux_kernel",
    "backend_of",
    "dense_like",
    "device_of",
    "form",
    "function_kernel",
    "helped",
    "own_work",
    "plain_forms",
    "record",
    "step_kernel",
    "tensor_of_values",
    "trace_of",
    "users_work",
]


# -- kernels

def function_kernel(key: Hashable, name: str, make: Callable[[], Callable], ins: tuple, numbers: tuple = (),
                    family: Hashable = None) -> Kernel:
    """The kernel of a pure function, traced on first use.

    Args:
        key: what the function depends on; functions of one key are the same.
        name: what profiles and JAX call it.
        make: returns the function: of as many jax arrays as there are `ins` and 0-d arrays as there are `numbers`, returns
            a tuple of arrays. Called if the key is new.
        ins: the Avals of the arrays, contiguous, of one device: see `plain_forms`.
        numbers: the Python types of the numbers (float, int, bool, complex).
        family: what the function depends on besides sizes, if it computes the same at every size, as a rule: then one that
            does so element by element is traced once for all sizes.

    Raises:
        What the function raises for such arrays.
    """
    return cache.intern(key, lambda: TracedKernel(name, make(), ins, numbers, ins[0].device, family=family))


def aux_kernel(key: Hashable, name: str, function: Callable, ins: tuple) -> AuxKernel:
    """As `function_kernel`, of a function that returns (a tuple of arrays, a note): ``aux`` of the kernel is the note."""
    return cache.intern(key, lambda: AuxKernel(name, function, ins, (), ins[0].device))


def step_kernel(parts: tuple, shared: tuple) -> Kernel:
    """Kernels side by side, for an optimizer's step: see `torchlike/_compile/steps.py`.

    Args:
        parts: kernels with the same numbers, on one device.
        shared: the Avals of the arrays that all of them read last.
    """
    return cache.intern(("optimizer step", parts, shared), lambda: StepKernel(parts, shared))


def record(kernel: Kernel, tensors: Sequence[Tensor], numbers: Sequence = ()) -> Sequence[Tensor]:
    """Record a call of a kernel, with history where a gradient can flow: its results as Tensors.

    Args:
        kernel: what to call.
        tensors: a Tensor for each of its arrays.
        numbers: a Python number for each of its numbers. A value that changes from call to call compiles nothing anew.
    """
    return bind_kernel(kernel, tensors, numbers)


# -- forms

def form(shape: tuple, dtype: DType, device: Device = CPU, strides: tuple | None = None) -> Aval:
    """The Aval, which is interned, of a tensor of this shape; `strides` None means contiguous."""
    return avals.aval(shape, dtype, device, strides)


def plain_forms(tensors: Sequence[Tensor]) -> tuple:
    """The Avals under which a kernel sees these tensors: contiguous ones."""
    return tuple([x._cell.aval.plain for x in tensors])


def dense_like(like: Aval) -> Aval:
    """The Aval of a new tensor like one of `like`: its strides if these are dense, as `torch.empty_like` has them."""
    return avals.aval(tuple(like.shape), like.dtype, like.device, avals.preserved_strides(like))


def tensor_of_values(values: np.ndarray, like: Aval) -> Tensor:
    """A Tensor with these values, contiguous in memory, and the shape, dtype, device and strides of `like`; records nothing.

    Nobody may write to `values` afterwards.
    """
    made: Any = wrap(Storage(None, -1, like, backend_of(like.device).place(values)))
    made._cell.inference = state.thread.inference
    return made
