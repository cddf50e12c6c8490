"""Floats of 8 bits against PyTorch: all patterns, roundings, promotion, and which functions have no kernel."""

import io
import itertools
import pickle

import numpy as np
import pytest
import torch as theirs

import torchlike as ours
from torchlike._ops import float8

NAMES = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
WIDER = ("float16", "bfloat16", "float32", "float64")
BITS = np.arange(256, dtype=np.uint8)


def numbers() -> np.ndarray:
    """float32: random patterns, the special ones, and what is half-way between two floats of 8 bits."""
    rng = np.random.default_rng(0)
    random = rng.integers(0, 2**32, 100_000, dtype=np.uint32).view(np.float32)
    ranges = rng.standard_normal(50_000) * np.exp2(rng.integers(-20, 20, 50_000))
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 448, 464, 465, 480, 240, 247.9, 248, 57344, 61440, 61441, 1e-40,
                        2.0**-127, 1.5 * 2.0**-127, 2.0**-128, 1.5 * 2.0**-128, 3e38, 2.6e38, 1.8e38, -1], np.float32)
    halves = []
    for name in NAMES:
        found = theirs.from_numpy(BITS).view(getattr(theirs, name)).float().numpy()
        halves.append((theirs.tensor(found[:-1]) / 2 + theirs.tensor(found[1:]) / 2).numpy())
    return np.concatenate([random, ranges.astype(np.float32), special, *halves])


def of(module, bits, name):
    return module.from_numpy(bits).view(getattr(module, name))


@pytest.mark.parametrize("wide", WIDER)
@pytest.mark.parametrize("name", NAMES)
def test_every_pattern_as_a_wider_float(name, wide):
    found, expected = (of(m, BITS, name).to(getattr(m, wide)).double().numpy() for m in (ours, theirs))
    np.testing.assert_array_equal(found, expected)
    assert (np.signbit(found) == np.signbit(expected))[~np.isnan(expected)].all()


def narrowed(module, array, name, source):
    tensor = module.from_numpy(array).to(getattr(module, source)).to(getattr(module, name))
    is_nan = tensor.float().isnan().numpy()
    assert is_nan[np.isnan(array)].all()
    return np.where(np.isnan(array), 0, tensor.view(module.uint8).numpy())  # nan loses its sign on the way to float16


@pytest.mark.parametrize("source", WIDER)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("compile", ["off", "now"])
def test_rounding(name, source, compile):
    with ours.configure(compile=compile):
        found, expected = (narrowed(m, numbers(), name, source) for m in (ours, theirs))
    np.testing.assert_array_equal(found, expected)


def test_a_wrong_rounding_is_seen(monkeypatch):
    monkeypatch.setattr(float8, "rounded", lambda x, dtype, xp: x.astype(dtype.np))
    with ours.configure(compile="off"):
        found = ours.tensor([1e6], dtype=ours.float8_e4m3fn).view(ours.uint8)
    assert found.item() != narrowed(theirs, np.array([1e6], np.float32), "float8_e4m3fn", "float32")[0]


@pytest.mark.parametrize("name", NAMES)
def test_integers_and_bools(name):
    whole = np.arange(-300, 70_000, 7)
    np.testing.assert_array_equal(narrowed(ours, whole, name, "int64"), narrowed(theirs, whole, name, "int64"))
    for kind in ("bool", "int32", "uint8"):
        values = of(theirs, BITS, name).float().numpy()
        fitting = BITS[(values >= 0) & (values < 200)]
        found, expected = (of(m, fitting, name).to(getattr(m, kind)).numpy() for m in (ours, theirs))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", NAMES)
def test_the_dtype_itself(name):
    mine, real = getattr(ours, name), getattr(theirs, name)
    for attribute in ("itemsize", "is_floating_point", "is_complex", "is_signed"):
        assert getattr(mine, attribute) == getattr(real, attribute)
    assert repr(mine) == repr(real) and repr(ours.finfo(mine)) == repr(theirs.finfo(real))
    for attribute in ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution"):
        assert getattr(ours.finfo(mine), attribute) == getattr(theirs.finfo(real), attribute)
    assert pickle.loads(pickle.dumps(mine)) is mine
    assert outcome(ours.set_default_dtype, mine) == outcome(theirs.set_default_dtype, real)
    assert outcome(mine.to_complex) == outcome(real.to_complex)


def test_float4_is_a_name():
    mine, real = ours.float4_e2m1fn_x2, theirs.float4_e2m1fn_x2
    assert (repr(mine), mine.itemsize, mine.is_floating_point) == (repr(real), real.itemsize, real.is_floating_point)
    with pytest.raises(NotImplementedError, match="Float4_e2m1fn_x2"):
        ours.zeros(2, dtype=mine)
    assert outcome(ours.finfo, mine) == outcome(lambda: theirs.finfo(real).tiny)


