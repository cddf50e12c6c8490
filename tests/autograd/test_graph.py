"""torch.autograd.graph: edges, saved-tensor hooks, versions, multithreading switches."""

import threading

import pytest

import torchlike
from compat.compare import check
from compat.compare.tolerances import EXACT
from tests.programs import same_as_torch
from torchlike._record.trace import state
from torchlike.utils.checkpoint import checkpoint

test_programs = same_as_torch("graph", "graph_more")

SWITCHES = {
    "budget": lambda lib: lib.autograd.graph.region_activation_memory_budget(0.5),
    "too much": lambda lib: lib.autograd.graph.region_activation_memory_budget(2),
    "a bool": lambda lib: lib.autograd.graph.region_activation_memory_budget(True),
    "a text": lambda lib: lib.autograd.graph.region_activation_memory_budget("a"),
    "stale": lambda lib: [lib.autograd.graph.set_override_stale_capture_stream(flag) for flag in (True, False)],
    "stale number": lambda lib: lib.autograd.graph.set_override_stale_capture_stream(1),
    "mismatch": lambda lib: [lib.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(flag) for flag in (False, True)],
    "mismatch number": lambda lib: lib.autograd.graph.set_warn_on_accumulate_grad_stream_mismatch(1),
}


@pytest.mark.parametrize("name", SWITCHES)
def test_switches(name):
    check(SWITCHES[name], tolerance=EXACT)


# -- hooks on new Nodes, of PyTorch 2.14; names and texts are those of 2.14.1

def _names(function) -> list:
    """The names of the Nodes that `function` makes."""
    found = []
    with torchlike.autograd.graph.node_creation_hook(lambda node: found.append(node.name())):
        function()
    return found


def test_each_new_node_is_told_of_once_and_complete():
    x, found = torchlike.ones(3, requires_grad=True), []
    with torchlike.autograd.graph.node_creation_hook(found.append) as given:
        y = (x * 2).sin()
        x + 1
    assert given is None
    assert [node.name() for node in found] == ["torch::autograd::AccumulateGrad", "MulBackward0", "SinBackward0",
                                               "AddBackward0"]
    assert found[2] is y.grad_fn
    assert found[2].next_functions[0][0] is found[1]
    assert found[2]._saved_self.tolist() == [2, 2, 2]
    y.cos()
    assert len(found) == 4


def test_nodes_of_backward_passes_and_recomputations():
    x = torchlike.ones(3, requires_grad=True)
    held = (x * 1).grad_fn  # so that there is an AccumulateGrad already
    assert _names(lambda: torchlike.autograd.grad((x ** 3).sum(), x, create_graph=True))[:2] == [
        "PowBackward0", "SumBackward0"]
    assert len(_names(lambda: torchlike.autograd.grad((x ** 3).sum(), x, create_graph=True))) > 2
    assert _names(lambda: checkpoint(lambda y: y.sin().cos(), x, use_reentrant=False).sum().backward()) == [
        "SinBackward0", "CosBackward0", "SumBackward0", "SinBackward0"]
    assert held is not None


def test_what_makes_no_node_is_not_told_of():
    x = torchlike.ones(3, requires_grad=True)

    def run():
        with torchlike.no_grad():
            x.sin()
        torchlike.ones(3).sin()
        thread = threading.Thread(target=x.cos)
        thread.start()
        thread.join()
    assert _names(run) == []


def test_functions_and_writes_to_views():
    class Twice(torchlike.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = torchlike.ones(3, requires_grad=True).clone()
    assert _names(lambda: Twice.apply(x)) == ["TwiceBackward"]
    found = _names(lambda: x[1:].zero_())
    assert found[0] == "SliceBackward0"
    assert found[-1] == "torch::autograd::CopySlices"


def test_nested_hooks_are_called_from_the_outermost_on():
    x, found = torchlike.ones(3, requires_grad=True).clone(), []
    hook = torchlike.autograd.graph.node_creation_hook
    with hook(lambda node: found.append("outer")), hook(lambda node: found.append("inner")):
        x.sin()
    assert found == ["outer", "inner"]
    context = hook(lambda node: found.append("again"))
    with context, context:
        x.sin()
    assert found[2:] == ["again"] * 2
    assert state.thread.observers == ()


def test_a_hook_may_register_hooks_and_note_things():
    x, called = torchlike.ones(3, requires_grad=True).clone(), []

    def hook(node):
        node.metadata["region"] = "first"
        node.register_hook(lambda inputs, outputs: called.append(node.metadata["region"]))
    with torchlike.autograd.graph.node_creation_hook(hook):
        y = x.sin()
    y.sum().backward()
    assert called == ["first"]


def test_hooks_only_look():
    x = torchlike.ones(3, requires_grad=True).clone()
    hook = torchlike.autograd.graph.node_creation_hook
    with pytest.raises(RuntimeError, match="node creation hook must return None, got int"), hook(lambda node: 5):
        x.sin()
    with pytest.raises(RuntimeError, match="got a new node of type MulBackward0 while a hook was running"), \
            hook(lambda node: x * 3 and None):
        x.sin()
    with pytest.raises(ValueError, match="planted"), hook(_raise):
        x.sin()
    assert _names(x.sin) == ["SinBackward0"]


def _raise(node):
    raise ValueError("planted")
