"""`DistributedDataParallel`: a module on each rank, whose gradients are averaged.
https://pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html
"""

import contextlib
import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from torchlike._base.errors import UnsupportedError
from torchlike._c10d import collectives, objects, world
from torchlike._c10d.flat import flattened, unflattened
from torchlike._c10d.join import Join, Joinable, JoinHook, counted
from torchlike._compile.backends.registry import backend_of
from torchlike._record.tensor import Tensor
from torchlike.autograd import grad_mode
from torchlike.futures import Future
from torchlike.nn.modules.module import Module
from torchlike.nn.parallel.buckets import CAP, FIRST, GradBucket
from torchlike.nn.parallel.reducer import Reducer
from torchlike.nn.parallel.sparse import with_sparse_gradients

__all__ = ["DistributedDataParallel"]
_MB = 1 << 20


class DistributedDataParallel(Module, Joinable):
    """A module whose gradients are averaged over the ranks of a group in each backward pass.
    https://pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html

    Its parameters and buffers become those of rank 0 at first, and its buffers before each forward pass.

    Args:
        module: the module; it has a parameter that requires grad.
        device_ids, output_device: of GPUs; None for the CPU.
        dim: without effect.
        broadcast_buffers: whether the buffers are made those of rank 0 before each forward pass; True where it is None.
        init_sync: whether parameters and buffers are at first.
        process_group: the group; the default one where it is None.
        bucket_cap_mb: how many MB of gradients are sent at once; 25 where it is None, 1 for the first.
        find_unused_parameters: whether some parameters may get no gradient.
        gradient_as_bucket_view, check_reduction, skip_all_reduce_unused_params, batched_grad_copy: without effect; a
            gradient is never copied from its bucket as such.
        static_graph: whether all backward passes are alike.
        device_mesh: of one dimension, instead of `process_group`.
        delay_all_reduce_named_params, param_to_hook_all_reduce, mixed_precision: refused.
        bucket_cap_mb_list: the caps of the first buckets; the first two are used.
        forward_sync_buffers: the newer name of `broadcast_buffers`.

    Raises:
        ValueError: there is no process group; devices that do not fit. RuntimeError: no parameter requires grad; the ranks
            have other parameters; parameters of the last forward pass got no gradient. UnsupportedError: an option that is
            refused.
    """

    def __init__(self, module, device_ids=None, output_device=None, dim=0, broadcast_buffers=None, init_sync=True,
                 process_group=None, bucket_cap_mb=None, find_unused_parameters=False, check_reduction=False,
                 gradient_as_bucket_view=False, static_graph=False, delay_all_reduce_named_params=None,
                 param_to_hook_all_reduce=None, mixed_precision=None, device_mesh=None, skip_all_reduce_unused_params=False,
                 bucket_cap_mb_list=None, batched_grad_copy=False, forward_sync_buffers=None):
        super().__init__()
        if delay_all_reduce_named_params or param_to_hook_all_reduce or mixed_precision is not None:
            raise UnsupportedError("DistributedDataParallel: delay_all_reduce_named_params and mixed_precision are not "
                                   "supported")
        if process_group is not None and device_mesh is not None:
            raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
        self.process_group = device_mesh.get_group(0) if device_mesh is not None else world.group_of(process_group)
        self.module, self.device_mesh, self.dim = module, device_mesh, dim
        self.parameters_to_ignore = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        params = [p for name, p in self._once(module.named_parameters()) if p.requires_grad]
        if not params:
            raise RuntimeError("DistributedDataParallel is not needed when a module doesn't have any parameter that "
                               "requires a gradient.")
        self.device_ids, self.output_device = _checked_devices(params, device_ids, output_device)
        self.device = params[0].device
        self.broadcast_buffers = next((flag for flag in (broadcast_buffers, forward_sync_buffers) if flag is not None), True)
        self.find_unused_parameters, self.static_graph = find_unused_parameters, static_graph
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.require_backward_grad_sync = self.require_forward_param_sync = self._divide_by_initial_world_size = True
        caps = [int(cap * _MB) for cap in bucket_cap_mb_list or ()]
        self.bucket_bytes_cap = caps[-1] if caps else CAP if bucket_cap_mb is None else int(bucket_cap_mb * _MB)
        self._first = caps[0] if caps else FIRST if bucket_cap_mb is None else self.bucket_bytes_cap
        self._check_alike(params)
        if init_sync:
            self._sync([*params, *(p for _, p in self._once(module.named_parameters()) if not p.requires_grad)])
            self._sync(self._buffers_of_all())
        self.reducer: Any = self._new_reducer(params)

    def _new_reducer(self, params) -> Reducer:
        return Reducer(params, self.process_group, self.bucket_bytes_cap, self._first, self.find_unused_parameters,
                       self.static_graph, with_sparse_gradients(self.module, params))

    def _once(self, named) -> Iterator[tuple]:
        """Those that are not to be ignored."""
        return ((name, x) for name, x in named if name not in self.parameters_to_ignore)

    def _buffers_of_all(self) -> list[Tensor]:
        return [x for _, x in self._once(self.module.named_buffers())]

    def _check_alike(self, params) -> None:
        """RuntimeError, PyTorch's, unless all ranks have parameters of the same shapes."""
        mine = [list(p.shape) for p in params]
        all_shapes: list = [None] * self.process_group.size()
        objects.all_gather_object(all_shapes, mine, self.process_group)
        first, rank = all_shapes[0], self.process_group.rank()
        for other, shapes in enumerate(all_shapes):
            if len(shapes) != len(first):
                raise RuntimeError(f"DDP expects same model across all ranks, but Rank {rank} has {len(mine)} params, while "
                                   f"rank {other if rank == 0 else 0} has inconsistent "
                                   f"{len(shapes if rank == 0 else first)} params.")
        for i, (here, there) in enumerate(zip(mine, first, strict=True)):
            if here != there:
                raise RuntimeError(f"[{rank}]: params[{i}] in this process with sizes {here} appears not to match sizes of "
                                   "the same param in process 0.")
        if all_shapes.count(first) != len(all_shapes):
            raise RuntimeError(f"[{rank}]: another process has parameters of other sizes than process 0.")

    def _source(self, has_inputs: bool) -> int:
        """The rank whose buffers are taken: 0, or inside of a `join` the last one that has inputs."""
        return self._last(has_inputs) if self._join_config.enable else 0

    def _last(self, flag: bool) -> int:
        """The last rank that says True."""
        group = self.process_group
        return int(group.run("last rank", "all_reduce", ("max",), np.array([group.rank() if flag else -1], np.int32))[0])

    def _sync(self, values: list[Tensor], source: int = 0) -> None:
        """Make tensors those of a rank of the group, those of one dtype at once."""
        by_dtype: dict = {}
        for x in values:
            by_dtype.setdefault(x.dtype, []).append(x)
        with grad_mode.no_grad():
            for same in by_dtype.values():
                flat = flattened([x.detach() for x in same])
                collectives.broadcast(flat, group=self.process_group, group_src=source)
                if self.process_group.rank() != source:
                    for x, new in zip(same, unflattened(flat, same), strict=True):
                        x.data.copy_(new)

    def forward(self, *inputs, **kwargs):
        """The module's forward pass.

        Args:
            inputs, kwargs: the module's.

        Returns:
            what it returns.

        Raises:
            RuntimeError: parameters of the last forward pass got no gradient.
        """
        work = Join.notify_join_context(self) if grad_mode.is_grad_enabled() and self.require_backward_grad_sync else None
        if work is not None and not self._divide_by_initial_world_size:
            self.reducer.divisor = work.result()[0]
        if self.will_sync_module_buffers():
            self._sync(self._buffers_of_all(), self._source(True))
        if self._join_config.enable:
            counted(self.process_group, "backward", int(self.require_backward_grad_sync))
        outputs = self.module(*inputs, **kwargs)
        if grad_mode.is_grad_enabled() and self.require_backward_grad_sync:
            self.require_forward_param_sync = True
            self.reducer.prepare(outputs)
        else:
            self.require_forward_param_sync = False
            self.reducer.skip()
        return outputs

    def will_sync_module_buffers(self) -> bool:
        """Whether the next forward pass begins by taking the buffers of rank 0."""
        return self.require_forward_param_sync and self.broadcast_buffers and bool(self._buffers_of_all())

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Inside, backward passes leave each rank its own gradients: they are averaged by the first one after it.
        https://pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html#torch.nn.parallel.DistributedDataParallel.no_sync
        """
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def join(self, divide_by_initial_world_size: bool = True, enable: bool = True,
             throw_on_early_termination: bool = False) -> Join:
        """A context in which ranks may have different numbers of inputs.
        https://pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html#torch.nn.parallel.DistributedDataParallel.join

        Args:
            divide_by_initial_world_size: whether gradients are divided by the number of ranks, not of those with inputs.
            enable, throw_on_early_termination: as for `torch.distributed.algorithms.Join`.

        Returns:
            a `Join`.
        """
        return Join([self], enable, throw_on_early_termination, divide_by_initial_world_size=divide_by_initial_world_size)

    def join_hook(self, **kwargs) -> JoinHook:
        """What a rank without inputs does in the others' steps.

        Args:
            kwargs: ``divide_by_initial_world_size``, see `join`.

        Returns:
            a `JoinHook`.
        """
        self._divide_by_initial_world_size = kwargs.get("divide_by_initial_world_size", True)
        return _Shadow(self)

    @property
    def join_device(self):
        """The device of the parameters."""
        return self.device

    @property
    def join_process_group(self):
        """The process group."""
        return self.process_group

    def register_comm_hook(self, state: object, hook: Callable) -> None:
        """Have a function send the gradients.
        https://pytorch.org/docs/stable/generated/torch.nn.parallel.DistributedDataParallel.html#torch.nn.parallel.DistributedDataParallel.register_comm_hook

        Args:
            state: what the function is given first.
            hook: ``hook(state, bucket) -> Future``, of the reduced tensor.

        Raises:
            TypeError: it cannot be called. ValueError: annotations of other types. RuntimeError: there is one already.
        """
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        signature = inspect.signature(hook)
        if signature.parameters["bucket"].annotation not in (inspect.Parameter.empty, GradBucket):
            raise ValueError("Communication hook: bucket annotation should be dist.GradBucket.")
        if signature.return_annotation not in (inspect.Signature.empty, Future[Tensor]):
            raise ValueError("Communication hook: return annotation should be torch.futures.Future[torch.Tensor].")
        if self.reducer.hook is not None:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        self.reducer.hook = hook, state

    def _set_static_graph(self) -> None:
        """All backward passes are alike from now on."""
        if self.static_graph:
            warnings.warn("You've set static_graph to be True, no need to set it again.", stacklevel=2)
        self.static_graph = self.reducer.is_static = True

    def _get_ddp_logging_data(self) -> dict:
        """What is known of it, under some of PyTorch's names."""
        reducer = self.reducer
        bytes_of = [p.numel() * p.dtype.itemsize for p in reducer.params]
        sizes = [sum(bytes_of[i] for i in bucket) for bucket in reducer.buckets]
        return {"world_size": self.process_group.size(), "rank": self.process_group.rank(),
                "module_name": type(self.module).__name__, "bucket_cap_bytes": self.bucket_bytes_cap,
                "bucket_sizes": ", ".join(map(str, sizes)), "num_parameter_tensors": len(reducer.params),
                "total_parameter_size_bytes": sum(sizes), "find_unused_parameters": int(self.find_unused_parameters),
                "gradient_as_bucket_view": int(self.gradient_as_bucket_view),
                "broadcast_buffers": int(self.broadcast_buffers)}

    def __getstate__(self) -> dict:
        if self.process_group is not world.default_or_none():
            raise RuntimeError("DDP Pickling/Unpickling are only supported when using DDP with the default process group. "
                               "That is, when you have called init_process_group and have not passed process_group "
                               "argument to DDP constructor")
        return {name: value for name, value in self.__dict__.items() if name not in ("process_group", "reducer")}

    def __setstate__(self, state) -> None:
        super().__setstate__(state)
        self.__dict__["process_group"] = world.default_group()
        self.__dict__.setdefault("require_forward_param_sync", True)
        self.__dict__.setdefault("require_backward_grad_sync", True)
        params = [p for _, p in self._once(self.module.named_parameters()) if p.requires_grad]
        self.__dict__["reducer"] = self._new_reducer(params)

    def scatter(self, inputs, kwargs, device_ids) -> tuple:
        """Inputs on this rank's device: as they are.

        Args:
            inputs, kwargs, device_ids: as PyTorch's.

        Returns:
            ((inputs,), (kwargs,)).
        """
        return (inputs,), (kwargs,)

    def gather(self, outputs, output_device):
        """The outputs of one device: as they are.

        Args:
            outputs, output_device: as PyTorch's.

        Returns:
            the outputs.
        """
        return outputs


