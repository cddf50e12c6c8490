"""`torch.utils.serialization`: the settings of `torch.load` and `torch.save`.

`config.py` shows them under PyTorch's names; they are in `torchlike/_serialization/config.py`, which says what each means.

https://pytorch.org/docs/stable/notes/serialization.html#config
"""

from torchlike.utils.serialization import config as config
