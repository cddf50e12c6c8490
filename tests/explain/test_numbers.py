"""`explain` says which operation made a gradient, or a value, nan, infinite, zero, huge or tiny.

Each program has its loss, and marks by ``# here`` the line that is to blame. Gradients are those after a plain `backward()`.
"""

import inspect

import pytest

import torchlike as torch
from tests.speed import sampled
from torchlike import explain
from torchlike._explain import rerun
from torchlike._record.site import place


def leaf(*values):
    return torch.tensor([float(v) for v in values], requires_grad=True)


def line_of(function) -> int:
    """The number of the one line of a function that is marked."""
    lines, start = inspect.getsourcelines(function)
    found = [start + i for i, line in enumerate(lines) if line.rstrip().endswith("# here")]
    assert len(found) == 1, function
    return found[0]


def lines_in(reason) -> list:
    return [place(site)[1] for _, site in reason.lines]


# -- nan gradients

def where_over_sqrt():
    x = leaf(0, 4)
    mask = x > 0
    root = x.sqrt()  # here
    return x, torch.where(mask, root, 0.0).sum()


def masked_fill_over_division():
    x = leaf(0, 4)
    y = 1 / x  # here
    return x, y.masked_fill(x == 0, 0.0).sum()


def norm_at_zero_times_zero():
    x = leaf(0, 0)
    y = (x * x).sum().sqrt()  # here
    return x, y * 0


def power_below_one():
    x = leaf(0, 2)
    y = x ** 0.5  # here
    return x, torch.where(x > 1, y, x).sum()


def pole():
    x = leaf(0, 2)
    y = x.sqrt()  # here
    return x, y.sum()


def overflow_of_the_product():
    x = leaf(1e-25, 1e-25)
    y = x * 1e30  # here
    return x, (y * 1e20).sum()


NOT_FINITE = {
    where_over_sqrt: ("first nan behind SqrtBackward0, at 1 of 2 elements of x", "0 times infinity",
                      "WhereBackward0 did not", "its branch 'self'", "safe = torch.where(condition, x, 1.0)"),
    masked_fill_over_division: ("first nan behind", "0 times infinity", "MaskedFillBackward0 did not select", "self"),
    norm_at_zero_times_zero: ("first nan behind SqrtBackward0", "0 times infinity", "The 0 comes from MulBackward0"),
    power_below_one: ("first nan behind PowBackward0", "WhereBackward0 did not select"),
    pole: ("first infinite behind SqrtBackward0, at 1 of 2", "derivative is not finite"),
    overflow_of_the_product: ("first infinite behind MulBackward0", "the product with the gradient that arrives overflows"),
}


# -- zero gradients

def dead_relu():
    x = leaf(-1, -2)
    y = (x * 3).relu()  # here
    return x, (y + 1).log().sum()


def saturated_sigmoid():
    x = leaf(100, 200)
    y = x.sigmoid()  # here
    return x, (y * 3).sum()


def saturated_tanh():
    x = leaf(100, -200)
    y = x.tanh()  # here
    return x, (y * 3).sum()


def saturated_softmax():
    x = leaf(1000, -1000, 0)
    y = x.softmax(0)  # here
    return x, y[1]


def clamped():
    x = leaf(3, -4)
    y = x.clamp(-1, 1)  # here
    return x, y.sum()


def rounded():
    x = leaf(3.2, -4.7)
    y = x.round()  # here
    return x, (y * y).sum()


def signs():
    x = leaf(3.2, -4.7)
    y = x.sign()  # here
    return x, (y * 2).sum()


def times_a_tensor_of_zeros():
    x = leaf(3, 4)
    gate = torch.zeros(2)
    y = x * gate  # here
    return x, y.sum()


def times_the_number_zero():
    x = leaf(3, 4)
    y = x * 0  # here
    return x, y.exp().sum()


def weights_of_zeros():
    x, w = leaf(3, 4), torch.zeros(2, 5, requires_grad=True)
    y = x @ w  # here
    return x, y.exp().sum()


def filled():
    x = leaf(3, 4)
    mask = torch.tensor([True, True])
    y = x.masked_fill(mask, 0.0)  # here
    return x, y.exp().sum()


def not_the_largest():
    x = leaf(3, 4)
    other = torch.tensor([9.0, 9.0], requires_grad=True)
    y = torch.cat([x, other])
    z = y.reshape(2, 2).amax(0)  # here
    return x, z.sum()


def not_in_the_pool():
    x = leaf(3, 4)
    y = torch.cat([x, x.detach() + 9]).reshape(1, 1, 4)
    z = torch.nn.functional.max_pool1d(y, 4)  # here
    return x, z.sum()


def underflowing():
    x = leaf(3, 4)
    y = x * 1e-30  # here
    return x, (y * 1e-30).sum()


def two_reasons():
    x = leaf(-1, 50)
    y = (x + 0.5).clamp(-9, 1)
    z = y.relu()
    return x, z.sum()  # here


