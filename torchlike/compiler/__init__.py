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
    https://pytorch.org/docs/stable/generated/torch.compiler.is_compiling.html"""
    return False


def is_dynamo_compiling() -> bool:
    """False. https://pytorch.org/docs/stable/generated/torch.compiler.is_dynamo_compiling.html"""
    return False


def is_exporting() -> bool:
    """False. https://pytorch.org/docs/stable/generated/torch.compiler.is_exporting.html"""
    return False


def disable(fn=None, recursive=True, *, reason=None):
    """The function itself, without what `torch.compile` made of it; without `fn` a decorator. What it records is part of
    the same trace as what is around it, and compiled with that.
    https://pytorch.org/docs/stable/generated/torch.compiler.disable.html

    AssertionError for what cannot be called.
    """
    if fn is None:
        return disable
    if not callable(fn):
        raise AssertionError("fn must be callable")
    return _innermost(fn)


def reset() -> None:
    """Forget all compiled programs. https://pytorch.org/docs/stable/generated/torch.compiler.reset.html"""
    _trace.run(_trace.state.trace)
    _caches.clear()


def allow_in_graph(fn):
    """The function itself, or a list of them.
    https://pytorch.org/docs/stable/generated/torch.compiler.allow_in_graph.html

    AssertionError for what cannot be called.
    """
    if isinstance(fn, list | tuple):
        return [allow_in_graph(x) for x in fn]
    if not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    return fn


def assume_constant_result(fn):
    """The function itself, which is called each time.
    https://pytorch.org/docs/stable/generated/torch.compiler.assume_constant_result.html"""
    return fn


def list_backends(exclude_tags=("debug", "experimental")) -> list:
    """The names that `torch.compile` takes for a backend: all are XLA, but for those for debugging.
    https://pytorch.org/docs/stable/generated/torch.compiler.list_backends.html"""
    excluded = set(exclude_tags or ())
    return sorted([*compile_request.BACKENDS, *(() if "debug" in excluded else compile_request.PLAIN_BACKENDS)])


def get_default_backend():
    """What ``torch.compile(backend=None)`` takes. https://pytorch.org/docs/stable/torch.compiler_api.html"""
    return compile_request.default_backend()


def set_default_backend(backend) -> None:
    """Change that; None: back to "inductor". Raises what `torch.compile` does for a backend.
    https://pytorch.org/docs/stable/torch.compiler_api.html"""
    compile_request.set_default_backend(backend)


def cudagraph_mark_step_begin() -> None:
    """Accepted: there are no captured graphs.
    https://pytorch.org/docs/stable/generated/torch.compiler.cudagraph_mark_step_begin.html"""
