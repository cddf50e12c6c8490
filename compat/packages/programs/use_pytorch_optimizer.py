import torch
from pytorch_optimizer import create_optimizer, get_supported_optimizers, load_optimizer
from pytorch_optimizer.lr_scheduler import CosineAnnealingWarmupRestarts
from pytorch_optimizer.loss import BCEFocalLoss, JaccardLoss
print(len(get_supported_optimizers()) > 50)
for name in ("adabelief", "adabound", "adamp", "adan", "adapnm", "aggmo", "diffgrad", "lamb", "lars", "lion", "madgrad", "nero", "novograd",
             "prodigy", "radam", "ranger21", "scalableshampoo", "shampoo", "sophiah", "srmm", "tiger", "yogi", "came", "adafactor", "muon"):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    x, y = torch.randn(16, 4), torch.randn(16, 1)
    extra = {"num_iterations": 10} if name == "ranger21" else {}
    if name == "muon":
        groups = [{"params": [p for p in model.parameters() if p.ndim == 2], "use_muon": True},
                  {"params": [p for p in model.parameters() if p.ndim < 2], "use_muon": False}]
        opt = load_optimizer(name)(groups, lr=1e-2)
    else:
        opt = load_optimizer(name)(model.parameters(), lr=1e-2, **extra)
    losses = []
    for i in range(4):
        loss = ((model(x) - y) ** 2).mean()
        opt.zero_grad(); loss.backward(create_graph=name == "sophiah"); opt.step()
        losses.append(loss.detach())
    print(name, torch.stack(losses))
opt = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
scheduler = CosineAnnealingWarmupRestarts(opt, first_cycle_steps=6, max_lr=0.1, min_lr=0.001, warmup_steps=2)
for _ in range(5):
    opt.step(); scheduler.step(); print(opt.param_groups[0]["lr"])
p = torch.rand(2, 1, 8, 8, requires_grad=True); q = torch.randint(0, 2, (2, 1, 8, 8)).float()
print(BCEFocalLoss()(p, q), JaccardLoss("binary")(p, q))
