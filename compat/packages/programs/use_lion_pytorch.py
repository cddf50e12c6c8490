import torch
from lion_pytorch import Lion
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
opt = Lion(model.parameters(), lr=1e-2, weight_decay=1e-2)
x, y = torch.randn(32, 4), torch.randn(32, 1)
for i in range(10):
    loss = torch.nn.functional.mse_loss(model(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
    print(i, loss)
print(sorted(opt.state_dict()["state"][0]))
