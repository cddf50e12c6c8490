"""`FullyShardedDataParallel`: a module around another whose parameters are divided among the ranks.
https://pytorch.org/docs/stable/fsdp.html
"""

import contextlib
import dataclasses
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from torchlike._base import device as dev
from torchlike._base.errors import UnsupportedError
from torchlike._c10d import collectives, tensors
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.distributed.fsdp import _optim_state, _unit_state
from torchlike.distributed.fsdp._flat import Flat
from torchlike.distributed.fsdp._group import Group
from torchlike.distributed.fsdp._policies import MixedPrecisionPolicy
from torchlike.distributed.fsdp._state import State, state_of
from torchlike.distributed.fsdp._unit_init import HYBRID, device_for, groups_of, ignored_of, materialize, own_params
from torchlike.distributed.fsdp._unit_state import INNER, clean, summoned, units_of
from torchlike.distributed.fsdp.api import BackwardPrefetch as BackwardPrefetch
from torchlike.distributed.fsdp.api import CPUOffload as CPUOffload
from torchlike.distributed.fsdp.api import FullOptimStateDictConfig as FullOptimStateDictConfig
from torchlike.distributed.fsdp.api import FullStateDictConfig as FullStateDictConfig
from torchlike.distributed.fsdp.api import LocalOptimStateDictConfig as LocalOptimStateDictConfig
from torchlike.distributed.fsdp.api import LocalStateDictConfig as LocalStateDictConfig
from torchlike.distributed.fsdp.api import MixedPrecision as MixedPrecision
from torchlike.distributed.fsdp.api import OptimStateDictConfig as OptimStateDictConfig
from torchlike.distributed.fsdp.api import OptimStateKeyType as OptimStateKeyType
from torchlike.distributed.fsdp.api import ShardedOptimStateDictConfig as ShardedOptimStateDictConfig
from torchlike.distributed.fsdp.api import ShardedStateDictConfig as ShardedStateDictConfig
from torchlike.distributed.fsdp.api import ShardingStrategy as ShardingStrategy
from torchlike.distributed.fsdp.api import StateDictConfig as StateDictConfig
from torchlike.distributed.fsdp.api import StateDictSettings as StateDictSettings
from torchlike.distributed.fsdp.api import StateDictType as StateDictType
from torchlike.distributed.fsdp.wrap import wrap_inside
from torchlike.nn.modules.module import Module

_KEEPS = (ShardingStrategy.SHARD_GRAD_OP, ShardingStrategy._HYBRID_SHARD_ZERO2, ShardingStrategy.NO_SHARD)


class _UnitState(State):
    """The root casts its inputs where a setting of its own says so. Buffers are cast once."""

    def __init__(self, unit: "FullyShardedDataParallel", precision: MixedPrecision, decides: bool):
        policy = MixedPrecisionPolicy(precision.param_dtype, precision.reduce_dtype, None, precision.cast_forward_inputs)
        super().__init__((unit,), policy, decides)
        self._precision = precision

    def begin(self) -> None:
        """Before the first forward pass."""
        is_first = self.is_root is None
        super().begin()
        if is_first:
            self.policy = dataclasses.replace(self.policy, cast_forward_inputs=self._precision.cast_root_forward_inputs)
            for unit in units_of(self.modules[0]):
                unit._cast_buffers()


