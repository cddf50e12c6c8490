"""The names that programs take from `torch._dynamo`; `torch.compiler` has the public ones."""

from torchlike._compile import InvalidBackend as InvalidBackend
from torchlike._dynamo.eval_frame import OptimizedModule as OptimizedModule
