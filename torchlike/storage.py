"""`torch.storage`: https://pytorch.org/docs/stable/storage.html"""

from torchlike._api.untyped_storage import TypedStorage as TypedStorage
from torchlike._api.untyped_storage import UntypedStorage as UntypedStorage
