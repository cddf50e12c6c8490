"""`torch.distributed.nn.functional`: each of its functions says that there is no process group.

PyTorch says first, by a FutureWarning, that they are deprecated; here nothing is left to replace.
"""

from torchlike.distributed import _group

_SPACE = "torch.distributed.nn.functional"
all_gather = _group.without_group("all_gather", _SPACE)
all_reduce = _group.without_group("all_reduce", _SPACE)
all_to_all = _group.without_group("all_to_all", _SPACE)
all_to_all_single = _group.without_group("all_to_all_single", _SPACE)
broadcast = _group.without_group("broadcast", _SPACE)
gather = _group.without_group("gather", _SPACE)
reduce = _group.without_group("reduce", _SPACE)
reduce_scatter = _group.without_group("reduce_scatter", _SPACE)
scatter = _group.without_group("scatter", _SPACE)
