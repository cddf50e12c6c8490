"""Indices out of bounds: PyTorch's error, at once where the values are known and else when they are computed."""

import pytest
import torch

import torchlike

_EYE = "torch.ones(3, 4)"
PROGRAMS = [
    f"{_EYE}[i]", f"{_EYE}[:, i + 1]", f"{_EYE}[i, i]", f"{_EYE}.gather(0, i.view(1, 2))", f"{_EYE}.index_select(0, i)",
    f"{_EYE}.take(i * 4)", f"{_EYE}.index_add(0, i, torch.ones(2, 4))", f"{_EYE}.scatter(0, i.view(2, 1), 1.)",
    f"{_EYE}.index_fill(0, i, 2.)", f"{_EYE}.index_copy(0, i, torch.ones(2, 4))", f"{_EYE}.put(i * 4, torch.ones(2))",
    f"{_EYE}.index_put((i,), torch.ones(4))", f"x = {_EYE}\nx[i] = 2.", f"x = {_EYE}\nx.index_add_(0, i, torch.ones(2, 4))",
    f"torch.nn.functional.embedding(i, {_EYE})", "torch.nn.functional.nll_loss(torch.ones(2, 3), i)",
    "torch.nn.functional.cross_entropy(torch.ones(1, 3, 2), i.view(1, 2))", f"{_EYE}.index_select(0, -i)",
    "torch.nn.functional.cross_entropy(torch.ones(2, 3), i, ignore_index=3)",
    "torch.take_along_dim(torch.ones(3), i)", "torch.take_along_dim(torch.ones(3), -i)", f"{_EYE}.index_select(1, i * 2)",
    f"{_EYE}.index_select(-1, -i)", f"{_EYE}[None].index_select(2, i * 2)", f"{_EYE}.scatter_add(0, i[None], {_EYE})",
    f"{_EYE}.index_reduce(0, i, torch.ones(2, 4), 'amax')",
    "torch.nn.functional.max_unpool1d(torch.ones(1, 2), i[None] + 1, 2)",
    "torch.nn.functional.max_unpool2d(torch.ones(1, 1, 1), -i[:1].view(1, 1, 1), 2)",
    "torch.nn.functional.max_unpool3d(torch.ones(1, 1, 1, 1), i[:1].view(1, 1, 1, 1) * 9, 2)",
]


def _raised(package, program, index):
    """(type, first line of the text) of what the program raises by the time all is computed; None if nothing."""
    try:
        exec(program, {"torch": package, "i": index(package)})
        (package.ones(1) + 1).item()
    except (IndexError, RuntimeError) as error:
        return type(error).__name__, str(error).splitlines()[0]
    return None


def _computed_later(package):
    return package.tensor([0, 1]) + 2


@pytest.mark.filterwarnings("ignore:index_reduce")
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("index", [lambda package: package.tensor([2, 3]), _computed_later], ids=["known", "later"])
def test_same_error(program, index):
    """The type and text of PyTorch, and nothing is left behind."""
    assert _raised(torchlike, program, index) == _raised(torch, program, index)
    assert torchlike.ones(2).sum().item() == 2


def test_an_extent_of_none():
    """take_along_dim takes the remainder by the extent along `dim`: of none PyTorch's error, if there is an index at all."""
    for program in ("torch.take_along_dim(torch.ones(0, 2), i[:, None], 0)", "torch.take_along_dim(torch.ones(0), i)",
                    "torch.take_along_dim(torch.ones(0, 2), i[:0, None].expand(0, 2), 0)"):
        raised = [_raised(package, program, lambda package: package.tensor([0, 1])) for package in (torch, torchlike)]
        assert raised[0] == raised[1], program


def test_line():
    """An error that comes late names the line that expected the index to fit."""
    y = torchlike.ones(3)[_computed_later(torchlike)]  # the line
    with pytest.raises(IndexError, match="the line"):
        y.tolist()
    assert torchlike.ones(2).tolist() == [1, 1]


def test_in_bounds():
    """Nothing is raised, and nothing is kept, where all is well."""
    assert torchlike.arange(4)[torchlike.tensor([0, 1]) + 2].tolist() == [2, 3]
    assert not torchlike._record.trace.state.thread.expected


@pytest.mark.parametrize("value", [-0.0, 1e-322])
def test_an_index_that_views_numbers_of_another_dtype(value):
    """What is checked are the integers that the view shows, not the numbers whose memory it reads."""
    texts = []
    for t in (torch, torchlike):
        index = t.tensor([value], dtype=t.float64).view(t.int64)
        with pytest.raises(IndexError) as error:
            t.ones(3)[index].tolist()
        texts.append(str(error.value).partition("\n")[0])
    assert texts[0] == texts[1]
