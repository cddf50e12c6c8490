"""`torch.compiler`: https://pytorch.org/docs/stable/torch.compiler_api.html

`torch.compile` itself is in `torchlike._dynamo`. Python runs in each call and outside of any compiler here, so most of
these functions are what they are in PyTorch outside of `torch.compile`: markers that return their argument, and queries
that answer False.

Only the torch namespace imports this file; it is the whole package.
"""

from torchlike._dynamo.eval_frame import compile as compile
from torchlike._dynamo.eval_frame import innermost as _innermost
from torchlike._record import compile_request
from torchlike._record import trace as _trace
from torchlike._record.caches import caches as _caches


def is_compiling() -> bool:
    """False: no Python code is compiled.
    https://pytorch.org/docs/stable/generated/torch.compiler.is_compiling.html
    """
    return False


def is_dynamo_compiling() -> bool:
    """False: no Python code is compiled.
    https://pytorch.org/docs/stable/generated/torch.compiler.is_dynamo_compiling.html
    """
    return False


def is_exporting() -> bool:
    """False: nothing is exported.
    https://pytorch.org/docs/stable/generated/torch.compiler.is_exporting.html
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
    return _innermost(fn)


def reset() -> None:
    """Forgets all compiled programs.
    https://pytorch.org/docs/stable/generated/torch.compiler.reset.html
    """
    _trace.run(_trace.state.trace)
    _caches.clear()


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


def get_default_backend():
    """The backend that ``torch.compile(backend=None)`` takes.
    https://pytorch.org/docs/stable/torch.compiler_api.html
    """
    return compile_request.default_backend()


def set_default_backend(backend) -> None:
    """Changes the backend that ``torch.compile(backend=None)`` takes.
    https://pytorch.org/docs/stable/torch.compiler_api.html

    Args:
        backend: a name; None means "inductor". The errors are those of `torch.compile`.
    """
    compile_request.set_default_backend(backend)


def cudagraph_mark_step_begin() -> None:
    """Does nothing: there are no captured graphs.
    https://pytorch.org/docs/stable/generated/torch.compiler.cudagraph_mark_step_begin.html
    """
