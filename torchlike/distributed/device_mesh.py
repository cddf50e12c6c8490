"""`torch.distributed.device_mesh`: names for annotations; a mesh needs a process group.
https://pytorch.org/docs/stable/distributed.html#devicemesh
"""

from torchlike._base import absent
from torchlike._base.errors import NO_PROCESS_GROUP

__all__ = ["DeviceMesh", "init_device_mesh"]

DeviceMesh = absent.uninstantiable("DeviceMesh", __name__, ValueError, NO_PROCESS_GROUP)
init_device_mesh = absent.failing("init_device_mesh", __name__, ValueError, NO_PROCESS_GROUP)
