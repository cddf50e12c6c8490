"""`torch.distributed.nn.functional`: each of its functions says that there is no process group.

PyTorch says first, by a FutureWarning, that they are deprecated; here nothing is left to replace.
"""

from torchlike.distributed.distributed_c10d import without_group

all_gather = without_group("all_gather", __name__)
all_reduce = without_group("all_reduce", __name__)
all_to_all = without_group("all_to_all", __name__)
all_to_all_single = without_group("all_to_all_single", __name__)
broadcast = without_group("broadcast", __name__)
gather = without_group("gather", __name__)
reduce = without_group("reduce", __name__)
reduce_scatter = without_group("reduce_scatter", __name__)
scatter = without_group("scatter", __name__)
