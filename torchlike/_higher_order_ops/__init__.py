"""`torch._higher_order_ops`: functions that PyTorch's compiler keeps as one operator. Here Python runs in each call.

`control_flow.py` has `cond`, `while_loop`, `map` and `scan`: the branch, the loop, and what is recorded in it.
`associative_scan.py` combines neighbours in a tree, so that few, large operations are recorded.
`out_dtype.py` computes an operator in the dtype of the result that is asked for.

Programs import this package, nothing inside torchlike does but the torch namespace, for `torch.cond`.
"""

from torchlike._higher_order_ops.associative_scan import associative_scan as associative_scan
from torchlike._higher_order_ops.control_flow import cond as cond
from torchlike._higher_order_ops.control_flow import map as map
from torchlike._higher_order_ops.control_flow import scan as scan
from torchlike._higher_order_ops.control_flow import while_loop as while_loop
from torchlike._higher_order_ops.out_dtype import out_dtype as out_dtype
