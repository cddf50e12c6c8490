"""How a module is divided: https://pytorch.org/docs/stable/distributed.tensor.parallel.html"""

import abc
from typing import Any

from torchlike._record.tensor import Tensor
from torchlike.distributed.device_mesh import DeviceMesh
from torchlike.distributed.tensor._api import distribute_module, distribute_tensor
from torchlike.distributed.tensor._dtensor import DTensor
from torchlike.distributed.tensor.placement_types import Placement, Replicate, Shard
from torchlike.nn.modules.linear import Linear
from torchlike.nn.modules.module import Module
from torchlike.nn.modules.sparse import Embedding
from torchlike.nn.parameter import Parameter


class ParallelStyle(abc.ABC):
    """How a module is divided; `parallelize_module` applies it. ``src_data_rank``: as for `distribute_tensor`."""

    src_data_rank: int | None = 0

    @abc.abstractmethod
    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        """The module, divided."""

    def _distributed(self, module, mesh, layouts: dict) -> None:
        """The parameters of a module as they shall lie, by name; others whole."""
        for name, parameter in module.named_parameters(recurse=False):
            placements = [layouts.get(name, Replicate())]
            placed = distribute_tensor(parameter, mesh, placements, src_data_rank=self.src_data_rank)
            module.register_parameter(name, Parameter(placed, requires_grad=parameter.requires_grad))


def _placed(x, mesh, now, wanted) -> DTensor:
    """A rank's tensor as a DTensor that lies as is wanted."""
    if not isinstance(x, DTensor):
        x = DTensor.from_local(x, mesh, now, run_check=False)
    return x.redistribute(placements=wanted) if tuple(wanted) != x.placements else x


def _counted(placements, ndim) -> tuple:
    return tuple(Shard(p.dim % ndim) if isinstance(p, Shard) else p for p in placements)


class _Divided(ParallelStyle):
    """A Linear or Embedding whose inputs and outputs lie in certain ways."""

    _layouts: dict = {}  # of a module's class: {parameter: its placement}  # noqa: RUF012

    def __init__(self, input_layout, output_layout, use_local_output):
        self.input_layouts, self.output_layouts = (input_layout,), (output_layout,)
        self.use_local_output = use_local_output

    def _wanted(self, module) -> tuple:
        """How inputs must lie."""
        return (Replicate(),)

    def _apply(self, module, device_mesh):
        layouts = next((found for kind, found in self._layouts.items() if isinstance(module, kind)), None)
        if layouts is None:
            raise NotImplementedError(f"{type(self).__name__} currently only support nn.Linear and nn.Embedding!")
        wanted = self._wanted(module)

        def divide(name, each, mesh):
            self._distributed(each, mesh, layouts)

        def before(each, inputs, mesh):
            return _placed(inputs[0], mesh, self.input_layouts, _counted(wanted, inputs[0].ndim))

        def after(each, outputs, mesh):
            outputs = _placed(outputs, mesh, None, _counted(self.output_layouts, outputs.ndim))
            return outputs.to_local() if self.use_local_output else outputs

        return distribute_module(module, device_mesh, divide, before, after)

    def __repr__(self) -> str:
        return (f"{type(self).__name__}(input_layouts={self.input_layouts}, output_layouts={self.output_layouts}, "
                f"use_local_output={self.use_local_output})")


class ColwiseParallel(_Divided):
    """Each rank has some of the outputs of a Linear, some of the columns of an Embedding.
    https://pytorch.org/docs/stable/distributed.tensor.parallel.html#torch.distributed.tensor.parallel.ColwiseParallel

    Args:
        input_layouts: how the input lies; Replicate where it is None.
        output_layouts: how the output shall lie; Shard of the last dimension where it is None.
        use_local_output: whether the module returns what this rank has.

    Raises:
        NotImplementedError: when it is applied to another module.
    """

    _layouts = {Linear: {"weight": Shard(0), "bias": Shard(0)}, Embedding: {"weight": Shard(1)}}  # noqa: RUF012

    def __init__(self, *, input_layouts: Placement | None = None, output_layouts: Placement | None = None,
                 use_local_output: bool = True):
        super().__init__(input_layouts or Replicate(), output_layouts or Shard(-1), use_local_output)


