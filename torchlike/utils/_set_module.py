"""`torch.utils.set_module`."""


def set_module(obj, mod: str) -> None:
    """Has a function or class go by another module's name.

    Args:
        obj: the function or class.
        mod: the module's name.

    Raises:
        TypeError: it is no text.
    """
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod
