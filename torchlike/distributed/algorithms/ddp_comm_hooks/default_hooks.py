"""Communication hooks that send everything.
https://pytorch.org/docs/stable/ddp_comm_hooks.html#default-communication-hooks
"""

from collections.abc import Callable

from torchlike._base.dtypes import bfloat16, float16
from torchlike._c10d import world
from torchlike._c10d.collectives import all_reduce
from torchlike._record.tensor import Tensor
from torchlike.futures import Future
from torchlike.nn.parallel.buckets import GradBucket


def allreduce_hook(process_group, bucket: GradBucket) -> Future[Tensor]:
    """Averages the gradients: what happens without a hook.
    https://pytorch.org/docs/stable/ddp_comm_hooks.html#torch.distributed.algorithms.ddp_comm_hooks.default_hooks.allreduce_hook

    Args:
        process_group: the group; the default one where it is None.
        bucket: the gradients.

    Returns:
        a Future of their average.
    """
    return _averaged(process_group, bucket.buffer())


def _averaged(group, tensor) -> Future[Tensor]:
    group = world.group_of(group)
    work = all_reduce(tensor.div(group.size()), group=group, async_op=True)
    return work.get_future().then(lambda future: future.value()[0])


def _half(dtype, name) -> Callable:
    def hook(process_group, bucket: GradBucket) -> Future[Tensor]:
        wide = bucket.buffer().dtype
        return _averaged(process_group, bucket.buffer().to(dtype)).then(lambda future: future.value().to(wide))

    hook.__name__ = hook.__qualname__ = name
    hook.__doc__ = f"""Averages the gradients in {dtype}: half the bytes.
    https://pytorch.org/docs/stable/ddp_comm_hooks.html#default-communication-hooks

    Args:
        process_group: the group; the default one where it is None.
        bucket: the gradients.

    Returns:
        a Future of their average, in their dtype.
    """
    return hook


def _half_wrapper(dtype, name) -> Callable:
    def wrapper(hook: Callable) -> Callable:
        def wrapped(state, bucket: GradBucket) -> Future[Tensor]:
            wide = bucket.buffer().dtype
            bucket.set_buffer(bucket.buffer().to(dtype))
            return hook(state, bucket).then(lambda future: _first(future.value()).to(wide))

        wrapped.__name__ = wrapped.__qualname__ = f"{name}_hook"
        return wrapped

    wrapper.__name__ = wrapper.__qualname__ = name
    wrapper.__doc__ = f"""A hook that is given the gradients in {dtype}.
    https://pytorch.org/docs/stable/ddp_comm_hooks.html#default-communication-hooks

    Args:
        hook: any hook.

    Returns:
        the hook around it, whose result is in the gradients' dtype.
    """
    return wrapper


def _first(value):
    return value[0] if isinstance(value, list | tuple) else value


fp16_compress_hook = _half(float16, "fp16_compress_hook")
bf16_compress_hook = _half(bfloat16, "bf16_compress_hook")
fp16_compress_wrapper = _half_wrapper(float16, "fp16_compress_wrapper")
bf16_compress_wrapper = _half_wrapper(bfloat16, "bf16_compress_wrapper")
