"""Random numbers go into memory in its own order, as PyTorch writes them: transposed, channels_last, sliced tensors."""

import numpy as np
import pytest
import torch

import torchlike
from torchlike._api import random

FORMS = {
    "transposed": lambda t: t.ones(6, 4).t(), "permuted": lambda t: t.ones(2, 3, 4).permute(2, 0, 1),
    "channels_last": lambda t: t.ones(2, 3, 2, 2).contiguous(memory_format=t.channels_last),
    "sliced": lambda t: t.ones(8, 4)[::2], "transposed and sliced": lambda t: t.ones(8, 12).t()[::2],
    "one row": lambda t: t.ones(1, 20).t(), "plain": lambda t: t.ones(4, 6),
}
CALLS = {
    "dropout": lambda t, x: t.nn.functional.dropout(x, 0.5), "rand_like": lambda t, x: t.rand_like(x),
    "alpha_dropout": lambda t, x: t.nn.functional.alpha_dropout(x, 0.5, training=True),
    "randn_like": lambda t, x: t.randn_like(x), "randint_like": lambda t, x: t.randint_like(x, 100),
    "contiguous": lambda t, x: t.rand_like(x, memory_format=t.contiguous_format),
    "bernoulli": lambda t, x: t.bernoulli(x * 0.5), "gumbel_softmax": lambda t, x: t.nn.functional.gumbel_softmax(x),
    "normal": lambda t, x: t.normal(x, x), "chances": lambda t, x: x.bernoulli_(t.arange(x.numel()).view(x.shape) / 50),
    **{name: lambda t, x, name=name, args=args: getattr(x, name)(*args) for name, args in (
        ("uniform_", ()), ("normal_", ()), ("bernoulli_", (0.5,)), ("exponential_", ()), ("random_", (100,)),
        ("cauchy_", ()), ("log_normal_", ()), ("geometric_", (0.5,)))},
}


def drawn(t, form, call):
    t.manual_seed(0)
    made = CALLS[call](t, FORMS[form](t))
    return made.stride(), np.array(made.tolist())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call", CALLS)
def test_order(form, call):
    (theirs, want), (ours, got) = drawn(torch, form, call), drawn(torchlike, form, call)
    assert theirs == ours
    np.testing.assert_allclose(got, want, 1e-5, 1e-6)


def test_another_order_is_seen(monkeypatch):
    monkeypatch.setattr(random, "_order", lambda form: None)
    assert not np.allclose(drawn(torch, "transposed", "dropout")[1], drawn(torchlike, "transposed", "dropout")[1])


@pytest.mark.parametrize("kind", ["TransformerEncoderLayer", "TransformerDecoderLayer"])
def test_layers_with_the_batch_first(kind):
    """Their attention gives a transposed tensor to dropout."""
    found = []
    for t in (torch, torchlike):
        t.manual_seed(0)
        layer = getattr(t.nn, kind)(4, 2, 8, batch_first=True)
        found.append(layer(*[t.randn(3, 2, 4)] * (1 + kind.startswith("TransformerDecoder"))).detach().numpy())
    np.testing.assert_allclose(*found, 1e-4, 1e-5)
