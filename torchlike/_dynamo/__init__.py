"""`torch.compile`, under the names that programs take from `torch._dynamo`.

There is nothing to capture: every operation is recorded and compiled anyway. `torch.compile` therefore checks its
arguments and returns a callable that asks for compilation at once instead of in the background (`eval_frame.py`).

`torch.compiler` has the public switches and imports from here, as the torch namespace does. Start with `eval_frame.py`.
"""

from torchlike._dynamo.eval_frame import OptimizedModule as OptimizedModule
from torchlike._record.compile_request import InvalidBackend as InvalidBackend
