import io
import torch
from optimum.quanto import Calibration, freeze, qfloat8, qint8, quantize, quantization_map, requantize, QTensor
torch.manual_seed(0)
make = lambda: torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.LayerNorm(16), torch.nn.ReLU(), torch.nn.Linear(16, 4))
x = torch.randn(4, 8)
for options in (dict(weights=qint8), dict(weights=qint8, activations=qint8), dict(weights=qfloat8)):
    torch.manual_seed(1); model = make(); plain = model(x)
    quantize(model, **options)
    if "activations" in options:
        with torch.no_grad(), Calibration(): model(x)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for i in range(2):
        loss = model(x).pow(2).mean(); optimizer.zero_grad(); loss.backward(); optimizer.step(); print(i, loss)
    freeze(model); print((model(x) - plain).abs().max(), type(model[0].weight).__name__, model[0])
    file = io.BytesIO(); torch.save(model.state_dict(), file); file.seek(0)
    again = make(); requantize(again, torch.load(file, weights_only=False), quantization_map(model)); print((again(x) - model(x)).abs().max())
