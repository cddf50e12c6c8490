"""What packages use of `torch.utils._contextlib`: a base of contexts that also decorate functions."""

from torchlike._api.homes import name_below as _name_below
from torchlike.autograd.grad_mode import _Mode as _DecoratorContextManager  # noqa: F401

_name_below(".utils._contextlib")
