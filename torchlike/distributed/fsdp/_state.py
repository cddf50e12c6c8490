"""When the parameters of a module come and go: hooks around its forward pass, and in the backward pass.

The hook of an output is called before anything of the module is differentiated, a Node on its inputs when all of it has
been; where no input has a gradient, the end of the backward pass does what that Node would. The first module that is called
is the root of those in it, which share a `Context`.
"""

import dataclasses
from typing import Any

from torchlike._record.trace import state as recorder
from torchlike.autograd.function import Function
from torchlike.autograd.variable import Variable
from torchlike.distributed.fsdp._group import Group
from torchlike.distributed.fsdp._parts import Parts
from torchlike.distributed.fsdp._policies import MixedPrecisionPolicy
from torchlike.distributed.fsdp._trees import cast, mapped, tensors_in
from torchlike.nn.modules.module import Module

_SHARED = (
    "Parameter '{}' is shared with a parameter already managed by another FSDP group. For shared/tied parameters, use "
    "fully_shard([module_a, module_b]) to place them in the same FSDP group.")
IDLE, FORWARD, BEFORE_BACKWARD, AFTER_BACKWARD = range(4)


@dataclasses.dataclass(eq=False)
class Context:
    """What the states of one root share.

    ``states``: all of them; ``root``: which one's forward pass is running; ``is_queued``: whether the end of the backward
    pass that is running will be told; ``is_last``: whether that pass is the last before an optimizer's step.
    """

    states: list = dataclasses.field(default_factory=list)
    root: Any = None
    is_queued: bool = False
    is_last: bool = True


