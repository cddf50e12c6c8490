"""Where storages are, by names in files ("cpu", "cuda:1"), and where `map_location` puts them."""

from torchlike._base import device as dev
from torchlike._compile.backends.registry import MAKERS, accelerators, backend_of
from torchlike._serialization.config import local

_NOT_THERE = (
    "Attempting to deserialize object on a {0} device but torch.{1}.is_available() is False. If you are running on a "
    "CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your storages to the CPU.")
_CALLABLE = "Callable map_location not supported with _rebuild_wrapper_subclass or _rebuild_device_tensor_from_numpy"
_package_registry: list = []  # of (priority, tagger, deserializer)


def register_package(priority, tagger, deserializer) -> None:
    """Lets functions say where a storage is when it is saved, and bring it there when it is loaded.
    https://pytorch.org/docs/stable/notes/serialization.html#torch.serialization.register_package

    Args:
        priority: those with lower ones are asked first.
        tagger: a function of a storage: its location, or None where that is not for it to say.
        deserializer: a function of a storage on the host and its location: the storage there, or None likewise.
    """
    _package_registry.append((priority, tagger, deserializer))
    _package_registry.sort(key=lambda entry: entry[0])


def location_tag(storage) -> str:
    """Where a storage is: ``"cpu"``, ``"cuda:0"``.
    https://pytorch.org/docs/stable/notes/serialization.html

    Args:
        storage: an UntypedStorage or TypedStorage.

    Returns:
        the location.

    Raises:
        RuntimeError: nobody knows.
    """
    for _, tagger, _ in _package_registry:
        location = tagger(storage)
        if location:
            return location
    raise RuntimeError("don't know how to determine data location of torch.storage." + type(storage).__name__)


def default_restore_location(storage, location):
    """The storage at a location.
    https://pytorch.org/docs/stable/notes/serialization.html

    Args:
        storage: on the host.
        location: as `location_tag` names it.

    Returns:
        a storage.

    Raises:
        RuntimeError: nobody knows that location, or there is no such device.
    """
    for _, _, deserializer in _package_registry:
        found = deserializer(storage, location)
        if found is not None:
            return found
    raise RuntimeError(f"don't know how to restore data location of torch.storage.{type(storage).__name__} (tagged with "
                       f"{location})")


def validate_cuda_device(location) -> int:
    """The number of the GPU that a location names.

    Args:
        location: ``"cuda"`` or ``"cuda:1"``.

    Returns:
        the number.

    Raises:
        RuntimeError: there is none.
    """
    found = dev.device(location)
    if not accelerators():
        raise RuntimeError(_NOT_THERE.format(found.type.upper(), found.type))
    return dev.canonical(found).index or 0


def _tag(storage):
    device = storage.device
    return f"{device.type}:{device.index or 0}" if backend_of(device).is_accelerator else device.type


def _restored(storage, location):
    if not isinstance(location, str):
        return None
    try:
        device = dev.device(location)
    except RuntimeError:
        return None
    if device.type not in MAKERS:
        raise RuntimeError(_NOT_THERE.format(device.type.upper(), device.type))
    if backend_of(device).is_accelerator:
        validate_cuda_device(location)
    elif location != device.type:
        return None
    untyped = storage._untyped_storage
    return storage if untyped.device == dev.canonical(device) else untyped.to(device=device)


register_package(10, _tag, _restored)


def restoring(map_location):
    """The function of a storage and its location that puts it where a `map_location` says."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(storage, map_location.get(location, location))
    if isinstance(map_location, str | dev.device):
        return lambda storage, location: default_restore_location(storage, str(map_location))

    def restore(storage, location):
        found = map_location(storage, location)
        return default_restore_location(storage, location) if found is None else found
    return restore


def placed(device):
    """Where a tensor of a class of its own goes that was on `device`. RuntimeError if `map_location` is a function."""
    where = local.map_location
    if where is None:
        return device
    if isinstance(where, dict):
        return where.get(device, device)
    if isinstance(where, str | dev.device):
        return where
    raise RuntimeError(_CALLABLE)
