"""Decorators of functions that say how an operator is exported. Nothing is exported, so they leave a function as it is."""

from collections.abc import Callable

__all__ = ["parse_args", "quantized_args"]


def parse_args(*arg_descriptors: str) -> Callable:
    """A decorator that returns the function.

    Args:
        arg_descriptors: not looked at.

    Returns:
        The decorator.
    """
    return lambda fn: fn


def quantized_args(*arg_q_descriptors: bool, scale=None, zero_point=None, quantize_output=True) -> Callable:
    """A decorator that returns the function.

    Args:
        arg_q_descriptors, scale, zero_point, quantize_output: not looked at.

    Returns:
        The decorator.
    """
    return lambda fn: fn
