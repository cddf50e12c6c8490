"""`torch.fx.passes`: what goes over a Graph. https://pytorch.org/docs/stable/fx.html

`shape_prop.py` runs a Graph and notes at each Node what its value is like: shape, dtype, strides. `infra/` and `utils/` are
what passes of users stand on.

PyTorch's passes for its own compiler, splitting and partitioning among them, are not here: XLA compiles what torchlike
records, and needs no Graph for that.
"""

from torchlike.fx.passes import shape_prop as shape_prop
