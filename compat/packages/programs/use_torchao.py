import copy
import io
import logging
import os

os.environ["TORCHDYNAMO_DISABLE"] = "1"  # its optimizers compile their steps, for which PyTorch wants a C++ compiler
logging.disable(logging.CRITICAL)  # libraries for GPUs that cannot be loaded
import torch
import torchao
from torch import nn
from torchao import optim, quantization
from torchao.float8 import convert_to_float8_training
from torchao.quantization import quantize_
from torchao.quantization.qat import QATConfig
from torchao.quantization.quant_primitives import MappingType, choose_qparams_affine, dequantize_affine, quantize_affine
from torchao.quantization.quantize_.workflows.nf4.nf4_tensor import linear_nf4, to_nf4

torch.manual_seed(0)
x = torch.randn(4, 64)

def model():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 8)).eval()

for name in ("Int8WeightOnlyConfig", "Int8DynamicActivationInt8WeightConfig", "Float8WeightOnlyConfig", "IntxWeightOnlyConfig", "Int8DynamicActivationIntxWeightConfig"):
    m = model()
    quantize_(m, getattr(quantization, name)())
    with torch.no_grad():
        y = m(x)
    print(name, type(m[0].weight).__name__, m[0].weight.shape, m[0].weight.dtype, y.sum(), y.abs().mean())
    print([(key, type(value).__name__) for key, value in m.state_dict().items()])
    file = io.BytesIO(); torch.save(m.state_dict(), file); file.seek(0)
    again = model(); print(again.load_state_dict(torch.load(file), assign=True), (again(x) - y).abs().max())
    print(type(copy.deepcopy(m)[0].weight).__name__, (m[0].weight.dequantize() - model()[0].weight).abs().max())
m = model(); quantize_(m, quantization.Int8WeightOnlyConfig())
print(m[0].weight.qdata[0, :8], m[0].weight.scale.flatten()[:4], m.to("cpu")[0].weight.device)

# training
for name in ("Adam8bit", "AdamW4bit", "AdamWFp8"):
    torch.manual_seed(0)
    m = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64))
    optimizer = getattr(optim, name)(m.parameters(), lr=1e-2)
    for i in range(3):
        loss = (m(x) - x).pow(2).mean(); loss.backward(); optimizer.step(); optimizer.zero_grad(); print(name, i, loss)
    state = optimizer.state[m[0].weight]["exp_avg"]; print(type(state).__name__, state.dequantize().abs().sum())
m = model(); base = quantization.IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=quantization.PerGroup(32))
quantize_(m, QATConfig(base, step="prepare"))
optimizer = torch.optim.SGD(m.parameters(), 0.1)
for i in range(3):
    loss = (m(x) - 1).pow(2).mean(); loss.backward(); optimizer.step(); optimizer.zero_grad(); print("QAT", type(m[0]).__name__, loss)
quantize_(m, QATConfig(base, step="convert")); print(type(m[0].weight).__name__, m(x).sum())
weight = to_nf4(torch.randn(64, 64), 64, 64)
y = torch.randn(2, 64, requires_grad=True); linear_nf4(y, weight).sum().backward(); print(type(weight).__name__, weight.get_original_weight().sum(), y.grad.sum())
print(convert_to_float8_training(model()))
scale, zero = choose_qparams_affine(x, MappingType.ASYMMETRIC, (1, 32), torch.uint8)
codes = quantize_affine(x, (1, 32), scale, zero, torch.uint8); print(scale.sum(), zero, codes.sum(), dequantize_affine(codes, (1, 32), scale, zero, torch.uint8).sum())
