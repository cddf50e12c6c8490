"""A module divided into stages by its Graph: `pipeline`, and `Pipe`, which it gives.
https://pytorch.org/docs/stable/distributed.pipelining.html#option-2-splitting-a-model-automatically

`torch.fx` records the module, with a mark at each place where it is to be divided. Between two marks is a stage: a
GraphModule with the module's own names for its parameters. What a later stage needs goes through all stages in between, so
that each sends to the next one alone.
"""

import copy
import inspect
import operator
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from torchlike.distributed.pipelining._tracing import SplitPoint, SplitTracer, pipe_split
from torchlike.distributed.pipelining.stage import PipeInfo, _PipelineStage, build_stage
from torchlike.fx import Graph, GraphModule, Node
from torchlike.fx.node import map_arg
from torchlike.nn.modules.module import Module

_PREFIX = "submod_pp"
_CANNOT = ("It seems that we cannot capture your model as a full graph. Typical reasons include graph breaks, "
           "data/shape-dependent control flow, or missing meta kernels for custom operators. You can use our manual "
           "pipeline interfaces, or try to fix the graph breaks, see https://pytorch.org/docs/stable/export.html")


def _checked(module: Module, spec: dict[str, SplitPoint]) -> dict[str, SplitPoint]:
    for path, where in spec.items():
        owner: Any = module
        *before, last = path.split(".")
        for i, name in enumerate(before):
            if not hasattr(owner, name):
                raise AttributeError(f"Specified target {path} referenced nonexistent module {'.'.join(before[:i + 1])}")
            owner = getattr(owner, name)
        getattr(owner, last)
        if not isinstance(where, SplitPoint):
            raise ValueError("Unknown split point type.")
    return spec


def _recorded(module: Module, args: tuple, kwargs: dict, spec: dict) -> GraphModule:
    """The module as a Graph of the inputs that are given; the others have their defaults."""
    signature = inspect.signature(module.forward)
    given = signature.bind(*args, **kwargs).arguments
    left = {name: each.default for name, each in signature.parameters.items()
            if name not in given and each.default is not inspect.Parameter.empty}
    try:
        graph = SplitTracer(spec, given, left).record(module)
    except Exception as error:
        raise RuntimeError(_CANNOT) from error
    return GraphModule(module, graph)


class _Part(NamedTuple):
    """A stage: its nodes, the values that it takes and those that it gives, as nodes of the whole."""

    nodes: list[Node]
    takes: list[Node]
    gives: list[Node]


def _is_mark(node: Node) -> bool:
    return node.op == "call_function" and node.target is pipe_split


def _divided(graph: Graph) -> list[_Part]:
    """The stages between the marks; those that compute nothing are left out."""
    groups: list[list[Node]] = [[]]
    for node in graph.nodes:
        if _is_mark(node):
            groups.append([])
        elif node.op not in ("placeholder", "output", "get_attr"):
            groups[-1].append(node)
    groups = [group for group in groups if group] or [[]]
    inputs = [node for node in graph.nodes if node.op == "placeholder"]
    made_in = {node: i for i, group in enumerate(groups) for node in group} | dict.fromkeys(inputs, -1)
    last_use = dict.fromkeys(made_in, -1)
    for node in graph.nodes:
        for used in node.all_input_nodes:
            if used in made_in:  # a get_attr has a copy in each stage that uses it
                last_use[used] = max(last_use[used], len(groups) - 1 if node.op == "output" else made_in[node])

    def crossing(place):
        return [node for node, first in made_in.items() if first < place <= last_use[node]]

    return [_Part(group, crossing(i) if i else inputs, crossing(i + 1)) for i, group in enumerate(groups)]


def _stage_module(whole: GraphModule, part: _Part, output: Any) -> GraphModule:
    """A stage as a module; `output` is what it returns, in nodes of the whole."""
    graph, copies = Graph(), {}

    def copied(node: Node) -> Node:
        if node not in copies:
            assert node.op == "get_attr"
            copies[node] = graph.node_copy(node)
        return copies[node]

    for node in part.takes:
        copies[node] = graph.node_copy(node) if node.op == "placeholder" else graph.placeholder(node.name)
    for node in part.nodes:
        for used in node.all_input_nodes:
            copied(used)
        copies[node] = graph.node_copy(node, copied)
    graph.output(map_arg(output, copied))
    return GraphModule(whole, graph)


def _stages(whole: GraphModule) -> Iterator[tuple[_Part, GraphModule]]:
    found = _divided(whole.graph)
    result = next(node for node in whole.graph.nodes if node.op == "output").args[0]
    for place, part in enumerate(found):
        gives = result if place == len(found) - 1 else part.gives[0] if len(part.gives) == 1 else tuple(part.gives)
        yield part, _stage_module(whole, part, gives)


def _apart(modules: list[GraphModule]) -> list[dict[str, str]]:
    """Gives each stage that shares a parameter with others one of its own, and says which those are."""
    users: dict[int, dict[str, str]] = {}
    for i, module in enumerate(modules):
        for path, p in module.named_parameters():
            users.setdefault(id(p), {})[f"{_PREFIX}_{i}"] = path
    shared = [places for places in users.values() if len(places) > 1]
    for i, module in enumerate(modules):
        if any(f"{_PREFIX}_{i}" in list(places)[1:] for places in shared):
            modules[i] = copy.deepcopy(module)
    return shared


