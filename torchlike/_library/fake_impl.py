"""`torch.library.get_ctx`, and the functions that ask for it: those that `register_fake` was given."""

import functools
import inspect
import threading
from collections.abc import Callable


class _Running(threading.local):
    where = ""  # the operator and the place of the function that runs


_running = _Running()
_REFUSED = ("{}: You're trying to run this operator with meta Tensors (as opposed to FakeTensors), but this operator may "
            "return an output Tensor with data-dependent shape. Meta Tensors don't support operators with outputs that have "
            "data-dependent shapes but FakeTensors do. If your operator does not return an output with data-dependent "
            "shape, make sure the FakeTensor and/or meta kernel does not call torch.library.get_ctx(). Otherwise, please "
            "use FakeTensors.")


def fake(qualname: str, function: Callable) -> Callable:
    """The function, which knows that it runs for tensors on the meta device."""
    where = f"{qualname} ({inspect.getsourcefile(function)}:{inspect.unwrap(function).__code__.co_firstlineno})"

    @functools.wraps(function)
    def run(*args, **kwargs):
        before, _running.where = _running.where, where
        try:
            return function(*args, **kwargs)
        finally:
            _running.where = before

    return run


def get_ctx() -> None:
    """None: outside of the functions that `register_fake` was given. There, PyTorch gives its compiler sizes that depend on
    values.
    https://pytorch.org/docs/stable/library.html#torch.library.get_ctx

    Raises:
        RuntimeError: in such a function, as for tensors on the meta device in PyTorch.
    """
    if _running.where:
        raise RuntimeError(_REFUSED.format(_running.where))
