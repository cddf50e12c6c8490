"""Which parameter is which, by numbers, neighbours and names."""

import numpy as np
import pytest

from torchlike._diff.parameters import GIVEN, NAME, NEIGHBOUR, VALUE, match


def drawn(*shape, seed=0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def rows(ours, theirs, given=None) -> dict:
    """(our name, with its part) -> row; all must be matched."""
    table = match(ours, theirs, given or {})
    assert not table.ours_left and not table.theirs_left
    return {row.label: row for row in table.rows}


@pytest.mark.parametrize(("shape", "axes", "words"), [
    ((4, 3), (1, 0), "transposed"), ((4, 3, 5, 5), (2, 3, 1, 0), "axes (3, 2, 0, 1)"),
    ((4, 3, 5), (2, 1, 0), "axes (2, 1, 0)"), ((7, 4), (0, 1), "as it is")])
def test_layouts(shape, axes, words):
    x = drawn(*shape)
    found = rows({"a.weight": x}, {"b.kernel": x.transpose(axes)})["a.weight"]
    assert (found.how, found.sure, found.difference, found.finding) == (words, VALUE, 0.0, "")
    assert np.array_equal(found.lay(x.transpose(axes)), x)


def test_heads_apart_and_flipped_kernels():
    x, kernel = drawn(8, 6), drawn(2, 3, 4, 4)
    found = rows({"q.weight": x, "up.weight": kernel}, {"q.kernel": x.T.reshape(6, 2, 4),
                                                       "up.kernel": kernel[..., ::-1, ::-1].transpose(2, 3, 0, 1)})
    assert found["q.weight"].how.startswith("axes (1, 2, 0), reshaped") and found["up.weight"].how.endswith("flipped")


def test_parts():
    whole, bias = drawn(9, 4), drawn(9, seed=1)
    apart = {f"{name}.{kind}": part.T for name, *parts in zip("qkv", np.split(whole, 3), np.split(bias, 3), strict=True)
             for kind, part in zip(("kernel", "bias"), parts, strict=True)}
    found = rows({"qkv.weight": whole, "qkv.bias": bias}, apart)
    assert found["qkv.weight[3:6]"].theirs == "k.kernel" and found["qkv.bias[6:9]"].theirs == "v.bias"
    fused = {"qkv.kernel": whole.T.reshape(4, 3, 3)}
    ours = {f"{name}.weight": part for name, part in zip("qkv", np.split(whole, 3), strict=True)}
    found = rows(ours, fused)
    assert [row.theirs for row in found.values()] == ["qkv.kernel"] * 3
    assert all(np.array_equal(row.lay(fused["qkv.kernel"]), ours[row.ours]) for row in found.values())
    stack = {"layers.kernel": np.stack([drawn(4, 4, seed=i).T for i in range(6)])}
    found = rows({f"{i}.weight": drawn(4, 4, seed=i) for i in range(6)}, stack)
    assert found["5.weight"].how == "part 5 of 6 on axis 0, axes (0, 2, 1), reshaped [4, 4]"


def test_neighbours_and_names():
    """Zeros and ones tell nothing, equal numbers little."""
    same, zeros, ones = drawn(4, 4), np.zeros(4, np.float32), np.ones(4, np.float32)
    ours = {f"layers.{i}.{name}": x for i in range(12) for name, x in (
        ("fc.weight", same), ("fc.bias", zeros), ("norm.weight", ones), ("norm.bias", zeros))}
    ours["bn.running_var"], ours["bn.running_mean"] = ones, zeros
    theirs = {f"params.layers_{i}.{name}": x for i in reversed(range(12)) for name, x in (
        ("Dense_0.kernel", same.T), ("Dense_0.bias", zeros), ("LayerNorm_0.scale", ones), ("LayerNorm_0.bias", zeros))}
    theirs["batch_stats.BatchNorm_0.mean"], theirs["batch_stats.BatchNorm_0.var"] = zeros, ones
    found = rows(ours, theirs)
    for i in range(12):
        assert found[f"layers.{i}.fc.weight"].theirs == f"params.layers_{i}.Dense_0.kernel"
        assert found[f"layers.{i}.fc.bias"].theirs == f"params.layers_{i}.Dense_0.bias"
        assert found[f"layers.{i}.norm.bias"].theirs == f"params.layers_{i}.LayerNorm_0.bias"
    assert found["layers.0.fc.bias"].sure == NEIGHBOUR and found["layers.3.norm.weight"].sure == NAME
    assert found["bn.running_var"].theirs == "batch_stats.BatchNorm_0.var"


def test_wrong_values_are_told():
    x = drawn(4, 3)
    found = rows({"fc.weight": x}, {"fc.kernel": 2 * x.T})["fc.weight"]
    assert found.sure == NAME and found.finding.startswith("values differ, by 1 of")
    near = rows({"fc.weight": x}, {"fc.kernel": x.T + np.float32(1e-4)})["fc.weight"]
    assert near.sure == VALUE and near.finding.startswith("values differ")
    square = {f"{name}.weight": drawn(4, 4, seed=i) for i, name in enumerate("abc")}
    theirs = {f"{name}.kernel": square[f"{name}.weight"].T for name in "ac"} | {"b.kernel": square["b.weight"]}
    found = rows(square, theirs)
    assert [bool(row.finding) for row in found.values()] == [False, True, False]
    assert found["b.weight"].finding == "is not transposed, where a kernel is transposed, 2 of 2 others are transposed"


def test_what_is_given_is_taken():
    x = drawn(4, 4)
    found = rows({"a": x, "b": x + 1}, {"c": x.T, "d": x}, {"c": "b"})
    assert found["b"].theirs == "c" and found["b"].sure == GIVEN and found["a"].theirs == "d"
    with pytest.raises(ValueError, match="in another layout"):
        match({"a": x}, {"b": drawn(3)}, {"b": "a"})
