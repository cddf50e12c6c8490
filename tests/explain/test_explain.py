"""`torchlike.explain` and `torchlike.graph.bytes`: the reason, and the very line."""

import inspect
import re
import sys

import numpy as np
import pytest

import torchlike as torch
from torchlike import explain
from torchlike._explain import report
from torchlike._explain.flow import Flow


def line_of(mark) -> int:
    """The number of the one line of this file that ends in this mark."""
    lines = inspect.getsource(sys.modules[__name__]).splitlines()
    found = [i for i, line in enumerate(lines, 1) if line.endswith(f"# {mark}")]
    assert len(found) == 1, mark
    return found[0]


def lines_in(found) -> list:
    """All lines of this file that an explanation names, in order."""
    return [int(n) for n in re.findall(re.escape(f'File "{__file__}", line ') + r"(\d+)", str(found))]


def reasons(found) -> str:
    """The texts of the reasons."""
    return "\n".join(reason.text for reason in found.reasons)


def ones(*shape, **options):
    """A leaf that requires grad."""
    return torch.ones(*shape, requires_grad=True, **options)


def test_detached_on_the_way():
    w, v = ones(3), ones(3)
    h = w * 2
    z = h.detach()  # cut off
    (z * v).sum().backward()  # pass 1
    assert w.grad is None
    found = explain(w)
    assert "what detach() returned" in reasons(found)
    assert {line_of("cut off"), line_of("pass 1")} <= set(lines_in(found))
    assert "detach() gives a tensor without history" in reasons(explain(z))
    assert lines_in(explain(z))[0] == line_of("cut off")


def test_under_no_grad():
    w, v = ones(3), ones(3)
    with torch.no_grad():  # off here
        h = w * 2
    (h * v).sum().backward()
    for x in (w, h):
        assert "under no_grad" in reasons(explain(x))
        assert line_of("off here") == lines_in(explain(x))[-2]


def test_the_trace_ran_in_between():
    w, v = ones(3), ones(3)
    with torch.no_grad():  # off before the run
        assert v.sum().item() == 3
        h = w * 2
        assert h.sum().item() == 6
    (h * v).sum().backward()
    assert line_of("off before the run") in lines_in(explain(w))


def test_an_operation_without_history_is_said_to_be_where_it_was_first():
    def cut(x):
        with torch.no_grad():
            return x * 5  # first

    def again(x):
        with torch.no_grad():
            return x * 5

    found = []
    for function in cut, again:
        torch.ones(1).sum().item()  # ends the trace
        found.append(explain(function(ones(7))))
    assert all("here, or where the same was first recorded" in str(one) for one in found)
    assert [lines_in(one)[-1] for one in found] == [line_of("first")] * 2


def test_without_derivative():
    w = ones(3)
    i = w.argmax()  # no derivative
    assert "argmax() has no derivative" in reasons(explain(w))
    assert line_of("no derivative") in lines_in(explain(w))
    assert "torch.int64 tensors have no gradients" in reasons(explain(i))


def test_left_as_a_number():
    w, v = ones(3), ones(3)
    y = torch.tensor((w * 3).sum().item())  # as a number
    (y * v).sum().backward()
    assert "read as a Python number" in reasons(explain(w))
    assert line_of("as a number") in lines_in(explain(w))


def test_unused():
    w, v = ones(3), ones(3)
    (v * 2).sum().backward()
    assert reasons(explain(w)) == "nothing that is remembered has used it"


def test_not_on_the_way_to_the_loss():
    w, v = ones(3), ones(3)
    _ = (w * 2).exp()  # aside
    (v * 2).sum().backward()  # pass 2
    found = explain(w)
    assert "no path leads from there" in reasons(found)
    assert lines_in(found) == [line_of("pass 2"), line_of("aside")]


def test_backward_not_called():
    w = ones(3)
    loss = (w * 2).sum()
    assert "backward() has not been called" in reasons(explain(w, loss))
    assert "backward() has not been called" in reasons(explain(w))


