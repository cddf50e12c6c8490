"""Anomaly mode against torch: what is named, what is raised, what the mode leaves behind."""

import re

import pytest

from tests.autograd.both import check

PRELUDE = """
class Fails(Function):
    @staticmethod
    def forward(ctx, a): return a * 2
    @staticmethod
    def backward(ctx, g): raise ValueError('oops')
class Second(Function):
    @staticmethod
    def forward(ctx, a): return a * 2
    @staticmethod
    def backward(ctx, g): return Fails.apply(g)
"""

CASES = {
    "warns": "with torch.autograd.detect_anomaly(): show((x * 2).sum().backward(), x.grad)",
    "not recorded": "y = Fails.apply(x).sum()\nwith torch.autograd.set_detect_anomaly(True): y.backward()",
    "nan": "w = torch.zeros(3, requires_grad=True)\nwith torch.autograd.set_detect_anomaly(True):\n"
           "    attempt(lambda: (torch.zeros(3) * torch.sqrt(w)).sum().backward())\nshow(w.grad)",
    "nan unchecked": "w = torch.zeros(3, requires_grad=True)\n"
                     "with torch.autograd.set_detect_anomaly(True, check_nan=False):\n"
                     "    (torch.zeros(3) * torch.sqrt(w)).sum().backward()\nshow(w.grad)",
    "state": "def state(): show(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())\n"
             "state()\nwith torch.autograd.set_detect_anomaly(True, check_nan=False):\n    state()\n"
             "    with torch.autograd.detect_anomaly(): state()\n    state()\nstate()\n"
             "torch.autograd.set_detect_anomaly(True)\nstate()\ntorch.autograd.set_detect_anomaly(False)\n"
             "state()",
    "metadata": "with torch.autograd.set_detect_anomaly(True): n = (x * 2).grad_fn\nshow(list(n.metadata))",
    "changed": "y = x * 1\nwith torch.autograd.set_detect_anomaly(True):\n    w = y * y\n    y.add_(1)\n"
               "    show(attempt(lambda: w.sum().backward()))",
}


@pytest.mark.parametrize("source", CASES.values(), ids=CASES)
def test_same_as_torch(source, monkeypatch):
    assert check_without_stacks(source, monkeypatch)


def check_without_stacks(source, monkeypatch):
    """Stacks contain frames of each package; everything before and after them must agree."""
    monkeypatch.setattr("tests.autograd.both.clean", without_stack(check.__globals__["clean"]))
    return check(source, PRELUDE)


def without_stack(clean):
    def cleaned(text):
        return re.sub(r"(?ms)^  File .*", "<stack>", clean(text))

    return cleaned


def last_frames(text):
    """The innermost line of user code in each stack of a warning."""
    return re.findall(r'File "<program>", line (\d+)', text)[-1:]


LINES = {
    "function": "with torch.autograd.set_detect_anomaly(True):\n    y = x * 1\n    y = Fails.apply(y)\n"
                "    y.sum().backward()",
    "operator": "w = torch.zeros(3, requires_grad=True)\nwith torch.autograd.set_detect_anomaly(True):\n"
                "    y = w + 1\n"
                "    r = torch.sqrt(w)\n    (y * r * torch.zeros(3)).sum().backward()",
    "induced": "with torch.autograd.set_detect_anomaly(True):\n    y = Second.apply(x)\n"
               "    g, = torch.autograd.grad((y ** 2).sum(), x, create_graph=True)\n    g.sum().backward()",
}


@pytest.mark.parametrize("source", LINES.values(), ids=LINES)
def test_names_the_users_line(source, monkeypatch):
    """The last user frame of each stack is the line that made the failing operation."""
    old = check.__globals__["clean"]

    def cleaned(text):
        text = old(text)
        return "\n".join([re.sub(r"(?ms)^  File .*", "", text), *last_frames(text)])

    monkeypatch.setattr("tests.autograd.both.clean", cleaned)
    shown = check(source, PRELUDE)
    assert any(entry[0] == "warned" for entry in shown)
