"""`torch.nn.factory_kwargs`."""


def factory_kwargs(kwargs):
    """The keywords that functions which make tensors take.

    Args:
        kwargs: a dict with any of device, dtype, memory_format, and of "factory_kwargs", a dict of the same; or None.

    Returns:
        a dict of those that were given.

    Raises:
        TypeError: another keyword, or one that is given in both places.
    """
    if kwargs is None:
        return {}
    names = ("device", "dtype", "memory_format")
    unknown = kwargs.keys() - {*names, "factory_kwargs"}
    if unknown:
        raise TypeError(f"unexpected kwargs {unknown}")
    found = dict(kwargs.get("factory_kwargs", {}))
    for name in names:
        if name in kwargs:
            if name in found:
                raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
            found[name] = kwargs[name]
    return found
