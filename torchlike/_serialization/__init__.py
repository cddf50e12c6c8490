"""PyTorch's file format: a zip archive of one pickle and the bytes of the storages. See `torchlike.serialization`."""
