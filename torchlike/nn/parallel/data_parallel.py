"""A module on the one GPU: https://pytorch.org/docs/stable/generated/torch.nn.DataParallel.html"""

from torchlike._base import device as devices
from torchlike._base.errors import UnsupportedError
from torchlike._compile.backends.registry import accelerators
from torchlike._record.tensor import Tensor
from torchlike.nn.modules.module import Module


class DataParallel(Module):
    """Calls a module on the GPU, if there is one. Differs from PyTorch: it does not split batches over several GPUs;
    `jax.sharding` does. https://pytorch.org/docs/stable/generated/torch.nn.DataParallel.html

    Args:
        module: the module; its parameters are moved to the GPU.
        device_ids: the one GPU to use; None means all that there are.
        output_device: kept, without effect.
        dim: kept, without effect.

    Raises:
        UnsupportedError: more than one GPU.
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module = module
        self.device_ids = _gpus(device_ids)
        if self.device_ids:
            self.dim, self.output_device = dim, self.device_ids[0] if output_device is None else output_device
            self.src_device_obj = devices.device("cuda", self.device_ids[0])
            module.to(self.src_device_obj)

    def forward(self, *inputs, **kwargs):
        if self.device_ids:
            inputs, kwargs = _moved(inputs, self.src_device_obj), _moved(kwargs, self.src_device_obj)
        return self.module(*inputs, **kwargs)


def _gpus(device_ids) -> list:
    if not accelerators():
        return []
    chosen = range(len(accelerators())) if device_ids is None else device_ids
    found = [i if isinstance(i, int) else devices.device(i).index or 0 for i in chosen]
    if len(found) > 1:
        raise UnsupportedError("torch.nn.DataParallel on several GPUs is not supported: give device_ids=[0], or see "
                               "jax.sharding for many devices")
    return found


def _moved(x, device):
    """`x` with its tensors on the device, inside tuples, lists and dicts, too."""
    if isinstance(x, Tensor):
        return x.to(device)
    if isinstance(x, dict):
        return type(x)((key, _moved(value, device)) for key, value in x.items())
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*(_moved(value, device) for value in x))
    return type(x)(_moved(value, device) for value in x) if isinstance(x, tuple | list) else x


def data_parallel(module, inputs, device_ids=None, output_device=None, dim=0, module_kwargs=None):
    """The function form of `DataParallel`.

    Args:
        inputs: a tuple of the module's arguments, or its only one.
        module, device_ids, output_device, dim: as for `DataParallel`.
        module_kwargs: a dict of the module's keyword arguments.

    Returns:
        The module's result.

    Raises:
        RuntimeError: there is no GPU, as in PyTorch.
    """
    if not accelerators():
        raise RuntimeError("device type could not be determined")
    arguments = inputs if isinstance(inputs, tuple) else () if inputs is None else (inputs,)
    return DataParallel(module, device_ids, output_device, dim)(*arguments, **(module_kwargs or {}))
