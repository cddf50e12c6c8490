"""What a GPU computes, beside what the CPU computes in a wider dtype."""

import pytest

import torchlike as torch
from tests.gpu import ON_A_GPU

pytestmark = ON_A_GPU
F = torch.nn.functional
ALMOST_FLOAT32 = 1e-5  # of sums of 512 terms, beside the largest; TF32 rounds each factor by up to 5e-4

CASES = {
    "pointwise": lambda x, w: torch.tanh(x) * torch.exp(-x * x) + torch.nn.functional.gelu(w).sum(),
    "product": lambda x, w: x @ w,
    "batched product": lambda x, w: torch.einsum("ij,jk,ik->i", x, w, x),
    "softmax": lambda x, w: torch.softmax(x, 1) @ w,
    "layer norm": lambda x, w: F.layer_norm(x, (16,)) @ w,
    "convolution": lambda x, w: F.conv2d(x.view(1, 1, 16, 16), w[:9, 0].reshape(1, 1, 3, 3), padding=1, stride=2),
    "transposed convolution": lambda x, w: F.conv_transpose2d(x.view(1, 4, 8, 8), w[:4, :9].reshape(4, 1, 3, 3)),
    "grouped convolution": lambda x, w: F.conv2d(x.view(1, 4, 8, 8), w[:4, :9].reshape(4, 1, 3, 3), groups=4),
    "pooling": lambda x, w: F.max_pool2d(x.view(1, 1, 16, 16), 2) + F.avg_pool2d(w.view(1, 1, 16, 16), 2),
    "batch norm": lambda x, w: F.batch_norm(x, None, None, training=True) * w,
    "cumsum": lambda x, w: x.cumsum(0) * w.sort(dim=1).values,
    "indexing": lambda x, w: x[torch.tensor([3, 1, 3], device=x.device)] @ w,
    "scatter": lambda x, w: x.index_add(0, torch.tensor([1, 1, 2], device=x.device), w[:3]),
    "embedding": lambda x, w: F.embedding(torch.tensor([[1, 2], [2, 0]], device=x.device), w).sum() + x,
    "svd": lambda x, w: torch.linalg.svdvals(x + w),
    "cholesky": lambda x, w: torch.linalg.cholesky(x @ x.mT + 16 * torch.eye(16, device=x.device, dtype=x.dtype)),
    "solve": lambda x, w: torch.linalg.solve(x + 16 * torch.eye(16, device=x.device, dtype=x.dtype), w),
    "fft": lambda x, w: torch.fft.rfft(x).abs() + torch.fft.fft2(w).abs().sum(),
    "cross entropy": lambda x, w: F.cross_entropy(x + w, torch.arange(16, device=x.device)),
}


def outcome(case, device, dtype):
    """The result and both gradients, on the CPU in float64."""
    torch.manual_seed(0)
    made = [torch.randn(16, 16, dtype=torch.float64).to(device, dtype).requires_grad_() for _ in range(2)]
    result = case(*made)
    result.sum().backward()
    return [x.cpu().double() for x in (result.detach(), *(torch.zeros(1) if x.grad is None else x.grad for x in made))]


@pytest.mark.parametrize("name", CASES)
def test_results_and_gradients(name):
    torch.backends.cudnn.allow_tf32 = False
    try:
        expected, got = outcome(CASES[name], "cpu", torch.float64), outcome(CASES[name], "cuda", torch.float32)
    finally:
        torch.backends.cudnn.allow_tf32 = True
    for mine, right in zip(got, expected, strict=True):
        assert torch.allclose(mine, right, rtol=1e-4, atol=1e-4)


def test_float64():
    for mine, right in zip(*(outcome(CASES["product"], device, torch.float64) for device in ("cuda", "cpu")), strict=True):
        assert torch.allclose(mine, right, rtol=1e-12, atol=1e-12)


# -- TensorFloat32

