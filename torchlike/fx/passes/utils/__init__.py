"""`torch.fx.passes.utils`: what passes over Graphs share.

`matcher_utils.py` has what a place of a Graph that looks like a pattern is told by; `torch.fx.subgraph_rewriter` looks for
such places.

Start there.
"""

from torchlike.fx.passes.utils import matcher_utils as matcher_utils
