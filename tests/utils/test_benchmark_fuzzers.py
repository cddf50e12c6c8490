"""The tensors that the fuzzers of `torch.utils.benchmark` make are PyTorch's for the same seed."""

import numpy as np
import pytest
import torch
import torch.utils.benchmark

import torchlike
import torchlike.utils.benchmark

BOTH = (torch, torchlike)


@pytest.fixture(autouse=True)
def as_documented(monkeypatch):
    """PyTorch 2.13 refuses probabilities whose sum is 1, by mistake."""
    check = torch.utils.benchmark.FuzzedParameter._check_distribution
    monkeypatch.setattr(torch.utils.benchmark.FuzzedParameter, "_check_distribution",
                        lambda self, given: given if isinstance(given, dict) else check(self, given))


def drawn(lib, fuzzer, count=12):
    """What a fuzzer makes, as plain values."""
    found = []
    for tensors, properties, params in fuzzer.take(count):
        plain = {name: {key: np.asarray(value).tolist() if key == "order" else str(value).removeprefix("torch.")
                        for key, value in each.items()} for name, each in properties.items()}
        values = {name: (t.layout == lib.strided and t.stride(), (t.to_dense() if t.is_sparse else t).tolist(), str(t.dtype))
                  for name, t in tensors.items()}
        found.append((values, plain, params))
    return found, fuzzer.rejection_rate


def same(make):
    (want, rate), (got, found_rate) = (drawn(lib, make(lib, lib.utils.benchmark)) for lib in BOTH)
    assert found_rate == rate
    for a, b in zip(want, got, strict=True):
        assert str(b).replace("torchlike", "torch") == str(a)


def dense(lib, b, **options):
    numbers = [b.FuzzedParameter(f"k{i}", minval=1, maxval=9, distribution="loguniform", strict=i == 1) for i in range(3)]
    return b.Fuzzer(
        parameters=[numbers, b.FuzzedParameter("dim", 1, 3, distribution="uniform"),
                    b.FuzzedParameter("part", 0.5, 3, distribution="uniform"),
                    b.FuzzedParameter("same", distribution={b.ParameterAlias("k0"): 0.5, 1: 0.5}),
                    b.FuzzedParameter("step", distribution={1: 0.6, 2: 0.4})],
        tensors=[b.FuzzedTensor("x", ("k0", "k1", "k2"), ("step", 1, "step"), dim_parameter="dim", **options),
                 b.FuzzedTensor("y", ("same", 3), max_elements=20, min_elements=4, max_allocation_bytes=200, **options)],
        constraints=[lambda p: p["k0"] > 2], seed=7)


@pytest.mark.parametrize("name", ["float32", "float64", "int64", "uint8"])
@pytest.mark.parametrize("contiguous", [0.0, 0.5])
def test_dense(name, contiguous):
    same(lambda lib, b: dense(lib, b, dtype=getattr(lib, name), probability_contiguous=contiguous))


def test_own_constructor():
    same(lambda lib, b: dense(lib, b, tensor_constructor=lambda size, dtype, step, **_: lib.full(size, step, dtype=dtype)))


@pytest.mark.filterwarnings("ignore:Sparse invariant")
@pytest.mark.parametrize(("coalesced", "name"), [(True, "float32"), (True, "int64"), (False, "float32")])
def test_sparse(coalesced, name):
    same(lambda lib, b: b.Fuzzer(
        [b.FuzzedParameter("k", 2, 6, distribution="uniform"), b.FuzzedParameter("coalesced", distribution={coalesced: 1.0}),
         b.FuzzedParameter("density", 0.2, 0.9, distribution="uniform"),
         b.FuzzedParameter("sparse_dim", 1, 2, distribution="uniform")],
        [b.FuzzedSparseTensor("x", ("k", 3, "k"), sparse_dim="sparse_dim", dtype=getattr(lib, name)),
         b.FuzzedSparseTensor("y", ("k", "k"), max_elements=30)], seed=3))


@pytest.mark.parametrize("make", [
    lambda b: b.FuzzedParameter("x", 1, 2, distribution="normal"),
    lambda b: b.Fuzzer([b.FuzzedParameter("x", 1, 2, distribution="uniform")], [b.FuzzedTensor("x", (1,))]),
    lambda b: next(b.Fuzzer([b.FuzzedParameter("x", 1, 2, distribution="uniform")], [], [lambda p: False], 1).take(1)),
    lambda b: next(b.Fuzzer([b.FuzzedParameter("x", distribution={b.ParameterAlias("x"): 1.0})], [], seed=1).take(1)),
    lambda b: b.FuzzedSparseTensor.sparse_tensor_constructor([0], None, 1, 2, True)],
    ids=["unknown", "names", "constraints", "cycle", "empty"])
def test_errors(make):
    texts = []
    for lib in BOTH:
        with pytest.raises((AssertionError, ValueError)) as error:
            make(lib.utils.benchmark)
        texts.append((error.type, str(error.value)))
    assert texts[0] == texts[1]


@pytest.mark.parametrize(("arguments", "text"), [
    ({"distribution": {1: 0.5}}, "Distribution is not normalized"), ({"distribution": {1: -0.5, 2: 1.5}}, "negative"),
    ({"minval": 1, "distribution": {1: 1.0}}, "'minval' must be None")])
def test_distributions(arguments, text):
    with pytest.raises(AssertionError, match=text):
        torchlike.utils.benchmark.FuzzedParameter("x", **arguments)


def test_default_seeds_differ():
    fuzzers = [torchlike.utils.benchmark.Fuzzer([], []) for _ in range(2)]
    assert fuzzers[0]._seed != fuzzers[1]._seed and fuzzers[0].rejection_rate == 0.0
    assert str(torchlike.utils.benchmark.ParameterAlias("x")) == "ParameterAlias[alias_to: x]"