ZERO = {
    dead_relu: ("ReluBackward0, at 2 of 2 elements", "dead", "in [-6, -3]"),
    saturated_sigmoid: ("SigmoidBackward0", "saturated", "[100, 200]"),
    saturated_tanh: ("TanhBackward0", "saturated"),
    saturated_softmax: ("SoftmaxBackward0, at 3 of 3 elements of x", "saturated"),
    clamped: ("ClampBackward1", "outside of the bounds", "[-4, 3]"),
    rounded: ("RoundBackward0", "zero everywhere"),
    signs: ("SignBackward0", "zero everywhere"),
    times_a_tensor_of_zeros: ("MulBackward0", "multiplied by zeros"),
    times_the_number_zero: ("MulBackward0", "multiplied by the number 0"),
    weights_of_zeros: ("MmBackward0, at 2 of 2 elements", "multiplied by zeros",),
    filled: ("MaskedFillBackward0", "masked, the other branch", "2 of 2 True"),
    not_the_largest: ("AmaxBackward0, at 2 of 4 elements", "other elements were chosen"),
    not_in_the_pool: ("other elements were chosen",),
    underflowing: ("MulBackward0", "underflow"),
}


# -- values

def log_of_negative():
    x = leaf(-1, 2)
    y = x.log()  # here
    return x, (y * 2).sum()


def zero_by_zero():
    x = leaf(0, 2)
    y = (x * 2) / (x * 3)  # here
    return x, y.sum()


def exponential():
    x = leaf(1, 1000)
    y = x.exp()  # here
    return x, y.sum()


VALUES = {
    log_of_negative: ("first nan after LogBackward0, at 1 of 2 elements, of finite operands", "self (x) in [-1, 2]"),
    zero_by_zero: ("first nan after DivBackward0, at 1 of 2", "in [0, 4]", "in [0, 6]"),
    exponential: ("first infinite after ExpBackward0, at 1 of 2 elements", "overflow", "[1, 1000]"),
}


def healthy() -> dict:
    """Programs that nothing is to be said of."""
    mask = torch.tensor([[True, False], [True, True]])
    return {
        "half dead": lambda x: x.relu().sum(),
        "bounds": lambda x: x.clamp(-1, 1).sum(),
        "attention": lambda x: x.expand(2, 2).masked_fill(~mask, float("-inf")).softmax(-1)[:, 0].sum(),
        "pool": lambda x: torch.nn.functional.max_pool1d(x.reshape(1, 1, 2), 2).sum(),
        "double where": lambda x: torch.where(x > 0, torch.where(x > 0, x, 1.0).sqrt(), 0.0).sum(),
        "selected": lambda x: torch.where(x > 0, x, x * 2).mean(),
        "loss": lambda x: torch.nn.functional.cross_entropy(x.reshape(1, 2), torch.tensor([1])),
        "mean of many": lambda x: x.expand(1000, 2).tanh().mean(),
    }


def told(found) -> list:
    words = ("first nan", "first infinite", "zero behind", "explodes", "vanishes", "cancel out", "run again",
             "is another one", "itself")
    return [reason for reason in found.reasons if any(word in reason.text for word in words)]


@pytest.mark.parametrize(("when", "program"), sampled(["before", "after"], [*NOT_FINITE, *ZERO, *VALUES], fast=4),
                         ids=lambda x: getattr(x, "__name__", x))
def test_the_operation_and_its_line(program, when):
    x, loss = program()
    if when == "after":
        loss.backward()  # which frees the graph
    found = told(explain(x, loss))
    assert len(found) == 1, [reason.text for reason in found]
    for text in {**NOT_FINITE, **ZERO, **VALUES}[program]:
        assert text in found[0].text
    assert lines_in(found[0])[0] == line_of(program)


@pytest.mark.parametrize("program", healthy().values(), ids=healthy())
def test_no_false_accusation(program):
    x = leaf(-0.5, 2)
    loss = program(x)
    loss.backward()
    assert told(explain(x, loss)) == told(explain(x)) == []


def test_the_second_where_has_the_names_of_the_program():
    x = leaf(0, 4)
    positive = x > 0
    loss = torch.where(positive, x.sqrt(), 0.0).sum()
    loss.backward()
    (reason,) = told(explain(x, loss))
    assert "safe = torch.where(positive, x, 1.0)" in reason.text and "select by the same positive" in reason.text


def test_each_reason_with_its_share():
    x, loss = two_reasons()
    loss.backward()
    assert sorted(reason.text.split(":")[0] for reason in told(explain(x, loss))) == [
        "the gradient is zero behind ClampBackward1, at 1 of 2 elements",
        "the gradient is zero behind ReluBackward0, at 1 of 2 elements of y"]


def test_values_without_history():
    x = torch.tensor([-1.0, 2.0])
    y = (x.log() + 1).sum()
    (reason,) = told(explain(y))
    assert "first nan after log(), at 1 of 2 elements, of finite operands: self in [-1, 2]" in reason.text
    assert "nothing that is remembered has computed it" in told(explain(torch.tensor([float("nan")])))[0].text


def test_explain_of_the_loss_alone():
    x, loss = log_of_negative()
    loss.backward()
    for found in (told(explain(loss)), told(explain(x, loss))):
        assert [lines_in(reason)[0] for reason in found] == [line_of(log_of_negative)]


