"""`torch.fx.replace_pattern`: each place of a Graph that looks like a pattern becomes something else.

https://pytorch.org/docs/stable/fx.html#torch.fx.replace_pattern
"""

import dataclasses
from collections.abc import Callable
from typing import NamedTuple

from torchlike._base.errors import UnsupportedError
from torchlike.fx._symbolic_trace import symbolic_trace
from torchlike.fx.graph import Graph
from torchlike.fx.graph_module import GraphModule, _copy_attr
from torchlike.fx.node import Node
from torchlike.fx.passes.utils.matcher_utils import InternalMatch
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
    return [Match(each.anchor, each.nodes_map) for each in replace_pattern_with_filters(gm, pattern, replacement)]


@dataclasses.dataclass
class ReplacedPatterns:
    """A place in which a pattern has been replaced.

    Args:
        anchor, nodes_map: those of the `Match`.
        replacements: the new Nodes.
    """

    anchor: Node
    nodes_map: dict
    replacements: list


def replace_pattern_with_filters(gm: GraphModule, pattern: Callable | Graph | GraphModule,
                                 replacement: Callable | Graph | GraphModule | None = None,
                                 match_filters: list | None = None,
                                 ignore_literals: bool = False, replacement_callback: Callable | None = None,
                                 node_name_match: str = "") -> list:
    """`replace_pattern` in chosen places, or by another replacement for each.
    https://pytorch.org/docs/stable/fx.html#torch.fx.replace_pattern

    Args:
        gm, pattern, replacement: as for `replace_pattern`.
        match_filters: functions of an `InternalMatch`, the Graph and the pattern's Graph that say whether it is replaced.
        ignore_literals: True is refused.
        replacement_callback: a function of the same that gives the Graph that takes its place.
        node_name_match: a text is refused.

    Returns:
        A list of `ReplacedPatterns`.

    Raises:
        AssertionError: neither a replacement nor a function that gives one.
        ValueError: the pattern has no calls.
        UnsupportedError: numbers that may differ, and Nodes by their names.
    """
    if ignore_literals or node_name_match:
        raise UnsupportedError("torch.fx.replace_pattern with ignore_literals or node_name_match is not supported")
    if replacement is None and replacement_callback is None:
        raise AssertionError("Must provide either a replacement GraphModule or a replacement callback")
    wanted, common = _graph_of(pattern), None if replacement_callback is not None else _graph_of(replacement)
    chosen = [each for each in map(_internal, _matches(gm.graph, wanted))
              if all(keeps(each, gm.graph, wanted) for keeps in match_filters or ())]
    replaced: dict = {}
    done = []
    for each in chosen:
        new = common if replacement_callback is None else replacement_callback(each, gm.graph, wanted)
        found = {node: replaced.get(x, x) if isinstance(x, Node) else x for node, x in each.nodes_map.items()}
        added = _replace(gm.graph, wanted, new, Match(each.anchors[0], found), replaced)
        done.append(ReplacedPatterns(each.anchors[0], found, added))
    if isinstance(replacement, Module) and common is not None:
        for node in common.nodes:
            if node.op in ("call_module", "get_attr") and not _has(gm, node.target):
                _copy_attr(replacement, gm, node.target)
    gm.delete_all_unused_submodules()
    gm.recompile()
    return done


def _internal(match: Match) -> InternalMatch:
    parameters = [x for node, x in match.nodes_map.items() if node.op == "placeholder"]
    return InternalMatch([match.anchor], match.nodes_map, parameters, [match.nodes_map[match.anchor]])


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


def _replace(graph, wanted, new, match, replaced) -> list:
    """Copies `new` to before the first user of the match, and removes what matched; the new Nodes."""
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
    given = [x for x in match.nodes_map.values() if isinstance(x, Node)]
    return [node for node in values.values() if isinstance(node, Node) and node not in given]
