"""A module on several GPUs: copies whose parameters are results of those of the module."""

from torchlike.nn.modules.module import Module
from torchlike.nn.parallel.scatter_gather import gpu_of


def replicate(network: Module, devices, detach: bool = False) -> list:
    """Copies of a module. A gradient of one goes to the module's parameters.

    Args:
        network: the module.
        devices: numbers or names of GPUs.
        detach: whether gradients end in the copies.

    Returns:
        A list of modules, one for each GPU.

    Raises:
        AssertionError: a parameter is on the CPU.
        ValueError: a CPU among `devices`.
    """
    places = list(map(gpu_of, devices))
    if any(each.is_cpu for each in network.parameters()):
        raise AssertionError("Broadcast function not implemented for CPU tensors")
    return [_copy(network, place, detach) for place in places]


def _copy(module: Module, place, detach: bool) -> Module:
    made = module.__new__(type(module))
    made.__dict__ = {**module.__dict__, "_parameters": {}, "_buffers": dict(module._buffers), "_is_replica": True}
    made.__dict__["_modules"] = {name: None if child is None else _copy(child, place, detach)
                                 for name, child in module._modules.items()}
    for name, parameter in module._parameters.items():
        if parameter is None:
            made._parameters[name] = None
        else:  # a result, and so no parameter
            made.__dict__[name] = (parameter.detach() if detach else parameter).to(place)
    for name, buffer in module._buffers.items():
        made._buffers[name] = None if buffer is None else buffer.to(place)
    return made