def test_nan_that_infinities_made():
    x = leaf(1, 2)
    masked = x.masked_fill(x > 0, float("-inf"))
    found = told(explain(masked.softmax(0).sum()))
    assert ["SoftmaxBackward0" in found[0].text, "MaskedFillBackward0" in found[1].text] == [True, True]
    assert "of infinite operands" in found[0].text


def chain(factor, count):
    x = leaf(1, 1)
    y = x * 1
    for _ in range(count):
        y = y * factor  # here
    return x, y.sum()


@pytest.mark.parametrize(("factor", "count", "verb"), [(10, 9, "explodes"), (0.1, 12, "vanishes")])
def test_factors_along_the_path(factor, count, verb):
    x, loss = chain(factor, count)
    loss.backward()
    (reason,) = told(explain(x, loss))
    assert f"the gradient {verb}" in reason.text and f"({count} times)" in reason.text
    assert f"MulBackward0 by {factor ** count:.0g}".replace("e+0", "e+") in reason.text.replace("e+0", "e+")
    assert lines_in(reason)[0] == line_of(chain)
    x, loss = chain(factor, 4)
    loss.backward()
    assert told(explain(x, loss)) == []


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(2, 3), torch.nn.Linear(3, 1)
        with torch.no_grad():
            self.first.bias.fill_(-100)

    def forward(self, x):
        hidden = self.first(x).relu()  # here
        return self.second(hidden)


@pytest.mark.slow
def test_modules_in_the_third_step():
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(3):
        optimizer.zero_grad()
        loss = net(torch.ones(4, 2)).pow(2).mean()
        loss.backward()
        if step == 2:
            (reason,) = told(explain(net.first.weight, loss))
            assert "ReluBackward0, at 12 of 12 elements" in reason.text and "dead" in reason.text
            assert lines_in(reason)[0] == line_of(Net.forward)
            assert told(explain(net.second.bias, loss)) == []
            found = told(explain(net.second.weight, loss))
            assert len(found) == 1 and "multiplied by zeros" in found[0].text
        optimizer.step()


@pytest.mark.parametrize("steps", [3, 12])
def test_a_hot_loop_whose_values_turn_bad(steps):
    w = leaf(3, 3)
    for step in range(steps):
        w.grad = None
        y = torch.where(w > 2, (w - 2).sqrt(), w)
        loss = y.sum()
        loss.backward()
        if step < steps - 1:
            assert told(explain(w)) == []
            with torch.no_grad():
                w.copy_(torch.tensor([2.0, 5.0]) if step == steps - 2 else w - 0.01 * w.grad)
    (reason,) = told(explain(w, loss))
    assert "SqrtBackward0, at 1 of 2" in reason.text and "WhereBackward0 did not select it" in reason.text


def test_what_was_written_to_is_named():
    w = leaf(0, 4)
    loss = w.sqrt().sum()
    loss.backward()
    with torch.no_grad():
        w.fill_(1.0)
    assert "w was written to since" in told(explain(w, loss))[0].text


def test_a_graph_that_is_gone_is_said():
    x = leaf(-1, -2)
    x.relu().sum().backward()
    assert told(explain(x)) == []
    assert "hold the loss, and call explain(t, loss)" in str(explain(x))


def test_what_is_too_large_is_not_run(monkeypatch):
    monkeypatch.setattr(rerun, "LIMIT", 4)
    x, loss = dead_relu()
    loss.backward()
    (reason,) = told(explain(x, loss))
    assert "cannot be run again" in reason.text and "more than 4 are not" in reason.text


def test_a_custom_function():
    class Zero(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 0

    x = leaf(1, 2)
    loss = Zero.apply(x).sum()
    loss.backward(retain_graph=True)
    (reason,) = told(explain(x, loss))
    assert "zero behind ZeroBackward, at 2 of 2 elements of x" in reason.text
    loss.backward()
    (reason,) = told(explain(x, loss))
    assert "ZeroBackward" in reason.text and "has been freed: retain_graph=True keeps the graph" in reason.text


def test_running_it_again_changes_nothing():
    x, loss = where_over_sqrt()
    loss.backward(retain_graph=True)
    version, before = x._version, x.grad.tolist()
    first = str(explain(x, loss))
    assert str(explain(x, loss)) == first
    assert (x._version, str(x.grad.tolist())) == (version, str(before))
    loss.backward()


def test_names_are_not_those_of_another_program():
    def program(first):
        x = leaf(3, 4)
        if first:
            other_name = torch.zeros(2)
            return x, (x * other_name).sum()
        return x, shared(x)

    torch.ones(1).sum().item()  # ends the trace
    program(True)[1].backward()
    torch.ones(1).sum().item()
    x, loss = program(False)
    loss.backward()
    assert "other_name" not in str(explain(x, loss))


def shared(x):
    gate = torch.zeros(2)
    return (x * gate).sum()


def test_lines_without_history_are_not_said_to_be_sure():
    y = (torch.tensor([-1.0, 2.0]).log() + 1).sum()
    (reason,) = told(explain(y))
    assert reason.lines[0][0] == "here, or where the same was first recorded"
