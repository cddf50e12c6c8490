"""`torch.distributed.checkpoint`: large checkpoints as directories, by orbax, in the background if asked.
https://pytorch.org/docs/stable/distributed.checkpoint.html

The tensors are written by orbax (PyTorch's own directories are not read, nor does it read these), everything else into
the file ``.metadata`` as `torch.save` does. A save is seen as a whole or not at all: orbax writes to a directory of its
own, which ``.metadata`` names once it is complete.
"""

from torchlike.distributed.checkpoint.saving import async_save as async_save
from torchlike.distributed.checkpoint.saving import load as load
from torchlike.distributed.checkpoint.saving import save as save
from torchlike.distributed.checkpoint.storage import CheckpointException as CheckpointException
from torchlike.distributed.checkpoint.storage import FileSystemReader as FileSystemReader
from torchlike.distributed.checkpoint.storage import FileSystemWriter as FileSystemWriter
