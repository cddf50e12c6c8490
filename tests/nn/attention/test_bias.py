"""Causal masks, compared with torch."""

import importlib

import pytest

import torchlike

pytestmark = pytest.mark.oracle

PROGRAMS = [
    "repr(b.causal_upper_left(3, 5))", "repr(b.causal_lower_right(3, 5))", "repr(b.causal_lower_right(4, 4))",
    "b.causal_lower_right(3, 5)._materialize()", "b.causal_upper_left(5, 3)._materialize()",
    "b.causal_upper_left(3, 5).variant, int(b.CausalVariant.LOWER_RIGHT), b.causal_upper_left(3, 5).seq_len_kv",
    "F(q, k, v, b.causal_upper_left(3, 5))", "F(q, k, v, b.causal_lower_right(3, 5))",
    "F(k, k, v, b.causal_lower_right(5, 5))",
    "F(q, k, v, attn_mask=b.causal_lower_right(3, 5), scale=0.3)",
    "b.causal_upper_left(3)", "b.CausalBias(1, 3, 5)", "F(q, k, v, b.causal_upper_left(3, 5), is_causal=True)",
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_in_torch(program):
    found = []
    for library in ("torch", "torchlike"):
        t = importlib.import_module(library)
        t.manual_seed(0)
        names = {"b": importlib.import_module(f"{library}.nn.attention.bias"), "q": t.randn(1, 2, 3, 4),
                 "k": t.randn(1, 2, 5, 4), "v": t.randn(1, 2, 5, 4), "F": t.nn.functional.scaled_dot_product_attention}
        try:
            found.append(str(eval(program, names)))
        except (AssertionError, ValueError) as error:
            found.append((type(error), str(error)))
    assert found[1] == found[0]


def test_a_mask_without_keys_is_warned_of():
    bias = importlib.import_module("torchlike.nn.attention.bias")
    with pytest.warns(UserWarning, match="will produce NaNs"):
        bias.causal_lower_right(5, 3)
    assert isinstance(bias.causal_upper_left(2, 2), torchlike.Tensor)
    assert set(bias.__all__) == set(importlib.import_module("torch.nn.attention.bias").__all__)
