"""Operators that are no rows under autocast: their faces cast for them."""

import functools
import inspect
from collections.abc import Callable
from typing import cast

from torchlike._base import dtypes
from torchlike._base.typed import F
from torchlike._modes import autocast
from torchlike._record.tensor import Tensor
from torchlike._record.trace import state
from torchlike._record.wrong_calls import instead_of


def composite(name) -> Callable[[F], F]:
    """Decorates the face of PyTorch's operator `name`: inside, nothing is cast a second time. Without a policy for it
    the face stays as it is."""
    def decorate(function):
        policies = autocast.policies_of(name)
        if not policies:
            return function

        @functools.wraps(function)
        def face(*args, **kwargs):
            try:
                if state.open is not None or not autocast.settings.enabled:
                    return function(*args, **kwargs)
                return _casting(policies, function, args, kwargs)
            except Exception as error:  # noqa: BLE001 - any may come of wrong arguments
                raise instead_of(error) from None

        return cast("F", face)

    return decorate


def _casting(policies, function, args, kwargs):
    if kwargs.get("out") is not None:  # PyTorch casts for no operator that writes to a tensor
        with autocast.off():
            return function(*args, **kwargs)
    tensors = [x for x in autocast.flat((*args, *kwargs.values())) if isinstance(x, Tensor)]
    kind, policy = autocast.policy_of(policies, tensors)
    if policy is None:
        return function(*args, **kwargs)
    if policy == "fp32_dtype" and "dtype" in _parameters(function):
        kwargs = _with_dtype(_parameters(function), args, kwargs, kind)
    else:
        values = autocast.cast_all(policy, kind, (*args, *kwargs.values()))
        args, kwargs = values[:len(args)], dict(zip(kwargs, values[len(args):], strict=True))
    with autocast.off():
        return function(*args, **kwargs)


@functools.cache  # there are as many functions as faces
def _parameters(function) -> list:
    return list(inspect.signature(function).parameters)


def _with_dtype(parameters, args, kwargs, kind) -> dict:
    """The keywords with ``dtype=float32``, if the caller gives none and the first tensor may be cast."""
    given = len(args) > parameters.index("dtype") or kwargs.get("dtype") is not None
    first = args[0] if args else next(iter(kwargs.values()))
    return kwargs if given or not autocast.eligible(first, kind) else {**kwargs, "dtype": dtypes.float32}
