"""`torch.compile`, under the names that programs take from `torch._dynamo`.

There is nothing to capture: every operation is recorded and compiled anyway. `torch.compile` therefore checks its
arguments and returns a callable that asks for compilation at once instead of in the background (`eval_frame.py`), unless
the stance says otherwise (`switches.py`). What marks functions and tensors for PyTorch's compiler (`decorators.py`) has
nobody to tell, and its settings (`config.py`) are kept without effect. `exc.py` has the errors; `utils.py` and
`_trace_wrapped_higher_order_op.py` have a name each that packages import.

`torch.compiler` has the public switches and imports from here, as the torch namespace does. Start with `eval_frame.py`.
"""

from torchlike._dynamo import config as config
from torchlike._dynamo import exc as exc
from torchlike._dynamo import utils as utils
from torchlike._dynamo.decorators import allow_in_graph as allow_in_graph
from torchlike._dynamo.decorators import assume_constant_result as assume_constant_result
from torchlike._dynamo.decorators import disable as disable
from torchlike._dynamo.decorators import graph_break as graph_break
from torchlike._dynamo.decorators import is_compiling as is_compiling
from torchlike._dynamo.decorators import is_dynamo_supported as is_dynamo_supported
from torchlike._dynamo.decorators import list_backends as list_backends
from torchlike._dynamo.decorators import mark_dynamic as mark_dynamic
from torchlike._dynamo.decorators import mark_static as mark_static
from torchlike._dynamo.decorators import mark_static_address as mark_static_address
from torchlike._dynamo.decorators import maybe_mark_dynamic as maybe_mark_dynamic
from torchlike._dynamo.decorators import reset as reset
from torchlike._dynamo.eval_frame import OptimizedModule as OptimizedModule
from torchlike._dynamo.switches import set_stance as set_stance
from torchlike._dynamo.switches import substitute_in_graph as substitute_in_graph
from torchlike._record.compile_request import InvalidBackend as InvalidBackend
