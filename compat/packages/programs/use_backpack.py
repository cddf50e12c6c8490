import torch
from backpack import backpack, extend
from backpack.extensions import BatchGrad, BatchL2Grad, DiagGGNExact, DiagHessian, KFAC, SumGradSquared, Variance

torch.manual_seed(0)
x, y = torch.randn(6, 1, 8, 8), torch.randint(3, (6,))
model = extend(torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(18, 3)))
loss_function = extend(torch.nn.CrossEntropyLoss())
with backpack(BatchGrad(), BatchL2Grad(), SumGradSquared(), Variance(), DiagGGNExact(), KFAC()):
    loss_function(model(x), y).backward()
for name, p in model.named_parameters():
    print(name, p.grad.norm(), p.grad_batch.shape, p.grad_batch.norm(), p.batch_l2, p.sum_grad_squared.sum(), p.variance.sum(),
          p.diag_ggn_exact.sum(), [k.shape for k in p.kfac])
model = extend(torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(64, 5), torch.nn.Sigmoid(), torch.nn.Linear(5, 3)))
with backpack(DiagHessian()):
    loss_function(model(x), y).backward()
print([p.diag_h.sum() for p in model.parameters()])