class RowwiseParallel(_Divided):
    """Each rank has some of the inputs of a Linear, some of the rows of an Embedding.
    https://pytorch.org/docs/stable/distributed.tensor.parallel.html#torch.distributed.tensor.parallel.RowwiseParallel

    Args:
        input_layouts: how the input lies; Shard of the last dimension where it is None.
        output_layouts: how the output shall lie; Replicate where it is None.
        use_local_output: whether the module returns what this rank has.

    Raises:
        NotImplementedError: when it is applied to another module.
    """

    _layouts = {Linear: {"weight": Shard(1)}, Embedding: {"weight": Shard(0)}}  # noqa: RUF012

    def __init__(self, *, input_layouts: Placement | None = None, output_layouts: Placement | None = None,
                 use_local_output: bool = True):
        super().__init__(input_layouts or Shard(-1), output_layouts or Replicate(), use_local_output)

    def _wanted(self, module):
        return (Shard(-1),) if isinstance(module, Linear) else (Replicate(),)


class SequenceParallel(ParallelStyle):
    """Each rank has a part of the sequence, and all parameters: for LayerNorm, Dropout, RMSNorm.
    https://pytorch.org/docs/stable/distributed.tensor.parallel.html#torch.distributed.tensor.parallel.SequenceParallel

    Args:
        sequence_dim: the dimension of the sequence.
        use_local_output: whether the module returns what this rank has.

    Raises:
        ValueError: when the module gets no tensor.
    """

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = False):
        self.sequence_sharding, self.use_local_output = (Shard(sequence_dim),), use_local_output

    def _apply(self, module, device_mesh):
        def replicate(name, each, mesh):
            for key, parameter in each.named_parameters(recurse=False):
                whole = DTensor.from_local(parameter.detach(), mesh, [Replicate()], run_check=False)
                each.register_parameter(key, Parameter(whole, requires_grad=parameter.requires_grad))

        def before(each, inputs, mesh):
            if not isinstance(inputs[0], Tensor):
                raise ValueError(f"expecting input of {each} to be a torch.Tensor or DTensor, but got {inputs[0]}")
            return _placed(inputs[0], mesh, self.sequence_sharding, self.sequence_sharding)

        def after(each, outputs, mesh):
            return outputs.to_local() if self.use_local_output else outputs

        return distribute_module(module, device_mesh, replicate, before, after)

    def __repr__(self) -> str:
        dim = self.sequence_sharding[0].dim
        return f"SequenceParallel(sequence_dim={dim}, use_local_output={self.use_local_output})"


def _listed(layouts) -> Any:
    return (layouts,) if isinstance(layouts, Placement) else layouts


