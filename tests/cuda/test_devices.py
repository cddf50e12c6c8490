"""Tensors on two devices: in one trace, in training, moved, mixed, saved."""

import pytest

from tests.cuda.standin import printed

MIXED = """
x = torch.ones(3, device="cuda", requires_grad=True)
print(x.device, (x * 2).__jax_array__().devices() == {jax.devices()[1]})
print(error(lambda: x + torch.ones(3)))                              # created on the other device
print(error(lambda: torch.ones(3) + torch.ones(3, device="cuda")))
print(error(lambda: torch.cat([x, torch.tensor([1.0])])))
print(error(lambda: torch.nn.Linear(3, 3)(x)))
print(error(lambda: torch.ones(2, device="cuda:1") * torch.ones(2, device="cuda:0")))
print((x + torch.tensor(2.0)).tolist(), (torch.full((), 4.0) + x).device)
a, b = torch.ones(3), torch.ones(3, device="cuda")                   # nothing entered, created on both
c, d = a * 2, b * 3
print(c.__jax_array__().devices() == {jax.devices()[0]}, d.__jax_array__().devices() == {jax.devices()[1]})
print(c.tolist(), d.tolist())
y = (x * 2 + torch.ones(3).cuda()).sum()
y.backward()
print(x.grad, y.item())
v = b[1:]
v.add_(1)
print(b.tolist(), v.device, b.copy_(torch.zeros(3)).tolist(), b.cpu().device, b.to("cuda:1").device)
"""


@pytest.mark.slow
def test_mixed():
    other = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, {} and {}!"
    assert printed(MIXED) == [
        "cuda:0 True", other.format("cuda:0", "cpu"), other.format("cpu", "cuda:0"), other.format("cuda:0", "cpu"),
        other.format("cpu", "cuda:0"), other.format("cuda:1", "cuda:0"), "[3.0, 3.0, 3.0] cuda:0", "True True",
        "[2.0, 2.0, 2.0] [3.0, 3.0, 3.0]", "tensor([2., 2., 2.], device='cuda:0') 9.0",
        "[1.0, 2.0, 2.0] cuda:0 [0.0, 0.0, 0.0] cpu cuda:1"]


LOOKED_AT = """
x = torch.eye(2, device="cuda") * 4
print(torch.linalg.cholesky(x).tolist(), torch.linalg.solve(x, x).device)   # they look whether they failed
print(error(lambda: torch.linalg.cholesky(-x)))
y = x + 1
torch.cuda.synchronize()
torch.accelerator.synchronize()
print(y._cell.array is not None)
print(torch.ones(2).type("torch.cuda.HalfTensor").dtype, torch.ones(2).type("torch.cuda.HalfTensor").device)
print(x.type("torch.DoubleTensor").device, x.to("cuda:1").type("torch.cuda.DoubleTensor").device)
print(error(lambda: x.type("torch.FooTensor")), error(lambda: x.type("FloatTensor")))
"""


@pytest.mark.slow
def test_what_looks_at_values():
    assert printed(LOOKED_AT) == [
        "[[2.0, 0.0], [0.0, 2.0]] cuda:0",
        "_LinAlgError: linalg.cholesky: The factorization could not be completed because the input is not positive-definite "
        "(the leading minor of order 1 is not positive-definite).", "True", "torch.float16 cuda:0", "cpu cuda:1",
        "ValueError: invalid type: 'torch.FooTensor' ValueError: invalid type: 'FloatTensor'"]


TRAINED = """
import io
def losses(device):
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.BatchNorm1d(8), nn.Linear(8, 2)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), 0.01)
    for _ in range(5):
        x, y = torch.randn(6, 4).to(device), torch.randint(0, 2, (6,)).to(device)
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield round(loss.item(), 5)
    where = {p.device.type for p in model.parameters()} | {p.grad.device.type for p in model.parameters()}
    arrays = {d.id for p in model.parameters() for d in p.detach().__jax_array__().devices()}
    print(where, arrays)
    file = io.BytesIO()
    torch.save(model.state_dict(), file)
    for place in (None, "cpu", "cuda:1"):
        file.seek(0)
        print({str(x.device) for x in torch.load(file, map_location=place).values()})
print(list(losses("cpu")) == list(losses("cuda")))
"""


@pytest.mark.slow
def test_training():
    assert printed(TRAINED) == ["{'cpu'} {0}", "{'cpu'}", "{'cpu'}", "{'cuda:1'}",
                                "{'cuda'} {1}", "{'cuda:0'}", "{'cpu'}", "{'cuda:1'}", "True"]


