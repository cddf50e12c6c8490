"""Modules of torchlike as flax's, and flax's as torchlike's."""

from torchlike.interop.to_flax import ToNNX as ToNNX
