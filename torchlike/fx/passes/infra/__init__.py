"""`torch.fx.passes.infra`: what passes are made of.

`pass_base.py` is the base class of passes over GraphModules, and what one returns: a pass says what it needs of a
GraphModule, changes it, and says what came of it.

Programs import it; nothing inside torchlike does.
"""
