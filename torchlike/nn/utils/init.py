"""Modules whose parameters are not drawn."""

import inspect

from torchlike.nn.modules.module import Module
from torchlike.random import fork_rng


def skip_init(module_cls, *args, **kwargs):
    """A module whose parameters are not drawn: their values are arbitrary, and the random stream stays where it is.
    https://pytorch.org/docs/stable/generated/torch.nn.utils.skip_init.html

    Args:
        module_cls: a Module class whose constructor takes a `device`.
        args, kwargs: the constructor's arguments.

    Returns:
        The module.

    Raises:
        RuntimeError: `module_cls` is no Module class, or takes no `device`.
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    with fork_rng():
        return module_cls(*args, **kwargs)
