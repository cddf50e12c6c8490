"""Modules whose parameters are not drawn."""

import inspect

from torchlike._trace.random import default_generator
from torchlike.nn.modules.module import Module


def skip_init(module_cls, *args, **kwargs):
    """A module of this class with parameters of any values, without a trace in the random numbers. RuntimeError
    unless the class takes a `device`.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.skip_init.html"""
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    before = default_generator.get_state()
    try:
        return module_cls(*args, **kwargs)
    finally:
        default_generator.set_state(before)
