"""The one place where the recorder gets the Nodes of the autograd graph from.

The recorder decides that a result gets a Node and what it saves. What a Node is belongs to autograd, which stands
above the recorder: `torchlike/autograd/__init__.py` supplies the functions below when it is imported.
"""

from typing import Any, Protocol


class NodeFactory(Protocol):
    """What the recorder asks for. A Node has the fields and methods of `torchlike.autograd.node.Node`."""

    @staticmethod
    def class_of(kernel) -> type:
        """The Node class of a kernel. The recorder keeps it on the instruction and asks once."""

    @staticmethod
    def leaf(variable) -> Any:
        """The one AccumulateGrad of a leaf tensor, as long as anybody holds it."""

    @staticmethod
    def in_place(node, row, narrowed: bool) -> None:
        """`node`, recorded as if out of place, is that of `row` in place; `narrowed`: its result was cast down."""

    @staticmethod
    def copy_slices(edge, fn, chain: tuple, aval, written) -> Any:
        """The Node of a base (its form `aval`, its history until now `edge`) after the view `written`, which is
        `chain` steps away, was written to by the Node `fn`.
        """

    @staticmethod
    def window(edge, chain: tuple, source, aval) -> Any:
        """The Node of a view by the steps `chain` of a base whose form is `source` and whose history is `edge`."""

    @staticmethod
    def pure(function, sources: list, avals: list, saves: bool) -> Any:
        """The Node of results (of the forms `avals`) that a pure function of arrays computed from `sources`: Tensors of the
        values that it read, with the edges that these had. `saves`: whether PyTorch's Nodes would keep any of them."""


class _Supplied:
    """The factory's functions as fields: a call costs one look more than a function of the module itself."""

    __slots__ = ("class_of", "copy_slices", "in_place", "leaf", "pure", "window")

    def supply(self, factory: type[NodeFactory]) -> None:
        """From now on Nodes come from `factory`."""
        for name in self.__slots__:
            setattr(self, name, getattr(factory, name))


nodes = _Supplied()
