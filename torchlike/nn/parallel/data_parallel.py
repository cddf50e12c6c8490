"""A module on the one GPU: https://pytorch.org/docs/stable/generated/torch.nn.DataParallel.html"""

from torchlike._base import device as devices
from torchlike._base.errors import UnsupportedError
from torchlike._compile.backends.registry import accelerators
from torchlike.autograd.grad_mode import is_grad_enabled
from torchlike.nn.modules.module import Module
from torchlike.nn.parallel.parallel_apply import parallel_apply
from torchlike.nn.parallel.replicate import replicate
from torchlike.nn.parallel.scatter_gather import gather, scatter_kwargs


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
        if not self.device_ids:
            return self.module(*inputs, **kwargs)
        given, named = self.scatter(inputs, kwargs, self.device_ids)
        return self.module(*given[0], **named[0]) if given else self.module()

    def replicate(self, module, device_ids) -> list:
        """`torch.nn.parallel.replicate`, which a subclass may override.

        Args:
            module, device_ids: its arguments.

        Returns:
            A list of modules.
        """
        return replicate(module, device_ids, not is_grad_enabled())

    def scatter(self, inputs: tuple, kwargs: dict | None, device_ids) -> tuple:
        """The arguments of each GPU, which a subclass may override.

        Args:
            inputs, kwargs: the arguments of a call.
            device_ids: the GPUs.

        Returns:
            A tuple of tuples and one of dicts.
        """
        return scatter_kwargs(inputs, kwargs, device_ids, dim=self.dim)

    def parallel_apply(self, replicas, inputs, kwargs) -> list:
        """`torch.nn.parallel.parallel_apply`, which a subclass may override.

        Args:
            replicas, inputs, kwargs: its arguments.

        Returns:
            A list of results.
        """
        return parallel_apply(replicas, inputs, kwargs, self.device_ids[:len(replicas)])

    def gather(self, outputs, output_device):
        """`torch.nn.parallel.gather`, which a subclass may override.

        Args:
            outputs, output_device: its arguments.

        Returns:
            The joined results.
        """
        return gather(outputs, output_device, dim=self.dim)


def _gpus(device_ids) -> list:
    if not accelerators():
        return []
    chosen = range(len(accelerators())) if device_ids is None else device_ids
    found = [i if isinstance(i, int) else devices.device(i).index or 0 for i in chosen]
    if len(found) > 1:
        raise UnsupportedError("torch.nn.DataParallel on several GPUs is not supported: give device_ids=[0], or see "
                               "jax.sharding for many devices")
    return found


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
