"""What packages use of `torch._tensor`: the class, and how an object of a subclass is rebuilt from a file."""

from torchlike._record.tensor import Tensor as Tensor
from torchlike._serialization.storage import rebuild_from_type_v2 as _rebuild_from_type_v2  # noqa: F401
