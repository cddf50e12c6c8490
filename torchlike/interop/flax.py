"""Modules of torchlike as flax's, and flax's as torchlike's."""

from torchlike.interop.from_flax import FromLinen as FromLinen
from torchlike.interop.from_flax import FromNNX as FromNNX
from torchlike.interop.to_flax import ToNNX as ToNNX