@pytest.mark.parametrize("steps", [1, 5, 30])
def test_zero_grad_after_training(steps):
    model = torch.nn.Sequential(torch.nn.Linear(2, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.ones(1, 2)).sum().backward()  # trained
        optimizer.step()
    assert ".grad is set" in str(explain(model[0].weight))
    optimizer.zero_grad()
    found = explain(model[0].weight)
    assert "set to None since" in reasons(found)
    assert lines_in(found) == [line_of("trained")]


def test_backward_that_raised():
    w = ones(3)
    y = w.exp()
    y.mul_(2)
    with pytest.raises(RuntimeError):
        y.sum().backward()  # raised
    assert reasons(explain(w)).startswith("the backward pass on the way to it raised an error")
    assert lines_in(explain(w))[0] == line_of("raised")


def test_no_leaf():
    x = ones(2)
    y = x.exp()  # inner
    found = explain(y)
    assert "no leaf: ExpBackward0 made it" in str(found)
    assert "call retain_grad()" in str(found)
    assert lines_in(found) == [line_of("inner")]
    y.retain_grad()
    assert "retain_grad() was called" in str(explain(y))


def test_hooks_are_named():
    x = ones(2)
    x.register_hook(lambda g: g * 0)  # the hook
    x.sum().backward()
    found = str(explain(x))
    assert "all zero" in found
    assert f"{__file__}:{line_of('the hook')}" in found


def test_custom_function_carries():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = ones(2)
    loss = Double.apply(x).sum()
    loss.backward()
    x.grad = None
    assert "set to None since" in reasons(explain(x))
    with torch.no_grad():
        y = Double.apply(x)  # function off
    del y
    assert line_of("function off") in lines_in(explain(x)) or "set to None" in reasons(explain(x))


@pytest.mark.parametrize("function", [
    lambda x: x.exp().sum() + (x * x).sum(),
    lambda x: (x[0] * x[1]).tanh() * x.prod(),
    lambda x: torch.stack([x.sin(), x.cos() * x]).sum(),
    lambda x: (x.view(3, 1) @ x.view(1, 3)).sum() / x.max(),
], ids=["two", "products", "stacked", "matrices"])
def test_products_add_up_to_the_gradient(function):
    x = torch.tensor([0.5, -1.0, 2.0], requires_grad=True, dtype=torch.float64)
    loss = function(x)
    found = explain(x, loss)
    assert 1 < found.path_count == len(found.paths)
    (g,) = torch.autograd.grad(loss, x)
    assert np.allclose(sum(path.product for path in found.paths), g.numpy(), rtol=1e-12)


def test_the_step_that_makes_it_zero():
    x = torch.tensor([-1.0, -2.0], requires_grad=True)
    h = x * 3
    y = h.relu()  # dead
    loss = (y + 1).log().sum()
    found = explain(x, loss)
    assert "the gradient is zero after ReluBackward0" in reasons(found)
    assert lines_in(found)[0] == line_of("dead")
    assert [step.name for step in found.paths[0].steps] == [
        "SumBackward0", "LogBackward0", "AddBackward0", "ReluBackward0", "MulBackward0"]


def test_the_step_that_makes_it_nan():
    x = torch.zeros(1, requires_grad=True)
    y = x * 0
    loss = (y.sqrt() * 0).sum()  # root
    assert "nan after SqrtBackward0" in reasons(explain(x, loss))


def test_retained_graph_of_the_last_backward():
    x = ones(2)
    (x * 3).sum().backward()
    assert explain(x).path_count == 0
    loss = (x * 3).sum()
    loss.backward(retain_graph=True)
    assert [float(path.product[0]) for path in explain(x).paths] == [3.0]
    assert x.grad.tolist() == [6.0, 6.0]


def test_freed_graph_says_where():
    x = ones(2)
    loss = (x * x).sum()
    loss.backward()  # freed here
    assert line_of("freed here") in lines_in(explain(x, loss))
    assert "has been freed" in str(explain(x, loss))


def test_explaining_changes_nothing():
    x = ones(2)
    y = x.exp()
    loss = y.sum()
    before = y._version, y.grad_fn
    for _ in range(20):
        first = str(explain(x, loss))
    assert str(explain(x, loss)) == first
    assert (y._version, y.grad_fn) == before
    loss.backward()
    assert np.allclose(x.grad.numpy(), np.exp(1))


def test_a_long_chain_and_many_paths():
    x = ones(1)
    y = x
    for _ in range(40):
        y = y + y
    found = explain(x, y.sum())
    assert found.path_count == 2 ** 40
    assert len(found.paths) == 8
    assert "of which 8 are shown" in str(found)


def test_wrong_type():
    with pytest.raises(TypeError, match="must be Tensor, not int"):
        explain(3)


# -- graph.bytes

def test_bytes_by_line():
    w = ones(20, 30)
    x = torch.ones(5, 20)
    h = x @ w  # product
    y = h.tanh()  # result kept
    loss = (y * y).sum()  # shared
    held = torch.graph.bytes(loss)
    assert held.total == 4 * (5 * 20 + 5 * 30)
    assert held.lines == {(__file__, line_of("result kept")): 600, (__file__, line_of("product")): 400}
    assert [saved.name for saved in held] == ["TanhBackward0", "MmBackward0"]
    assert f"{__file__}:{line_of('product')} in test_bytes_by_line" in str(held)
    loss.backward()
    assert torch.graph.bytes(loss).total == 0


def test_bytes_of_views_functions_and_writes():
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    x = ones(4, 4)
    h = x * 1
    z = Square.apply(h[0])
    assert torch.graph.bytes(z.sum()).total == 64  # the whole of the base
    base = torch.zeros(4)
    base[:2] = ones(2).exp() * 3
    assert torch.graph.bytes(base.sum()).total == 8


def test_bytes_of_nothing():
    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.graph.bytes(torch.ones(1))


def test_a_run_of_nothing_forgets_nothing():
    """A backward whose gradient runs the trace ends in an empty one, and a transform runs that."""
    w = torch.tensor(2.0, requires_grad=True)
    torch.func.grad(lambda v: w * v ** 3)(torch.tensor(3.0)).backward()
    torch.func.grad(lambda v: v * v)(torch.tensor(1.0))
    x = torch.ones(3, requires_grad=True)
    (x.detach() * torch.ones(3, requires_grad=True)).sum().backward()  # the line with detach
    found = explain(x)
    assert "what detach() returned" in reasons(found) and line_of("the line with detach") in lines_in(found)


def test_several_tensors_are_explained_from_one_flow(monkeypatch):
    """A flow is made of all that was recorded lately: once, whatever is asked of it."""
    x, cut, unused = ones(3), ones(3), ones(3)
    z = cut.detach()
    (x * z).log().sum().backward()
    x.grad.zero_()  # what is recorded on the way to an answer must not change the next one
    tensors = [x, z, cut, unused]
    alone = [str(explain(t)) for t in tensors]
    made = []
    monkeypatch.setattr(report, "Flow", lambda trace: made.append(trace) or Flow(trace))
    assert list(map(str, report.explained(tensors))) == alone and len(made) == 1
    assert "what detach() returned" in alone[2] and "nothing that is remembered has used it" in alone[3]
