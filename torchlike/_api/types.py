"""Names for what annotations say often."""

from torchlike._base.device import device

Number = bool | int | float | complex  # what PyTorch's parser takes for a number
DeviceLike = device | str | int