class _Shadow(JoinHook):
    """The collectives of a step, of a rank without inputs."""

    def __init__(self, model: DistributedDataParallel):
        self._model = model

    def main_hook(self) -> None:
        model = self._model
        if model.will_sync_module_buffers():
            model._sync(model._buffers_of_all(), model._source(False))
        is_synced = counted(model.process_group, "backward", 0) > 0
        model.require_forward_param_sync = is_synced
        if is_synced:
            model.reducer.shadow()

    def post_hook(self, is_last_joiner: bool) -> None:
        model = self._model
        source = model._last(is_last_joiner)
        model._sync(list(model.module.parameters()), source)
        model._sync(model._buffers_of_all(), source)
        model.reducer.divisor = model.process_group.size()


def _checked_devices(params, device_ids, output_device) -> tuple:
    """(device_ids, output_device), or PyTorch's ValueError."""
    devices = {p.device for p in params}
    if len({device.type for device in devices}) > 1:
        kinds = {device.type for device in devices}
        raise ValueError("DistributedDataParallel's input module must be on the same type of devices, but input module "
                         f"parameters locate in {kinds}.")
    if device_ids is not None and len(device_ids) > 1:
        raise ValueError("device_ids can only be None or contain a single element.")
    if not device_ids or backend_of(params[0].device).in_host_memory:
        if device_ids or output_device:
            raise ValueError(
                "DistributedDataParallel device_ids and output_device arguments only work with "
                f"single-device/multiple-device GPU modules or CPU modules, but got device_ids {device_ids}, "
                f"output_device {output_device}, and module parameters {devices}.")
        return None, None
    return list(device_ids), device_ids[0] if output_device is None else output_device

