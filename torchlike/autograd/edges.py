"""Edges as users hold them: `GradientEdge`, and the engine's edge of a Tensor or a GradientEdge."""

from typing import NamedTuple

from torchlike._record.history import edge_of
from torchlike._record.tensor import Tensor
from torchlike.autograd.node import Node


class GradientEdge(NamedTuple):
    """Where the gradient of one output of a Node arrives; stands for a tensor in backward and grad.
    https://pytorch.org/docs/stable/generated/torch.autograd.graph.GradientEdge.html"""

    node: Node
    output_nr: int
    ownership_token: Node | None = None


def get_gradient_edge(tensor) -> GradientEdge:
    """The GradientEdge of a tensor. RuntimeError if it does not require grad.
    https://pytorch.org/docs/stable/generated/torch.autograd.graph.get_gradient_edge.html"""
    edge = edge_for(tensor)
    if edge is None:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require "
                           "gradients")
    node, number = edge
    return GradientEdge(node.public, number)


def inner(node):
    """The engine's Node of what a user has as a ``grad_fn``."""
    return node._node()


def edge_for(x):
    """The engine's edge of a Tensor or GradientEdge; None if no gradient flows to it."""
    if isinstance(x, GradientEdge):
        return (inner(x.node), x.output_nr)
    return None if x._edge is None else edge_of(x)


def aval_for(x):
    """The Aval that the gradient of a Tensor or GradientEdge has."""
    return inner(x.node).output_aval(x.output_nr) if isinstance(x, GradientEdge) else x._cell.aval


def listed(x) -> tuple:
    """One Tensor or GradientEdge, or several, as a tuple."""
    return (x,) if isinstance(x, Tensor | GradientEdge) else tuple(x)


def node_for(x):
    """The engine's Node where the gradient of a Tensor or GradientEdge arrives."""
    edge = edge_for(x)
    if edge is None:
        raise AssertionError("Expected gradient function to be set")
    return edge[0]


