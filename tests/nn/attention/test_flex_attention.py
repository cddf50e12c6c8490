"""`torch.nn.attention.flex_attention` against PyTorch's; gradients, which that has not on the CPU, against SDPA's."""

import importlib

import pytest
import torch

import torchlike
from compat.compare import differing, tolerances

SPACES = [(lib, importlib.import_module(f"{lib.__name__}.nn.attention.flex_attention")) for lib in (torch, torchlike)]
TOLERANCE = tolerances.flat(2e-5, 2e-6)
pytestmark = pytest.mark.filterwarnings("ignore")  # PyTorch's wants to be compiled


def operands(lib, key_heads=4):
    made = torch.Generator().manual_seed(0)
    sizes = ((2, 4, 5, 8), (2, key_heads, 7, 8), (2, key_heads, 7, 6))
    return [lib.tensor(torch.randn(size, generator=made).tolist()) for size in sizes]


def outcome(program, lib, flex, **names):
    """What a program gives: numbers, or the type and text of its error."""
    q, k, v = operands(lib)
    names = {"t": lib, "F": flex, "q": q, "k": k, "v": v, "causal": lambda b, h, q, k: q >= k, **names}
    try:
        return plain(eval(program, names))
    except Exception as error:  # noqa: BLE001 - compared
        return type(error).__name__, str(error).split("Got <")[0]


def plain(value):
    if hasattr(value, "tolist"):
        return str(value.dtype).replace("torchlike", "torch"), list(value.shape), value.tolist()
    return [plain(x) for x in value] if isinstance(value, tuple | list) else value


