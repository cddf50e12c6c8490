"""What a module can do when `fully_shard` has divided its parameters.
https://pytorch.org/docs/stable/distributed.fsdp.fully_shard.html#torch.distributed.fsdp.FSDPModule
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

from torchlike._base.errors import UnsupportedError
from torchlike.distributed.fsdp._group import Group
from torchlike.distributed.fsdp._state import State, state_of
from torchlike.nn.modules.module import Module


class UnshardHandle:
    """What `FSDPModule.unshard` returns while parameters are being gathered.
    https://pytorch.org/docs/stable/distributed.fsdp.fully_shard.html#torch.distributed.fsdp.UnshardHandle
    """

    def wait(self) -> None:
        """Wait until the module has its whole parameters."""


class _Handle(UnshardHandle):
    def __init__(self, groups: list[Group]):
        self._groups = groups

    def wait(self) -> None:
        groups, self._groups = self._groups, []
        for group in groups:
            group.unshard()


class FSDPModule:
    """A module whose parameters are divided. Made by `fully_shard`, which adds this class to that of the module.
    https://pytorch.org/docs/stable/distributed.fsdp.fully_shard.html#torch.distributed.fsdp.FSDPModule

    Args:
        args, kwargs: those of the original class, of which calling it makes a plain module.
    """

    def __new__(cls, *args, **kwargs):
        """A plain module of the original class, as slices of containers want it."""
        made = object.__new__(cls.__mro__[2])
        made.__init__(*args, **kwargs)
        return made

    def _get_fsdp_state(self) -> State:
        found = state_of(self)
        if found is None:
            raise AssertionError(f"No FSDP state found on {self}")
        return found

    def _groups(self, recurse: bool = False) -> Iterator[Group]:
        """Its groups, and those of the modules in it."""
        for module in self.modules() if recurse and isinstance(self, Module) else [self]:
            if isinstance(module, FSDPModule):
                yield from module._get_fsdp_state().groups

    def reshard(self) -> None:
        """Let the whole parameters go. Those of modules inside stay."""
        for group in self._groups():
            group.reshard()

    def unshard(self, async_op: bool = False) -> UnshardHandle | None:
        """Gather the parameters, not those of modules inside.

        Args:
            async_op: whether to return before they are there.

        Returns:
            an `UnshardHandle` if `async_op`; the forward pass waits for it, too.
        """
        groups = list(self._groups())
        for group in groups:
            group.start_unshard()
        handle = _Handle(groups)
        if async_op:
            return handle
        handle.wait()
        return None

    def reset_iter_state(self) -> None:
        """Forget what a pass that has failed left behind; its gradients are lost.

        Raises:
            RuntimeError: this is not the root.
        """
        self._get_fsdp_state().reset()

    def set_is_last_backward(self, is_last_backward: bool) -> None:
        """Whether the next backward pass is the last before an optimizer's step.

        Args:
            is_last_backward: whether it is; without effect, nothing is gathered ahead of backward passes unasked.
        """
        self._get_fsdp_state().context.is_last = is_last_backward

    def set_requires_gradient_sync(self, requires_gradient_sync: bool, *, recurse: bool = True) -> None:
        """Whether backward passes reduce gradients. Until they do, each rank keeps those of the whole parameters.

        Args:
            requires_gradient_sync: whether they do.
            recurse: whether that is for the modules inside, too.
        """
        for group in self._groups(recurse):
            group.reduces = group.reduces_all = requires_gradient_sync

    def set_requires_all_reduce(self, requires_all_reduce: bool, *, recurse: bool = True) -> None:
        """Whether gradients are reduced over the ranks that have the same parts, too.

        Args:
            requires_all_reduce: whether they are.
            recurse: as for `set_requires_gradient_sync`.
        """
        for group in self._groups(recurse):
            group.reduces_all = requires_all_reduce

    def set_reshard_after_forward(self, reshard_after_forward: bool, recurse: bool = True) -> None:
        """Whether the whole parameters go after the forward pass.

        Args:
            reshard_after_forward: whether they do.
            recurse: as for `set_requires_gradient_sync`.

        Raises:
            ValueError: no bool.
        """
        if not isinstance(reshard_after_forward, bool):
            raise ValueError(f"reshard_after_forward should be a bool, got {type(reshard_after_forward)}")
        for module in self.modules() if recurse and isinstance(self, Module) else [self]:
            if isinstance(module, FSDPModule):
                state = module._get_fsdp_state()
                state.decides = False
                for group in state.groups:
                    group.reshards = reshard_after_forward

    def set_reshard_after_backward(self, reshard_after_backward: bool, *, recurse: bool = True) -> None:
        """Whether the whole parameters go after the backward pass.

        Args:
            reshard_after_backward: whether they do.
            recurse: as for `set_requires_gradient_sync`.
        """
        for group in self._groups(recurse):
            group.reshards_after_backward = reshard_after_backward

    def set_modules_to_forward_prefetch(self, modules: list) -> None:
        """Whose parameters begin to be gathered when this module has its own, while it computes.

        Args:
            modules: FSDPModules.

        Raises:
            ValueError: something else.
        """
        self._get_fsdp_state().forward_next = _states(modules)

    def set_modules_to_backward_prefetch(self, modules: list) -> None:
        """The same in the backward pass.

        Args:
            modules: FSDPModules.

        Raises:
            ValueError: something else.
        """
        self._get_fsdp_state().backward_next = _states(modules)

    def set_all_reduce_hook(self, hook: Callable, *, stream: Any = None) -> None:
        """A function that is called with the reduced gradients of the module, one after the other in one tensor.

        Args:
            hook: it may write to the tensor.
            stream: without effect.
        """
        for group in self._groups():
            group.hook = hook

    def set_post_optim_event(self, event: object) -> None:
        """Without effect: whoever reads a parameter waits for the optimizer's step.

        Args:
            event: anything.
        """

    def set_reduce_scatter_divide_factor(self, factor: float) -> None:
        """The older name of `set_gradient_divide_factor`.

        Args:
            factor: by what gradients are divided.
        """
        warnings.warn("Use `set_gradient_divide_factor` instead", FutureWarning, stacklevel=2)
        self.set_gradient_divide_factor(factor)

    def set_gradient_divide_factor(self, factor: float) -> None:
        """By what the sum of gradients is divided, instead of the number of ranks.

        Args:
            factor: the number.
        """
        for group in self._groups():
            group.divisor = factor

    def set_force_sum_reduction_for_comms(self, enable: bool) -> None:
        """Without effect: gradients are summed, and divided apart.

        Args:
            enable: anything.
        """

    def set_reduce_scatter_unused_params(self, reduce_scatter_unused_params: bool, *, recurse: bool = True) -> None:
        """Whether a parameter without a gradient counts as one of zeros. Needed where ranks use different parameters.

        Args:
            reduce_scatter_unused_params: whether it does.
            recurse: as for `set_requires_gradient_sync`.
        """
        for group in self._groups(recurse):
            group.sends_unused = reduce_scatter_unused_params

    def set_reduce_scatter_max_input_buffers(self, max_input_buffers: int, *, recurse: bool = True) -> None:
        """Without effect: a gradient is sent before the next module is differentiated.

        Args:
            max_input_buffers: a number from 1 on.
            recurse: anything.

        Raises:
            TypeError: no int. ValueError: less than 1.
        """
        if isinstance(max_input_buffers, bool) or not isinstance(max_input_buffers, int):
            raise TypeError(f"max_input_buffers must be an int, got {type(max_input_buffers).__name__}")
        if max_input_buffers < 1:
            raise ValueError(f"max_input_buffers must be a positive int, got {max_input_buffers}")

    def set_separate_reduce_scatter_group(self, enable: bool = True, *, recurse: bool = True) -> None:
        """Without effect: one collective is running at a time.

        Args:
            enable, recurse: anything.
        """

    def set_unshard_in_backward(self, unshard_in_backward: bool) -> None:
        """Whether backward passes need the whole parameters: that of an embedding does not.

        Args:
            unshard_in_backward: whether they do.
        """
        for group in self._groups():
            group.unshards_in_backward = unshard_in_backward

    def set_allocate_memory_from_process_group_for_comm(self, enable: bool) -> None:
        """Without effect: JAX has the memory.

        Args:
            enable: anything.
        """

    def set_custom_all_gather(self, comm: object) -> None:
        """Refused: XLA's collectives gather.

        Args:
            comm: anything.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError("FSDPModule.set_custom_all_gather: XLA's collectives gather parameters")

    def set_custom_reduce_scatter(self, comm: object) -> None:
        """Refused: XLA's collectives reduce.

        Args:
            comm: anything.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError("FSDPModule.set_custom_reduce_scatter: XLA's collectives reduce gradients")

    def set_symm_mem_for_comm(self, backend: str = "NCCL") -> None:
        """Refused: there is no symmetric memory.

        Args:
            backend: anything.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError("FSDPModule.set_symm_mem_for_comm: there is no symmetric memory")

    def _apply(self, *args, **kwargs):
        """Moves and casts are for the parts."""
        self.reshard()
        return super()._apply(*args, **kwargs)  # pyrefly: ignore[missing-attribute] - a Module's


def _states(modules) -> list[State]:
    for module in modules:
        if not isinstance(module, FSDPModule):
            raise ValueError(f"Expects FSDPModule but got {type(module)}: {module}")
    return [module._get_fsdp_state() for module in modules]
