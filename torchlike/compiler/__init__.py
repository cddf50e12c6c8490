"""`torch.compiler`: https://pytorch.org/docs/stable/torch.compiler_api.html

`torch.compile` itself, and what `torch._dynamo` has under the same name, is in `torchlike._dynamo`. Python runs in each call
and outside of any compiler here, so most of these functions are what they are in PyTorch outside of `torch.compile`: markers
that return their argument, and queries that answer False.

Only the torch namespace imports this file; it is the whole package.
"""

from torchlike._dynamo.decorators import allow_in_graph as allow_in_graph
from torchlike._dynamo.decorators import assume_constant_result as assume_constant_result
from torchlike._dynamo.decorators import disable as disable
from torchlike._dynamo.decorators import is_compiling as is_compiling
from torchlike._dynamo.decorators import list_backends as list_backends
from torchlike._dynamo.decorators import reset as reset
from torchlike._dynamo.eval_frame import compile as compile
from torchlike._record import compile_request


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
