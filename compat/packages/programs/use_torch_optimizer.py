import torch
import torch_optimizer as O
torch.manual_seed(0)
for name in ("AdaBound", "AdaMod", "DiffGrad", "Lamb", "NovoGrad", "QHAdam", "RAdam", "Yogi", "AggMo", "PID", "SGDW", "AdaBelief", "Lookahead"):
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1)); x, y = torch.randn(16, 4), torch.randn(16, 1)
    opt = O.Lookahead(O.Yogi(model.parameters(), lr=1e-2), k=2) if name == "Lookahead" else getattr(O, name)(model.parameters(), lr=1e-2)
    for i in range(4):
        loss = ((model(x) - y) ** 2).mean(); opt.zero_grad(); loss.backward(); opt.step()
    print(name, loss)