class Pipe(Module):
    """A module in stages: what `pipeline` gives.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.Pipe

    Called, it runs the stages one after the other in this process.

    Args:
        split_gm: a GraphModule that calls the stages.
        num_stages: how many there are.
        has_loss_and_backward: whether one of them computes a loss; False.
        loss_spec: which output that is; None.
    """

    def __init__(self, split_gm: GraphModule, num_stages: int, has_loss_and_backward: bool, loss_spec):
        super().__init__()
        self.split_gm, self.num_stages = split_gm, num_stages
        self.has_loss_and_backward, self.loss_spec = has_loss_and_backward, loss_spec
        self.replicated_params: list[dict[str, str]] = []

    def forward(self, *args, **kwargs):
        """The module's forward pass.

        Args:
            args, kwargs: the module's.

        Returns:
            what it returns.
        """
        return self.split_gm(*args, **kwargs)

    def get_stage_module(self, stage_idx: int) -> Module:
        """The module of a stage.

        Args:
            stage_idx: its number.

        Returns:
            the module.

        Raises:
            ValueError: there is none.
        """
        if stage_idx < 0 or stage_idx >= self.num_stages:
            raise ValueError(f"Invalid stage index {stage_idx}!")
        return getattr(self.split_gm, f"{_PREFIX}_{stage_idx}")

    @staticmethod
    def from_tracing(mod: Module, example_args: tuple[Any, ...], example_kwargs: dict[str, Any] | None = None,
                     split_policy: Callable[[GraphModule], GraphModule] | None = None) -> "Pipe":
        """Divide a module where its code calls `pipe_split`.

        Args:
            mod: the module.
            example_args, example_kwargs: inputs of one microbatch: which ones are given counts, not their values.
            split_policy: gets the module as a GraphModule, and gives it back with calls of `pipe_split` in it.

        Returns:
            the Pipe.

        Raises:
            RuntimeError: its code cannot be recorded.
        """
        return _pipe_of(mod, example_args, example_kwargs or {}, {}, split_policy)

    def print_readable(self) -> None:
        """Print the code of all stages."""
        self.split_gm.print_readable()

    def info(self) -> PipeInfo:
        """What a stage must know of the whole.

        Returns:
            a PipeInfo.
        """
        return PipeInfo(self.split_gm.graph, self.num_stages, self.has_loss_and_backward)

    def build_stage(self, stage_index: int, device, group=None) -> _PipelineStage:
        """The stage of a rank, for a schedule.

        Args:
            stage_index: its number.
            device: where its tensors are.
            group: the ranks of the pipeline; the default group where it is None.

        Returns:
            the stage.

        Raises:
            ValueError: there is none.
        """
        return build_stage(self.get_stage_module(stage_index), stage_index, self.info(), device, group)

    def __str__(self) -> str:
        return str(self.split_gm)

    def __repr__(self) -> str:
        return repr(self.split_gm)


def _pipe_of(module: Module, args: tuple, kwargs: dict, spec: dict, policy) -> Pipe:
    whole = _recorded(module, args, kwargs, spec)
    if policy is not None:
        whole = policy(whole)
    found = list(_stages(whole))
    modules = [made for _, made in found]
    shared = _apart(modules)
    graph, values = Graph(), {}
    result: Any = None
    for node in found[0][0].takes:
        values[node] = graph.node_copy(node)
    for i, (part, _) in enumerate(found):
        result = graph.call_module(f"{_PREFIX}_{i}", tuple(values[node] for node in part.takes))
        if len(part.gives) == 1:
            values[part.gives[0]] = result
        else:
            values |= {node: graph.call_function(operator.getitem, (result, k)) for k, node in enumerate(part.gives)}
    graph.output(result)
    root = {f"{_PREFIX}_{i}": made for i, made in enumerate(modules)}
    pipe = Pipe(GraphModule(root, graph), len(found), False, None)
    pipe.replicated_params = shared
    return pipe


def pipeline(module: Module, mb_args: tuple[Any, ...], mb_kwargs: dict[str, Any] | None = None,
             split_spec: dict[str, SplitPoint] | None = None,
             split_policy: Callable[[GraphModule], GraphModule] | None = None) -> Pipe:
    """Divide a module into stages.
    https://pytorch.org/docs/stable/distributed.pipelining.html#torch.distributed.pipelining.pipeline

    `torch.fx` records it, not `torch.export` as in PyTorch: modules of `torch.nn` are calls in its Graph, and sizes that a
    later stage needs must be computed there, since only tensors go from stage to stage.

    Args:
        module: the module.
        mb_args, mb_kwargs: inputs of one microbatch: which ones are given counts, not their values.
        split_spec: path of a part -> `SplitPoint`.
        split_policy: gets the module as a GraphModule, and gives it back with calls of `pipe_split` in it.

    Returns:
        a `Pipe`.

    Raises:
        ValueError: both a spec and a policy. AttributeError: there is no such part. RuntimeError: its code cannot be
            recorded.
    """
    if split_spec is not None and split_policy is not None:
        raise ValueError("Cannot specify both `split_spec` and `split_policy`. Please use only one of them.")
    return _pipe_of(module, mb_args, mb_kwargs or {}, _checked(module, split_spec or {}), split_policy)
