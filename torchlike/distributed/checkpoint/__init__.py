"""`torch.distributed.checkpoint`: large checkpoints as directories.
https://pytorch.org/docs/stable/distributed.checkpoint.html

orbax writes the tensors, everything else goes into the file ``.metadata`` as `torch.save` writes it: see `storage.py`.
PyTorch's own directories are not read, and PyTorch does not read these. A save appears as a whole or not at all: all ranks
write to a new directory, beside the old one; when they have done so, one of them renames a new ``.metadata`` over the old.

`saving.py` has the three public functions and is the place to start; `plan.py` says which rank writes what, `ranks.py` has
how they agree, `storage.py` the directory, `flat.py` turns nested state dicts into flat ones. `state_dict.py` has state
dicts by names. `api.py`, `filesystem.py`, `state_dict_loader.py` and `state_dict_saver.py` are PyTorch's names for these.
"""

from torchlike._api.homes import name_in as _name_in
from torchlike._base.absent_modules import supply as _supply
from torchlike.distributed.checkpoint import api as api
from torchlike.distributed.checkpoint import filesystem as filesystem
from torchlike.distributed.checkpoint import state_dict as state_dict
from torchlike.distributed.checkpoint import state_dict_loader as state_dict_loader
from torchlike.distributed.checkpoint import state_dict_saver as state_dict_saver
from torchlike.distributed.checkpoint import stateful as stateful
from torchlike.distributed.checkpoint.errors import CheckpointException as CheckpointException
from torchlike.distributed.checkpoint.older import load_state_dict as load_state_dict
from torchlike.distributed.checkpoint.older import save_state_dict as save_state_dict
from torchlike.distributed.checkpoint.saving import async_save as async_save
from torchlike.distributed.checkpoint.saving import load as load
from torchlike.distributed.checkpoint.saving import save as save
from torchlike.distributed.checkpoint.storage import FileSystemReader as FileSystemReader
from torchlike.distributed.checkpoint.storage import FileSystemWriter as FileSystemWriter

_supply()
for _name in ("api", "filesystem", "state_dict", "state_dict_loader", "state_dict_saver", "stateful"):
    _name_in(f".distributed.checkpoint.{_name}")
