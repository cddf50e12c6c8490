"""Passes: what changes a GraphModule. https://pytorch.org/docs/stable/fx.html"""

import abc
from typing import NamedTuple

from torchlike.fx.graph_module import GraphModule
from torchlike.nn import Module

__all__ = ["PassBase", "PassResult"]


class PassResult(NamedTuple):
    """What a pass returns.

    Args:
        graph_module: the GraphModule.
        modified: whether it has been changed.
    """

    graph_module: Module
    modified: bool


class PassBase(abc.ABC):
    """Called with a GraphModule, it looks whether that may be changed, changes it, and looks at what came of it."""

    def __call__(self, graph_module: GraphModule) -> PassResult | None:
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module: GraphModule) -> PassResult | None:
        """Changes a GraphModule.

        Args:
            graph_module: what to change.

        Returns:
            a PassResult, or None.
        """

    def requires(self, graph_module: GraphModule) -> None:  # noqa: B027 - a pass need not ask
        """Raises an error where the pass cannot be run.

        Args:
            graph_module: before it.
        """

    def ensures(self, graph_module: GraphModule) -> None:  # noqa: B027 - a pass need not ask
        """Raises an error where the pass has not done what it should.

        Args:
            graph_module: after it.
        """
