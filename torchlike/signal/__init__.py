"""`torch.signal`: https://pytorch.org/docs/stable/signal.html"""

from torchlike.signal import windows as windows
