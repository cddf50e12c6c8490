"""Errors of a backward pass name the lines of the forward pass: in notes below PyTorch's own text, and the right ones."""

import inspect
import itertools
import linecache
import threading

import pytest

import torchlike as torch


def line_of(mark) -> int:
    """The number of the one line of this file that ends in this mark."""
    lines = inspect.getsource(inspect.getmodule(line_of)).splitlines()
    found = [i for i, line in enumerate(lines, 1) if line.endswith(f"# {mark}")]
    assert len(found) == 1, mark
    return found[0]


def told(error) -> list:
    """(title, line) of what was added to an exception."""
    lines = "\n".join(getattr(error, "__notes__", ())).splitlines()
    return [(title.split(":")[0], int(at.split("line ")[1].split(",")[0]))
            for title, at in itertools.pairwise(lines) if at.startswith(f'  File "{__file__}"')]


def failing(function):
    """The exception of a call."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - each test looks at what it is
        function()
    return caught.value


def test_overwritten_value():
    x = torch.ones(3, requires_grad=True)
    y = (x * 2).exp()  # saves
    y.mul_(2)  # writes
    error = failing(y.sum().backward)
    assert str(error).startswith("one of the variables needed for gradient computation has been modified")
    assert told(error) == [("Overwritten here", line_of("writes")), ("Forward call of ExpBackward0", line_of("saves"))]


def test_last_of_several_writes():
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    with torch.no_grad():
        y.add_(1)
        y[0] = 3  # last write
    assert told(failing(y.sum().backward))[0] == (
        "Overwritten 2 times since, the last time here", line_of("last write"))


def test_optimizer_writes():
    layer = torch.nn.Linear(2, 2)
    loss = layer(layer(torch.ones(1, 2))).sum()  # two layers
    optimizer = torch.optim.Adam(layer.parameters())
    loss.backward(retain_graph=True)
    optimizer.step()  # steps
    assert told(failing(loss.backward)) == [
        ("Overwritten here", line_of("steps")), ("Forward call of AddmmBackward0", line_of("two layers"))]


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("walked", [False, True])  # or replayed
def test_second_backward(walked):
    x = torch.ones(3, requires_grad=True)
    loss = (x * x).sum()  # the loss
    loss.backward(create_graph=walked, retain_graph=False)  # frees
    assert told(failing(loss.backward)) == [("Forward call of MulBackward0", line_of("the loss")),
                                            ("Freed by this backward call", line_of("frees"))]


def test_other_peoples_exceptions_keep_their_text():
    class Halved(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x / 2

        @staticmethod
        def backward(ctx, g):
            raise KeyError("mine")

    error = failing(Halved.apply(torch.ones(1, requires_grad=True)).backward)  # applied
    assert error.args == ("mine",)
    assert told(error) == [("Forward call of HalvedBackward", line_of("applied"))]


def test_hook_that_raises():
    x = torch.ones(1, requires_grad=True)
    y = x.tanh()  # hooked

    def hook(g):
        raise ValueError("from a hook")

    y.register_hook(hook)
    error = failing(y.backward)
    assert str(error) == "from a hook"
    assert told(error) == [("Forward call of TanhBackward0", line_of("hooked"))]


def same_program(x, where):
    """The same instructions at two lines."""
    if where:
        return x.sigmoid()  # one way
    return x.sigmoid()  # the other


@pytest.mark.parametrize("order", [(True, False), (False, True, True, False)])
def test_the_line_is_that_of_this_call(order):
    for where in order:
        y = same_program(torch.ones(2, requires_grad=True), where)
        y.detach().zero_()
        mark = "one way" if where else "the other"
        assert told(failing(y.sum().backward))[-1] == ("Forward call of SigmoidBackward0", line_of(mark))


def below(depth, x):
    """The call at some depth of the stack."""
    return below(depth - 1, x) if depth else x.exp()  # deep


@pytest.mark.parametrize("depths", [(0, 5, 0), (5, 0, 2)])
def test_at_any_depth_of_the_stack(depths):
    for depth in depths:
        y = below(depth, torch.ones(2, requires_grad=True))
        y.detach().zero_()
        assert told(failing(y.sum().backward))[-1][1] == line_of("deep")


def test_from_a_thread_with_a_shorter_stack():
    found = []

    def work():
        y = torch.ones(2, requires_grad=True).exp()  # threaded
        y.detach().zero_()
        found.append(told(failing(y.sum().backward))[-1][1])

    below(30, torch.ones(2, requires_grad=True))
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [line_of("threaded")]


def test_code_without_a_file():
    scope = {"torch": torch}
    exec(compile("x = torch.ones(1, requires_grad=True)\ny = x.exp()\ny.detach().zero_()\n", "<typed>", "exec"), scope)
    error = failing(scope["y"].backward)
    assert 'File "<typed>", line 2, in <module>' in error.__notes__[-1]


def test_the_part_of_the_line():
    linecache.checkcache(__file__)
    x = torch.ones(1, requires_grad=True)
    y = (x.exp() + 1).exp()
    y.detach().zero_()
    last = failing(y.backward).__notes__[-1].splitlines()[-2:]
    assert last[0].strip() == "y = (x.exp() + 1).exp()"
    assert last[1].strip() == "^" * len("(x.exp() + 1).exp()")
