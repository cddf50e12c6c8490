"""Moving and casting a module's tensors: `to`, `float`, `cuda`, ...

https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to
"""

import warnings

from torchlike import _api
from torchlike._api.attributes import replace_memory
from torchlike._base.errors import UnsupportedError
from torchlike._base.settings import conversions
from torchlike.autograd.grad_mode import no_grad
from torchlike.nn.modules._to_arguments import parse_to
from torchlike.nn.parameter import Parameter, is_lazy

_COMPLEX = (
    "Complex modules are a new feature under active development whose design may change, and some modules "
    "might not work as expected when using complex tensors as parameters or buffers. Please file an issue "
    "at https://github.com/pytorch/pytorch/issues/new?template=bug-report.yml if a complex module does "
    "not work as expected."
)


def _converted(param, fn) -> Parameter:
    """A new parameter with `fn` of the data and of the gradient."""
    with no_grad():
        made = Parameter(fn(param), param.requires_grad)
        if param.grad is not None:
            made.grad = fn(param.grad).requires_grad_(param.grad.requires_grad)
    return made


class ModuleConversion:
    """What `Module` has for moving and casting. Parameters keep their identity; their data is replaced.
    https://pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.to
    """

    def _apply(self, fn, recurse=True):
        """Replaces the data of every parameter, gradient and buffer by `fn` of it."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, param in self._parameters.items():
            if param is None:
                continue
            if is_lazy(param):
                param.data = fn(param)
            elif conversions.overwrite:
                self._parameters[name] = _converted(param, fn)
            else:
                with no_grad():
                    replace_memory(param, fn(param))
                    if param.grad is not None:
                        replace_memory(param.grad, fn(param.grad))
        for name, buf in self._buffers.items():
            if buf is not None:
                self._buffers[name] = fn(buf)
        return self

    def to(self, *args, **kwargs):
        """Moves and casts parameters and buffers in place. Only those of floating or complex dtype are cast.

        Args:
            args, kwargs: ``to(device, dtype)``, ``to(dtype)`` or ``to(tensor)``, with the keywords `non_blocking` and
                `memory_format`.

        Returns:
            self.

        Raises:
            TypeError: the dtype is neither floating nor complex.
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
        """Moves parameters and buffers without their values.

        Args:
            device: the device.
            recurse: whether modules inside are moved, too.

        Returns:
            self, with arbitrary values.
        """
        return self._apply(lambda t: _api.empty_like(t, device=device), recurse=recurse)

    def cuda(self, device=None):
        """Moves every parameter and buffer to a GPU.

        Args:
            device: which one; None means the current one.

        Returns:
            self.
        """
        return self._apply(lambda t: t.cuda(device))

    def ipu(self, device=None):
        """PyTorch's error for a device that JAX has not, as `xpu` and `mtia`.

        Args:
            device: not looked at.

        Returns:
            self, where there is nothing to move.
        """
        return self._apply(lambda t: t.ipu())

    def xpu(self, device=None):
        """As `ipu`.

        Args:
            device: not looked at.

        Returns:
            self, where there is nothing to move.
        """
        return self._apply(lambda t: t.xpu())

    def mtia(self, device=None):
        """As `ipu`.

        Args:
            device: not looked at.

        Returns:
            self, where there is nothing to move.
        """
        return self._apply(lambda t: t.mtia())

    def cpu(self):
        """Moves every parameter and buffer to the CPU, and returns self."""
        return self._apply(lambda t: t.cpu())

    def type(self, dst_type):
        """Casts every parameter and buffer.

        Args:
            dst_type: a dtype.

        Returns:
            self.
        """
        return self._apply(lambda t: t.type(dst_type))

    def float(self):
        """Casts every floating parameter and buffer to float32, and returns self."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self):
        """Casts every floating parameter and buffer to float64, and returns self."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self):
        """Casts every floating parameter and buffer to float16, and returns self."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self):
        """Casts every floating parameter and buffer to bfloat16, and returns self."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def share_memory(self):
        """Refused: processes cannot share JAX's buffers.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError("Module.share_memory() is not supported by torchlike: tensors live in JAX "
                               "buffers, which processes cannot share")