def relative_error(compute, *shapes) -> float:
    torch.manual_seed(0)
    made = [torch.randn(shape, dtype=torch.float64) for shape in shapes]
    right = compute(*made)
    got = compute(*(x.to("cuda", torch.float32) for x in made)).cpu().double()
    return ((got - right).abs().max() / right.abs().max()).item()


def has_tf32() -> bool:
    return torch.cuda.get_device_capability()[0] >= 8


def test_products_are_float32s_until_tf32_is_allowed():
    def error():
        return relative_error(torch.matmul, (512, 512), (512, 512))

    assert torch.get_float32_matmul_precision() == "highest" and error() < ALMOST_FLOAT32
    try:
        torch.set_float32_matmul_precision("high")
        rough = error()
    finally:
        torch.set_float32_matmul_precision("highest")
    assert rough < 1e-2 and (rough > ALMOST_FLOAT32) == has_tf32()
    assert error() < ALMOST_FLOAT32


def test_convolutions_are_tf32s_until_it_is_forbidden():
    def error():
        return relative_error(F.conv2d, (4, 64, 32, 32), (64, 64, 3, 3))

    assert torch.backends.cudnn.allow_tf32 and error() < 1e-2
    try:
        torch.backends.cudnn.allow_tf32 = False
        assert error() < ALMOST_FLOAT32
    finally:
        torch.backends.cudnn.allow_tf32 = True


# -- attention, by XLA's own products: no cuDNN is asked

@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("kind", ["plain", "causal", "mask", "added mask"])
def test_attention(kind, dtype):
    torch.manual_seed(0)
    made = [torch.randn(2, 3, 10, 8, dtype=torch.float64) for _ in range(3)]
    mask = torch.ones(10, 10, dtype=torch.bool).tril()
    options = {"plain": {}, "causal": {"is_causal": True}, "mask": {"attn_mask": mask},
               "added mask": {"attn_mask": torch.zeros(10, 10, dtype=torch.float64).masked_fill(~mask, -5.0)}}[kind]
    right = F.scaled_dot_product_attention(*made, **options)
    there = {name: value.cuda() if value is mask else value.to("cuda", dtype) if isinstance(value, torch.Tensor) else value
             for name, value in options.items()}
    q, k, v = (x.to("cuda", dtype).requires_grad_() for x in made)
    got = F.scaled_dot_product_attention(q, k, v, **there)
    got.sum().backward()
    rough = 1e-5 if dtype == torch.float32 else 5e-2
    assert got.dtype == dtype and torch.allclose(got.detach().cpu().double(), right, rtol=rough, atol=rough)
    assert all(x.grad.isfinite().all() for x in (q, k, v))


# -- autocast and the scaler

@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_autocast(dtype):
    layer = torch.nn.Linear(8, 8, device="cuda")
    x = torch.ones(2, 8, device="cuda")
    with torch.autocast("cuda", dtype):
        product, total = layer(x), layer(x).softmax(1)
        loss = F.mse_loss(product, torch.zeros(2, 8, device="cuda"))
    assert (product.dtype, total.dtype, loss.dtype) == (dtype, torch.float32, torch.float32)
    loss.backward()
    assert layer.weight.grad.dtype == torch.float32 and layer.weight.grad.isfinite().all()
    with torch.autocast("cuda"):
        assert layer(x).dtype == torch.float16  # PyTorch's choice on a GPU
        with torch.autocast("cuda", enabled=False):
            assert layer(x).dtype == torch.float32


def test_grad_scaler():
    weight = torch.ones(4, device="cuda", requires_grad=True)
    optimizer, scaler = torch.optim.SGD([weight], lr=0.5), torch.amp.GradScaler("cuda", init_scale=1024.0)
    assert scaler.is_enabled()

    def step(factor):
        optimizer.zero_grad()
        with torch.autocast("cuda", torch.float16):
            loss = (weight * factor).sum()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    step(1.0)
    assert weight.tolist() == [0.5] * 4 and scaler.get_scale() == 1024.0
    step(float("inf"))
    assert weight.tolist() == [0.5] * 4 and scaler.get_scale() == 512.0
    step(0.5)
    assert weight.tolist() == [0.25] * 4
