"""`torchlike.diff.compare`: planted errors are found at their line, and what agrees is called rounding."""

import contextlib
import itertools
import json
import linecache
import pathlib

import numpy as np
import pytest
import torch as real

import torchlike
from compat.semantics.randomly import running, writer
from tests.speed import sampled
from torchlike import cli
from torchlike._diff import verdicts
from torchlike._diff.deep import ENGINES, compare
from torchlike._record.trace import state

HERE = __file__
ROUNDS, AT = 66, 33  # three operations each
PAIRS = list(itertools.combinations(ENGINES, 2))
ULP = 1 + 2.0 ** -23
# What is planted: (the factor of the value, that of the term, that of the gradient) and the line where it is.
PLANTED = {"ulp": (ULP, 0.1, 1.0), "sign": (-1.0, 0.1, 1.0), "term": (1.0, 0.0, 1.0),
           "gradient's ulp": (1.0, 0.1, ULP), "gradient's sign": (1.0, 0.1, -1.0), "gradient's term": (1.0, 0.1, 0.0)}
TEXTS = {"ulp": "x = x.sin() * value", "sign": "x = x.sin() * value", "term": "x = torch.add(x, w, alpha=term)"}


def engine_of(torch) -> str:
    """Which engine runs a program that is given this module."""
    if torch is real:
        return "torch"
    return "tape" if state.thread.engine is None else "jax"


def long_program(engine: str, kind: str):
    """Two hundred operations, with an error in the middle under one engine."""
    def program(torch):
        class Scaled(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, factor):
                ctx.factor = factor
                return x.clone()

            @staticmethod
            def backward(ctx, g):
                return g * ctx.factor, None

        torch.manual_seed(0)
        w = torch.randn(4, 4, requires_grad=True)
        x = torch.randn(4, 4)
        for i in range(ROUNDS):
            is_planted = i == AT and engine_of(torch) == engine
            value, term, gradient = PLANTED[kind] if is_planted else (1.0, 0.1, 1.0)
            x = torch.add(x, w, alpha=term)
            x = x.sin() * value
            if i == AT:
                x = Scaled.apply(x, gradient)
        x.sum().backward()

    return program


def text_at(parting) -> str:
    return pathlib.Path(parting.file).read_text().splitlines()[parting.line - 1].strip()


@pytest.mark.parametrize(("kind", "pair"), sampled(
    PLANTED, [(pair,) for pair in PAIRS], fast=lambda i, k: not k and i % 3 == 0, ci=3))
def test_a_planted_error_is_found_at_its_line(kind, pair):
    report = compare(long_program(pair[1], kind), pair)
    first = report.first
    assert first is not None and not report.ok and first.verdict == "different"
    assert first.kind == ("value" if kind in TEXTS else "gradient")
    assert text_at(first) == TEXTS.get(kind, "return x.clone()")
    assert report.pairs[0].operations > 3 * ROUNDS and report.pairs[0].gradients >= 3 * ROUNDS
    assert first.distance is not None and first.distance.absolute > 0
    assert first.inputs and "in [" in first.inputs[0]
    assert f"{first.file}:{first.line}" in str(report)
    json.dumps(report.json(), allow_nan=False)


@pytest.mark.slow
def test_three_engines_agree_and_say_whose_fault_it_is():
    report = compare(long_program("nobody", "ulp"))
    assert report.ok and report.first is None and "no parting" in str(report)
    blamed = compare(long_program("tape", "sign")).first
    assert blamed is not None and blamed.fault.startswith("tape")


