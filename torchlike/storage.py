"""`torch.storage`: https://pytorch.org/docs/stable/storage.html"""

from torchlike._api.storages import TypedStorage as TypedStorage
from torchlike._api.storages import UntypedStorage as UntypedStorage
