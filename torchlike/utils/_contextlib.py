"""What packages use of `torch.utils._contextlib`: a base of contexts that also decorate functions."""

from torchlike.autograd.grad_mode import _Mode as _DecoratorContextManager  # noqa: F401
