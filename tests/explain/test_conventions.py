"""`explain` says where a run stood on a point at which PyTorch and JAX have other gradients."""

import torchlike as torch
from torchlike import explain
from torchlike._explain import conventions


def texts(x, loss) -> list:
    return [reason.text for reason in explain(x, loss).reasons if "conventions differ" in reason.text]


def test_both_conventions_are_told():
    x = torch.tensor([0.0, -1.0, 2.0, 0.0], requires_grad=True)
    (text,) = texts(x, x.abs().sum())
    assert text == (
        "AbsBackward0 stands where conventions differ; recorded was that of PyTorch, and JAX's would have given "
        "other gradients (for ones): of self at 2 of 4 elements, 0 and 1 at [0], 0 and 1 at [3]"
    )
    with torch.subgradients("jax"):
        (text,) = texts(x, x.abs().sum())
        assert "recorded was that of JAX, and PyTorch's would have given" in text
        assert "1 and 0 at [0]" in text


def test_each_place_with_its_line():
    x = torch.tensor([1.0, 1.0], requires_grad=True)
    loss = torch.clamp(x, -1, 1).norm() + torch.fmax(x, x * 1).sum()
    found = [reason for reason in explain(x, loss).reasons if "conventions differ" in reason.text]
    assert sorted(reason.text.split()[0] for reason in found) == ["ClampBackward1", "FmaxBackward0"]
    assert all(reason.lines[0][0] == "here" for reason in found)


def test_ordinary_points_and_freed_graphs_say_nothing():
    x = torch.tensor([0.5, -0.5], requires_grad=True)
    loss = x.abs().sum()
    assert texts(x, loss) == []
    loss.backward()
    assert texts(x, loss) == []


def test_what_keeps_no_operand_is_left_out():
    x = torch.tensor([1.0, 1.0], requires_grad=True)
    assert texts(x, x.max(0).values) == []


def test_nothing_is_recorded_for_good():
    x = torch.zeros(2, requires_grad=True)
    loss = x.abs().sum()
    explain(x, loss)
    loss.backward()
    assert x.grad.tolist() == [0.0, 0.0]


def test_only_so_many_nodes_are_looked_at(monkeypatch):
    monkeypatch.setattr(conventions, "LIMIT", 1)
    x = torch.zeros(2, requires_grad=True)
    assert len(texts(x, x.abs().abs().sum())) == 1