PROGRAMS = (
    "F.flex_attention(q, k, v)", "F.flex_attention(q, k, v, scale=0.3)", "F.flex_attention(q, k, v, return_lse=True)",
    "F.flex_attention(q, k, v, return_aux=F.AuxRequest(lse=True))",
    "F.flex_attention(q, k, v, return_aux=F.AuxRequest())",
    "F.flex_attention(q, k, v, return_lse=True, return_aux=F.AuxRequest())",
    "F.flex_attention(q, k[:, :2], v[:, :2], enable_gqa=True)", "F.flex_attention(q, k[:, :3], v[:, :3], enable_gqa=True)",
    "F.flex_attention(q, k[:, :2], v[:, :2])", "F.flex_attention(q[0], k, v)", "F.flex_attention(q[..., :3], k, v)",
    "F.flex_attention(q, k[:1], v[:1])",
    "F.flex_attention(q.double(), k.double(), v.double(), return_lse=True)",
    "F.flex_attention(q, k, v, lambda s, b, h, i, j: s + (i - j) * 0.1)",
    "F.flex_attention(q, k, v, lambda s, b, h, i, j: s * t.tensor([1., 2, 3, 4])[h] + b)",
    "F.flex_attention(q, k, v, lambda s, b, h, i, j: t.where(i >= j, s, -float('inf')))",
    "F.flex_attention(q, k, v, block_mask=F.create_block_mask(causal, None, None, 5, 7, device='cpu'))",
    "F.flex_attention(q, k[:1], v[:1], block_mask=F.create_block_mask(causal, None, None, 5, 7, device='cpu'))",
    "F.flex_attention(q, k[:1], v[:1], block_mask=F.create_block_mask(causal, 2, None, 5, 7, device='cpu'))",
    "F.flex_attention(q, k, v, block_mask=F.create_block_mask(lambda b, h, i, j: (b == h) & (i > 1), 2, 4, 5, 7, 'cpu'),"
    "return_lse=True)",
    "F.flex_attention(q[:, :, :3], k, v, block_mask=F.create_block_mask(causal, 1, 1, 5, 7, device='cpu'))",
    "F.flex_attention(q, k, v, block_mask=F.create_block_mask(causal, 1, 1, 4, 7, device='cpu'))",
    "F.flex_attention(q, k, v, block_mask=F.create_block_mask(causal, 1, 1, 5, 7, device='cpu')[0])",
    "F.create_mask(causal, 1, 2, 3, 4, device='cpu')",
    "F.create_mask(lambda s, b, h, i, j: t.where(i > j, s, -float('inf')), None, None, 3, 4, device='cpu')",
    "F.create_mask(F.and_masks(causal, lambda b, h, i, j: i - j < 2), 1, 1, 4, 4, device='cpu')",
    "F.create_mask(F.or_masks(causal, lambda b, h, i, j: j > 2), 1, 1, 4, 4, device='cpu')",
    "F.create_mask(F.and_masks(), 1, 1, 2, 2, device='cpu')", "F.create_mask(F.or_masks(), 1, 1, 2, 2, device='cpu')",
    "F.and_masks(3)", "F.or_masks(3)", "F.create_mask(lambda a: a, 1, 1, 2, 2)",
    "F.create_block_mask(lambda s, b, h, i, j: s, 1, 1, 2, 2, device='cpu')", "F.noop_mask(t.tensor(0), 0, 0, 0)",
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_program(program):
    want, got = (outcome(program, *space) for space in SPACES)
    assert differing.difference(want, got, TOLERANCE) == ""


MASKS = (
    "F.create_block_mask(causal, 1, 1, 300, 260, device='cpu')",
    "F.create_block_mask(causal, 2, None, 64, 96, device='cpu', BLOCK_SIZE=(32, 16))",
    "F.create_block_mask(causal, 1, 1, 128, 128, device='cpu', BLOCK_SIZE=32, separate_full_blocks=False)",
    "F.BlockMask.from_kv_blocks(t.tensor([[[2, 1]]], dtype=t.int32), t.tensor([[[[0, 1], [1, 0]]]], dtype=t.int32), "
    "BLOCK_SIZE=4)",
    "F.create_block_mask(causal, 2, 2, 128, 128, device='cpu', BLOCK_SIZE=32)[1]",
    "F.create_block_mask(causal, 2, 2, 128, 128, device='cpu', BLOCK_SIZE=32)[0, -1]",
    "F.create_block_mask(causal, 1, 1, 128, 128, device='cpu', BLOCK_SIZE=32).to('cpu')",
)
PARTS = ("repr(m)", "str(m)", "m.to_string((3, 2))", "m.to_string(-1, limit=1)", "m.to_string(2)", "m.as_tuple()[:-1]",
         "m.as_tuple(flatten=False)[:-1]", "m.dq_write_order", "m.shape",
         "m.numel()", "m.sparsity()", "m.to_dense()", "m.seq_lengths", "m.BLOCK_SIZE", *(
    f"m.{side}_{part}" for side in ("kv", "q", "full_kv", "full_q") for part in ("num_blocks", "indices")))


@pytest.mark.parametrize("mask", MASKS)
def test_blocks(mask):
    for part in PARTS:
        want, got = (outcome(f"(lambda m: {part})({mask})", *space) for space in SPACES)
        assert want == got, part


def test_a_smaller_mask():  # PyTorch's goes on to count blocks that it has cut off
    mask = "F.create_block_mask(causal, 1, 1, 128, 128, device='cpu', BLOCK_SIZE=32)._adjust(70, 40)"
    for part in ("to_dense()", "shape", "seq_lengths", "BLOCK_SIZE"):
        want, got = (outcome(f"{mask}.{part}", *space) for space in SPACES)
        assert want == got


def test_greatest_scores():  # PyTorch has them on a GPU alone
    lib, flex = SPACES[1]
    q, k, v = operands(lib)
    aux = flex.flex_attention(q, k, v, scale=0.5, return_aux=flex.AuxRequest(max_scores=True))[1]
    assert aux.lse is None and (aux.max_scores - (q @ k.mT * 0.5).amax(-1)).abs().max().item() < 1e-6


def test_gradients():
    found = []
    for lib, flex in SPACES:
        q, k, v = (x.requires_grad_() for x in operands(lib))
        left = lib.arange(5)[:, None] >= lib.arange(7)
        if lib is torch:
            out = lib.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=left)
        else:
            out = flex.flex_attention(q, k, v, block_mask=flex.create_block_mask(lambda b, h, i, j: i >= j, 1, 1, 5, 7))
        (out * out).sum().backward()
        found.append([plain(x.grad) for x in (q, k, v)])
    assert differing.difference(*found, TOLERANCE) == ""


def test_gradient_of_a_captured_bias_and_of_empty_rows():
    flex = SPACES[1][1]
    q, k, v = (x.requires_grad_() for x in operands(torchlike))
    bias = torchlike.zeros(4, requires_grad=True)
    mask = flex.create_block_mask(lambda b, h, i, j: i > 1, None, None, 5, 7)
    out = flex.flex_attention(q, k, v, lambda s, b, h, i, j: s * (1 + bias[h]), mask)
    out.square().sum().backward()
    assert q.grad[:, :, :2].abs().max().item() == 0 < q.grad[:, :, 2:].abs().min().item()
    assert not bias.grad.isnan().any() and bias.grad.abs().min().item() > 0
