"""Communication hooks of `DistributedDataParallel`. https://pytorch.org/docs/stable/ddp_comm_hooks.html

`default_hooks.py` has those that send everything, in half precision say, `powerSGD_hook.py` one that sends matrices of low
rank, `post_localSGD_hook.py` one that stops sending to all. Each takes a `GradBucket` and returns a Future.

Start with `default_hooks.py`.
"""

import enum
import functools

from torchlike.distributed.algorithms.ddp_comm_hooks import default_hooks as default_hooks
from torchlike.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as powerSGD_hook
from torchlike.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState


class DDPCommHookType(enum.Enum):
    """The hooks by name, for `register_ddp_comm_hook`.
    https://pytorch.org/docs/stable/ddp_comm_hooks.html#torch.distributed.algorithms.ddp_comm_hooks.DDPCommHookType
    """

    ALLREDUCE = functools.partial(default_hooks.allreduce_hook)
    FP16_COMPRESS = functools.partial(default_hooks.fp16_compress_hook)
    BF16_COMPRESS = functools.partial(default_hooks.bf16_compress_hook)
    POWER_SGD = functools.partial(powerSGD_hook.powerSGD_hook)
    POWER_SGD_RANK2 = functools.partial(powerSGD_hook.powerSGD_hook, rank=2)
    BATCHED_POWER_SGD = functools.partial(powerSGD_hook.batched_powerSGD_hook)
    BATCHED_POWER_SGD_RANK2 = functools.partial(powerSGD_hook.batched_powerSGD_hook, rank=2)


def register_ddp_comm_hook(comm_hook_type: DDPCommHookType, model, state=None) -> None:
    """Have a `DistributedDataParallel` send its gradients by one of these hooks.
    https://pytorch.org/docs/stable/ddp_comm_hooks.html#torch.distributed.algorithms.ddp_comm_hooks.register_ddp_comm_hook

    Args:
        comm_hook_type: which one.
        model: the DistributedDataParallel.
        state: the process group, None for the default one.

    Raises:
        RuntimeError: it has a hook.
    """
    partial = comm_hook_type.value
    if "powerSGD" not in partial.func.__name__:
        model.register_comm_hook(state, partial.func)
        return
    rank = partial.keywords.get("rank", 1)
    model.register_comm_hook(PowerSGDState(state, matrix_approximation_rank=rank), partial.func)
