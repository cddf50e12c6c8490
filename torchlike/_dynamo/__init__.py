"""The names that programs take from `torch._dynamo`; `torch.compiler` has the public ones."""

from torchlike._dynamo.eval_frame import OptimizedModule as OptimizedModule
from torchlike._record.compile_request import InvalidBackend as InvalidBackend
