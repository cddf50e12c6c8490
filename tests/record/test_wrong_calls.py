"""Calls with wrong arguments raise what PyTorch raises, wherever they fail; a sample always runs, all of them is slow."""

import random
import sys

import pytest
import torch

import torchlike
from compat.compare import check
from compat.compare.tolerances import EXACT
from compat.forms import exam, refused, wrong
from compat.forms.signatures import forms
from torchlike._record import wrong_calls

PATHS = [path for path in wrong.paths() if not hasattr(wrong.attribute(torch, path), "refusal")]
# Functions that look at their arguments only after others, or take more than PyTorch: no more than these.
MOST_OTHERS = 0.03


def differing(paths):
    """[(path, call, wanted, got)] of the calls that end in another class of exception, and how many calls there are."""
    found, count = [], 0
    for path in paths:
        try:
            wrong.attribute(torchlike, path)
        except (AttributeError, NotImplementedError):
            continue  # compat.surface tells of names that are missing
        for name in wrong.calls(torch, path):
            want, got = (wrong.outcome(package, path, name) for package in (torch, torchlike))
            count += 1
            if want.kind != got.kind:
                found.append((path, name, want, got))
    return found, count


def test_a_sample():
    found, count = differing(random.Random(0).sample(PATHS, 40))
    assert count > 800
    assert len(found) <= MOST_OTHERS * count, found


def test_a_parser_that_says_nothing_is_noticed(monkeypatch):
    monkeypatch.setattr(wrong_calls, "complaint", lambda path, args, kwargs: (False, None))
    monkeypatch.setattr(wrong_calls, "_of_no_tensor", lambda error: error)
    found, count = differing(random.Random(0).sample(PATHS, 20))
    assert len(found) > 2 * MOST_OTHERS * count


@pytest.mark.slow
def test_all():
    found, count = differing(PATHS)
    assert len(found) <= MOST_OTHERS * count, found[:100]


@pytest.mark.parametrize("call", [
    "t.sum(x, 0, axis=0)", "x.sum(dim=0, axis=0)", "t.sum(x, 0, keepdim=True, keepdims=True)", "t.cat([x, x], 1, axis=0)",
    "t.max(x, 0, axis=0)", "x.unsqueeze(0, axis=0)", "t.gather(x, 0, x.long(), axis=0)", "t.softmax(x, 0, axis=0)",
    "t.diff(x, dim=0, axis=0)", "x.size(0, axis=0)", "t.squeeze(x, 0, axis=0)", "x.cumsum_(0, axis=0)",
    "t.all(x, 0, axis=0)", "x.unbind(1, axis=0)"])
def test_an_argument_by_both_names(call):
    texts = []
    for package in (torch, torchlike):
        with pytest.raises(TypeError) as raised:
            eval(call, {"t": package, "x": package.ones(2, 2)})
        texts.append((type(raised.value), str(raised.value)))
    assert texts[0] == texts[1]


