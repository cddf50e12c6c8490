"""`torch.distributed.checkpoint`: large checkpoints as directories.
https://pytorch.org/docs/stable/distributed.checkpoint.html

orbax writes the tensors, in the background for `async_save`; everything else goes into the file ``.metadata`` as
`torch.save` writes it. PyTorch's own directories are not read, and PyTorch does not read these. A save appears as a whole or
not at all: orbax writes to a new directory, which ``.metadata`` names once it is complete.

`saving.py` has the three public functions and is the place to start; `storage.py` is the directory, `flat.py` turns nested
state dicts into flat ones.
"""

from torchlike._api.homes import name_in as _name_in
from torchlike._base import absent as _absent
from torchlike._base.absent_modules import supply as _supply
from torchlike.distributed.checkpoint.saving import async_save as async_save
from torchlike.distributed.checkpoint.saving import load as load
from torchlike.distributed.checkpoint.saving import save as save
from torchlike.distributed.checkpoint.storage import CheckpointException as CheckpointException
from torchlike.distributed.checkpoint.storage import FileSystemReader as FileSystemReader
from torchlike.distributed.checkpoint.storage import FileSystemWriter as FileSystemWriter

load_state_dict, save_state_dict = (
    _absent.refusing(f"{name}_state_dict", __name__, f"torch.distributed.checkpoint.{name}_state_dict is not supported: "
                                                     f"PyTorch has deprecated it; {name} is its successor")
    for name in ("load", "save"))

_supply()
_name_in(".distributed.checkpoint")
