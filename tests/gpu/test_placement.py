"""Where tensors are, how they get there, and what is said where they must not meet."""

import io

import numpy as np
import pytest

import torchlike as torch
from tests.gpu import ON_A_GPU

pytestmark = ON_A_GPU
CPU, GPU = torch.device("cpu"), torch.device("cuda:0")
TWO_DEVICES = "Expected all tensors to be on the same device, but found at least two devices"


def hardware(tensor) -> str:
    """What JAX calls the platform of the device that holds it."""
    (device,) = tensor.detach().__jax_array__().devices()
    return device.platform


def test_there_is_one():
    assert torch.cuda.is_available() and torch.cuda.is_initialized() and torch.cuda.device_count() >= 1
    assert torch.cuda.current_device() == 0 and torch.cuda.get_device_name()
    assert torch.accelerator.is_available() and torch.accelerator.current_accelerator() == torch.device("cuda")
    properties = torch.cuda.get_device_properties(0)
    assert (properties.major, properties.minor) == torch.cuda.get_device_capability()
    assert properties.total_memory > 0 and properties.multi_processor_count > 0
    assert properties.name == torch.cuda.get_device_name("cuda")


def test_factories():
    for made in (torch.ones(3, device="cuda"), torch.tensor([1, 2], device="cuda"), torch.arange(3, device="cuda"),
                 torch.empty(2, device="cuda"), torch.eye(2, device="cuda"), torch.ones_like(torch.ones(2, device="cuda"))):
        assert made.device == GPU and made.is_cuda and made.get_device() == 0 and hardware(made) == "gpu"
    assert torch.ones(2).device == CPU and hardware(torch.ones(2) * 2) == "cpu"
    with torch.device("cuda"):
        assert torch.zeros(2).device == GPU
    assert torch.zeros(2).device == CPU


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int8,
                                   torch.uint8, torch.bool, torch.complex64], ids=str)
def test_there_and_back(dtype):
    x = torch.arange(12).reshape(3, 4).to(dtype)
    there = x.to("cuda")
    assert there.device == GPU and there.dtype == dtype and there.cpu().equal(x)
    assert x.cuda().equal(there) and there.cuda() is there and x.cpu() is x
    assert there.to(CPU).device == CPU and there.T.contiguous().cpu().equal(x.T)


def test_to_says_dtype_and_device_at_once():
    x = torch.ones(2, dtype=torch.float64).to("cuda", torch.float16, non_blocking=True)
    assert x.device == GPU and x.dtype == torch.float16
    assert torch.ones(1).to(x).dtype == torch.float16 and torch.ones(1).to(x).device == GPU
    assert torch.ones(2).type("torch.cuda.FloatTensor").device == GPU and torch.ones(2, device="cuda").type() == \
        "torch.cuda.FloatTensor"


def test_modules_and_gradients_move():
    layer = torch.nn.Linear(3, 2)
    expected = layer(torch.ones(1, 3))
    layer.to("cuda")
    got = layer(torch.ones(1, 3, device="cuda"))
    got.sum().backward()
    assert {p.device for p in layer.parameters()} == {p.grad.device for p in layer.parameters()} == {GPU}
    assert torch.allclose(got.cpu(), expected, rtol=1e-5)
    x = torch.ones(3, requires_grad=True)
    (x.cuda() * 2).sum().backward()
    assert x.grad.device == CPU and x.grad.tolist() == [2.0, 2.0, 2.0]


def test_two_devices_do_not_mix():
    x = torch.ones(3, device="cuda")
    for mixed in (lambda: x + torch.ones(3), lambda: torch.ones(3) * x, lambda: torch.cat([x, torch.ones(1)]),
                  lambda: torch.nn.Linear(3, 3)(x), lambda: x.add_(torch.ones(3)), lambda: x @ torch.ones(3)):
        with pytest.raises(RuntimeError, match=TWO_DEVICES):
            mixed()
    assert (x + torch.tensor(2.0)).device == GPU and (torch.tensor(2.0) * x).tolist() == [2.0, 2.0, 2.0]
    assert x.copy_(torch.zeros(3)).tolist() == [0.0, 0.0, 0.0]


def test_numpy_and_python_values():
    x = torch.ones(2, device="cuda")
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
        x.numpy()
    assert x.cpu().numpy().tolist() == [1.0, 1.0] and x.sum().item() == 2.0 and bool(x.all()) and x.tolist() == [1.0, 1.0]
    assert "device='cuda:0'" in repr(x)
    assert torch.as_tensor(np.ones(2), device="cuda").device == GPU


def test_views_and_writes_in_place():
    x = torch.zeros(4, 4, device="cuda")
    row = x[1]
    row.fill_(3)
    x[:, 0] = 1
    x.t()[2, 3] = 5
    expected = torch.zeros(4, 4)
    expected[1] = 3
    expected[:, 0] = 1
    expected[3, 2] = 5
    assert x.cpu().equal(expected) and row.cpu().equal(expected[1]) and row.device == GPU


def test_no_such_gpu():
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        torch.ones(1, device=f"cuda:{torch.cuda.device_count()}").sum().item()


def test_saved_and_loaded():
    file = io.BytesIO()
    torch.save({"there": torch.ones(2, device="cuda"), "here": torch.ones(2)}, file)
    for place, expected in ((None, (GPU, CPU)), ("cpu", (CPU, CPU)), ("cuda", (GPU, GPU)), ({"cuda:0": "cpu"}, (CPU, CPU))):
        file.seek(0)
        found = torch.load(file, map_location=place)
        assert (found["there"].device, found["here"].device) == expected
        assert found["there"].tolist() == [1.0, 1.0]


def test_pinned_memory():
    data = torch.utils.data.TensorDataset(torch.arange(8.0))
    for (batch,) in torch.utils.data.DataLoader(data, batch_size=4, pin_memory=True):
        moved = batch.to("cuda", non_blocking=True)
        assert moved.device == GPU and moved.cpu().equal(batch)
    with torch.autograd.graph.save_on_cpu(pin_memory=True):
        x = torch.ones(3, device="cuda", requires_grad=True)
        y = (x * x).sum()
    y.backward()
    assert x.grad.device == GPU and x.grad.tolist() == [2.0, 2.0, 2.0]


def test_jax_and_dlpack():
    x = torch.arange(4.0, device="cuda")
    assert hardware(x) == "gpu"
    back = torch.from_dlpack(x)
    assert back.device == GPU and back.tolist() == x.tolist()
