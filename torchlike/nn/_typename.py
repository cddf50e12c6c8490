"""How PyTorch names an object in its error texts (`torch.typename`)."""

from torchlike._record.tensor import Tensor


def typename(obj) -> str:
    """`torch.typename(obj)`: a tensor's old-style type, else the class with its module path."""
    if isinstance(obj, Tensor):
        return obj.type()
    cls = obj if isinstance(obj, type) else type(obj)
    module = cls.__module__ or ""
    if module in ("", "builtins", "__builtin__"):
        return cls.__qualname__
    head, dot, tail = module.partition(".")
    return f"{'torch' if head == 'torchlike' else head}{dot}{tail}.{cls.__qualname__}"