class FullyShardedDataParallel(Module):
    """A module around another whose parameters, gradients and optimizer state are divided among the ranks of a group.
    https://pytorch.org/docs/stable/fsdp.html#torch.distributed.fsdp.FullyShardedDataParallel

    The parameters that no wrapper inside has are one vector, of which each rank keeps a piece: the parameter that an
    optimizer sees, made afterwards. Whole parameters are gathered for the forward and for the backward pass.

    Args:
        module: the other module.
        process_group: the ranks; (those that divide, those that have copies) for a hybrid strategy.
        sharding_strategy: what is divided; FULL_SHARD where it is None.
        cpu_offload: whether pieces are in the CPU's memory.
        auto_wrap_policy: which modules inside are wrapped, too, see `wrap.py`.
        backward_prefetch, forward_prefetch, limit_all_gathers: without effect.
        mixed_precision: in which dtypes it computes.
        ignored_modules, ignored_states: modules, or parameters, that stay as they are.
        param_init_fn: what gives a module on device "meta" its memory and values; ``to_empty`` and ``reset_parameters``
            where it is None.
        device_id: the device; that of the parameters where it is None. PyTorch wants one that is no CPU then.
        sync_module_states: whether all begin with the first rank's values.
        use_orig_params: whether the optimizer sees what the rank has of each parameter, under their names.
        device_mesh: instead of `process_group`, of one dimension, or of two: the first has copies.

    Raises:
        ValueError: arguments that do not fit; parameters of several dtypes. UnsupportedError: a hybrid strategy without
            groups, parameters that are not contiguous.
    """

    def __init__(self, module: Module, process_group=None, sharding_strategy: ShardingStrategy | None = None,
                 cpu_offload: CPUOffload | None = None, auto_wrap_policy=None,
                 backward_prefetch: BackwardPrefetch | None = BackwardPrefetch.BACKWARD_PRE,
                 mixed_precision: MixedPrecision | None = None, ignored_modules: Iterable | None = None,
                 param_init_fn: Callable | None = None, device_id=None, sync_module_states: bool = False,
                 forward_prefetch: bool = False, limit_all_gathers: bool = True, use_orig_params: bool = False,
                 ignored_states: Iterable | None = None, device_mesh=None):
        super().__init__()
        strategy = ShardingStrategy.FULL_SHARD if sharding_strategy is None else sharding_strategy
        self.process_group, self._copies = groups_of(process_group, device_mesh, strategy)
        self.sharding_strategy = self._strategy(strategy)
        modules, params = ignored_of(ignored_modules, ignored_states)
        if auto_wrap_policy is not None:
            kwargs = {"process_group": process_group, "sharding_strategy": sharding_strategy, "cpu_offload": cpu_offload,
                      "backward_prefetch": backward_prefetch, "mixed_precision": mixed_precision,
                      "param_init_fn": param_init_fn, "device_id": device_id, "sync_module_states": sync_module_states,
                      "forward_prefetch": forward_prefetch, "limit_all_gathers": limit_all_gathers,
                      "use_orig_params": use_orig_params, "ignored_states": ignored_states or ignored_modules,
                      "device_mesh": device_mesh}
            wrap_inside(module, auto_wrap_policy, FullyShardedDataParallel, modules, params, kwargs)
        self._precision, self._use_orig_params = mixed_precision or MixedPrecision(), use_orig_params
        self._fsdp_wrapped_module = module
        own = own_params(module, params)
        materialize(module, own, param_init_fn, device_id)
        own = own_params(module, params)
        device = device_for(own, device_id)
        if sync_module_states:
            self._sync(own)
        reshards = self.sharding_strategy not in _KEEPS
        state = self.__dict__["_fsdp_state"] = _UnitState(self, self._precision, reshards)
        self._flat = None
        if own:
            is_whole = self.sharding_strategy is ShardingStrategy.NO_SHARD
            group = self.process_group
            flat = Flat(module, own, 1 if is_whole else group.size(), 0 if is_whole else group.rank(),
                        self._precision.param_dtype, device,
                        dev.CPU if cpu_offload is not None and cpu_offload.offload_params else device,
                        use_orig_params, self._precision.keep_low_precision_grads)
            self.__dict__["_flat"] = flat
            state.add(Group(flat, None if is_whole else group, group if is_whole else self._copies,
                            self._precision.reduce_dtype, reshards))
        _unit_state.watch(self)

    def _strategy(self, strategy) -> ShardingStrategy:
        if self.process_group.size() == 1 and strategy not in HYBRID:
            if strategy is not ShardingStrategy.NO_SHARD:
                warnings.warn(f"FSDP is switching to use `NO_SHARD` instead of {strategy} since the world size is 1.",
                              stacklevel=3)
            return ShardingStrategy.NO_SHARD
        if strategy is ShardingStrategy.NO_SHARD:
            warnings.warn("The `NO_SHARD` sharding strategy is deprecated. If having issues, please use "
                          "`DistributedDataParallel` instead.", FutureWarning, stacklevel=3)
        return strategy

    def _sync(self, own) -> None:
        with no_grad():
            for x in [*own, *self._fsdp_wrapped_module.buffers()]:
                for group in (self.process_group, self._copies):
                    if group is not None and group.size() > 1:
                        collectives.broadcast(x.data, group=group, group_src=0)

    def _cast_buffers(self) -> None:
        if self._precision.buffer_dtype is None:
            return
        inside = {id(b) for unit in units_of(self) if unit is not self for b in unit.buffers()}
        for module in self.modules():
            for name, buffer in module._buffers.items():
                if buffer is not None and buffer.is_floating_point() and id(buffer) not in inside:
                    module._buffers[name] = buffer.to(self._precision.buffer_dtype)

    @property
    def module(self) -> Module:
        """The other module."""
        return self._fsdp_wrapped_module

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(super().__getattr__(INNER), name)

    def __getitem__(self, key: int) -> Any:
        return self._fsdp_wrapped_module.__getitem__(key)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The other module's forward pass.

        Args:
            args, kwargs: the module's.

        Returns:
            what it returns.
        """
        return self._fsdp_wrapped_module(*args, **kwargs)

    def check_is_root(self) -> bool:
        """Whether no wrapper is around this one, which is known from the first forward pass on.

        Returns:
            a bool.
        """
        state = state_of(self)
        assert state is not None
        state.begin()
        return bool(state.is_root)

    @staticmethod
    def fsdp_modules(module: Module, root_only: bool = False) -> list["FullyShardedDataParallel"]:
        """The wrappers in a module, itself among them.

        Args:
            module: the module.
            root_only: whether those in others are left out.

        Returns:
            a list.
        """
        found = units_of(module)
        inside = {unit for outer in found for unit in units_of(outer) if unit is not outer} if root_only else ()
        return [unit for unit in found if unit not in inside]

    def apply(self, fn: Callable[[Module], None]) -> "FullyShardedDataParallel":
        """Call a function with every module inside, when they have whole parameters.

        Args:
            fn: the function.

        Returns:
            self.
        """
        with summoned(self, True, True, False):
            return super().apply(fn)

    def named_parameters(self, *args, **kwargs) -> Iterator:
        """The parameters; inside of `summon_full_params` under the names that they have without wrappers.

        Args:
            args, kwargs: as `Module.named_parameters`.

        Yields:
            (name, parameter).
        """
        is_summoned = self.__dict__.get("_is_summoned", False)
        for name, param in super().named_parameters(*args, **kwargs):
            yield (clean(name) if is_summoned else name), param

    def named_buffers(self, *args, **kwargs) -> Iterator:
        """The same of buffers.

        Args:
            args, kwargs: as `Module.named_buffers`.

        Yields:
            (name, buffer).
        """
        is_summoned = self.__dict__.get("_is_summoned", False)
        for name, buffer in super().named_buffers(*args, **kwargs):
            yield (clean(name) if is_summoned else name), buffer

    @staticmethod
    def summon_full_params(module: Module, recurse: bool = True, writeback: bool = True, rank0_only: bool = False,
                           offload_to_cpu: bool = False, with_grads: bool = False):
        """Inside, modules have whole parameters, under their own names.
        https://pytorch.org/docs/stable/fsdp.html#torch.distributed.fsdp.FullyShardedDataParallel.summon_full_params

        Args:
            module: the module.
            recurse: whether wrappers in wrappers are meant, too.
            writeback: whether what is written to them stays.
            rank0_only: whether the first rank alone has them; not with `writeback`.
            offload_to_cpu: whether they are in the CPU's memory.
            with_grads: whether their gradients are whole, too.

        Returns:
            a context manager.

        Raises:
            NotImplementedError: `writeback` with `rank0_only`.
        """
        if writeback and rank0_only:
            raise NotImplementedError("writeback=True and rank0_only=True is not supported yet")
        return summoned(module, recurse, writeback, with_grads, rank0_only, offload_to_cpu)

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Inside, backward passes leave each rank its own gradients, of whole parameters.
        https://pytorch.org/docs/stable/fsdp.html#torch.distributed.fsdp.FullyShardedDataParallel.no_sync
        """
        groups = [group for unit in units_of(self) for group in unit._groups()]
        before = [group.reduces for group in groups]
        for group in groups:
            group.reduces = False
        try:
            yield
        finally:
            for group, flag in zip(groups, before, strict=True):
                group.reduces = flag

    def _groups(self) -> list[Group]:
        state = state_of(self)
        return [] if state is None else state.groups

    def clip_grad_norm_(self, max_norm: float | int, norm_type: float | int = 2.0) -> Tensor:
        """Scale gradients so that their norm over all ranks is not larger.
        https://pytorch.org/docs/stable/fsdp.html#torch.distributed.fsdp.FullyShardedDataParallel.clip_grad_norm_

        Args:
            max_norm: how large it may be.
            norm_type: which norm.

        Returns:
            the norm that they have had.
        """
        p, apart, whole = float(norm_type), [], []
        known: set[int] = set()
        for unit in units_of(self):
            if unit._flat is not None:
                (apart if unit._flat.size > 1 else whole).extend(unit._flat.params)
                known.update(map(id, unit._flat.params))
        whole += [x for x in self.parameters() if id(x) not in known]
        total = _combined([_norm_of(apart, p)], p)
        if self.process_group.size() > 1:
            kind = "max" if p == float("inf") else "sum"
            total = float(self.process_group.run("norm of gradients", "all_reduce", (kind,), np.array(
                [total if kind == "max" else total**p]))[0])
            total = total if kind == "max" else total**(1 / p)
        total = _combined([total, _norm_of(whole, p)], p)
        factor = min(1.0, float(max_norm) / (total + 1e-6))
        grads = [x.grad for x in [*apart, *whole] if x.grad is not None]
        for grad in grads:
            grad.detach().mul_(factor)
        dtype = max((g.dtype for g in grads), key=lambda d: d.itemsize, default=None)
        return tensors.made(np.array(total, np.float32 if dtype is None else dtype.np), self.device_of_parts())

    def device_of_parts(self):
        """Where this rank's pieces are."""
        return next((unit._flat.params[0].device for unit in units_of(self) if unit._flat is not None), dev.CPU)

    # -- state dicts

    @staticmethod
    def set_state_dict_type(module: Module, state_dict_type: StateDictType, state_dict_config: StateDictConfig | None = None,
                            optim_state_dict_config: OptimStateDictConfig | None = None) -> StateDictSettings:
        """What state dicts of a module, and of its optimizers, are like from now on.
        https://pytorch.org/docs/stable/fsdp.html#torch.distributed.fsdp.FullyShardedDataParallel.set_state_dict_type

        Args:
            module: the module; this is for all wrappers in it.
            state_dict_type: what they have.
            state_dict_config, optim_state_dict_config: how they are made.

        Returns:
            what they have been like.

        Raises:
            RuntimeError: settings of another type.
        """
        return _unit_state.set_type(module, state_dict_type, state_dict_config, optim_state_dict_config)

    @staticmethod
    def get_state_dict_type(module: Module) -> StateDictSettings:
        """What state dicts of a module are like.

        Args:
            module: the module.

        Returns:
            a `StateDictSettings`.
        """
        return _unit_state.settings_of(module)

    @staticmethod
    @contextlib.contextmanager
    def state_dict_type(module: Module, state_dict_type: StateDictType, state_dict_config: StateDictConfig | None = None,
                        optim_state_dict_config: OptimStateDictConfig | None = None) -> Iterator[None]:
        """`set_state_dict_type` for a block.

        Args:
            module, state_dict_type, state_dict_config, optim_state_dict_config: as for `set_state_dict_type`.

        Yields:
            None.
        """
        before = _unit_state.set_type(module, state_dict_type, state_dict_config, optim_state_dict_config)
        try:
            yield
        finally:
            _unit_state.put_settings(module, before)

    @staticmethod
    def optim_state_dict(model: Module, optim, optim_state_dict: dict | None = None, group=None) -> dict:
        """The state dict of an optimizer, of whole parameters, or of DTensors, by their names.
        https://pytorch.org/docs/stable/fsdp.html#torch.distributed.fsdp.FullyShardedDataParallel.optim_state_dict

        Args:
            model: the module whose parameters it has.
            optim: the optimizer.
            optim_state_dict: what its `state_dict` gives; asked for where it is None.
            group: without effect.

        Returns:
            a dict.
        """
        return _optim_state.gathered(model, optim, optim.state_dict() if optim_state_dict is None else optim_state_dict)

    @staticmethod
    def optim_state_dict_to_load(model: Module, optim, optim_state_dict: dict, is_named_optimizer: bool = False,
                                 load_directly: bool = False, group=None) -> dict:
        """The way back: what the optimizer's `load_state_dict` wants.
        https://pytorch.org/docs/stable/fsdp.html#torch.distributed.fsdp.FullyShardedDataParallel.optim_state_dict_to_load

        Args:
            model, optim: as for `optim_state_dict`.
            optim_state_dict: what that has given.
            is_named_optimizer: without effect.
            load_directly: whether it is loaded, too.
            group: without effect.

        Returns:
            a dict.
        """
        found = _optim_state.cut(model, optim, optim_state_dict)
        if load_directly:
            optim.load_state_dict(found)
        return found

    @staticmethod
    def rekey_optim_state_dict(optim_state_dict: dict, optim_state_key_type: OptimStateKeyType, model: Module,
                               optim_input=None, optim=None) -> dict:
        """The state dict of an optimizer of a module without wrappers, with other keys.

        Args:
            optim_state_dict: by names, or by numbers.
            optim_state_key_type: by what it is to be.
            model: the module.
            optim_input, optim: the parameters, or the optimizer, in the order of the numbers; those of the module else.

        Returns:
            a dict.
        """
        return _optim_state.rekeyed(optim_state_dict, optim_state_key_type, model, optim_input, optim)

    def register_comm_hook(self, state: object, hook: Callable) -> None:
        """Refused: XLA's collectives reduce gradients.

        Args:
            state, hook: anything.

        Raises:
            UnsupportedError: always.
        """
        raise UnsupportedError("FullyShardedDataParallel.register_comm_hook: XLA's collectives reduce gradients")

    def _apply(self, *args, **kwargs):
        for group in self._groups():
            group.reshard()
        return super()._apply(*args, **kwargs)


def _norm_of(params, p) -> float:
    grads = [tensors.taken(x.grad.detach()).astype(np.float64) for x in params if x.grad is not None]
    return _combined([float(np.linalg.norm(g, p)) for g in grads if g.size], p)


def _combined(norms, p) -> float:
    return float(np.linalg.norm(np.array(norms or [0.0]), p))