class State:
    """What is known of a module, or of several that are one group.

    Args:
        modules: the modules.
        policy: in which dtypes they compute.
        decides: whether it keeps its parameters between forward and backward pass where it is the root.

    ``groups``: its parameters; ``forward_next``, ``backward_next``: the states whose parameters are gathered beforehand.
    """

    def __init__(self, modules: tuple[Module, ...], policy: MixedPrecisionPolicy, decides: bool):
        self.modules, self.policy, self.decides = modules, policy, decides
        self.groups: list[Group] = []
        self.context = Context()
        self.is_root: bool | None = None
        self.stage = IDLE
        self.forward_next: list[State] = []
        self.backward_next: list[State] = []
        self.running: set[Module] = set()
        self._stages: dict[Group, int] = {}
        for module in modules:
            module.register_forward_pre_hook(self._entered, prepend=True, with_kwargs=True)
            module.register_forward_hook(self._left)

    def add(self, group: Group) -> None:
        """It has these parameters, too.

        Args:
            group: the parameters.
        """
        self.groups.append(group)
        self._stages[group] = IDLE

    # -- the root

    def begin(self) -> None:
        """Before the first forward pass: whoever is called first is the root.

        Raises:
            RuntimeError: a module inside has been called before, or several modules are the root.
            ValueError: two groups have the same parameter.
        """
        if self.is_root is not None:
            return
        self.is_root = True
        if len(self.modules) > 1:
            raise RuntimeError(f"FSDP requires a single root module but got {self.modules}")
        for name, module in self.modules[0].named_modules():
            found = state_of(module)
            if found is None or found in self.context.states:
                continue
            if found is not self:
                if found.is_root is not None:
                    raise RuntimeError(f"FSDP state has already been lazily initialized for {name}\nFSDP requires running "
                                       "forward through the root module first")
                found.is_root = False
            self.context.states.append(found)
        for found in self.context.states:
            found.context = self.context
        if self.decides:
            for group in self.groups:
                group.reshards = False
        self._name_parts()

    def _name_parts(self) -> None:
        names, seen = {id(p): name for name, p in self.modules[0].named_parameters()}, set()
        for part in (part for found in self.context.states for group in found.groups if isinstance(group.layout, Parts)
                     for part in group.layout.parts):
            part.name = names.get(id(part.sharded), part.name)
            if part.origin in seen:
                raise ValueError(_SHARED.format(part.name))
            seen.add(part.origin)

    def reset(self) -> None:
        """Forget what a pass that has failed left behind.

        Raises:
            RuntimeError: this is not the root.
        """
        if self.is_root is False:
            raise RuntimeError("reset_iter_state must be called on the root FSDP module")
        self.context.root, self.context.is_queued = None, False
        for found in self.context.states:
            found.running.clear()
            for group in found.groups:
                group.drop()
                found._stages[group] = IDLE
            found.stage = IDLE

    # -- forward

    def _entered(self, module, args, kwargs):
        if len(self.modules) > 1:
            if self.running:
                return cast(self._input_dtype, args), cast(self._input_dtype, kwargs)
            self.running.update(self.modules)
        return self.before_forward(args, kwargs)

    def _left(self, module, args, output):
        if len(self.modules) > 1:
            self.running.discard(module)
            if self.running:
                return cast(self.policy.output_dtype, output)
        return self.after_forward(output)

    @property
    def _input_dtype(self):
        return self.policy.param_dtype if self.policy.cast_forward_inputs else None

    def before_forward(self, args: tuple, kwargs: dict) -> tuple:
        """Gather the parameters.

        Args:
            args, kwargs: what the module is called with.

        Returns:
            what it shall be called with.
        """
        if self.stage == BEFORE_BACKWARD:  # it is computed again for the backward pass, whose hooks are there
            for group in self.groups:
                group.unshard()
            return cast(self._input_dtype, args), cast(self._input_dtype, kwargs)
        self.begin()
        self.stage = FORWARD
        if self.context.root is None:
            self.context.root = self
        args, kwargs = cast(self._input_dtype, args), cast(self._input_dtype, kwargs)
        for group in self.groups:
            group.unshard()
            self._stages[group] = FORWARD
            args, kwargs = self._followed(group, args, kwargs)
        for other in self.forward_next:
            for group in other.groups:
                group.start_unshard()
        return args, kwargs

    def _followed(self, group, args, kwargs) -> tuple:
        """The inputs, with a Node that is reached when the module has been differentiated."""
        if not recorder.thread.grad:
            return args, kwargs
        wanted = [x for x in tensors_in((args, kwargs)) if x.requires_grad]
        if not wanted:
            return args, kwargs
        found = iter(_AfterBackward.apply(self, group, *wanted))
        return mapped(lambda x: next(found) if x.requires_grad else x, (args, kwargs))

    def after_forward(self, output):
        """Let the parameters go.

        Args:
            output: what the module returns.

        Returns:
            what it shall return.
        """
        if self.stage == BEFORE_BACKWARD:
            return cast(self.policy.output_dtype, output)
        for group in self.groups:
            if group.reshards:
                group.reshard()
            self._stages[group] = IDLE
        output = self._watched(output)
        self.stage = IDLE
        if self.context.root is self:
            self.context.root = None
            output = self._completed(output)
        return cast(self.policy.output_dtype, output)

    def _completed(self, output):
        """Of a group of modules only some may have been called: the rest of what follows a forward pass."""
        for other in reversed(self.context.states):
            if other is not self and other.running:
                other.running.clear()
                output = other.after_forward(output)
        return output

    def _watched(self, output):
        if recorder.thread.grad:
            for x in tensors_in(output):
                if x.requires_grad:
                    x.register_hook(self._before_backward)
        return output

    # -- backward

    def _before_backward(self, grad) -> None:
        self.stage = BEFORE_BACKWARD
        if not self.context.is_queued:
            self.context.is_queued = True
            Variable._execution_engine.queue_callback(self._end)
        for group in self.groups:
            self._stages[group] = BEFORE_BACKWARD
            if group.unshards_in_backward:
                group.unshard()
        for other in self.backward_next:
            for group in reversed(other.groups):
                if group.unshards_in_backward:
                    group.start_unshard()

    def after_backward(self, group: Group) -> None:
        """All of the module has been differentiated.

        Args:
            group: one of its groups.
        """
        self._stages[group] = AFTER_BACKWARD
        group.after_backward()

    def _end(self) -> None:
        """The end of a backward pass: what has not been told is done now, for all."""
        context = self.context
        context.root, context.is_queued = None, False
        for found in context.states:
            found.running.clear()
            for group in reversed(found.groups):
                if found._stages[group] != AFTER_BACKWARD:
                    group.after_backward()
                found._stages[group] = IDLE
            found.stage = IDLE


class _AfterBackward(Function):
    """Tells when its gradients are there: all that was recorded later has been differentiated by then."""

    @staticmethod
    def forward(ctx, state, group, *inputs):
        ctx.state, ctx.group = state, group
        return inputs

    @staticmethod
    def backward(ctx, *grads):
        ctx.state.after_backward(ctx.group)
        return None, None, *grads


def state_of(module) -> State | None:
    """What `fully_shard` knows of a module.

    Args:
        module: the module.

    Returns:
        its State, or None.
    """
    return module.__dict__.get("_fsdp_state")
