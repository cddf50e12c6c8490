"""What packages use of `torch._C._nn`."""

from torchlike.nn.modules._to_arguments import parse_to as _parse_to

__all__ = ["_parse_to"]
