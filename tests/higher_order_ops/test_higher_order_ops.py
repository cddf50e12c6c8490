"""Control flow and scans against PyTorch's, which compiles some of them: what it gives is written out there."""

import pytest
import torch
from torch._higher_order_ops import associative_scan as theirs

import torchlike
from torchlike import _higher_order_ops as ours

SCANS = {torch: theirs, torchlike: ours.associative_scan}


def both(program):
    """What the program gives in both libraries."""
    return [program(library, scan) for library, scan in SCANS.items()]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 13])
@pytest.mark.parametrize("reverse", [False, True])
def test_linear_recurrences_with_gradients(n, reverse):
    def program(t, scan):
        t.manual_seed(n)
        a, b = t.rand(2, n, 3, requires_grad=True), t.randn(2, n, 3, requires_grad=True)
        states = scan(lambda x, y: (x[0] * y[0], y[0] * x[1] + y[1]), (a, b), 1, reverse, "generic")
        (states[0] * states[1] ** 2).sum().backward()
        return [x.tolist() for x in (*states, a.grad, b.grad)]

    want, got = both(program)
    for x, y in zip(want, got, strict=True):
        assert torch.allclose(torch.tensor(x), torch.tensor(y), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("arguments", [
    "lambda a, b: a + b, t.ones(2), 0", "1, t.ones(2), 0", "max, t.ones(2), 3, False, 'generic'",
    "max, t.ones(0), 0, False, 'generic'", "max, t.ones(2), 0, 1, 'generic'", "max, t.ones(2), 0, False, 'other'"])
def test_errors(arguments):
    def program(t, scan):
        try:
            return eval(f"scan({arguments})", {"t": t, "scan": scan})
        except (ValueError, RuntimeError, IndexError) as error:
            return type(error).__name__, str(error)

    want, got = both(program)
    assert want == got


def test_control_flow():
    x = torchlike.arange(6.0).reshape(2, 3)
    assert torchlike.cond(x.sum() > 0, lambda x: x + 1, lambda x: x - 1, (x,)).tolist() == (x + 1).tolist()
    assert torchlike.cond(False, lambda: 1, lambda: 2) == 2
    i, y = ours.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torchlike.tensor(0), x))
    assert (i.item(), y.tolist()) == (3, (8 * x).tolist())
    assert ours.map(lambda x, y: {"sum": x + y}, x, torchlike.ones(3))["sum"].tolist() == (x + 1).tolist()
    last, each = ours.scan(lambda c, x: (c + x, c * x), torchlike.zeros(3), x)
    assert (last.tolist(), each.tolist()) == ([3.0, 5.0, 7.0], [[0.0, 0.0, 0.0], [0.0, 4.0, 10.0]])
    last, each = ours.scan(lambda c, x: (c + x, (c, x)), torchlike.zeros(2), x, dim=1, reverse=True)
    assert last.tolist() == [3.0, 12.0]
    assert each[0].tolist() == [[3.0, 9.0], [2.0, 5.0], [0.0, 0.0]]
