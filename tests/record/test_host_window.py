"""Picks from a computed tensor whose indices vary are read on the host, and are views all the same."""

import random

import pytest

import torchlike
from tests.utils.data.checks import check
from torchlike._record import host_window, views

FORMS = {
    "x[i]": lambda x, i: x[i],
    "x[i][1]": lambda x, i: x[i][1],
    "x[i, :, 1]": lambda x, i: x[i, :, 1],
    "x[:, 2][i]": lambda x, i: x[:, 2][i],
    "x[i:i+4, 1]": lambda x, i: x[i % 90:i % 90 + 4, 1],
    "x[i, 0, 0]": lambda x, i: x[i, 0, 0],
    "x[i][2:]": lambda x, i: x[i][2:],
    "x[i, 3:]": lambda x, i: x[i, 3:],
    "x[i] or a copy": lambda x, i: x[i] if i % 2 else x[i].clone(),
}
USES = {
    "arithmetic": lambda t, v: v * 2 + 1,
    "expanded": lambda t, v: v.unsqueeze(0).expand(2, *v.shape) + 0,
    "flat": lambda t, v: v.reshape(-1) * 3,
    "stacked": lambda t, v: t.stack([v, v]),
    "viewed": lambda t, v: v.view(3, 2).t()[1].clone(),
    "split": lambda t, v: v.split(1)[2] + 1,
    "strided": lambda t, v: v.as_strided((2,), (2,), v.storage_offset() + 1) + 0,
    "described": lambda t, v: (v.storage_offset(), v.stride(), v._is_view(), v._base.shape[0]),
    "read": lambda t, v: (v.tolist(), v[1].numpy().tolist(), v[2][0].item()),
}


def source(t, dtype="float32"):
    """100 samples, computed, and more picks than have a kernel each."""
    x = (t.arange(600) % 7).reshape(100, 3, 2).to(getattr(t, dtype))
    (x == 0).sum().item()
    for i in range(100):
        x[i], x[:, :, i % 2][i]
    return x


def indices(seed) -> list:
    """Where to pick: also from the end."""
    return [random.Random(seed).randrange(-100, 100) for _ in range(9)]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "bool", "complex64"])
@pytest.mark.parametrize("form", FORMS)
def test_collated(form, dtype):
    def function(t):
        x = source(t, dtype)
        return [t.utils.data.default_collate([FORMS[form](x, i) for i in indices(seed)]) for seed in range(5)]
    check(function)


@pytest.mark.parametrize("use", USES)
def test_used(use):
    def function(t):
        x = source(t)
        return [USES[use](t, x[i]) for i in indices(1)]
    check(function)


def test_written():
    def function(t):
        x, found = source(t), []
        for i in range(80, 84):
            v = x[i]
            early = v + 0
            v.add_(1)
            found.append((v.tolist(), x[i].tolist(), v._version))
            x[i, 1] = 7
            found.append((v * 2, x[i][1], early, v._version))
            x.mul_(2)
            found.append((v, v.sum()))
        return found, x
    check(function)


def test_gradients_of_others():
    def function(t):
        x, w = source(t), t.ones(3, 2, requires_grad=True)
        for i in range(70, 90):
            (w * x[i]).sum().backward()
        return w.grad
    check(function)


def test_errors():
    def function(t):
        x, found = source(t), []
        for pick in (lambda: x[100], lambda: x[-101], lambda: x[99][3], lambda: x[5].mul_(2.5j)):
            try:
                pick()
            except (IndexError, RuntimeError) as error:
                found.append(str(error))
        return found
    check(function)


def misses_of_picks(count, columns) -> int:
    """How many instructions are new while so many samples are picked and looked at."""
    x = torchlike.ones(count, columns)
    x.sum().item()
    before = torchlike.counters()["misses"]
    for i in range(count):
        (x[i] * 5).tolist()
    return torchlike.counters()["misses"] - before


def test_what_is_recorded_is_the_same_from_some_pick_on():
    assert misses_of_picks(300, 2) < 150


# -- the checkers see what they must

def test_planted_kernels(monkeypatch):
    monkeypatch.setattr(views, "_FEW", 1000)
    assert misses_of_picks(120, 3) >= 240


def test_planted_offset(monkeypatch):
    real = host_window._strided
    monkeypatch.setattr(host_window, "_strided", lambda *form: real(*form[:3], max(form[3] - 1, 0)))
    with pytest.raises(AssertionError, match="value"):
        test_used("arithmetic")
