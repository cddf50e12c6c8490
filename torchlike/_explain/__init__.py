"""`torchlike.explain`: why a tensor's gradient is what it is, or why there is none.

`report.py` has the public function and prints. `paths.py` computes the contribution of each path from the loss to the
tensor, `flow.py` turns what was recorded lately into operations and the values they read, and `reasons.py` finds in that
flow where the gradient stopped; `conventions.py` says where PyTorch's gradient is another one than JAX's.

`rerun.py` runs the program again: there `values.py` finds what makes a value nan, `numbers.py` what makes a gradient nan,
huge or tiny, and `zeros.py` what makes it zero.

It reads the recorder, autograd and `_lower` and changes nothing there; only the torch namespace, `graph` and `memory`
import it. Start with `report.py`.
"""
