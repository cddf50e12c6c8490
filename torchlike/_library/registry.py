"""The operators of libraries, by name."""

from collections.abc import Callable

from torchlike._base.device import known_type
from torchlike._library.operator import ANY, Operator

_OPERATORS: dict[str, Operator] = {}  # by qualified name; they live as long as the process, as in PyTorch
_EARLY: dict[str, list[Callable]] = {}  # what was said of operators before they were defined, by qualified name


def parts(qualname: str) -> tuple:
    """(namespace, name) of ``namespace::name``; ValueError for another text."""
    namespace, mark, name = qualname.partition("::")
    if not mark:
        raise ValueError(f'Expected `qualname` to be of the form "namespace::name", but got {qualname}. The qualname passed '
                         "to the torch.library APIs must consist of a namespace and a name, e.g. aten::sin")
    return namespace, name


def add(operator: Operator) -> None:
    """Remember an operator, and tell it what was said of it before."""
    _OPERATORS[operator.qualified] = operator
    for say in _EARLY.pop(operator.qualified, ()):
        say(operator)


def find(op) -> Operator:
    """The operator of a name, of an overload of `torch.ops`, or of a `CustomOpDef`; RuntimeError if there is none."""
    operator = getattr(op, "_operator", None) or getattr(op, "_face", None)
    if isinstance(operator, Operator):
        return operator
    name = op if isinstance(op, str) else str(op)
    parts(name)
    found = _OPERATORS.get(name.removesuffix(".default"))
    if found is None:
        raise RuntimeError(f"operator {name} does not exist")
    return found


def tell(op, say: Callable) -> None:
    """Call ``say(operator)``: now, or when an operator of this name is defined. RuntimeError for those of aten."""
    name = op.removesuffix(".default") if isinstance(op, str) else None
    if name and name not in _OPERATORS and parts(name)[0] != "aten":
        _EARLY.setdefault(name, []).append(say)
    else:
        say(find(op))


def registering(function: Callable | None, register: Callable):
    """Call `register` with the function and return it; a decorator that does so if there is none yet."""
    if function is None:
        return lambda given: registering(given, register)
    register(function)
    return function


def set_kernel(operator: Operator, device_types, function: Callable) -> None:
    """Say what computes an operator on devices of these types; None or "default": on all."""
    if device_types is None or device_types == "default":
        operator.kernels[ANY] = function
    else:
        for kind in (device_types,) if isinstance(device_types, str) else device_types:
            operator.kernels[known_type(kind)] = function
