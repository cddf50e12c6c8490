"""`torch.storage`: https://pytorch.org/docs/stable/storage.html"""

from torchlike._api.legacy_storages import _LegacyStorage as _LegacyStorage
from torchlike._api.typed_storages import TypedStorage as TypedStorage
from torchlike._api.untyped_storage import UntypedStorage as UntypedStorage
from torchlike._api.untyped_storage import _StorageBase as _StorageBase
