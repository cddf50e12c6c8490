"""`torch._dynamo.exc`: errors of PyTorch's compiler, for programs that catch them. Of these `InvalidBackend` is raised."""

from torchlike._record.compile_request import InvalidBackend as InvalidBackend
from torchlike._record.compile_request import TorchDynamoException as TorchDynamoException


class Unsupported(TorchDynamoException):
    """Something that PyTorch's compiler cannot capture."""


class InternalTorchDynamoError(TorchDynamoException):
    """A failure of PyTorch's compiler itself."""


class BackendCompilerFailed(TorchDynamoException):
    """A failure of a backend of PyTorch's compiler."""


class FailOnRecompileLimitHit(Exception):
    """Too many compilations of one function."""
