"""Functions and Modules recorded by both, compared as texts and by what they compute."""

import importlib
import math

import pytest
import torch as theirs
import torch.fx

import torchlike as ours
import torchlike.fx

BOTH = (ours, theirs)


def same(found, expected) -> None:
    """Whether two texts are equal but for the packages' names."""
    assert found.replace("torchlike", "torch").replace("torch._C._nn", "torch.nn.functional") == \
        expected.replace("torch._C._nn", "torch.nn.functional")


FUNCTIONS = {text: eval(f"lambda m: {text}") for text in """
lambda x: x
lambda x, y: (x + y, x - 1, 2 - x, x * y, 2 / x, x // 2, 2 ** x, x @ y, -x, abs(x), +x)
lambda x, y: (x == y, x != y, x < 1, 1 < x, x <= y, 1 >= x, x >> 1, 1 << x, x % 2, 2 % x, x | y, x ^ y, 1 & x, ~x)
lambda x: m.relu(x).sigmoid().clamp(min=0).sum(dim=-1, keepdim=True)
lambda x: m.stack([x, x * 2, m.cat((x, x))], dim=0)
lambda x: x[0, ..., None] + x[:, 1:3] + x[..., -1]
lambda x: x.view(x.size(0), -1).transpose(0, 1).T.shape[0]
lambda x: m.nn.functional.relu(x, inplace=True) + m.nn.functional.softmax(x, dim=1)
lambda x: m.nn.functional.max_pool2d(m.conv2d(x, x), 2)
lambda x: m.nn.functional.dropout(x, p=0.5, training=False)
lambda x: {"a": (x, [x + 1, None, 2.5, "s", slice(1, 2)]), "b": m.float32}
lambda x: x.to(device="cpu", dtype=m.float16).to(m.device("cpu")).contiguous(memory_format=m.channels_last)
lambda x: x.masked_fill(x > 0, float("-inf")) + float("nan") + 1e-5 + 1j
lambda input, x_1, sum, list: m.sum(input) + x_1 + m.sum(sum) + list.relu().relu()
lambda x, n=3, y=None, z=(1, 2), s="a": x * n
lambda x, *, k=2.0: x * k
lambda *args, **kwargs: args[0] + kwargs["z"]
lambda x: math.sqrt(x.size(0)) + math.floor(x.size(1) / 2)
lambda x: x * math.prod(m.ones(2, 3).shape) + m.nn.functional.layer_norm(x, m.ones(3).shape)
lambda x: x.foo.bar(3).baz
lambda x: x + m.ones(3) + m.tensor(2.0)
lambda x: m.ones(3).add(x) + (m.ones(3) + x)
lambda x: 3
lambda x: None
lambda x: x.add_(1).__iadd__(2)
lambda x: x.keys()
lambda x: (lambda a, b: a + b)(*x.split(2)[0:2]) if False else x.split(2)[1]
lambda x: m.ones(2, 3).matmul(x.reshape([3, -1]))
lambda x: x.chunk(2, dim=0)[0] if x is not None else 0
""".strip().splitlines()}
REFUSED = {text: eval(f"lambda m: {text}") for text in """
lambda x: x if x.sum() > 0 else -x
lambda x: [y for y in x]
lambda x: len(x)
lambda x: int(x)
lambda x: [1, 2][x]
lambda x: list(range(x))
lambda x: {x: 1}
lambda x: m.add(**x)
lambda x: 3 in x
""".strip().splitlines()}


@pytest.mark.parametrize("text", FUNCTIONS)
def test_functions(text):
    found, expected = (m.fx.symbolic_trace(FUNCTIONS[text](m)) for m in BOTH)
    same(str(found.graph), str(expected.graph))
    same(found.code, expected.code)
    for a, b in zip(found.graph.nodes, expected.graph.nodes, strict=True):
        assert (a.op, a.name, len(a.users)) == (b.op, b.name, len(b.users))
        same(str(a.args), str(b.args))


@pytest.mark.parametrize("text", REFUSED)
def test_errors(text):
    errors = []
    for m in BOTH:
        try:
            m.fx.symbolic_trace(REFUSED[text](m))
        except (TypeError, ValueError, RuntimeError) as error:
            errors.append((type(error).__name__, str(error)))
    assert len(errors) == 2 and errors[0] == errors[1]


