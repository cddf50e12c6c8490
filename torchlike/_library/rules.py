"""What else is said of operators of libraries: for autocast, and for classes and modes with ``__torch_dispatch__``."""

from collections.abc import Callable

from torchlike._base.device import known_type
from torchlike._library import registry
from torchlike._library.operator import Operator
from torchlike._modes import autocast
from torchlike._record.tensor import Tensor


def cast_inputs(operator: Operator, device_type: str, dtype) -> Callable:
    """Have an operator's floating-point tensors cast under autocast, which is off inside; what was said first stays.

    Args:
        operator: the operator.
        device_type: of autocast and the tensors.
        dtype: to which they are cast.

    Returns:
        the function that does so: of PyTorch's dispatch keys and the arguments.

    Raises:
        ValueError: no type of devices that autocast knows.
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if known_type(device_type) not in autocast.DEVICE_TYPES:
        raise ValueError(f"Device type '{device_type}' does not support autocast.")

    def call(keys, *args, **kwargs):
        if kwargs:
            raise AssertionError(f"Custom ops do not support kwargs yet, got {list(kwargs)}")
        with autocast.off():
            return operator(*_cast(args, device_type, dtype))

    def casting(*args, **kwargs):
        defaults = {arg.name: arg.default for arg in operator.parsed.args}
        return call(None, *args, **{name: value for name, value in kwargs.items() if value != defaults[name]})

    operator.autocast.setdefault(device_type, casting)
    return call


def _cast(value, device_type, dtype):
    if isinstance(value, tuple | list):
        return type(value)(_cast(x, device_type, dtype) for x in value)
    return value.to(dtype) if isinstance(value, Tensor) and autocast.eligible(value, device_type) else value


def take_over(operator: Operator, kind: type, function: Callable | None):
    """Say what a class or a mode with ``__torch_dispatch__`` makes of an operator, in place of that.

    Args:
        operator: the operator.
        kind: the class itself, not those that inherit from it.
        function: of the class or mode, the overload, the types, the arguments and those by keyword; None gives a decorator.

    Returns:
        `function`, or a decorator.
    """
    return registry.registering(function, lambda found: operator.dispatch_rules.update({kind: found}))