CALLS = {
    "inside of a function by hand": lambda t: t.histc(None),
    "in a gradient's operand": lambda t: t.ones(2, requires_grad=True).add(None),
    "a wrong dim": lambda t: t.sum(t.ones(2), "a"),
    "a bool": lambda t: t.sum(t.ones(2), 0, "yes"),
    "a method": lambda t: t.ones(2).sum("a"),
    "in place": lambda t: t.ones(2).add_("a"),
    "what is written to": lambda t: t.sin(t.ones(2), out=1),
    "a tensor for a number": lambda t: t.bartlett_window(t.ones(3)),
    "a cast": lambda t: t.ones(2).float("x"),
    "of nn.functional": lambda t: t.nn.functional.elu(None),
    "sizes": lambda t: t.ones(4).view(2, 2.5),
    "as_tuple": lambda t: t.nonzero(t.ones(2), as_tuple="x"),
    "as_tuple of the method": lambda t: t.ones(2).nonzero(as_tuple=3),
    "out= of numbers": lambda t: t.where(t.ones(2) > 0, t.ones(2), 1., out=t.ones(2)),
    "a dimension that may be an axis": lambda t: t.ones(2).index_copy_("a", t.tensor([0]), t.ones(1)),
    "reduce": lambda t: t.index_reduce(t.ones(2), 0, t.tensor([0]), t.ones(1), 3),
    "include_self": lambda t: t.ones(2).index_reduce_(0, t.tensor([0]), t.ones(1), "prod", include_self=3),
    "a grid's element": lambda t: t.meshgrid(t.ones(2), 3),
    "a grid's indexing": lambda t: t.meshgrid(t.ones(2), indexing=3),
    "a dtype": lambda t: t.ones(2).log_softmax(0, "a"),
    "many operands": lambda t: t.bilinear(t.ones(2, 2), t.ones(2, 2), None),
    "no arguments": lambda t: t.add(),
    "one argument too few": lambda t: t.mm(t.ones(2, 2)),
    "too few for a method": lambda t: t.ones(2, 2).gather(0),
    "too few for what is decorated": lambda t: t.cat(),
    "too few for one of nn.functional": lambda t: t.nn.functional.conv2d(t.ones(2, 2)),
    "too many for what is decorated": lambda t: t.histc(t.ones(2), 1, 2, 3, 4, 5),
    "an unknown keyword for what is decorated": lambda t: t.std(t.ones(2), foo=1),
    "where it works": lambda t: t.hann_window(3, periodic=None),
    "an option": lambda t: t.zeros(2, pin_memory="a"),
    "a layout": lambda t: t.arange(3, layout=t.float32),
    "whether it requires grad": lambda t: t.rand(2, requires_grad={}),
    "the size of a sparse one": lambda t: t.sparse_csr_tensor([0, 1], [0], [1.0], None),
    "by keyword what may be given by position": lambda t: t.ones(2, 2).flatten(start_dim=t.ones(2)),
    "a dtype that has no hash": lambda t: t.sum(t.ones(2), dtype=[1]),
    "whether it is unbiased": lambda t: t.var(t.ones(2), unbiased="a"),
    "a correction": lambda t: t.std(t.ones(2), correction="a"),
}


@pytest.mark.parametrize("call", CALLS)
def test_text(call):
    texts = []
    for package in (torch, torchlike):
        with pytest.raises(TypeError) as caught:
            CALLS[call](package)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]


def test_pinned_memory_needs_an_accelerator():
    def facts(m):
        m.ones(2, pin_memory=True)

    check(facts, tolerance=EXACT)


def test_arguments_of_some_classes_are_judged_once(monkeypatch):
    torchlike.hann_window(4, periodic=True)
    monkeypatch.setattr(wrong_calls, "check_call", None)
    torchlike.hann_window(5, periodic=False)


REFUSED = {path: listed for path, listed in forms().items() if exam.exists(path) and path in PATHS}


def test_what_no_form_takes():
    """A sample of the calls of `compat.forms.refused`: each is refused, nine of ten with PyTorch's class and text of it."""
    found = [(want, got) for path in random.Random(1).sample(sorted(REFUSED), 12)
             for _, _, want, got in refused.examine(REFUSED[path])]
    assert len(found) > 200
    assert sum(want.kind == got.kind for want, got in found) > 0.95 * len(found)
    assert sum(want == got for want, got in found) > 0.7 * len(found)


def test_an_error_of_right_arguments_stays():
    with pytest.raises(RuntimeError, match="must match the size"):
        torchlike.ones(2) + torchlike.ones(3)


def test_arguments_of_inner_calls_are_not_judged():
    class Own(Exception):
        pass

    def fails(x):
        raise Own("mine")

    with pytest.raises(Own, match="mine"):
        torchlike.ones(2).map_(torchlike.ones(2), lambda a, b: fails(a))


def test_no_answer_outside_of_a_call():
    error = ValueError("mine")
    assert wrong_calls.instead_of(error) is error


@pytest.mark.parametrize("call", ["x.mul_({})", "x.add_(1, alpha={})", "x.clamp_({})", "x.copy_({})"])
@pytest.mark.parametrize("given", ["torch.float64", "torch.strided", "torch.device('cpu')", "torch.Generator()",
                                   "torch.Size([2])", "'a'", "[]"])
def test_arguments_come_before_what_is_written(call, given):
    def facts(m):
        x = m.ones(3).expand(2, 3)
        exec(call.format(given), {"x": x, "torch": m})

    check(facts, tolerance=EXACT)


def test_keywords_of_a_call_are_read_from_its_code():
    """Each Python has its own instructions for them."""
    def called(a, b=1, *rest, **more):
        return wrong_calls._by_keyword(sys._getframe())

    by_name = {"a": 1}
    assert called(1) == () and called(1, 2) == () and called(**by_name) == ()
    assert called(a=1) == ("a",) and called(1, b=2) == ("b",) and called(b=2, a=called(1, b=3)) == ("b", "a")
    assert called(1, 2, 3, c=4) == ("c",) and called(called(1), b="dim") == ("b",)
