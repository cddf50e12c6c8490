"""`torch.special`: https://pytorch.org/docs/stable/special.html"""

from torchlike import _api

FUNCTIONS: dict = {name.removeprefix("special_"): function for name, function in vars(_api).items()
                   if name.startswith("special_")}
globals().update(FUNCTIONS)
__all__ = sorted(FUNCTIONS)  # noqa: PLE0605 - names are data
