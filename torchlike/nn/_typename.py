"""How PyTorch names an object in its error texts (`torch.typename`)."""

from torchlike._record.tensor import Tensor


def typename(obj, /) -> str:
    """How PyTorch names an object in its error texts (`torch.typename`).

    Args:
        obj: any object or class.

    Returns:
        The type of a tensor ("torch.FloatTensor"), else the class with its module.
    """
    if isinstance(obj, Tensor):
        return str(obj.type())
    cls = obj if isinstance(obj, type) else type(obj)
    module = cls.__module__ or ""
    if module in ("", "builtins", "__builtin__"):
        return cls.__qualname__
    head, dot, tail = module.partition(".")
    return f"{'torch' if head == 'torchlike' else head}{dot}{tail}.{cls.__qualname__}"
