"""Moving and casting a module's tensors: `to`, `float`, `cuda`, ...

https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to
"""

import warnings

from torchlike import _api
from torchlike._api.attributes import replace_memory
from torchlike._base.errors import UnsupportedError
from torchlike.autograd.grad_mode import no_grad
from torchlike.nn.modules._to_arguments import parse_to
from torchlike.nn.parameter import is_lazy

_COMPLEX = (
    "Complex modules are a new feature under active development whose design may change, and some modules "
    "might not work as expected when using complex tensors as parameters or buffers. Please file an issue "
    "at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does "
    "not work as expected."
)


class ModuleConversion:
    """The converting part of `Module`. Parameters keep their identity: only their data is replaced."""

    def _apply(self, fn, recurse=True):
        """Replaces the data of every parameter, gradient and buffer by `fn` of it."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for param in self._parameters.values():
            if param is None:
                continue
            if is_lazy(param):
                param.data = fn(param)
                continue
            with no_grad():
                replace_memory(param, fn(param))
                if param.grad is not None:
                    replace_memory(param.grad, fn(param.grad))
        for name, buf in self._buffers.items():
            if buf is not None:
                self._buffers[name] = fn(buf)
        return self

    def to(self, *args, **kwargs):
        """Moves and casts in place: ``to(device, dtype)``, ``to(dtype)`` or ``to(tensor)``.

        Only floating-point and complex tensors are cast; TypeError on another dtype.
        """
        device, dtype, non_blocking, memory_format = parse_to(*args, **kwargs)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise TypeError("nn.Module.to only accepts floating point or complex dtypes, but got "
                                f"desired dtype={dtype}")
            if dtype.is_complex:
                warnings.warn(_COMPLEX, stacklevel=2)

        def convert(t):
            cast = dtype if t.is_floating_point() or t.is_complex() else None
            layout = {} if memory_format is None or t.dim() not in (4, 5) else {
                "memory_format": memory_format}
            return t.to(device=device, dtype=cast, non_blocking=non_blocking, **layout)

        return self._apply(convert)

    def to_empty(self, *, device, recurse=True):
        """Moves to `device` without copying the values."""
        return self._apply(lambda t: _api.empty_like(t, device=device), recurse=recurse)

    def cuda(self, device=None):
        """Moves every parameter and buffer to the GPU."""
        return self._apply(lambda t: t.cuda(device))

    def cpu(self):
        """Moves every parameter and buffer to the CPU."""
        return self._apply(lambda t: t.cpu())

    def type(self, dst_type):
        """Casts every parameter and buffer."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self):
        """Casts every floating-point parameter and buffer to float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self):
        """Casts every floating-point parameter and buffer to float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self):
        """Casts every floating-point parameter and buffer to float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self):
        """Casts every floating-point parameter and buffer to bfloat16."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def share_memory(self):
        """Not available: a JAX buffer cannot be placed in shared memory."""
        raise UnsupportedError("Module.share_memory() is not supported by torchlike: tensors live in JAX "
                               "buffers, which processes cannot share")
