"""`torch.distributed.checkpoint.state_dict_saver`, see `saving.py`."""

import dataclasses
import enum
from concurrent.futures import Future

from torchlike.distributed.checkpoint.older import save_state_dict as save_state_dict
from torchlike.distributed.checkpoint.saving import async_save as async_save
from torchlike.distributed.checkpoint.saving import save as save


class AsyncCheckpointerType(enum.Enum):
    """Where `async_save` runs in PyTorch; here it is a thread in any case."""

    THREAD = "thread"
    PROCESS = "process"


@dataclasses.dataclass
class AsyncSaveResponse:
    """What PyTorch's `async_save` returns with a stager, which is refused here.

    Args:
        staging_completion: done when the tensors have been copied.
        upload_completion: done when they have been written.
    """

    staging_completion: Future
    upload_completion: Future
