"""What packages use of `torch.nn.utils._named_member_accessor`: a module's tensors by their names."""

from torchlike._record.tensor import Tensor
from torchlike.nn.modules.module import Module

_MISSING = object()  # no tensor: it is taken away


def swap_tensor(module, name, tensor, allow_missing=False):
    """Puts a tensor into the place of a parameter, a buffer or an attribute, and returns what was there. TypeError for
    what is no module or no tensor, KeyError for a path, AttributeError where there is nothing, unless that is allowed."""
    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of torch.nn.Module")
    _check_tensor(tensor, str(tensor))
    if not name or "." in name:
        raise KeyError('tensor name can\'t contain "."' if name else 'tensor name can\'t be empty string ""')
    for table in (module._parameters, module._buffers):
        if name in table:
            old = table.pop(name) if tensor is _MISSING else table[name]
            if tensor is not _MISSING:
                table[name] = tensor
            return old
    return _swap_attribute(module, name, tensor, allow_missing)


def _swap_attribute(module, name, tensor, allow_missing):
    if not hasattr(module, name) and not allow_missing:
        raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    old = getattr(module, name, _MISSING)
    _check_tensor(old, f"attribute `{name}`: {old}")
    if tensor is not _MISSING:
        setattr(module, name, tensor)
    elif old is not _MISSING:
        delattr(module, name)
    return old


def _check_tensor(value, shown) -> None:
    if value is not _MISSING and value is not None and not isinstance(value, Tensor):
        raise TypeError(f"{shown} is not an instance of torch.Tensor")
