"""`torch.distributed.algorithms._checkpoint`: modules that are computed again for the backward pass.

`checkpoint_wrapper.py` has modules around `torch.utils.checkpoint`, which do so, and a function that puts them into a model.

Only programs import this package. Start with `checkpoint_wrapper.py`.
"""
