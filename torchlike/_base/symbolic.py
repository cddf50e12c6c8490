"""Names of numbers that PyTorch's compiler does not know yet. Here every size is a number: nothing is an instance of them.

The functions do to numbers what Python does: https://pytorch.org/docs/stable/torch.html#symbolic-numbers
"""

import builtins
import math

__all__ = ["SymBool", "SymFloat", "SymInt", "sym_float", "sym_fresh_size", "sym_int", "sym_ite", "sym_max", "sym_min",
           "sym_not", "sym_sum"]
_SYMBOLIC = "torch.{}: every size is a number here, so there are no symbols"


class _Symbolic:
    """No instances: `isinstance` answers False."""

    def __init__(self, node):
        raise NotImplementedError(_SYMBOLIC.format(type(self).__name__))


class SymInt(_Symbolic):
    """An int that is not known yet.

    Args:
        node: not looked at.

    Raises:
        NotImplementedError: always.
    """


class SymFloat(_Symbolic):
    """A float that is not known yet.

    Args:
        node: not looked at.

    Raises:
        NotImplementedError: always.
    """


class SymBool(_Symbolic):
    """A bool that is not known yet.

    Args:
        node: not looked at.

    Raises:
        NotImplementedError: always.
    """


def sym_not(a):
    """``not a``.

    Args:
        a: a bool.

    Returns:
        a bool.
    """
    return not a


def sym_int(a):
    """The integer next to zero.

    Args:
        a: a number.

    Returns:
        an int.
    """
    return math.trunc(a)


def sym_float(a):
    """The number as a float.

    Args:
        a: a number.

    Returns:
        a float.
    """
    return float(a)


def _both(choose, a, b):
    """The one that `choose` takes; a float if one of them is."""
    if isinstance(a, float) or isinstance(b, float):
        a, b = float(a), float(b)
    return choose(a, b)


def sym_max(a, b):
    """The larger of two numbers.

    Args:
        a, b: numbers.

    Returns:
        a number, a float if one of them is.
    """
    return _both(builtins.max, a, b)


def sym_min(a, b):
    """The smaller of two numbers.

    Args:
        a, b: numbers.

    Returns:
        a number, a float if one of them is.
    """
    return _both(builtins.min, a, b)


def sym_sum(*args):
    """The sum of numbers.

    Args:
        args: numbers, as one list or apart.

    Returns:
        a number.
    """
    return builtins.sum(args[0] if len(args) == 1 and isinstance(args[0], tuple | list) else args)


def sym_ite(b, t, f):
    """``t if b else f``.

    Args:
        b: a bool.
        t, f: two of one type.

    Returns:
        one of them.
    """
    return t if b else f


def sym_fresh_size(expr):
    """Refused: there are no symbols.

    Args:
        expr: not looked at.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(_SYMBOLIC.format("sym_fresh_size"))