def test_promotion():
    names = [*NAMES, "bool", "uint8", "uint16", "int64", "float16", "float32", "complex64"]
    for a, b in itertools.product(names, NAMES):
        for x, y in ((a, b), (b, a)):
            found, expected = (outcome(m.promote_types, getattr(m, x), getattr(m, y)) for m in (ours, theirs))
            assert found == expected
    for name in NAMES:
        for value in (1, 1.0, True):
            found, expected = (str(m.result_type(m.ones(2, dtype=getattr(m, name)), value)) for m in (ours, theirs))
            assert found == expected


def outcome(call, *args) -> str:
    """What a call gives, as text, or its error."""
    try:
        return repr(call(*args))
    except Exception as found:  # noqa: BLE001 - whatever it raises is compared
        return f"{type(found).__name__}: {found}"


CALLS = {text: eval(f"lambda m, x, d: {text}") for text in """
m.zeros(3, dtype=d)
m.ones(3, dtype=d)
m.full((3,), 2.5, dtype=d)
m.full((3,), 1e6, dtype=d)
m.tensor([1., 2, 3], dtype=d)
m.tensor([1, 2, 300], dtype=d)
m.eye(2, dtype=d)
m.arange(3, dtype=d)
m.linspace(0, 1, 3, dtype=d)
m.rand(3, dtype=d)
m.randn(3, dtype=d)
m.zeros_like(x)
m.ones_like(x)
x.new_zeros(2)
x.new_tensor([1.])
x + x
x + 1
x - x
x * x
x * 2
x / x
x // x
-x
x == x
x == 1
x != x
x < x
x >= 1
x + x.float()
x.sum()
x.mean()
x.max()
x.min()
x.amax()
x.argmax()
x.prod()
x.cumsum(0)
x.exp()
x.log()
x.tanh()
x.sqrt()
x.relu()
x.sigmoid()
x.sign()
x.pow(2)
x.add_(1)
x.mul_(x)
x.fill_(2)
x.zero_()
x.copy_(m.ones(3))
x.copy_(m.ones(3, dtype=m.int64))
x.clone()
x.contiguous()
m.cat([x, x])
m.stack([x, x])
m.cat([x, x.float()])
x[0]
x[1:]
x[m.tensor([0, 1])]
x[m.tensor([True, False, True])]
x.__setitem__(0, 3.)
x.index_select(0, m.tensor([0]))
x.gather(0, m.tensor([0]))
x.index_add(0, m.tensor([0]), x[:1])
m.where(x.float() > 0, x, x)
x.masked_fill(x.float() > 0, 1)
x.masked_select(x.float() > 0)
x.flip(0)
x.roll(1)
x.sort()
x.topk(1)
x.any()
x.all()
x.view(m.int8)
x.view(3, 1).expand(3, 2).t()
x.repeat(2)
x.split(1)
x.tolist()
x[0].item()
bool(x[0])
x.numpy()
x.half()
x.bool()
x.to(m.complex64)
x.to(m.float8_e5m2)
x.float().type_as(x)
x.type()
x.element_size()
x.untyped_storage().nbytes()
x.maximum(x)
x.logical_not()
m.isnan(x)
m.isinf(x)
m.tril(x[None])
m.dot(x, x)
m.nn.Parameter(x)
m.can_cast(d, m.float32)
m.can_cast(m.float32, d)
""".strip().splitlines()}


@pytest.mark.parametrize("name", NAMES)
def test_calls(name):
    for text, call in CALLS.items():
        found, expected = (outcome(call, m, m.tensor([1.0, 2.0, 0.5]).to(getattr(m, name)), getattr(m, name))
                           for m in (ours, theirs))
        assert found == expected, text


@pytest.mark.parametrize("name", NAMES)
def test_gradient_of_a_cast(name):
    grads = []
    for m in (ours, theirs):
        x = m.tensor([1.0, 2.5, 300.0], requires_grad=True)
        (x.to(getattr(m, name)).float() * m.tensor([1.0, 2.0, 4.0])).sum().backward()
        grads.append(x.grad.tolist())
    assert grads[0] == grads[1]


@pytest.mark.parametrize("name", NAMES)
def test_files(name):
    for writer, reader in ((ours, theirs), (theirs, ours), (ours, ours)):
        file = io.BytesIO()
        writer.save({"x": of(writer, BITS, name)}, file)
        file.seek(0)
        found = reader.load(file)["x"]
        assert found.dtype is getattr(reader, name)
        np.testing.assert_array_equal(found.view(reader.uint8).numpy(), BITS)
