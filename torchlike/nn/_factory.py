"""`torch.nn.factory_kwargs`."""


def factory_kwargs(kwargs):
    """The keywords of `kwargs`, and of the dict ``kwargs["factory_kwargs"]``, that factory functions take: device, dtype and
    memory_format. TypeError for others, and for one that is given twice."""
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
