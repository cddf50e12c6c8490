"""`torch.storage`: https://pytorch.org/docs/stable/storage.html"""

from torchlike._faces.storages import TypedStorage as TypedStorage
from torchlike._faces.storages import UntypedStorage as UntypedStorage
