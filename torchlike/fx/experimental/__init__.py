"""`torch.fx.experimental`: what packages use of it. https://pytorch.org/docs/stable/fx.experimental.html

`symbolic_shapes.py` has the questions that PyTorch's compiler asks about sizes that it does not know.
`proxy_tensor.py` names traces of dispatched operators.

In torchlike each size is a number whenever Python runs, so that each question has its plain answer. Nothing is recorded
about it, and there are no guards.
"""

from torchlike.fx.experimental import proxy_tensor as proxy_tensor
from torchlike.fx.experimental import symbolic_shapes as symbolic_shapes
