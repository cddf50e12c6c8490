"""An optimizer whose state lies on the ranks in parts. https://pytorch.org/docs/stable/distributed.optim.html"""

from typing import Any

from torchlike._base.errors import UnsupportedError
from torchlike._c10d import world
from torchlike._c10d.collectives import broadcast
from torchlike._c10d.flat import flattened, unflattened
from torchlike._c10d.join import Join, Joinable, JoinHook
from torchlike._c10d.objects import gather_object
from torchlike._record.tensor import Tensor
from torchlike.autograd.grad_mode import no_grad
from torchlike.nn._typename import typename
from torchlike.optim.optimizer import Optimizer


class _Hook(JoinHook):
    """What a rank without inputs does: steps, since the others wait for its part of the parameters."""

    def __init__(self, zero):
        self._zero = zero

    def main_hook(self) -> None:
        self._zero.step()


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """An optimizer of which each rank runs a part: after a step it sends the parameters of its part to the others.
    https://pytorch.org/docs/stable/distributed.optim.html#torch.distributed.optim.ZeroRedundancyOptimizer

    Args:
        params: as for `Optimizer`: the same on all ranks, and of one dtype.
        optimizer_class: the class of the optimizer.
        process_group: the ranks; the default group where it is None.
        parameters_as_bucket_view: without effect.
        overlap_with_ddp: refused.
        defaults: the options of the optimizer.

    Raises:
        TypeError: `params` are no Tensors or groups of them. ValueError: there are none, or of several dtypes.
        UnsupportedError: `overlap_with_ddp`.
    """

    def __init__(self, params, optimizer_class: type[Optimizer], process_group=None, parameters_as_bucket_view: bool = False,
                 overlap_with_ddp: bool = False, **defaults: Any):
        if overlap_with_ddp:
            raise UnsupportedError("torch.distributed.optim.ZeroRedundancyOptimizer(overlap_with_ddp=True)")
        groups = _checked(params)
        self.process_group = world.group_of(process_group)
        self.rank, self.world_size = self.process_group.rank(), self.process_group.size()
        self.optim: Any = None
        self._states: list[dict] = []
        self._class, self._options = optimizer_class, defaults
        super().__init__(groups, defaults)
        self._divide()

    def _divide(self) -> None:
        """Gives each rank its part, and makes the optimizer of this one."""
        self._parts = _parts(self.param_groups, self.world_size)
        self.optim = self._class([{**group, "params": params} for group, params in zip(
            self.param_groups, self._parts[self.rank], strict=True)], **self._options)
        _copy_options(self.optim.param_groups, self.param_groups)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a group of parameters, and divides all anew: the state so far is kept where a parameter stays.

        Args:
            param_group: as for `Optimizer.add_param_group`.
        """
        super().add_param_group(param_group)
        if self.optim is not None:
            state = self.optim.state
            self._divide()
            self.optim.state.update({p: state[p] for params in self._parts[self.rank] for p in params if p in state})

    def step(self, closure=None, **kwargs):
        """A step of this rank's part; then all ranks have all parameters.

        Args:
            closure, kwargs: for the optimizer's `step`.

        Returns:
            what that returns.
        """
        Join.notify_join_context(self)
        _copy_options(self.param_groups, self.optim.param_groups)
        loss = self.optim.step(**kwargs) if closure is None else self.optim.step(closure=closure, **kwargs)
        self._send()
        _copy_options(self.optim.param_groups, self.param_groups)
        return loss

    def _send(self) -> None:
        """Each rank sends its parameters."""
        with no_grad():
            sent = []
            for rank, groups in enumerate(self._parts):
                params = [p for group in groups for p in group]
                if params:
                    flat = flattened([p.detach() for p in params])
                    work = broadcast(flat, group=self.process_group, async_op=True, group_src=rank)
                    sent.append((rank, params, flat, work))
            for rank, params, flat, work in sent:
                work.wait()
                if rank != self.rank:
                    for p, new in zip(params, unflattened(flat, params), strict=True):
                        p.data.copy_(new)

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Gives one rank the state of all, which `state_dict` needs there. All ranks call it.

        Args:
            to: the rank in the group.
        """
        _copy_options(self.param_groups, self.optim.param_groups)
        self._states = [{}] * self.world_size if self.rank == to else []
        mine = {self._number(p): {key: x.detach().cpu() if isinstance(x, Tensor) else x for key, x in values.items()}
                for p, values in self.optim.state.items()}
        gather_object(mine, self._states or None, group=self.process_group, group_dst=to)

    def _number(self, parameter) -> int:
        return next(i for i, p in enumerate(p for group in self.param_groups for p in group["params"]) if p is parameter)

    def state_dict(self) -> dict[str, Any]:
        """The state of all ranks' parts, as the optimizer itself would have it. See `consolidate_state_dict`.

        Returns:
            the dict.

        Raises:
            RuntimeError: this rank has not been given it.
        """
        if not self._states:
            raise RuntimeError("Optimizer state has not been consolidated on this rank. Please call "
                               f"`consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to save the "
                               "global state.")
        every = {number: values for part in self._states for number, values in part.items()}
        return {**super().state_dict(), "state": dict(sorted(every.items()))}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over a `state_dict`: of the state what belongs to this rank's part.

        Args:
            state_dict: the dict, on all ranks.

        Raises:
            ValueError: its groups are others.
        """
        super().load_state_dict({**state_dict, "state": {}})
        own = self.optim.state_dict()
        numbers = [self._number(p) for params in self._parts[self.rank] for p in params]
        own["state"] = {place: state_dict["state"][number] for place, number in enumerate(numbers)
                        if number in state_dict["state"]}
        self.optim.load_state_dict(own)
        _copy_options(self.param_groups, self.optim.param_groups)

    def join_hook(self, **kwargs) -> JoinHook:
        """What a rank that has no more inputs does in `torch.distributed.algorithms.Join`.

        Args:
            kwargs: without effect.

        Returns:
            a JoinHook.
        """
        return _Hook(self)

    @property
    def join_device(self):
        """The device of the parameters."""
        return self.param_groups[0]["params"][0].device

    @property
    def join_process_group(self) -> Any:
        """The ranks."""
        return self.process_group


def _copy_options(source, target) -> None:
    for ours, theirs in zip(source, target, strict=True):
        theirs.update({key: value for key, value in ours.items() if key != "params"})


def _parts(groups, count: int) -> list[list[list]]:
    """For each rank the parameters of each group: the largest first, each to the rank that has least."""
    found: list[list[list]] = [[[] for _ in groups] for _ in range(count)]
    loads = [0] * count
    for place, group in enumerate(groups):
        for p in sorted(group["params"], key=lambda p: p.numel(), reverse=True):
            rank = loads.index(min(loads))
            found[rank][place].append(p)
            loads[rank] += p.numel()
    return found


def _checked(params) -> list:
    """`params` as a list. PyTorch's errors."""
    if isinstance(params, Tensor):
        raise TypeError(f"`params` argument should be an iterable of Tensors, but got {typename(params)}")
    try:
        listed = list(params)
    except TypeError as error:
        raise TypeError("`params` argument should be an iterable of Tensors or dicts, but got "
                        f"{typename(params)}") from error
    if not listed:
        raise ValueError("ZeroRedundancyOptimizer got an empty parameter list")
    if not all(isinstance(each, Tensor) for each in listed) and not all(isinstance(each, dict) for each in listed):
        raise TypeError("`params` argument should be an iterable of Tensors or dicts")
    if isinstance(listed[0], dict) and not all("params" in group for group in listed):
        raise ValueError("Each parameter group passed-in via `params` must have a 'params' key mapping to the parameters in "
                         "the group")
    kinds = list(dict.fromkeys(p.type() for each in listed for p in _tensors(each)))
    if len(kinds) > 1:
        raise ValueError("ZeroRedundancyOptimizer only supports using the same dense type for all parameters but got both "
                         f"{kinds[0]} and {kinds[1]}")
    return listed


def _tensors(each) -> list:
    given = each["params"] if isinstance(each, dict) else each
    return [given] if isinstance(given, Tensor) else list(given)