def training(torch):
    """With what a recorder must live with: in-place writes, views, dropout, an optimizer, integers, decisions."""
    layer = torch.nn.Linear(3, 4)
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.1)
    for _ in range(3):
        x = torch.randn(2, 3)
        y = torch.nn.functional.gelu(layer(x).tanh()) + 1
        y[0] = 0
        y = torch.nn.functional.dropout(1 - y, 0.5)
        first, second = y.chunk(2)
        loss = torch.nn.functional.cross_entropy(y, torch.tensor([0, 1])) + (first * second).sum()
        if loss > 100:
            raise ValueError
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@pytest.mark.slow
def test_training_agrees_and_leaves_the_generators_alone():
    before = [torch.get_rng_state() for torch in (real, torchlike)]
    numbers = np.random.get_state()[1].copy()
    report = compare(training)
    assert report.ok, str(report)
    assert all(pair.operations > 40 and pair.gradients > 20 for pair in report.pairs)
    assert report.pairs[0].rounding is not None and report.pairs[0].rounding.verdict == verdicts.ROUNDING
    for torch, state_before in zip((real, torchlike), before, strict=True):
        assert torch.equal(torch.get_rng_state(), state_before)
    assert np.array_equal(np.random.get_state()[1], numbers)


def test_recording_changes_nothing():
    """Its hooks raise no errors in the program, and are not where PyTorch crashes at them."""
    def program(torch):
        class Doubled(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.mark_dirty(x)
                return x.mul_(2)

            @staticmethod
            def backward(ctx, g):
                return g * 2

        x = torch.arange(6.0, requires_grad=True)
        Doubled.apply((x * 2).view(2, 3)).sum().backward()
        y = x * 3
        with torch.inference_mode():
            y.expand(2, 6)[0].mul_(2)
            y.sum()
        torch.empty(3).copy_(x.detach()[:3])
        torch.autograd.backward([x.sin().sum(), x.sum()])

    report = compare(program, ("torch", "tape"))
    assert report.ok and report.pairs[0].operations > 9 and report.pairs[0].gradients > 4, report


NOT_FUNCTIONAL = "hook", "use_reentrant=True"  # refused by name by the engine "jax"


@pytest.mark.filterwarnings("ignore")  # what libraries warn once, one of them may have warned before
@pytest.mark.parametrize("first", sampled(range(0, 40, 10), ci=2))
def test_random_programs_agree(first):
    for seed in range(first, first + 10):
        text = writer.write(writer.genes(seed), lambda *shown: None)

        def program(torch, text=text):
            exec(compile(running.for_package(torch, text), "program.py", "exec"), {"show": lambda *shown: None})

        report = compare(program, ("torch", "tape") if any(word in text for word in NOT_FUNCTIONAL) else ENGINES)
        assert report.ok, f"program {seed}: {report}\n{text}"


def clipping(torch):
    """By a function that PyTorch and torchlike have written with different operators."""
    layers = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1))
    layers(torch.randn(5, 3)).square().mean().backward()
    torch.nn.utils.clip_grad_norm_(layers.parameters(), 0.1)


def test_what_a_function_does_inside_is_its_own():
    report = compare(clipping, ("torch", "tape"))
    assert report.ok, str(report)
    assert any("_foreach_norm" in note for note in report.pairs[0].notes)


def test_what_a_program_closes_over_is_left_as_it_was():
    layer = torchlike.nn.Linear(2, 2)
    layer(torchlike.ones(1, 2)).sum().backward()

    def program(torch):
        layer(torch.ones(3, 2)).sum().backward()

    assert compare(program, ("tape",), other=program).ok
    assert not any(p._backward_hooks for p in layer.parameters())
    assert {x.dtype for p in layer.parameters() for x in (p, p.grad)} == {torchlike.float32}


def branching(torch):
    x = torch.ones(3)
    y = x.sum() + (0.5 if engine_of(torch) == "tape" else 0.0)
    if y > 3.25:
        y = y.exp()
    else:
        y = y.sin()
    y.cos()


def branching_by_rounding(torch):
    x = torch.full((3,), 0.1)
    y = x.sum() * (1 + 2e-7 if engine_of(torch) == "tape" else 1.0)
    torch.zeros(2)
    if (y > 0.30000002).item():
        y.exp()
    else:
        y.sin()


