"""Modules whose parameters are not drawn."""

import inspect

from torchlike.nn.modules.module import Module
from torchlike.random import fork_rng


def skip_init(module_cls, *args, **kwargs):
    """A module of this class with parameters of any values, without a trace in the random numbers. RuntimeError
    unless the class takes a `device`.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.skip_init.html"""
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    with fork_rng():
        return module_cls(*args, **kwargs)
