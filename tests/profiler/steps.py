"""A small training step, and what a profile of it has, under either library."""

import collections

from torchlike._compile.executors.hot import HotTier
from torchlike._compile.executors.stack import stack
from torchlike.autograd._profiler.recorder import running
from torchlike.optim import optimizer


def step(torch, hidden=5):
    """A function that trains a small network on one batch each time."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(6, hidden), torch.nn.Tanh(), torch.nn.Linear(hidden, 4), torch.nn.ReLU(),
                                torch.nn.Linear(4, 3))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(8, 6), torch.tensor([0, 1, 2, 0, 1, 2, 0, 1])

    def train():
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    train.model = model
    return train


def profiled(torch, function, times=1, **options):
    """The profile of some calls."""
    function()
    activities = [torch.profiler.ProfilerActivity.CPU]
    with torch.profiler.profile(activities=activities, **options) as found:
        for _ in range(times):
            function()
    return found


def counts(found, prefix=""):
    """{name: how often} of a profile."""
    return collections.Counter(event.name for event in found.events() if event.name.startswith(prefix))


def operators(found):
    """Events that are operators, in torchlike."""
    return [event for event in found.events() if event.kind == "cpu_op"]


def settled():
    """Whether nothing of a profiler is left behind."""
    return isinstance(stack.executors[0], HotTier) and not (running() or optimizer._marks or optimizer._PRE_HOOKS)


def raised(call, *args, **kwargs):
    """The error of a call."""
    try:
        call(*args, **kwargs)
    except Exception as error:  # noqa: BLE001 - compared
        return error
    raise AssertionError("no error")
