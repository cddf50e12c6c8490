import torch
from training import of_file, train
torch.manual_seed(0)
mamba = of_file("mambapy", "mamba.py")
model = mamba.Mamba(mamba.MambaConfig(d_model=16, n_layers=2, d_state=8))
x = torch.randn(2, 16, 16)
train(model, lambda model: (model(x) - x.roll(1, 1)).pow(2).mean())
model.eval()
print(model(x)[0, 0])
caches = [(None, torch.zeros(2, model.config.d_inner, model.config.d_conv - 1)) for _ in range(2)]
with torch.no_grad():
    for i in range(3):
        y, caches = model.step(x[:, i], caches)
        print(y[0, :4])
