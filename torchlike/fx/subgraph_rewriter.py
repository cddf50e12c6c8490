"""`torch.fx.replace_pattern`: each place of a Graph that looks like a pattern becomes something else.

https://pytorch.org/docs/stable/fx.html#torch.fx.replace_pattern
"""

from collections.abc import Callable
from typing import NamedTuple

from torchlike.fx._symbolic_trace import symbolic_trace
from torchlike.fx.graph import Graph
from torchlike.fx.graph_module import GraphModule, _copy_attr
from torchlike.fx.node import Node
from torchlike.nn import Module


class Match(NamedTuple):
    """A place that looks like the pattern.

    Args:
        anchor: the Node of the pattern that makes its result.
        nodes_map: dict from the Nodes of the pattern to those of the Graph.
    """

    anchor: Node
    nodes_map: dict


def replace_pattern(gm: GraphModule, pattern: Callable | GraphModule, replacement: Callable | GraphModule) -> list:
    """Puts a replacement into each place of a GraphModule that looks like a pattern; places do not overlap.

    Args:
        gm: the GraphModule. It is changed.
        pattern: what is looked for: a function, Module or GraphModule with one result.
        replacement: what takes its place, of the same parameters.

    Returns:
        A list of `Match`.

    Raises:
        ValueError: the pattern has no calls.
    """
    wanted, new = _graph_of(pattern), _graph_of(replacement)
    matches = _matches(gm.graph, wanted)
    replaced: dict = {}
    done = []
    for match in matches:
        found = {node: replaced.get(x, x) if isinstance(x, Node) else x for node, x in match.nodes_map.items()}
        done.append(Match(match.anchor, found))
        _replace(gm.graph, wanted, new, Match(match.anchor, found), replaced)
    if isinstance(replacement, Module):
        for node in new.nodes:
            if node.op in ("call_module", "get_attr") and not _has(gm, node.target):
                _copy_attr(replacement, gm, node.target)
    gm.delete_all_unused_submodules()
    gm.recompile()
    return done


def _graph_of(program) -> Graph:
    if isinstance(program, Graph):
        return program
    return program.graph if isinstance(program, GraphModule) else symbolic_trace(program).graph


def _has(module, target) -> bool:
    for name in target.split("."):
        if not hasattr(module, name):
            return False
        module = getattr(module, name)
    return True


def _matches(graph: Graph, pattern: Graph) -> list:
    anchor = pattern.output_node().args[0]
    if not isinstance(anchor, Node) or anchor.op == "placeholder":
        raise ValueError("replace_pattern: the pattern must return the result of a call")
    found, taken = [], set()
    for node in graph.nodes:
        nodes: dict = {}
        if not _same(anchor, node, nodes):
            continue
        inner = {nodes[p] for p in nodes if p.op != "placeholder"}
        alone = all(user in inner for x in inner if x is not node for user in x.users)
        if alone and not inner & taken:
            taken |= inner
            found.append(Match(anchor, nodes))
    return found


def _same(wanted, given, nodes: dict) -> bool:
    """Whether an argument looks like one of the pattern. `nodes` gets the Nodes."""
    if isinstance(wanted, Node):
        if wanted in nodes:
            return nodes[wanted] is given
        if wanted.op == "placeholder":
            nodes[wanted] = given
            return True
        if not isinstance(given, Node) or (wanted.op, wanted.target) != (given.op, given.target):
            return False
        nodes[wanted] = given
        return _same(wanted.args, given.args, nodes) and _same(wanted.kwargs, given.kwargs, nodes)
    if isinstance(wanted, tuple | list):
        return isinstance(given, tuple | list) and len(wanted) == len(given) and all(
            _same(w, g, nodes) for w, g in zip(wanted, given, strict=True))
    if isinstance(wanted, dict):
        return isinstance(given, dict) and wanted.keys() == given.keys() and all(
            _same(wanted[key], given[key], nodes) for key in wanted)
    if isinstance(wanted, slice):
        return isinstance(given, slice) and _same((wanted.start, wanted.stop, wanted.step),
                                                  (given.start, given.stop, given.step), nodes)
    return type(wanted) is type(given) and wanted == given


def _replace(graph, wanted, new, match, replaced) -> None:
    """Copies `new` to before the first user of the match, and removes what matched."""
    old = match.nodes_map[match.anchor]
    first = next((node for node in graph.nodes if node in old.users), old.next)
    parameters = [node for node in wanted.nodes if node.op == "placeholder"]
    values = {theirs: match.nodes_map.get(ours) for ours, theirs in
              zip(parameters, (node for node in new.nodes if node.op == "placeholder"), strict=True)}
    with graph.inserting_before(first):
        result = graph.graph_copy(new, values)
    old.replace_all_uses_with(result)
    replaced[old] = result
    for node in reversed(list(wanted.nodes)):
        if node.op not in ("placeholder", "output"):
            graph.erase_node(match.nodes_map[node])
