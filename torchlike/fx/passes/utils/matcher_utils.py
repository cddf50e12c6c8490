"""What a place of a Graph that looks like a pattern is told by: `torch.fx.passes.utils.matcher_utils`."""

import dataclasses


@dataclasses.dataclass
class InternalMatch:
    """A place that looks like a pattern.

    Args:
        anchors: the Nodes of the pattern that make its results.
        nodes_map: dict from the Nodes of the pattern to those of the Graph.
        placeholder_nodes: the Nodes of the Graph, or other values, that stand for the pattern's parameters.
        returning_nodes: the Nodes of the Graph that stand for its results.
        name_node_map: empty.
    """

    anchors: list
    nodes_map: dict = dataclasses.field(default_factory=dict)
    placeholder_nodes: list = dataclasses.field(default_factory=list)
    returning_nodes: list = dataclasses.field(default_factory=list)
    name_node_map: dict = dataclasses.field(default_factory=dict)

    def __copy__(self):
        return InternalMatch(self.anchors, dict(self.nodes_map), list(self.placeholder_nodes), list(self.returning_nodes))
