"""`torch.distributed.checkpoint`: large checkpoints as directories.
https://pytorch.org/docs/stable/distributed.checkpoint.html

orbax writes the tensors, everything else goes into the file ``.metadata`` as `torch.save` writes it: see `filesystem.py`.
PyTorch's own directories are not read, and PyTorch does not read these. A save appears as a whole or not at all: all ranks
write to a new directory, beside the old one; when they have done so, one of them renames a new ``.metadata`` over the old.

`saving.py` has the three public functions and is the place to start; `plan.py` says which rank writes what, `ranks.py` has
how they agree, `filesystem.py` the directory, `flat.py` turns nested state dicts into flat ones. With a planner, or a writer
or reader of somebody else's, `protocol.py` does as PyTorch does: `planner.py`, `default_planner.py`, `storage.py` and
`metadata.py` have these. `state_dict.py` has state dicts by names.
"""

from sys import modules as _modules

from torchlike._api.homes import name_below as _name_below
from torchlike._base.absent_modules import supply as _supply
from torchlike._base.unknown_names import answer_for as _answer_for
from torchlike.distributed.checkpoint import api as api
from torchlike.distributed.checkpoint import default_planner as default_planner
from torchlike.distributed.checkpoint import filesystem as filesystem
from torchlike.distributed.checkpoint import metadata as metadata
from torchlike.distributed.checkpoint import planner as planner
from torchlike.distributed.checkpoint import state_dict as state_dict
from torchlike.distributed.checkpoint import state_dict_loader as state_dict_loader
from torchlike.distributed.checkpoint import state_dict_saver as state_dict_saver
from torchlike.distributed.checkpoint import stateful as stateful
from torchlike.distributed.checkpoint import storage as storage
from torchlike.distributed.checkpoint.default_planner import DefaultLoadPlanner as DefaultLoadPlanner
from torchlike.distributed.checkpoint.default_planner import DefaultSavePlanner as DefaultSavePlanner
from torchlike.distributed.checkpoint.errors import CheckpointException as CheckpointException
from torchlike.distributed.checkpoint.filesystem import FileSystemReader as FileSystemReader
from torchlike.distributed.checkpoint.filesystem import FileSystemWriter as FileSystemWriter
from torchlike.distributed.checkpoint.metadata import BytesStorageMetadata as BytesStorageMetadata
from torchlike.distributed.checkpoint.metadata import ChunkStorageMetadata as ChunkStorageMetadata
from torchlike.distributed.checkpoint.metadata import Metadata as Metadata
from torchlike.distributed.checkpoint.metadata import TensorStorageMetadata as TensorStorageMetadata
from torchlike.distributed.checkpoint.older import load_state_dict as load_state_dict
from torchlike.distributed.checkpoint.older import save_state_dict as save_state_dict
from torchlike.distributed.checkpoint.planner import LoadPlan as LoadPlan
from torchlike.distributed.checkpoint.planner import LoadPlanner as LoadPlanner
from torchlike.distributed.checkpoint.planner import ReadItem as ReadItem
from torchlike.distributed.checkpoint.planner import SavePlan as SavePlan
from torchlike.distributed.checkpoint.planner import SavePlanner as SavePlanner
from torchlike.distributed.checkpoint.planner import WriteItem as WriteItem
from torchlike.distributed.checkpoint.saving import async_save as async_save
from torchlike.distributed.checkpoint.saving import load as load
from torchlike.distributed.checkpoint.saving import save as save
from torchlike.distributed.checkpoint.storage import StorageReader as StorageReader
from torchlike.distributed.checkpoint.storage import StorageWriter as StorageWriter

_supply()
_answer_for("torch.distributed.checkpoint", _modules[__name__])
_name_below(".distributed.checkpoint")
