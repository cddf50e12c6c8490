"""`torch.distributed.checkpoint.api`, see `errors.py`."""

from torchlike.distributed.checkpoint.errors import CheckpointException as CheckpointException
