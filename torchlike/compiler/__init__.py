"""`torch.compiler`: https://pytorch.org/docs/stable/torch.compiler_api.html

`torch.compile` itself, and what `torch._dynamo` has under the same name, is in `torchlike._dynamo`. Python runs in each call
and outside of any compiler here, so most of these functions are what they are in PyTorch outside of `torch.compile`: markers
that return their argument, and queries that answer False.

`_cache.py` packs what XLA has compiled for other machines; `_guards.py` has the filters of PyTorch's guards, of which there
are none here. Only the torch namespace imports this package.
"""

from torchlike._dynamo.decorators import allow_in_graph as allow_in_graph
from torchlike._dynamo.decorators import assume_constant_result as assume_constant_result
from torchlike._dynamo.decorators import disable as disable
from torchlike._dynamo.decorators import is_compiling as is_compiling
from torchlike._dynamo.decorators import list_backends as list_backends
from torchlike._dynamo.decorators import reset as reset
from torchlike._dynamo.eval_frame import compile as compile
from torchlike._dynamo.switches import set_stance as set_stance
from torchlike._dynamo.switches import substitute_in_graph as substitute_in_graph
from torchlike._dynamo.switches import wrap_numpy as wrap_numpy
from torchlike._record import compile_request
from torchlike.compiler._cache import CacheInfo as CacheInfo
from torchlike.compiler._cache import load_cache_artifacts as load_cache_artifacts
from torchlike.compiler._cache import save_cache_artifacts as save_cache_artifacts
from torchlike.compiler._guards import keep_portable_guards_unsafe as keep_portable_guards_unsafe
from torchlike.compiler._guards import keep_tensor_guards_unsafe as keep_tensor_guards_unsafe
from torchlike.compiler._guards import set_enable_guard_collectives as set_enable_guard_collectives
from torchlike.compiler._guards import skip_all_guards_unsafe as skip_all_guards_unsafe
from torchlike.compiler._guards import skip_guard_on_all_nn_modules_unsafe as skip_guard_on_all_nn_modules_unsafe
from torchlike.compiler._guards import skip_guard_on_globals_unsafe as skip_guard_on_globals_unsafe
from torchlike.compiler._guards import skip_guard_on_inbuilt_nn_modules_unsafe as skip_guard_on_inbuilt_nn_modules_unsafe


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


def cudagraph_mark_warmup_incomplete() -> None:
    """Does nothing: there are no captured graphs. PyTorch has it since 2.14.
    https://pytorch.org/docs/2.14/torch.compiler_api.html
    """


class PrecompileError(RuntimeError):
    """PyTorch's `precompile` raises it, which torchlike refuses. PyTorch has it since 2.14.
    https://pytorch.org/docs/2.14/torch.compiler_api.html
    """


def nonstrict_trace(traceable_fn):
    """The function itself: Python runs in each call, so there is nothing that a tracer must not look into. PyTorch has it
    since 2.14. https://pytorch.org/docs/2.14/torch.compiler_api.html

    Args:
        traceable_fn: the function.

    Returns:
        The function.

    Raises:
        AssertionError: it cannot be called.
    """
    if not callable(traceable_fn):
        raise AssertionError("nonstrict_trace expects a callable")
    return traceable_fn


def nested_compile_region(fn=None, *, options=None, max_reuse_entries: int = 8, reuse_hash_fn=None):
    """The function itself: parts of a program that repeat are compiled once anyway.
    https://pytorch.org/docs/stable/generated/torch.compiler.nested_compile_region.html

    Args:
        fn: the function; None gives a decorator.
        options: refused, as in PyTorch.
        max_reuse_entries, reuse_hash_fn: without effect.

    Returns:
        The function.

    Raises:
        RuntimeError: there are `options`.
    """
    if options is not None:
        raise RuntimeError("nested_compile_region config is an experimental feature for testing only.")
    return nested_compile_region if fn is None else fn
