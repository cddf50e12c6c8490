"""Communication hooks of `DistributedDataParallel`. https://pytorch.org/docs/stable/ddp_comm_hooks.html

`default_hooks.py` has those that send everything, in half precision say, `powerSGD_hook.py` one that sends matrices of low
rank, `post_localSGD_hook.py` one that stops sending to all, `debugging_hooks.py` one that sends nothing. Each takes a
`GradBucket` and returns a Future.

Start with `default_hooks.py`.
"""

import enum

from torchlike.distributed.algorithms.ddp_comm_hooks import debugging_hooks as debugging_hooks
from torchlike.distributed.algorithms.ddp_comm_hooks import default_hooks as default_hooks
from torchlike.distributed.algorithms.ddp_comm_hooks import powerSGD_hook as powerSGD_hook
from torchlike.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState


class DDPCommHookType(enum.Enum):
    """The hooks by name, for `register_ddp_comm_hook`, each with the rank of its matrices.
    https://pytorch.org/docs/stable/ddp_comm_hooks.html#torch.distributed.algorithms.ddp_comm_hooks.DDPCommHookType
    """

    ALLREDUCE = default_hooks.allreduce_hook, 0
    FP16_COMPRESS = default_hooks.fp16_compress_hook, 0
    BF16_COMPRESS = default_hooks.bf16_compress_hook, 0
    POWER_SGD = powerSGD_hook.powerSGD_hook, 1
    POWER_SGD_RANK2 = powerSGD_hook.powerSGD_hook, 2
    BATCHED_POWER_SGD = powerSGD_hook.batched_powerSGD_hook, 1
    BATCHED_POWER_SGD_RANK2 = powerSGD_hook.batched_powerSGD_hook, 2
    NOOP = debugging_hooks.noop_hook, 0


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
    hook, rank = comm_hook_type.value
    model.register_comm_hook(PowerSGDState(state, matrix_approximation_rank=rank) if rank else state, hook)
