"""`torch.signal`: https://pytorch.org/docs/stable/signal.html

PyTorch has one module here, and so do we: `windows.py`, with the window functions (Hann, Kaiser, ...) under keyword-only
arguments. `torch.hann_window` and its like, which are older and have other defaults, are in `torchlike._api`.

Only programs and the torch namespace import it.
"""

from torchlike.signal import windows as windows