def models(m):
    nn, functional = m.nn, m.nn.functional

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = nn.Conv2d(3, 3, 3, padding=1), nn.BatchNorm2d(3)

        def forward(self, x: m.Tensor) -> m.Tensor:
            return functional.relu(self.norm(self.conv(x)) + x)

    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks, self.head = nn.Sequential(Block(), Block()), nn.Linear(3, 2)

        def forward(self, x):
            return self.head(self.blocks(x).mean((2, 3)))

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 8)
            self.scale = nn.Parameter(m.ones(8))
            self.register_buffer("bias", m.ones(8))
            self.maps = nn.ModuleDict({"act": nn.GELU()})
            self.heads = 2

        def forward(self, x, mask=None):
            b, n, d = x.shape
            q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
            weights = (q @ k.transpose(-2, -1) * d ** -0.5).softmax(dim=-1)
            y = (weights @ v).transpose(1, 2).reshape(b, n, d)
            return self.maps["act"](self.out(y)) * self.scale + self.bias

    return {"mlp": (nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), (5, 4)),
            "residual": (Residual(), (2, 3, 6, 6)), "attention": (Attention(), (2, 3, 8))}


@pytest.mark.parametrize("name", ["mlp", "residual", "attention"])
def test_modules(name):
    texts, results = [], []
    for m in BOTH:
        m.manual_seed(0)
        model, shape = models(m)[name]
        traced = m.fx.symbolic_trace(model)
        x = m.linspace(-1, 1, math.prod(shape)).reshape(shape).requires_grad_()
        out = traced(x)
        out.sum().backward()
        traced_grad, x.grad = x.grad, None
        model(x).sum().backward()
        assert m.allclose(traced_grad, x.grad, rtol=1e-4, atol=1e-6)
        texts.append((str(traced.graph), traced.code, repr(traced), list(traced.state_dict())))
        results.append([out.tolist(), [p.grad.tolist() for p in traced.parameters()]])
    for found, expected in zip(*texts, strict=True):
        same(str(found), str(expected))
    for found, expected in zip(*([r[0], *r[1]] for r in results), strict=True):
        theirs.testing.assert_close(theirs.tensor(found), theirs.tensor(expected), rtol=1e-3, atol=1e-4)


def test_a_wrong_name_is_seen(monkeypatch):
    monkeypatch.setattr(ours.fx.graph, "hint_of", lambda target: "other")
    with pytest.raises(AssertionError):
        test_functions("lambda x: m.relu(x).sigmoid().clamp(min=0).sum(dim=-1, keepdim=True)")


@pytest.mark.parametrize("value", [True, 3, None])
def test_concrete_arguments(value):
    def function(x, y):
        return x if y is None else x + y if y > 1 else x - y

    found, expected = (m.fx.symbolic_trace(function, concrete_args={"y": value}) for m in BOTH)
    same(found.code, expected.code)
    with pytest.raises(AssertionError) as mine:
        found(ours.ones(2), 7)
    with pytest.raises(AssertionError) as real:
        expected(theirs.ones(2), 7)
    assert str(mine.value) == str(real.value)


@pytest.mark.parametrize("m", BOTH)
def test_wrapped_functions(m):
    names = {"__name__": "program", "fx": m.fx}
    exec("@fx.wrap\ndef scaled(x, n):\n    return x * n if n > 1 else x\nfx.wrap('len')\n"
         "def f(x):\n    return scaled(x, 3) + len(x)\n", names)
    graph = str(m.fx.symbolic_trace(names["f"]).graph)
    assert "scaled](args = (%x, 3)" in graph and "[target=builtins.len](args = (%x,)" in graph
    assert names["scaled"].__name__ == "scaled" and names["f"](m.ones(2)).tolist() == [5.0, 5.0] and "len" not in names
    with pytest.raises(RuntimeError, match="Must be either a callable or string name"):
        m.fx.wrap(3)
    with pytest.raises(NotImplementedError, match="top level of a module"):
        m.fx.wrap("foo")


def test_modules_as_wholes():
    class Inside(ours.fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            return False

    graph = Inside().trace(ours.nn.Sequential(ours.nn.Linear(2, 2)))
    assert [n.name for n in graph.nodes] == ["input_1", "_0_weight", "_0_bias", "linear", "output"]
    for m in BOTH:
        leaf = m.fx.Tracer().is_leaf_module
        assert leaf(m.nn.Linear(2, 2), "x") and not leaf(m.nn.Sequential(), "x")


@pytest.mark.parametrize("m", BOTH)
def test_questions_about_sizes(m):
    asked = importlib.import_module(f"{m.__name__}.fx.experimental.symbolic_shapes")
    size = m.ones(2, 3).shape[0]
    for question in (asked.guard_or_false, asked.guard_or_true, asked.statically_known_true):
        assert question(size == 2) is True and question(size > 2) is False
    assert asked.free_symbols(size) == asked.free_unbacked_symbols(size) == set()
