"""Several modules, each on its GPU, one after the other: JAX computes meanwhile."""

from torchlike._compile.backends.registry import accelerators


def parallel_apply(modules, inputs, kwargs_tup=None, devices=None) -> list:
    """Calls each module with its arguments.

    Args:
        modules: the modules.
        inputs: for each a tuple or list of arguments, or its only one.
        kwargs_tup: for each a dict of arguments by keyword, or None.
        devices: for each its GPU, where its arguments are already, or None.

    Returns:
        A list of results.

    Raises:
        AssertionError: not as many of them as modules.
        RuntimeError: there is no GPU, as in PyTorch.
    """
    for name, given in (("inputs", inputs), ("kwargs_tup", kwargs_tup), ("devices", devices)):
        if given is not None and len(given) != len(modules):
            raise AssertionError(f"The number of modules {len(modules)} is not equal to the number of {name} {len(given)}")
    if not accelerators():
        raise RuntimeError("Cannot access accelerator device when none is available.")
    named = kwargs_tup or [{}] * len(modules)
    return [module(*(given if isinstance(given, list | tuple) else (given,)), **words)
            for module, given, words in zip(modules, inputs, named, strict=True)]
