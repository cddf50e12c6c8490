"""Marks of functions and tensors for PyTorch's compiler, and its switches. Python runs in each call and outside of any
compiler here, so marks return their argument or do nothing.
"""

from torchlike._dynamo.eval_frame import innermost
from torchlike._record import compile_request
from torchlike._record import trace as _trace
from torchlike._record.caches import caches
from torchlike._record.tensor import Tensor


def is_compiling() -> bool:
    """False: no Python code is compiled.
    https://pytorch.org/docs/stable/generated/torch.compiler.is_compiling.html
    """
    return False


def disable(fn=None, recursive=True, *, reason=None):
    """The function itself, without what `torch.compile` made of it. What it records is part of the same trace as what is
    around it, and is compiled with that.
    https://pytorch.org/docs/stable/generated/torch.compiler.disable.html

    Args:
        fn: the function; None gives a decorator.
        recursive, reason: without effect.

    Returns:
        The function.

    Raises:
        AssertionError: `fn` is no function.
    """
    if fn is None:
        return disable
    if not callable(fn):
        raise AssertionError("fn must be callable")
    return innermost(fn)


def reset() -> None:
    """Forgets all compiled programs.
    https://pytorch.org/docs/stable/generated/torch.compiler.reset.html
    """
    _trace.run(_trace.state.trace)
    caches.clear()


def allow_in_graph(fn):
    """The function itself.
    https://pytorch.org/docs/stable/generated/torch.compiler.allow_in_graph.html

    Args:
        fn: a function, or a list or tuple of functions.

    Returns:
        The function, or a list of them.

    Raises:
        AssertionError: `fn` is no function.
    """
    if isinstance(fn, list | tuple):
        return [allow_in_graph(x) for x in fn]
    if not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    return fn


def assume_constant_result(fn):
    """The function itself, which is called each time.
    https://pytorch.org/docs/stable/generated/torch.compiler.assume_constant_result.html

    Args:
        fn: a function.

    Returns:
        The function.
    """
    return fn


def list_backends(exclude_tags=("debug", "experimental")) -> list:
    """The names that `torch.compile` takes for a backend. All mean XLA, except those for debugging.
    https://pytorch.org/docs/stable/generated/torch.compiler.list_backends.html

    Args:
        exclude_tags: with "debug" among them, those for debugging are left out.

    Returns:
        a sorted list.
    """
    excluded = set(exclude_tags or ())
    return sorted([*compile_request.BACKENDS, *(() if "debug" in excluded else compile_request.PLAIN_BACKENDS)])


def mark_static_address(t, guard: bool = False) -> None:
    """Does nothing: the place of a tensor in memory is no part of a program.

    Args:
        t: a tensor.
        guard: without effect.

    Raises:
        TypeError: `t` is no tensor.
    """
    if not isinstance(t, Tensor):
        raise TypeError(f"mark_static_address expects a tensor but received {type(t)}")


def mark_static(t, index=None) -> None:
    """Does nothing: each shape has its own program.

    Args:
        t, index: without effect.
    """


def mark_dynamic(t, index, *, hint_override=None, min=None, max=None, specialize_on=None) -> None:
    """Does nothing: each shape has its own program.

    Args:
        t, index, hint_override, min, max, specialize_on: without effect.
    """


def maybe_mark_dynamic(t, index) -> None:
    """Does nothing: each shape has its own program.

    Args:
        t, index: without effect.
    """


def graph_break(msg: str = "") -> None:
    """Does nothing: there are no graphs to break.

    Args:
        msg: without effect.
    """


def is_dynamo_supported() -> bool:
    """True: `torch.compile` works."""
    return True
