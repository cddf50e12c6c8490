"""Which Nodes a graph has, and which of them a backward pass runs."""

import torchlike as torch
from torchlike.autograd.graph_task import GraphTask
from torchlike.autograd.reachable import reachable


def chain():
    x = torch.ones(3, requires_grad=True)
    y = x.exp().sin()
    z = (y * x).cos()
    return x, y, z


def names(nodes):
    return sorted(node.name().removeprefix("torch::autograd::") for node in nodes)


ALL = ["AccumulateGrad", "CosBackward0", "ExpBackward0", "MulBackward0", "SinBackward0"]


def test_all():
    _, _, z = chain()
    assert names(reachable([z.grad_fn])) == ALL


def test_none_older():
    _, y, z = chain()
    assert names(reachable([z.grad_fn], y.grad_fn.seq)) == ["AccumulateGrad", "CosBackward0", "MulBackward0", "SinBackward0"]


def run(target, root):
    """The Nodes that wait for gradients where one of `target` is asked for."""
    node = target.grad_fn or leaf_below(root)
    task = GraphTask(True, {node: {0: 0}})
    task.run([(root.grad_fn, 0)], [torch.ones(3)])
    assert task.captured[0].shape == (3,)
    return names(task.waiting)


def leaf_below(root):
    return next(node for node in reachable([root.grad_fn]) if node.is_leaf)


def test_only_what_leads_to_a_target_runs():
    x, y, z = chain()
    assert run(y, z) == ["CosBackward0", "MulBackward0", "SinBackward0"]
    assert run(x, z) == ALL
    other = y.tanh()
    assert run(y, other) == ["SinBackward0", "TanhBackward0"]
