"""The cast lists are those of the installed PyTorch."""

import pytest
import torch

import torchlike
from compat.api import later
from torchlike._modes import autocast, autocast_lists
from torchlike._ops import dispatcher_names
from torchlike._ops.all import ROWS

KEYS = {"cpu": "AutocastCPU", "cuda": "AutocastCUDA"}
FUSED = {"_cudnn_rnn"}  # autocast kernels that only a PyTorch with cuDNN has


def of_torch(key) -> set:
    """The operators that have a kernel for this dispatch key."""
    names = [name for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::")]
    return {name.removeprefix("aten::") for name in names if torch._C._dispatch_has_kernel_for_dispatch_key(name, key)}


def of_rows(kind) -> dict:
    """Operator -> policy. A row of our own counts as the operator that it stands for."""
    return {dispatcher_names.name_of(row, (True,), (None,), False).removesuffix(".default"): row.autocast[kind]
            for row in ROWS.values() if kind in row.autocast}


def of_table(kind, composites) -> list:
    """(operator, policy) of rows and of composites."""
    return [*of_rows(kind).items(),
            *((name, policy) for policy, names in composites.items() for name in names.split() if name not in FUSED)]


@pytest.mark.parametrize("kind", KEYS)
def test_names(kind):
    found = [name for name, _ in of_table(kind, autocast_lists.COMPOSITES[kind])]
    assert len(found) == len(set(found))
    assert set(found) - later.rows() == of_torch(KEYS[kind])


@pytest.mark.parametrize("change", [
    lambda table: {**table, "fp32": table["fp32"] + " relu"},
    lambda table: {**table, "fp32": table["fp32"].replace("stft", "", 1)},
], ids=["more", "less"])
def test_planted_difference_is_seen(change):
    found = of_table("cpu", change(autocast_lists.COMPOSITES["cpu"]))
    assert {name for name, _ in found} != of_torch(KEYS["cpu"])


@pytest.mark.parametrize("kind", KEYS)
def test_one_policy_whatever_the_overload(kind):
    by_packet: dict = {}
    for name, policy in of_table(kind, autocast_lists.COMPOSITES[kind]):
        by_packet.setdefault(name.partition(".")[0], set()).add(policy)
    assert [name for name, policies in by_packet.items() if len(policies) > 1] == []


def test_cuda_policies_decide_by_device():
    """Without a GPU the operators stay as they are, and a table entry is found for a tensor of its device only."""
    autocast.enable({"cuda"})
    try:
        assert torchlike.ones(2, 2).mm(torchlike.ones(2, 2)).dtype is torchlike.float32
        assert autocast.policy_of(autocast.policies_of("exp"), [torchlike.ones(2)]) == (None, None)
        on_meta = torchlike.empty(2, device="meta")
        assert autocast.policy_of(autocast.policies_of("mm"), [on_meta]) == (None, None)
    finally:
        autocast.enable(())


# -- the lists of CUDA, tried on the CPU: there need be no GPU

@pytest.fixture
def lists_of_cuda(monkeypatch):
    """The CPU's operators are cast as a GPU's."""
    monkeypatch.setattr(autocast, "policy_on", lambda kind, policies: policies.get("cuda"))
    autocast._handler.cache_clear()
    yield
    monkeypatch.undo()
    autocast._handler.cache_clear()


F = torchlike.nn.functional
ON_CUDA = {
    "mm": (lambda x: x @ x, "bfloat16"),
    "mv": (lambda x: x.float().mv(x[0].float()), "bfloat16"),
    "addmv": (lambda x: torchlike.addmv(x[0].float(), x.float(), x[0].float()), "bfloat16"),
    "einsum": (lambda x: torchlike.einsum("ij,jk->ik", x.float(), x), "bfloat16"),
    "cell": (lambda x: torchlike.nn.LSTMCell(3, 2)(x)[0], "bfloat16"),
    "gru": (lambda x: torchlike.nn.GRU(3, 2)(x.float())[0], "bfloat16"),
    "exp": (lambda x: x.exp(), "float32"),
    "pow": (lambda x: x ** 3, "float32"),
    "square": (lambda x: x ** 2, "float32"),
    "number to a power": (lambda x: 2 ** x, "float32"),
    "layer_norm": (lambda x: F.layer_norm(x, (3,)), "float32"),
    "softplus": (lambda x: F.softplus(x), "float32"),
    "upsample": (lambda x: F.interpolate(x[None, None], scale_factor=2), "float32"),
    "sum": (lambda x: x.sum(), "float32"),
    "sum of a dimension": (lambda x: x.sum(0), "float32"),
    "sum with a dtype": (lambda x: x.sum(dtype=torchlike.float16), "float16"),
    "softmax": (lambda x: x.softmax(0), "float32"),
    "softmax with a dtype": (lambda x: x.softmax(0, torchlike.bfloat16), "bfloat16"),
    "cumsum": (lambda x: x.cumsum(0), "float32"),
    "norm": (lambda x: x.norm(), "float32"),
    "norm of a dimension": (lambda x: x.norm(2, 0), "float32"),
    "vector_norm": (lambda x: torchlike.linalg.vector_norm(x), "float32"),
    "promote": (lambda x: torchlike.atan2(x, x.float()), "float32"),
    "promote none": (lambda x: torchlike.atan2(x, x), "bfloat16"),
    "dot": (lambda x: x[0].dot(x[0].float()), "float32"),
    "tensordot": (lambda x: torchlike.tensordot(x, x.float(), 1), "float32"),
    "bilinear": (lambda x: F.bilinear(x, x.float(), x[:, None].expand(3, 3, 3)), "float32"),
    "relu": (lambda x: x.relu(), "bfloat16"),
    "cat": (lambda x: torchlike.cat([x, x]), "bfloat16"),
    "mean": (lambda x: x.mean(), "bfloat16"),
    "in place": (lambda x: x.clone().exp_(), "bfloat16"),
    "double": (lambda x: x.double().exp(), "float64"),
    "integers": (lambda x: x.long().sum(), "int64"),
}


@pytest.mark.parametrize("name", ON_CUDA)
def test_policies_of_cuda(name, lists_of_cuda):
    use, dtype = ON_CUDA[name]
    with torchlike.autocast("cpu"):
        assert str(use(torchlike.rand(3, 3).bfloat16()).dtype) == f"torch.{dtype}"


def test_unsafe_loss_on_cuda(lists_of_cuda):
    x = torchlike.rand(3)
    with torchlike.autocast("cpu"):
        with pytest.raises(RuntimeError, match="BCELoss are unsafe to autocast"):
            F.binary_cross_entropy(x, x)
        assert F.binary_cross_entropy_with_logits(x, x).dtype is torchlike.float32


WRITTEN = {
    "pow": lambda x, **out: torchlike.pow(x, 2.5, **out),
    "prod": lambda x, **out: torchlike.prod(x, 1, **out),
    "sum": lambda x, **out: torchlike.sum(x, 1, **out),
    "norm": lambda x, **out: torchlike.norm(x, dim=1, **out),
    "cumsum": lambda x, **out: torchlike.cumsum(x, 1, **out),
    "mm": lambda x, **out: torchlike.mm(x, x, **out),
    "exp": torchlike.exp,
}


@pytest.mark.parametrize("name", WRITTEN)
def test_nothing_is_cast_for_out(name, lists_of_cuda, monkeypatch):
    """PyTorch casts for no operator that writes to a tensor, whichever lists hold."""
    dtypes = (torchlike.float32, torchlike.bfloat16)
    results = [WRITTEN[name](torchlike.ones(2, 2, dtype=dtype)) for dtype in dtypes]
    casts = []
    monkeypatch.setattr(autocast, "cast_all", lambda policy, kind, values: casts.append(policy) or values)
    monkeypatch.setattr(autocast, "policy_of", lambda *call, of=autocast.policy_of: casts.append(call[0]) or of(*call))
    with torchlike.autocast("cpu"):
        for dtype, result in zip(dtypes, results, strict=True):
            WRITTEN[name](torchlike.ones(2, 2, dtype=dtype), out=torchlike.empty_like(result))
        assert casts == []
        WRITTEN[name](torchlike.ones(2, 2))
    assert casts  # the check sees a cast
