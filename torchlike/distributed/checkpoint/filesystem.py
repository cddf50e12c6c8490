"""`torch.distributed.checkpoint.filesystem`, see `storage.py`."""

from torchlike.distributed.checkpoint.storage import FileSystemReader as FileSystemReader
from torchlike.distributed.checkpoint.storage import FileSystemWriter as FileSystemWriter