@pytest.mark.slow
def test_dropout_in_a_checkpoint_is_judged():
    def program(torch, x):
        layer = torch.nn.Linear(4, 4)

        def block(x):
            return torch.nn.functional.dropout(torch.nn.functional.gelu(layer(x)), 0.3)

        torch.utils.checkpoint.checkpoint(block, x.requires_grad_(), use_reentrant=False).square().sum().backward()

    report = compare(program, ("torch", "tape"), inputs=[np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)])
    assert report.ok and report.pairs[0].notes == [] and report.pairs[0].gradients > 4, report


def _self_attention(torch, x):
    layer = torch.nn.MultiheadAttention(4, 2, dropout=0.4)
    return layer(x, x, x)[0]


DRAWING = {
    "attention": lambda torch, x: torch.nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.4),
    "a layer of attention": _self_attention,
    "LSTM": lambda torch, x: torch.nn.LSTM(4, 3, num_layers=3, dropout=0.4, bidirectional=True)(x)[0],
    "GRU": lambda torch, x: torch.nn.GRU(4, 3, num_layers=2, dropout=0.4)(x)[0],
    **{name: lambda torch, x, name=name: getattr(torch.nn.functional, name)(x, training=True)
       for name in ("dropout", "dropout1d", "alpha_dropout", "feature_alpha_dropout", "rrelu")},
    "gumbel_softmax": lambda torch, x: torch.nn.functional.gumbel_softmax(x),
}


@pytest.mark.parametrize(("name", "planted"), sampled(DRAWING, [(1.0,), (1.00002,)], fast=lambda i, k: k == 0))
def test_what_draws_is_judged_by_its_rerun_in_float64(name, planted):
    """The same numbers are drawn in float64, so what comes after is judged to the last digits, and so is the gradient."""
    def program(torch, x):
        y = DRAWING[name](torch, x.requires_grad_()).exp() * (planted if torch is torchlike else 1.0)
        torch.nn.functional.dropout(y.sin(), 0.2).square().sum().backward()

    x = np.random.default_rng(0).normal(size=(3, 5, 4)).astype(np.float32)
    report = compare(program, ("torch", "tape"), inputs=[x])
    assert report.ok is (planted == 1.0) and report.pairs[0].gradients > 3, report
    assert not any("judged" in note for note in report.pairs[0].notes)
    assert report.ok or (report.first.operator == "mul" and report.first.verdict == "different"), report


@pytest.mark.parametrize("planted", [0.0, 1e-12])
def test_what_cancels_in_float64(planted):
    """The gradient is 0 but for rounding, of which a rerun in the same dtype shows nothing."""
    def program(torch, x):
        y = x.requires_grad_().softmax(-1)
        (y.sum() + planted * (torch is torchlike) * x.sum()).backward()

    report = compare(program, ("torch", "tape"), inputs=[np.random.default_rng(0).normal(size=(20, 3))])
    assert report.ok is (planted == 0), report


@pytest.mark.parametrize("planted", [1.0, 1.00002, 1.001])
def test_what_has_no_rerun(planted):
    """Where the program raises in float64, a difference of half of the digits is a parting, and no smaller one."""
    def program(torch, x):
        if x.sigmoid().dtype == torch.float64:
            raise TypeError("not in float64")
        (x.exp() * (planted if torch is torchlike else 1.0)).log()

    report = compare(program, ("torch", "tape"), inputs=[np.linspace(1, 2, 5, dtype=np.float32)])
    assert report.ok is (planted < 1.001) and "it raised TypeError: not in float64" in report.pairs[0].notes[0]
    assert report.ok or (report.first.operator == "mul" and "half of the digits" in report.first.why)


def test_control_flow_that_goes_different_ways_is_said():
    report = compare(branching, ("torch", "tape"))
    first = report.first
    assert first is not None and first.kind == "value" and "0.5 if" in text_at(first)
    again = compare(branching_by_rounding, ("torch", "tape"))
    assert again.first is not None


