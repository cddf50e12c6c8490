import torch
from opacus import PrivacyEngine
from opacus.validators import ModuleValidator

torch.manual_seed(0)
x, y = torch.randn(32, 1, 8, 8), torch.randint(3, (32,))
model = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 3))
print(len(ModuleValidator.validate(model, strict=False)))
model = ModuleValidator.fix(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=8)
engine = PrivacyEngine(accountant="rdp")
model, optimizer, loader = engine.make_private(module=model, optimizer=optimizer, data_loader=loader, noise_multiplier=1.1, max_grad_norm=1.0)
for a, b in loader:
    optimizer.zero_grad()
    loss = torch.nn.functional.cross_entropy(model(a), b)
    loss.backward()
    print(len(a), loss, torch.stack([p.grad_sample.flatten(1).norm(dim=1).sum() for p in model.parameters()]))
    optimizer.step()
print(engine.get_epsilon(1e-5), torch.stack([p.norm() for p in model.parameters()]))
