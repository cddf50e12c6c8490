"""The names of what moves the bytes between processes."""

from typing import ClassVar

from torchlike._base.errors import UnsupportedError


class Backend(str):
    """The name of a way in which processes talk. https://pytorch.org/docs/stable/distributed.html#torch.distributed.Backend

    Args:
        name: a text; what it says is lower-case.

    Raises:
        ValueError: it is no text.
    """

    __slots__ = ()
    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    MPI = "mpi"
    XCCL = "xccl"
    FAKE = "fake"
    backend_list: ClassVar[list] = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, FAKE]
    default_device_backend_map: ClassVar[dict] = {"cpu": GLOO, "cuda": NCCL, "xpu": XCCL, "mps": GLOO}
    backend_capability: ClassVar[dict] = {GLOO: ["cpu", "cuda"], NCCL: ["cuda"], XCCL: ["xpu"], UCC: ["cpu", "cuda"],
                                          MPI: ["cpu", "cuda"], FAKE: ["cpu", "cuda", "hpu", "xpu"]}

    def __new__(cls, name: str):
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return super().__new__(cls, name.lower())

    @classmethod
    def register_backend(cls, name, func, extended_api=False, devices=None, *, _backend_type=None) -> None:
        """Refuses: nothing would call what is registered.

        Args:
            name, func, extended_api, devices: as PyTorch's; `_backend_type`, too.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError("torch.distributed.Backend.register_backend is not supported: XLA's collectives move the "
                               "bytes")


class BackendConfig:
    """Which backend each type of device has. https://pytorch.org/docs/stable/distributed.html#torch.distributed.Backend

    Args:
        backend: a Backend, also by device ("cpu:gloo,cuda:nccl").
    """

    def __init__(self, backend):
        parts = [part.rpartition(":") for part in str(backend).split(",")]
        self.device_backend_map = {
            device: Backend(name) for devices, _, name in parts
            for device in ([devices] if devices else Backend.backend_capability.get(name, ["cpu", "cuda"]))}

    def get_device_backend_map(self) -> dict:
        """The name of the backend of each type of device."""
        return self.device_backend_map

    def __repr__(self) -> str:
        return ",".join(f"{device}:{name}" for device, name in self.device_backend_map.items())
