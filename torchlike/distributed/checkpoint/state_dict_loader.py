"""`torch.distributed.checkpoint.state_dict_loader`, see `saving.py`."""

from torchlike.distributed.checkpoint.older import _load_state_dict as _load_state_dict
from torchlike.distributed.checkpoint.older import load_state_dict as load_state_dict
from torchlike.distributed.checkpoint.saving import load as load