class PrepareModuleInput(ParallelStyle):
    """A module's inputs are moved to where it needs them.
    https://pytorch.org/docs/stable/distributed.tensor.parallel.html#torch.distributed.tensor.parallel.PrepareModuleInput

    Args:
        input_layouts: for each positional input how it lies, None for one that stays a tensor.
        desired_input_layouts: how it shall lie.
        input_kwarg_layouts, desired_input_kwarg_layouts: the same of inputs by name.
        use_local_output: whether the module gets what this rank has.

    Raises:
        AssertionError: the layouts do not fit each other. ValueError: when the module gets another number of inputs.
    """

    def __init__(self, *, input_layouts=None, desired_input_layouts=None, input_kwarg_layouts=None,
                 desired_input_kwarg_layouts=None, use_local_output: bool = False):
        self.input_layouts, self.desired_input_layouts = _listed(input_layouts), _listed(desired_input_layouts)
        self.input_kwarg_layouts = input_kwarg_layouts or {}
        self.desired_input_kwarg_layouts = desired_input_kwarg_layouts or {}
        self.use_local_output = use_local_output
        if self.input_layouts is not None:
            if self.desired_input_layouts is None:
                raise AssertionError("desired module inputs should not be None!")
            if len(self.input_layouts) != len(self.desired_input_layouts):
                raise AssertionError("input_layouts and desired_input_layouts should have same length!")
        if len(self.input_kwarg_layouts) != len(self.desired_input_kwarg_layouts):
            raise AssertionError("input_kwarg_layouts and desired_input_kwarg_layouts should have same length!")

    def _moved(self, x, mesh, now, wanted):
        """An input where the module needs it."""
        if now is None:
            return x
        if not isinstance(x, Tensor):
            raise AssertionError(f"expecting input to be a torch.Tensor, but got {x}")
        placed = x if isinstance(x, DTensor) else DTensor.from_local(x, mesh, (now,), run_check=False)
        if wanted is not None:
            placed = _placed(placed, mesh, None, _counted((wanted,), x.ndim))
        return placed.to_local() if self.use_local_output else placed

    def _prepared(self, args, mesh) -> tuple:
        if self.input_layouts is None:
            return args
        args = args if isinstance(args, tuple) else (args,)
        if len(args) != len(self.input_layouts):
            raise ValueError("module inputs and input_layouts should have same length!")
        wanted = self.desired_input_layouts or ()
        return tuple(self._moved(x, mesh, now, then) for x, now, then in zip(args, self.input_layouts, wanted, strict=True))

    def _apply(self, module, device_mesh):
        def before(each, args, kwargs):
            found = {name: self._moved(x, device_mesh, self.input_kwarg_layouts.get(name),
                                       self.desired_input_kwarg_layouts.get(name)) for name, x in kwargs.items()}
            return self._prepared(args, device_mesh), found

        module.register_forward_pre_hook(before, with_kwargs=True)
        return module

    def _told(self) -> str:
        return (f"input_layouts={self.input_layouts}, desired_input_layouts={self.desired_input_layouts}, "
                f"input_kwarg_layouts={self.input_kwarg_layouts}, "
                f"desired_input_kwarg_layouts={self.desired_input_kwarg_layouts}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._told()}, use_local_output={self.use_local_output})"


class PrepareModuleOutput(ParallelStyle):
    """A module's outputs are moved to where they are needed.
    https://pytorch.org/docs/stable/distributed.tensor.parallel.html#torch.distributed.tensor.parallel.PrepareModuleOutput

    Args:
        output_layouts: for each output how it lies, None for one that stays as it is.
        desired_output_layouts: how it shall lie.
        use_local_output: whether the module returns what this rank has.

    Raises:
        AssertionError: the layouts do not fit each other. ValueError: when there is another number of outputs.
    """

    def __init__(self, *, output_layouts, desired_output_layouts, use_local_output: bool = True):
        self.output_layouts, self.desired_output_layouts = _listed(output_layouts), _listed(desired_output_layouts)
        self.use_local_output = use_local_output
        if len(self.output_layouts) != len(self.desired_output_layouts):
            raise AssertionError("output_layouts and desired_output_layouts should have same length!")

    def _prepared(self, outputs, mesh):
        listed = outputs if isinstance(outputs, tuple) else (outputs,)
        if len(listed) != len(self.output_layouts):
            raise ValueError("module outputs and output_layouts should have same length!")
        found = []
        for x, now, wanted in zip(listed, self.output_layouts, self.desired_output_layouts, strict=True):
            if now is not None:
                x = _placed(x, mesh, (now,), _counted((wanted,), x.ndim))
                x = x.to_local() if self.use_local_output else x
            found.append(x)
        return found[0] if len(found) == 1 else tuple(found)

    def _apply(self, module, device_mesh):
        module.register_forward_hook(lambda each, args, outputs: self._prepared(outputs, device_mesh))
        return module

    def __repr__(self) -> str:
        return (f"PrepareModuleOutput(output_layouts={self.output_layouts}, "
                f"desired_output_layouts={self.desired_output_layouts}, use_local_output={self.use_local_output})")


class PrepareModuleInputOutput(ParallelStyle):
    """`PrepareModuleInput` and `PrepareModuleOutput` of one module.

    Args:
        input_layouts, desired_input_layouts, input_kwarg_layouts, desired_input_kwarg_layouts: as for the first.
        use_local_input: whether the module gets what this rank has.
        output_layouts, desired_output_layouts, use_local_output: as for the second.
    """

    def __init__(self, *, input_layouts=None, desired_input_layouts=None, input_kwarg_layouts=None,
                 desired_input_kwarg_layouts=None, use_local_input: bool = False, output_layouts, desired_output_layouts,
                 use_local_output: bool = True):
        self.prepare_module_input = PrepareModuleInput(
            input_layouts=input_layouts, desired_input_layouts=desired_input_layouts,
            input_kwarg_layouts=input_kwarg_layouts, desired_input_kwarg_layouts=desired_input_kwarg_layouts,
            use_local_output=use_local_input)
        self.prepare_module_output = PrepareModuleOutput(
            output_layouts=output_layouts, desired_output_layouts=desired_output_layouts, use_local_output=use_local_output)

    def _apply(self, module, device_mesh):
        self.prepare_module_input._apply(module, device_mesh)
        return self.prepare_module_output._apply(module, device_mesh)

    def __repr__(self) -> str:
        after = self.prepare_module_output
        return (f"PrepareModuleInputOutput({self.prepare_module_input._told()}, "
                f"use_local_input={self.prepare_module_input.use_local_output}, output_layouts={after.output_layouts}, "
                f"desired_output_layouts={after.desired_output_layouts}, use_local_output={after.use_local_output})")