RANDOM = """
torch.manual_seed(0)
a, cpu = torch.rand(1000, device="cuda"), torch.rand(3)
print(a.device, a.__jax_array__().devices() == {jax.devices()[1]}, 0 <= a.min().item() < a.max().item() < 1)
torch.manual_seed(0)
print(torch.rand(3).equal(cpu), torch.rand(1000, device="cuda").equal(a), torch.rand(1000, device="cuda").equal(a))
state = torch.cuda.get_rng_state()
b = torch.randn(5, device="cuda")
torch.cuda.set_rng_state(state)
print(len(state), torch.randn(5, device="cuda").equal(b), torch.randn(5, device="cuda:1").cpu().equal(b.cpu()))
g = torch.Generator("cuda").manual_seed(7)
one = torch.rand(4, device="cuda", generator=g)
print(one.equal(torch.rand(4, device="cuda", generator=torch.Generator("cuda").manual_seed(7))), g.initial_seed(), g.device)
print(error(lambda: torch.rand(3, generator=g)))
print(error(lambda: torch.rand(3, device="cuda", generator=torch.Generator())))
with torch.random.fork_rng():
    inside = torch.rand(4, device="cuda")
print(torch.rand(4, device="cuda").equal(inside), len(torch.cuda.get_rng_state_all()), len(torch.cuda.default_generators))
x = torch.ones(1000, device="cuda", requires_grad=True)
layer = torch.nn.Dropout(0.5)
def f(x):
    return layer(x) * layer(x)
out = torch.utils.checkpoint.checkpoint(f, x, use_reentrant=False)
out.sum().backward()
print(out.device, (x.grad != 0).equal(out != 0), 150 < (out != 0).sum().item() < 350)
for name, args in (("uniform_", ()), ("normal_", ()), ("exponential_", ()), ("random_", (5,)), ("bernoulli_", (0.3,)),
                   ("cauchy_", ()), ("geometric_", (0.5,)), ("log_normal_", ())):
    made = getattr(torch.zeros(50, device="cuda"), name)(*args)
    print(name, made.device, made.unique().numel() > 1)
p = torch.rand(4, device="cuda")
for made in (torch.bernoulli(p), torch.multinomial(p, 2), torch.poisson(p), torch.randperm(6, device="cuda"),
             torch.randint(3, (2,), device="cuda"), torch.randn(2, dtype=torch.complex64, device="cuda"),
             torch.randn(2, dtype=torch.bfloat16, device="cuda"), torch.rand(2, dtype=torch.float64, device="cuda"),
             torch.distributions.Gamma(p, p).sample()):
    print(made.device, made.dtype, tuple(made.shape))
torch.cuda.manual_seed(3)
c = torch.rand(2, device="cuda")
torch.cuda.manual_seed_all(3)
print(torch.rand(2, device="cuda").equal(c))
"""


@pytest.mark.slow
def test_random_numbers():
    lines = printed("import torchlike.utils.checkpoint\n" + RANDOM)
    assert lines == [
        "cuda:0 True True", "True True False", "16 True False", "True 7 cuda:0",
        "RuntimeError: Expected a 'cpu' device type for generator but found 'cuda'",
        "RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'", "True 2 2", "cuda:0 True True",
        *(f"{name}_ cuda:0 True" for name in
          ("uniform", "normal", "exponential", "random", "bernoulli", "cauchy", "geometric", "log_normal")),
        "cuda:0 torch.float32 (4,)", "cuda:0 torch.int64 (2,)", "cuda:0 torch.float32 (4,)", "cuda:0 torch.int64 (6,)",
        "cuda:0 torch.int64 (2,)", "cuda:0 torch.complex64 (2,)", "cuda:0 torch.bfloat16 (2,)", "cuda:0 torch.float64 (2,)",
        "cuda:0 torch.float32 (4,)", "True"]


SPARSE = """
import warnings
warnings.filterwarnings("ignore", "Sparse")
v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
x = torch.sparse_coo_tensor(torch.tensor([[0, 1, 2], [1, 0, 2]]), v, (3, 3))
y = x.to("cuda")
print(y.device, y._indices().device, y._values().device, y.layout, y.is_coalesced())
d = torch.arange(9.0).reshape(3, 3).to("cuda")
(y @ d).sum().backward()
print(v.grad.device, v.grad.tolist())
c = x.detach().to_sparse_csr().to("cuda")
print(c.crow_indices().device, c.to("cpu").to_dense().tolist() == x.to_dense().tolist())
"""


@pytest.mark.slow
def test_sparse_tensors_move():
    assert printed(SPARSE) == [
        "cuda:0 cuda:0 cuda:0 torch.sparse_coo False",
        "cpu [12.0, 3.0, 21.0]",
        "cuda:0 True"]
