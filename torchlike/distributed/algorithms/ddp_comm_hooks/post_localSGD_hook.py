"""Gradients averaged over all ranks at first, later over some, or not at all; parameters are averaged now and then instead.
https://pytorch.org/docs/stable/_modules/torch/distributed/algorithms/ddp_comm_hooks/post_localSGD_hook.html
"""

from torchlike._c10d import world
from torchlike._record.tensor import Tensor
from torchlike.distributed.algorithms.ddp_comm_hooks.debugging_hooks import noop_hook
from torchlike.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook
from torchlike.futures import Future
from torchlike.nn.parallel.buckets import GradBucket


class PostLocalSGDState:
    """What `post_localSGD_hook` knows.

    Args:
        process_group: the group of all; the default one where it is None.
        subgroup: the group over which gradients are averaged later; the ranks of one machine where it is None.
        start_localSGD_iter: the step from which on they are.
        post_local_gradient_allreduce: whether they are averaged then at all.
    """

    def __init__(self, process_group, subgroup, start_localSGD_iter, post_local_gradient_allreduce=True):
        self.process_group = process_group
        self.subgroup = world.new_subgroups()[0] if subgroup is None and post_local_gradient_allreduce else subgroup
        self.start_localSGD_iter = start_localSGD_iter
        self.post_local_gradient_allreduce = post_local_gradient_allreduce
        self.iter = 0

    def maybe_increase_iter(self, bucket: GradBucket) -> None:
        """Count the step, at its last bucket.

        Args:
            bucket: the one that is sent.
        """
        self.iter += bucket.is_last()


def post_localSGD_hook(state: PostLocalSGDState, bucket: GradBucket) -> Future[Tensor]:  # noqa: N802 - PyTorch's name
    """Averages gradients over all ranks, later over the state's subgroup.

    Args:
        state: see there.
        bucket: the gradients.

    Returns:
        a Future of their average.
    """
    is_early = state.iter < state.start_localSGD_iter
    state.maybe_increase_iter(bucket)
    if is_early:
        return allreduce_hook(state.process_group, bucket)
    return allreduce_hook(state.subgroup, bucket) if state.post_local_gradient_allreduce else noop_hook(None, bucket)
