"""Observers of Nodes and the engine of backward passes are two things: one on top of the other changes neither."""

import torchlike
from torchlike._diff.vjp_engine import functional
from torchlike._record.thread import SEQUENCE
from torchlike._record.trace import state
from torchlike.utils._checkpoint_texts import OperationLog


class Spy:
    """An Engine that notes what it is asked, and an Observer that notes Nodes."""

    detects_anomaly, sees_all = True, False

    def __init__(self):
        self.roots, self.nodes = [], []

    def run_backward(self, roots, grads, keep, captures, create_graph, targets):
        self.roots.append(len(roots))
        return {}

    def node_made(self, node, tensors, outs, numbers):
        self.nodes.append(node.name())


def test_a_checkpoints_log_leaves_the_engine_of_diff():
    x = torchlike.ones(3, requires_grad=True)
    with functional():
        engine = state.thread.engine
        with OperationLog() as _:
            assert state.thread.engine is engine
            state.thread.engine = spy = Spy()
            (x * 2).sum().backward()
    assert spy.roots == [1] and x.grad is None
    assert state.thread.engine is None and state.thread.observers == ()


def test_anomaly_mode_under_another_observer_can_be_switched_off():
    spy = Spy()
    torchlike.autograd.set_detect_anomaly(True)
    state.thread.observers = (spy, *state.thread.observers)
    try:
        torchlike.autograd.set_detect_anomaly(False)
        y = torchlike.ones(3, requires_grad=True).exp()
        assert state.thread.observers == (spy,) and spy.nodes == ["ExpBackward0"]
        assert "traceback_" not in y.grad_fn.metadata
    finally:
        state.thread.observers = ()


def test_numbers_of_nodes_grow():
    assert next(SEQUENCE) < next(SEQUENCE)