def test_only_a_decision_differs():
    def program(torch):
        x = torch.ones(2)
        if bool((x > 0).all()) and engine_of(torch) == "torch":
            x.exp()
        else:
            x.sin()

    first = compare(program, ("torch", "tape")).first
    assert first is not None and first.kind == "branch"
    assert "exp" in first.why and "sin" in first.why and "__bool__" in first.why and "True" in first.why


def test_two_functions_and_what_float64_says_of_them():
    def reversed_sum(torch, x):
        return torch.flip(x, (0,)).cumsum(0)[-1]

    def summed(torch, x):
        return torch.clone(x).cumsum(0)[-1]

    def erf(torch, x):
        return torch.nn.functional.gelu(x)

    def tanh(torch, x):
        return torch.nn.functional.gelu(x, approximate="tanh")

    x = np.random.default_rng(0).standard_normal(64).astype(np.float32)
    first = compare(erf, ("tape",), inputs=[x], other=tanh).first
    assert first is not None and first.operator == "gelu" and "float64 reruns differ" in first.why
    assert compare(erf, ("tape",), inputs=[x], other=erf).ok
    found = compare(summed, ("tape",), inputs=[x], other=reversed_sum).first
    assert found is not None and found.kind in ("operation", "value")


def test_another_order_of_a_sum_is_rounding():
    x = np.random.default_rng(0).standard_normal(4096).astype(np.float32)
    forwards, backwards = np.cumsum(x)[-1:], np.cumsum(x[::-1])[-1:]
    wide = x.astype(np.float64).sum(keepdims=True)
    assert forwards != backwards
    judged = verdicts.judge((forwards, backwards), (wide, wide), ("a", "b"), False)
    assert judged.verdict == verdicts.ROUNDING
    assert verdicts.judge((forwards, backwards), (wide, None), ("a", "b"), False).verdict == verdicts.UNJUDGED
    assert verdicts.judge((forwards, backwards), (wide, wide), ("a", "b"), True).verdict == verdicts.DIFFERENT
    inexact = verdicts.judge((forwards, forwards + 1), (wide, wide), ("a", "b"), False)
    assert (inexact.verdict, inexact.fault) == (verdicts.INEXACT, "b")
    shifted = verdicts.judge((forwards, backwards), (wide, wide * ULP), ("a", "b"), False)
    assert shifted.verdict == verdicts.DIFFERENT


def test_distances():
    x = np.array([1.0, -1.0, 0.0], np.float32)
    far = verdicts.distance(x, np.nextafter(x, np.float32(2)))
    assert far.ulps == 1 and far.absolute == pytest.approx(2 ** -23) and far.cosine == pytest.approx(1)
    assert verdicts.distance(np.float32([-0.0]), np.float32([0.0])).ulps == 0
    assert verdicts.distance(np.float32([np.nan]), np.float32([1])).absolute == np.inf
    assert verdicts.distance(np.float64([1.0]), np.float64([1.0 + 2 ** -52])).relative == pytest.approx(2 ** -52)


def test_a_program_that_raises_under_one_engine():
    def program(torch):
        x = torch.ones(2).exp()
        if torch is real:
            raise ValueError("on purpose")
        return x

    first = compare(program, ("torch", "tape")).first
    assert first is not None and first.kind == "ending" and "on purpose" in first.why


@pytest.mark.parametrize(("arguments", "text"), [
    ({"engines": ("tape",)}, "name two"), ({"engines": ("tape", "numpy")}, "no such engine"),
    ({"other": training}, "under one engine")])
def test_wrong_arguments(arguments, text):
    with pytest.raises(ValueError, match=text):
        compare(training, **arguments)


def test_it_is_an_attribute_of_diff():
    assert torchlike.diff.compare is compare


SCRIPT = """
import torch
w = torch.ones(3, requires_grad=True)
y = (w * 2).exp()
z = y * 1.0
z.sum().backward()
"""


WRITES = """import time
import torch
with open("log.txt", "a") as file:
    file.write("begin ")
x = torch.ones(2, requires_grad=True)
(x * 3).sum().backward()
time.sleep(0.3)
with open("log.txt", "a") as file:
    file.write("end ")
"""


@pytest.mark.slow
def test_what_scripts_leave_and_that_they_wait_for_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "script.py").write_text(WRITES)
    report = compare("script.py")
    assert report.ok and set(report.left) == {"torch", "tape", "jax"}
    for facts, arrays in report.left.values():
        names = [entry["name"] for entry in facts["entries"]]
        assert facts["writes"] == ["log.txt"] and arrays[f"a{names.index('x.grad')}"].tolist() == [3, 3]
    assert (tmp_path / "log.txt").read_text() == "begin end " * 6  # each in float32 and in float64


@pytest.mark.slow
def test_scripts(tmp_path, capsys):
    a, b = tmp_path / "a.py", tmp_path / "b.py"
    a.write_text(SCRIPT)
    b.write_text(SCRIPT.replace("1.0", "1.0000001"))
    assert cli.main(["diff", "--deep", "--json", str(a)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["agree"] and [pair["engines"] for pair in found["pairs"]] == [list(pair) for pair in PAIRS]
    assert all(pair["gradients"] == 5 for pair in found["pairs"])
    assert cli.main(["diff", "--deep", str(a), str(b)]) == 1
    assert "a.py:5, mul" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["--deep"], ["--deep", HERE, HERE, HERE], ["--deep", "--rtol", "1", HERE]])
def test_what_the_command_refuses(arguments):
    with pytest.raises(SystemExit, match="2"):
        cli.main(["diff", *arguments])


def squares(torch):
    """Of whose gradient under torchlike a part is missing when it is differentiated again."""
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_tensors
            return 2 * g * (x.detach() if torch.__name__ == "torchlike" else x)

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([0.5, 3.0], requires_grad=True)
    for _ in range(2):
        Square.apply(x * y.sin()).sum().backward()
        x.grad = y.grad = None


def test_second_derivatives():
    engines = ("torch", "tape")
    assert compare(squares, engines).ok
    first = compare(squares, engines, second_order=True).first
    assert first is not None and first.operator == "(second derivative) x"
    assert linecache.getline(first.file, first.line).strip() == "Square.apply(x * y.sin()).sum().backward()"


def test_second_derivatives_of_jax_vjp():
    def program(torch):
        x = torch.tensor([0.3, 0.7], requires_grad=True)
        (x.sin() * x.exp()).sum().backward()
        (x * 3).backward(torch.ones(2))  # which has no second derivative

    plain, both = (compare(program, ("tape", "jax"), second_order=order) for order in (False, True))
    assert plain.ok and both.ok
    assert both.pairs[0].operations == plain.pairs[0].operations + 1 and both.pairs[0].gradients == plain.pairs[0].gradients


def through_a_gradient(torch):
    w = torch.tensor([0.5, -1.5], requires_grad=True)
    v = w.swapaxes(0, -1)
    g = torch.autograd.grad(v.sin().sum(), w, create_graph=True)[0]
    g.backward(torch.ones_like(g))
    (v * 2).sum().backward()


def freed_before_it_ends(torch):
    x = torch.tensor([0.5, -1.5], requires_grad=True)
    g = torch.autograd.grad((x * x).sum(), x, create_graph=True)[0]
    g.expand(2, 2)[0].mul_(2)
    for _ in range(2):
        with contextlib.suppress(RuntimeError):
            torch.autograd.grad(g.sum(), x)


@pytest.mark.parametrize("program", [through_a_gradient, freed_before_it_ends])
def test_what_an_engine_does_not_say_is_no_difference(program):
    """Which gradients pass a value on the way through a gradient, or before a freed graph ends the pass."""
    report = compare(program, ("tape", "jax"))
    assert report.ok, str(report)
    assert report.pairs[0].gradients
